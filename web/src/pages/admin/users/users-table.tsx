// All users, page by page (R-AUSER-09 to R-AUSER-14).
import type { AppUser } from '@portal/contract';
import { listUsers } from '../../../admin-calls.ts';
import { Card } from '../../../ui/card.tsx';
import { type Column, cutWords, DataTable } from '../../../ui/data-table.tsx';
import { Segments } from '../../../ui/list-controls.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { useList, useListState } from '../lists/use-list.ts';

const COLUMNS: Column<AppUser>[] = [
  { label: 'Email', as: 'strong', words: ({ email }) => cutWords(email, 40) },
  //
  { label: 'Name', as: 'line', words: ({ name, user_id }) => cutWords(name?.trim() || user_id, 25) },
  {
    label: 'Phone',
    as: 'line',
    words: ({ phone_number }) => cutWords(phone_number || 'N/A', 20),
    awayOnPhones: ({ phone_number }) => !phone_number,
  },
  {
    label: 'Role',
    as: 'end',
    words: ({ user_role }) => ({ text: user_role }),
    draw: (_user, { text }) => (text === 'admin' ? <Tag tone="accent">{text}</Tag> : text),
  },
];

const FILTERS = ['role'];
const ROLES = [
  { value: '', label: 'All' },
  { value: 'user', label: 'user' },
  { value: 'admin', label: 'admin' },
];

export function UsersTable({ newRow }: { newRow: string | undefined }) {
  const list = useListState(FILTERS);
  const { query, page } = useList(listUsers, list);
  return (
    <Card title="Existing Users">
      <ListBody
        what="users"
        empty="No users found. Create your first user above."
        searchHint="Start of an email or name"
        list={list}
        query={query}
        page={page}
        filters={
          <Segments
            label="Role"
            value={list.state.filters.role ?? ''}
            options={ROLES}
            onChange={(role) => list.filter('role', role)}
          />
        }
      >
        <DataTable
          caption="Users"
          columns={COLUMNS}
          rows={page.rows}
          keyOf={({ id }) => id}
          busy={query.isPlaceholderData}
          marked={newRow}
        />
      </ListBody>
    </Card>
  );
}
