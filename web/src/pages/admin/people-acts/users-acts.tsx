// The bar of the Users page while people are selected, with the acts on them and their dialogs (R-IMP-30).
import type { CohortName } from '@portal/contract';
import { Gift, type LucideIcon, UserMinus, Users } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import { useJobAddress } from '../jobs/job-address.ts';
import type { ListState } from '../lists/list-address.ts';
import type { ShownPage } from '../lists/slice-list.ts';
import { GiveDialog } from './give-dialog.tsx';
import { JoinDialog } from './join-dialog.tsx';
import { SelectionBar } from './selection-bar.tsx';
import type { PeopleSelection } from './use-selection.ts';
import { UsersLeaveDialog } from './users-leave-dialog.tsx';

type UsersActsProps = {
  selection: PeopleSelection;
  page: Pick<ShownPage<unknown>, 'total' | 'isMore'>;
  state: Pick<ListState, 'q' | 'filters'>;
  /** The filters of the list in words. */
  filter: string;
  /** The cohort by which the list is filtered. */
  cohort: CohortName | null;
};

export function UsersActs({ selection, page, state: { q, filters }, filter, cohort }: UsersActsProps) {
  const [asked, setAsked] = useState<'join' | 'give' | 'leave' | null>(null);
  const { follow } = useJobAddress();
  const { count, isAll, emails, end } = selection;
  const close = () => setAsked(null);
  const acts: [typeof asked, LucideIcon, string][] = [
    ['join', Users, say('Add to cohort')],
    ['give', Gift, say('Give products')],
  ];
  if (cohort) acts.push(['leave', UserMinus, say('Remove from cohort')]);
  const props = {
    people: {
      ...{ count, emails, isMore: isAll && page.isMore },
      filter: isAll ? (q === '' ? filters : { ...filters, q }) : null,
    },
    onStarted: (job: string) => {
      close();
      end();
      follow(job);
    },
    onClose: close,
  };
  return (
    <>
      <SelectionBar selection={selection} page={page} filter={filter}>
        {acts.map(([act, icon, label]) => (
          <Button key={label} size="sm" onClick={() => setAsked(act)}>
            <Icon of={icon} size={16} />
            {label}
          </Button>
        ))}
      </SelectionBar>
      {asked === 'join' && <JoinDialog {...props} />}
      {asked === 'give' && <GiveDialog {...props} />}
      {asked === 'leave' && cohort && <UsersLeaveDialog {...props} cohort={cohort} />}
    </>
  );
}
