// The list of all users, with search, a role filter and pages (R-AUSER-09 to R-AUSER-14).
import type { AppUser } from '@portal/contract';
import { listUsers, saveUser } from '../../../admin-calls.ts';
import { exportUsers } from '../../../export-calls.ts';
import { Card } from '../../../ui/card.tsx';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { Segments } from '../../../ui/segments.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { say, sayServed } from '../../../words/say.ts';
import { AsOf } from '../lists/as-of.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { userListWords } from '../lists/list-words.ts';
import { useList, useListState } from '../lists/use-list.ts';
import { Matched } from '../matched.tsx';
import { PersonLink } from '../people/person-link.tsx';
import { RoleGate, useMay } from '../role-gate.tsx';
import { DownloadPeople } from './download-people.tsx';

const listColumns = (q: string): Column<AppUser>[] => [
  {
    label: say('Email'),
    as: 'strong',
    words: ({ email }) => cutWords(email, 40),
    draw: ({ user_id }, { text }) => (
      <PersonLink to={user_id}>
        <Matched text={text} q={q} />
      </PersonLink>
    ),
  },
  // A user without a name is shown with the user id.
  {
    label: say('Name'),
    as: 'line',
    words: ({ name, user_id }) => cutWords(name?.trim() || user_id, 25),
    draw: (_, { text }) => <Matched text={text} q={q} />,
  },
  {
    label: say('Phone'),
    as: 'line',
    words: ({ phone_number }) => cutWords(phone_number || say('N/A'), 20),
    awayOnPhones: ({ phone_number }) => !phone_number,
  },
  {
    label: say('Role'),
    as: 'end',
    words: ({ user_role }) => ({ text: sayRole(user_role) }),
    draw: ({ user_role, team_role }, { text }) =>
      user_role === 'admin' ? (
        <span title={team_role ? sayServed(team_role) : undefined}>
          <Tag tone="accent">{text}</Tag>
        </span>
      ) : (
        text
      ),
  },
];

const FILTERS = ['role'];
const listRoles = () => [
  { value: '', label: say('All') },
  { value: 'user', label: sayRole('user') },
  { value: 'admin', label: sayRole('admin') },
];

function sayRole(role: string): string {
  if (role === 'admin') return say('admin');
  return role === 'user' ? say('user') : role;
}

export function UsersTable({ newRow }: { newRow: string | undefined }) {
  const may = useMay();
  const list = useListState(FILTERS);
  const { query, page } = useList(listUsers, list);
  const { q, filters } = list.state;
  const selected = [
    ...listRoles().filter(({ value }) => value !== '' && value === filters.role),
    ...(q === '' ? [] : [{ label: `‘${q}’` }]),
  ].map(({ label }) => label);
  return (
    <Card title={say('Existing Users')} action={<AsOf query={query} of={['users']} />}>
      <ListBody
        words={userListWords(may(saveUser))}
        list={list}
        query={query}
        page={page}
        filters={
          <Segments
            label={say('Role')}
            value={list.state.filters.role ?? ''}
            options={listRoles()}
            onChange={(role) => list.filter('role', role)}
          />
        }
        acts={
          <RoleGate to={exportUsers}>
            <DownloadPeople
              filters={q === '' ? filters : { ...filters, q }}
              selected={selected}
              total={query.isSuccess ? page.total : undefined}
              isMore={page.isMore}
            />
          </RoleGate>
        }
      >
        <DataTable
          caption={say('Users')}
          columns={listColumns(list.state.q)}
          rows={page.rows}
          keyOf={({ id }) => id}
          busy={query.isPlaceholderData}
          marked={newRow}
        />
      </ListBody>
    </Card>
  );
}
