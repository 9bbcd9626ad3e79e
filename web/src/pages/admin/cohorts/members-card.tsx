// The members of a cohort: the list of users, filtered by the cohort. Managers select members, to remove or move them
// (R-COHORT-22).
import type { CohortRecord } from '@portal/contract';
import { exportUsers, listUsers, removeMembers } from '@portal/contract';
import { ArrowLeftRight, UserMinus, Users } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import { AsOf } from '../lists/as-of.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { memberListWords } from '../lists/list-words.ts';
import { useList, useListState } from '../lists/use-list.ts';
import { SelectionBar } from '../people-acts/selection-bar.tsx';
import { useSelection } from '../people-acts/use-selection.ts';
import { RoleGate, useMay } from '../role-gate.tsx';
import { DownloadPeople } from '../users/download-people.tsx';
import { listUserColumns } from '../users/user-columns.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { RemoveMembersDialog } from './remove-members-dialog.tsx';

const FILTERS: string[] = [];

export function MembersCard({ cohort }: { cohort: CohortRecord }) {
  const { cohort_id, name } = cohort;
  const mayChange = useMay()(removeMembers);
  const list = useListState(FILTERS);
  // The list of this page is always filtered by the cohort. So its URL does not contain this filter.
  const { query, page } = useList(listUsers, {
    state: { ...list.state, filters: { cohort_id } },
    show: ({ q, cursors }) => list.show({ q, cursors, filters: {} }),
  });
  const { q } = list.state;
  const selection = useSelection(q, page);
  const [asked, setAsked] = useState<'remove' | 'move' | null>(null);
  const props = { cohort, selection, q, isMore: page.isMore, onClose: () => setAsked(null) };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles Escape in the controls inside.
    <div onKeyDown={selection.onKeyDown}>
      <Card title={say('Members')} action={<AsOf query={query} of={['users']} />}>
        <ListBody
          words={memberListWords()}
          list={list}
          query={query}
          page={page}
          icon={Users}
          bar={
            selection.count > 0 && (
              <SelectionBar selection={selection} page={page}>
                <Button size="sm" onClick={() => setAsked('move')}>
                  <Icon of={ArrowLeftRight} size={16} />
                  {say('Move to…')}
                </Button>
                <Button size="sm" onClick={() => setAsked('remove')}>
                  <Icon of={UserMinus} size={16} />
                  {say('Remove')}
                </Button>
              </SelectionBar>
            )
          }
          acts={
            query.isSuccess && (
              <RoleGate to={exportUsers}>
                <DownloadPeople
                  filters={q === '' ? { cohort_id } : { cohort_id, q }}
                  selected={q === '' ? [name] : [name, `‘${q}’`]}
                  total={page.total}
                  isMore={page.isMore}
                />
              </RoleGate>
            )
          }
        >
          <DataTable
            caption={say('Members')}
            columns={listUserColumns(q, 'joined')}
            rows={page.rows}
            keyOf={({ id }) => id}
            busy={query.isPlaceholderData}
            selection={mayChange ? selection.rows : undefined}
          />
        </ListBody>
      </Card>
      {asked === 'remove' && <RemoveMembersDialog {...props} />}
      {asked === 'move' && <MoveDialog {...props} />}
    </div>
  );
}
