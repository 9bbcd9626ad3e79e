// Lists and counts the users that staff select on the Users page: by role, by cohort and by a searched text. The list,
// and the acts on all people of it, use these functions.
import type { AppUser } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import { idOfCursor, type Page, type Total } from '../../db/prefix-search.sql.ts';
import { getMemberTotal } from '../dashboard/tally.sql.ts';
import { countFoundUsers, searchUsers } from './person-search.sql.ts';
import * as users from './users.sql.ts';

/** `q` is the searched text; an empty one selects as none does. */
export type Selection = users.UserFilter & { q?: string | undefined };

const LAST_ID = '9223372036854775807';

/** Returns one page of the selected users, newest first; in a search, as `searchUsers` does. */
export async function listSelected(
  db: Db,
  { q, cohort_id, ...filter }: Selection,
  page: Page,
): Promise<AppUser[]> {
  if (q) return searchUsers(db, { ...filter, ...page, cohort_id, q });
  if (cohort_id === undefined) return users.listUsers(db, { ...filter, ...page });
  return listMembers(db, { ...filter, ...page, cohort_id });
}

/**
 * Returns the number of selected users. The number of those found by a search is counted up to `most`; without `most`, up
 * to COUNTED_MATCHES.
 */
export async function countSelected(
  db: Db,
  { q, cohort_id, role }: Selection,
  most?: number,
): Promise<Total> {
  if (q) return countFoundUsers(db, { role, cohort_id, q }, most);
  if (cohort_id === undefined) return users.countUsers(db, { role });
  const all = await getMemberTotal(db, cohort_id);
  if (role === undefined) return all;
  const admins = await countAdminMembers(db, cohort_id);
  return { total: role === 'admin' ? admins : all.total - admins, atLeast: false };
}

/**
 * Returns one page of the members of a cohort, newest users first. Reads the blocks of one page only, however many
 * members and users there are: with `offset 0`, the planner looks up one member after the other, and reads neither all
 * members nor all users in the order of their ids.
 */
async function listMembers(
  db: Db,
  { cohort_id, role, limit, after }: users.UserFilter & { cohort_id: string } & Page,
): Promise<AppUser[]> {
  const before = idOfCursor(after) ?? LAST_ID;
  const { rows } = await db.query<AppUser>(
    role === 'admin'
      ? `select ${users.USER} from app_user u
         where ${users.IS_OF_ROLE.admin} and u.id < $2 and ${users.isMemberOf('$1')}
         order by u.id desc limit $3`
      : `select u.* from cohort_member m cross join lateral (
           select ${users.USER} from app_user u where u.id = m.user_id and ${users.IS_OF_ROLE[role ?? 'any']} offset 0) u
         where m.cohort_id = $1 and m.user_id < $2
         order by m.user_id desc limit $3`,
    [cohort_id, before, limit],
  );
  return rows;
}

async function countAdminMembers(db: Db, cohort_id: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from app_user u
     where ${users.IS_OF_ROLE.admin} and ${users.isMemberOf('$1')}`,
    [cohort_id],
  );
  return rows[0]?.count ?? 0;
}
