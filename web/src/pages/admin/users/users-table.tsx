// The list of all users, with search, filters and pages (R-AUSER-09 to R-AUSER-14, R-COHORT-24). Managers select people in
// it, to change them together (R-IMP-30).
import type { ListedUser } from '@portal/contract';
import { actOnUsers, exportUsers, listUsers, saveUser } from '@portal/contract';
import { Card } from '../../../ui/card.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { FilterSelect } from '../../../ui/filter-select.tsx';
import { Segments } from '../../../ui/segments.tsx';
import { say } from '../../../words/say.ts';
import { useCohorts } from '../cohorts/use-cohorts.ts';
import { useJobAddress } from '../jobs/job-address.ts';
import { AsOf } from '../lists/as-of.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { userListWords } from '../lists/list-words.ts';
import { useList, useListState } from '../lists/use-list.ts';
import { PeopleJob } from '../people-acts/people-job.tsx';
import { useSelection } from '../people-acts/use-selection.ts';
import { UsersActs } from '../people-acts/users-acts.tsx';
import { RoleGate, useMay } from '../role-gate.tsx';
import { DownloadPeople } from './download-people.tsx';
import { listUserColumns, sayRole } from './user-columns.tsx';

const FILTERS = ['role', 'cohort_id'];
const listRoles = () => [
  { value: '', label: say('All') },
  { value: 'user', label: sayRole('user') },
  { value: 'admin', label: sayRole('admin') },
];

export function UsersTable({ newRow }: { newRow: string | undefined }) {
  const may = useMay();
  const list = useListState(FILTERS);
  const { query, page } = useList(listUsers, list);
  const { q, filters } = list.state;
  const cohorts = useCohortFilter(filters.cohort_id);
  const selection = useSelection(JSON.stringify([q, filters]), page);
  const selected = [
    ...listRoles().filter(({ value }) => value !== '' && value === filters.role),
    ...(cohorts.chosen ? [{ label: cohorts.chosen.name }] : []),
    ...(q === '' ? [] : [{ label: `‘${q}’` }]),
  ].map(({ label }) => label);
  const { id: job } = useJobAddress();
  return (
    <>
      {job && <PeopleJob />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles Escape in the controls inside. */}
      <div onKeyDown={selection.onKeyDown}>
        <Card title={say('Existing Users')} action={<AsOf query={query} of={['users']} />}>
          <ListBody
            words={userListWords(may(saveUser))}
            list={list}
            query={query}
            page={page}
            bar={
              selection.count > 0 && (
                <UsersActs
                  selection={selection}
                  page={page}
                  state={list.state}
                  filter={selected.join(', ')}
                  cohort={cohorts.chosen}
                />
              )
            }
            filters={
              <>
                <Segments
                  label={say('Role')}
                  value={filters.role ?? ''}
                  options={listRoles()}
                  onChange={(role) => list.filter('role', role)}
                />
                {cohorts.select(list.filter)}
              </>
            }
            acts={
              query.isSuccess && (
                <RoleGate to={exportUsers}>
                  <DownloadPeople
                    filters={q === '' ? filters : { ...filters, q }}
                    selected={selected}
                    total={page.total}
                    isMore={page.isMore}
                  />
                </RoleGate>
              )
            }
          >
            <DataTable<ListedUser>
              caption={say('Users')}
              columns={listUserColumns(q, cohorts.exist ? 'cohorts' : null)}
              rows={page.rows}
              keyOf={({ id }) => id}
              busy={query.isPlaceholderData}
              marked={newRow}
              selection={may(actOnUsers) ? selection.rows : undefined}
            />
          </ListBody>
        </Card>
      </div>
    </>
  );
}

/** The select that filters the list by a cohort. `chosen` is the cohort with the id `id`; null without this filter. */
function useCohortFilter(id: string | undefined) {
  const { query, options } = useCohorts();
  const found = options.find(({ value }) => value === id);
  // The cohort of a link may be archived by now. The list shows its members all the same.
  const other = id !== undefined && !found && query.isSuccess ? say('Archived cohort') : null;
  const all = other === null ? options : [...options, { value: id ?? '', label: other }];
  const name = found?.label ?? other ?? '';
  return {
    exist: all.length > 0,
    chosen: id === undefined ? null : { cohort_id: id, name },
    select: (filter: (name: string, value: string) => void) =>
      all.length > 0 && (
        <FilterSelect
          label={say('Cohort')}
          value={id ?? ''}
          options={[{ value: '', label: say('All cohorts') }, ...all]}
          onChange={(value) => filter('cohort_id', value)}
        />
      ),
  };
}
