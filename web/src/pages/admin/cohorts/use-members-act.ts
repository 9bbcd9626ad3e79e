// A call that changes the selected members of a cohort, or all members.
import type { CohortRecord } from '@portal/contract';
import { refreshLists } from '../changes.ts';
import { useJobAddress } from '../jobs/job-address.ts';
import { sayChanged } from '../people-acts/people-words.ts';
import type { PeopleSelection } from '../people-acts/use-selection.ts';
import { tellSuccess } from '../refusal-toast.ts';
import { useConfirmedCount } from '../uploads/use-confirmed-count.ts';

export type MembersActProps = {
  cohort: CohortRecord;
  selection: PeopleSelection;
  onClose: () => void;
};

/** The fields of a call that name the people. */
type Whom = { emails: string[] | 'all'; expected: number };
type Order = { failed: string; act: 'leave' | 'move' };

/**
 * Returns the state of `useConfirmedCount`, and `run`, which makes the call `send`. `send` returns the number of changed
 * people, or the id of the job that changes all members. `holding` is the number of the people who hold a code; null if
 * that is not known.
 */
export function useMembersAct({ cohort, selection, onClose }: MembersActProps, { act, failed }: Order) {
  const { isAll, count, emails, end } = selection;
  const counted = useConfirmedCount(isAll ? cohort.members : count, failed, { of: 'users' });
  const { follow } = useJobAddress();
  const run = (send: (whom: Whom) => Promise<number | { job_id: string }>) =>
    counted.confirm(async () => {
      const done = await send({ emails: isAll ? 'all' : emails, expected: counted.count });
      onClose();
      end();
      if (typeof done === 'object') follow(done.job_id);
      else {
        tellSuccess(sayChanged(act, done, emails.length - done));
        refreshLists('users');
      }
    });
  return { ...counted, run, holding: isAll ? cohort.holding : null };
}
