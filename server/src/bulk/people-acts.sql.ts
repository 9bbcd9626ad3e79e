// Stores acts on many people: they join or leave a cohort, move to another, or get products, in many small steps. Each act
// is a row of import_job.
import type { PeopleActState } from '@portal/contract';
import { sqlColumns } from '../db/columns.ts';
import type { Db } from '../db/database.ts';
import { findStoredEmails } from '../features/people/stored-emails.sql.ts';
import type { Selection } from '../features/people/user-lists.sql.ts';

/**
 * Parameters and progress of an act. Its people are those of `filter` or of `emails`; the other one is null. `to` is the
 * cohort to which they move. `newest` is the id (app_user.id) of the newest person at the start. `after` is the cursor of
 * the last person of the list whom the act has looked at. `audited` is the number of changed people that audit lines
 * already count. `full` is the number of people who did not join, because they are in the most cohorts already.
 */
export type PeopleActDetail = {
  act: PeopleActState['act'];
  filter: Selection | null;
  emails: string[] | null;
  to: string | null;
  expected: number;
  newest: string;
  after: string | null;
  audited: number;
  full: number;
};

type Columns = {
  id: string;
  product_ids: string[];
  created_by: string;
  cohort_id: string | null;
  starts_on: string | null;
  ends_on: string | null;
};
/** `success` is the number of changed people. */
export type PeopleAct = Columns & { state: string; success: number; detail: PeopleActDetail };

type NewPeopleAct = Columns & { kind: 'act'; rows_total: number; source: string; detail: string };
const NEW_ACT = sqlColumns<NewPeopleAct>({
  id: true,
  product_ids: true,
  created_by: true,
  cohort_id: true,
  starts_on: true,
  ends_on: true,
  kind: true,
  rows_total: true,
  source: true,
  detail: true,
});

/** Adds an act on people. A job runs the act later. */
export async function createPeopleAct(
  db: Db,
  { detail, ...act }: Columns & { rows_total: number; detail: PeopleActDetail },
): Promise<void> {
  // A constraint requires a source in each running row of import_job. An act needs none, so its row has an empty text.
  const values = NEW_ACT.valuesOf({ ...act, kind: 'act', source: '', detail: JSON.stringify(detail) });
  await db.query(`insert into import_job (${NEW_ACT.list}) values (${NEW_ACT.params})`, values);
}

const ACT = `select id, product_ids, created_by, cohort_id, starts_on, ends_on, state, success, detail
  from import_job where id = $1 and kind = 'act'`;

/** Returns the act on people with this id, or null if there is none. */
export async function findPeopleAct(db: Db, id: string): Promise<PeopleAct | null> {
  return (await db.query<PeopleAct>(ACT, [id])).rows[0] ?? null;
}

/** Does the same as `findPeopleAct`, and locks the act until the transaction ends. */
export async function lockPeopleAct(db: Db, id: string): Promise<PeopleAct | null> {
  return (await db.query<PeopleAct>(`${ACT} for update`, [id])).rows[0] ?? null;
}

/**
 * Adds the result of a step: `looked` people, of whom `changed` were changed and `full` could not join, and the cursor of
 * the last one. If `ends` is true, also marks the act as done.
 */
export async function addToPeopleAct(
  db: Db,
  id: string,
  {
    looked,
    changed,
    full,
    after,
    ends,
  }: { looked: number; changed: number; full: number; after: string | null; ends: boolean },
): Promise<void> {
  await db.query(
    `update import_job set rows_done = rows_done + $2, success = success + $3, worked_at = now(),
       detail = detail || jsonb_build_object('after', $4::text, 'full', coalesce((detail ->> 'full')::int, 0) + $6),
       state = case when $5 then 'done' else state end, source = case when $5 then null else source end,
       rows_total = case when $5 then rows_done + $2 else greatest(rows_total, rows_done + $2) end
     where id = $1`,
    [id, looked, changed, after, ends, full],
  );
}

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
