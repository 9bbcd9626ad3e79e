// What acts on many people know of their people.
import type { PeopleActState } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { findStoredEmails } from '../features/people/addresses.sql.ts';
import type { Selection } from '../features/people/search.sql.ts';

/**
 * Parameters and progress of an act. Its people are those of `filter` or of `emails`; the other one is null. `to` is the
 * cohort to which they move. `newest` is the id (app_user.id) of the newest person at the start. `after` is the cursor of
 * the last person of the list whom the act has looked at. `full` is the number of people who did not join, because they are in the most cohorts already.
 */
export type PeopleActDetail = {
  act: PeopleActState['act'];
  filter: Selection | null;
  emails: string[] | null;
  to: string | null;
  expected: number;
  newest: string;
  after: string | null;
  full: number;
};

/** Returns the id (app_user.id) of the newest person; '0' if there is nobody. */
export async function findNewestPerson(db: Db): Promise<string> {
  const { rows } = await db.query<{ id: string }>('select coalesce(max(id), 0) as id from app_user');
  return rows[0]?.id ?? '0';
}

/** Returns the people with these addresses. Ignores unknown addresses. */
export async function listNamed(db: Db, emails: readonly string[]): Promise<{ id: string; email: string }[]> {
  const { rows } = await db.query<{ id: string; email: string }>(
    'select id, email from app_user where email = any($1::text[]) order by id',
    [[...(await findStoredEmails(db, emails)).values()]],
  );
  return rows;
}
