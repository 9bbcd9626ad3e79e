// Takes back uploads of people or products: ends in steps what an upload made. The job is a row of import_job too.
import type { Db } from '../db/database.ts';
import { ORIGIN_COLUMNS, originOf } from '../features/log/origin.sql.ts';
import { ADDED, GIVERS, IS_MADE, LEFT_TO_IT, LINES, MADE } from './undo-counts.sql.ts';

/** The upload that is taken back. */
export type UndoTarget = {
  id: string;
  kind: string;
  state: string;
  file_name: string | null;
  product_ids: string[];
  cohort_id: string | null;
  lengthened: number;
  /** Numbers of people, or of products, that it added, and of people who joined its cohort. */
  success: number;
  joined: number;
  /** The first job that takes the upload back and did not fail; null if there is none. */
  undo_job: string | null;
};

/**
 * The progress of the job. The phase 'grants' withdraws grants, in the order of the people; `after` is the last person.
 * The phase 'members' follows; `after` is then the last line of the log that was read. The other numbers are results:
 * people who lost access, withdrawn grants, people who left the cohort, and archived products. `audited` is the number of
 * these changes that an audit line contains. `since` is the last line of the log before the job.
 */
export type UndoDetail = {
  undoes: string;
  expected: number;
  phase: 'grants' | 'members';
  after: string;
  people: number;
  grants: number;
  left: number;
  products: number;
  audited: number;
  since: string;
};
export type UndoJob = {
  id: string;
  state: string;
  created_by: string;
  cohort_id: string | null;
  rows_done: number;
  detail: UndoDetail;
};

/** Locks the upload until the transaction ends. Call it before `findUndoTarget`, which then sees each earlier job. */
export async function lockUndoTarget(db: Db, id: string): Promise<void> {
  await db.query('select 1 from import_job where id = $1 for update', [id]);
}

/** Returns the upload with this id, or null. */
export async function findUndoTarget(db: Db, id: string): Promise<UndoTarget | null> {
  const { rows } = await db.query<UndoTarget>(
    `select id, kind, state, file_name, product_ids, cohort_id, coalesce((detail ->> 'lengthened')::int, 0) as lengthened, success, joined,
       (select u.id from import_job u where u.kind = 'undo' and u.state in ('running', 'done')
          and u.id::text = t.detail ->> 'undo_job') as undo_job
     from import_job t where id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/** Adds a job that takes back the upload, and notes the job in the upload. */
export async function createUndo(
  db: Db,
  {
    id,
    target,
    created_by,
    rows_total,
    detail,
  }: {
    id: string;
    target: UndoTarget;
    created_by: string;
    rows_total: number;
    detail: Omit<UndoDetail, 'since'>;
  },
): Promise<void> {
  // A constraint requires a source in each running row of import_job. The job needs no source, so it has an empty text.
  await db.query(
    `insert into import_job (id, kind, file_name, cohort_id, created_by, rows_total, source, detail)
     values ($1, 'undo', $2, $3, $4, $5, '',
       $6::jsonb || jsonb_build_object('since', (select coalesce(max(id), 0)::text from audit)))`,
    [id, target.file_name, target.cohort_id, created_by, rows_total, JSON.stringify(detail)],
  );
  await db.query(
    `update import_job set detail = detail || jsonb_build_object('undo_job', $2::text) where id = $1`,
    [target.id, id],
  );
}

/** Returns the job that takes back an upload, or null if `id` is not the id of such a job. */
export async function findUndo(db: Db, id: string): Promise<UndoJob | null> {
  const { rows } = await db.query<UndoJob>(
    "select id, state, created_by, cohort_id, rows_done, detail from import_job where id = $1 and kind = 'undo'",
    [id],
  );
  return rows[0] ?? null;
}

/** Adds the results of a step. If `ends` is true, also marks the job as done, and its upload as taken back. */
export async function addToUndo(
  db: Db,
  { id, detail: { undoes } }: UndoJob,
  { count, detail, ends }: { count: number; detail: UndoDetail; ends: boolean },
): Promise<void> {
  await db.query(
    `update import_job set rows_done = rows_done + $2, success = success + $2, worked_at = now(), detail = $3,
       state = case when $4 then 'done' else state end, source = case when $4 then null else source end,
       rows_total = case when $4 then rows_done + $2 else greatest(rows_total, rows_done + $2) end
     where id = $1`,
    [id, count, JSON.stringify(detail), ends],
  );
  if (!ends) return;
  await db.query(
    "update import_job set state = 'taken_back' where id = $1 and state in ('done', 'cancelled')",
    [undoes],
  );
}

/**
 * Returns the ids of the next people, in order, at most `limit` of them: those with grants that the upload made, or with
 * anything that it gave again.
 */
export async function listNextPeople(
  db: Db,
  { undoes, after }: UndoDetail,
  { today, limit }: { today: string; limit: number },
): Promise<string[]> {
  const next = (from: string) =>
    `(select distinct user_id from ${from} and user_id > $3::bigint order by user_id limit $4)`;
  const { rows } = await db.query<{ user_id: string }>(
    `${next(`access_grant g where ${MADE}`)}
     union ${next('access_grant_source where import_id = $1::uuid')}
     union ${next('cohort_member_source where import_id = $1::uuid')}
     order by user_id limit $4`,
    [undoes, today, after, limit],
  );
  return rows.map(({ user_id }) => user_id);
}

type Withdrawal = { actor: string; reason: string; at: Date; today: string };
type OfPeople = { ids: readonly string[] };

/**
 * Withdraws the grants that the upload made for these people, each with an audit line. Grants that somebody else gave
 * too are those of the first of these givers from then on, for the days that these givers gave together (R-LIFE-02); an
 * audit line has the new days. The people must be locked. Returns the number of withdrawn
 * grants, and whose they were.
 */
export async function withdrawGrantsOf(
  db: Db,
  { undoes }: UndoDetail,
  { ids, actor, reason, at, today }: Withdrawal & OfPeople,
): Promise<{ grants: number; people: string[] }> {
  // Grants are locked first. So the next statements see each giver who found a grant before (`noteGivers`).
  await db.query(
    `select 1 from access_grant g where ${MADE} and g.user_id = any($3::bigint[])
     order by g.user_id, g.product_id for no key update`,
    [undoes, today, ids],
  );
  const { rows } = await db.query<{ user_id: string }>(
    `with gone as (
       update access_grant g set withdrawn_at = $4, withdrawn_by = $5::text, withdraw_reason = $6::text
       where ${MADE} and g.user_id = any($3::bigint[]) and not exists (select from ${GIVERS.grant})
       returning g.id, g.user_id, g.product_id
     )
     insert into audit (actor, ${ORIGIN_COLUMNS}, action, user_id, product_id, detail)
     select $5::text, $7::audit_way, $8::inet, $9::bigint, $10::text, 'grant.withdraw', user_id, product_id,
       jsonb_build_object('grant_id', id::text, 'reason', $6::text, 'revoke_code', false, 'import_id', $1::text)
     from gone order by user_id, product_id returning user_id`,
    [undoes, today, ids, at, actor, reason, ...originOf(actor)],
  );
  await db.query(
    `with next as (
       select distinct on (g.id) g.id, g.user_id, g.product_id, s.import_id, s.given_by, s.given_at,
         g.starts_on as old_start, g.ends_on as old_end, given.starts_on, given.ends_on
       from access_grant g join access_grant_source s on s.grant_id = g.id and s.import_id is distinct from $1::uuid
         cross join lateral (
           select min(s.starts_on) as starts_on, case when count(*) = count(s.ends_on) then max(s.ends_on) end as ends_on
           from ${GIVERS.grant}) given
       where ${MADE} and g.user_id = any($3::bigint[]) order by g.id, s.given_at, s.import_id
     ), kept as (
       update access_grant g set import_id = next.import_id, granted_by = next.given_by, granted_at = next.given_at,
         starts_on = next.starts_on, ends_on = next.ends_on
       from next where g.id = next.id
     ), audited as (
       insert into audit (actor, ${ORIGIN_COLUMNS}, action, user_id, product_id, detail)
       select $4::text, $6::audit_way, $7::inet, $8::bigint, $9::text, 'grant.edit', user_id, product_id,
         jsonb_strip_nulls(jsonb_build_object('grant_id', id::text, 'reason', $5::text, 'import_id', $1::text,
           'starts_on', case when old_start <> starts_on then jsonb_build_array(old_start, starts_on) end,
           'ends_on', case when old_end is distinct from ends_on then jsonb_build_array(old_end, ends_on) end))
       from next where (old_start, old_end) is distinct from (starts_on, ends_on) order by user_id, product_id
     )
     delete from access_grant_source s using next
     where s.grant_id = next.id and s.import_id is not distinct from next.import_id`,
    [undoes, today, ids, actor, reason, ...originOf(actor)],
  );
  await db.query(
    'delete from access_grant_source where import_id = $1::uuid and user_id = any($2::bigint[])',
    [undoes, ids],
  );
  return { grants: rows.length, people: [...new Set(rows.map(({ user_id }) => user_id))] };
}

/** Returns those of the people who are members because another upload left the membership to this one. */
export async function listLeftMembers(db: Db, { undoes }: UndoDetail, { ids }: OfPeople): Promise<string[]> {
  const { rows } = await db.query<{ user_id: string }>(
    `select m.user_id from ${LEFT_TO_IT} and m.user_id = any($2::bigint[])`,
    [undoes, ids],
  );
  return rows.map(({ user_id }) => user_id);
}

/**
 * Forgets that the upload gave the people the membership of its cohort, and returns those of `made`, whom the upload
 * made members, who leave it. The others of `made` were given it by somebody else too: the first of these givers is from
 * then on the one who made them members. The people must be locked.
 */
export async function handOverMembers(
  db: Db,
  { undoes }: UndoDetail,
  { cohort_id, ids, made }: OfPeople & { cohort_id: string; made: readonly string[] },
): Promise<string[]> {
  await db.query(
    'delete from cohort_member_source where import_id = $1::uuid and user_id = any($2::bigint[])',
    [undoes, ids],
  );
  const { rows } = await db.query<{ user_id: string }>(
    `update cohort_member m set joined_at = next.given_at, joined_by = next.given_by
     from (
       select distinct on (user_id) user_id, given_at, given_by from cohort_member_source
       where cohort_id = $1 and user_id = any($2::bigint[]) order by user_id, given_at, import_id
     ) next
     where m.cohort_id = $1 and m.user_id = next.user_id returning m.user_id`,
    [cohort_id, made],
  );
  const stay = new Set(rows.map(({ user_id }) => user_id));
  return made.filter((id) => !stay.has(id));
}

/**
 * Returns the next people of whom the log says that the upload made them members, at most `limit`, and the last line of
 * the log that names one.
 */
export async function listNextMembers(
  db: Db,
  { undoes, after }: UndoDetail,
  { cohort_id, limit }: { cohort_id: string; limit: number },
): Promise<{ ids: string[]; last: string }> {
  const { rows } = await db.query<{ ids: string[]; last: string }>(
    `select coalesce(array_agg(user_id), '{}') as ids, coalesce(max(id), $2::bigint)::text as last
     from (select a.id, a.user_id::text from ${LINES} and a.id > $2::bigint order by a.id limit $4) next`,
    [undoes, after, cohort_id, limit],
  );
  return rows[0] as { ids: string[]; last: string };
}

/** Returns those of the people whom the upload made members and who were not made members again since. */
export async function listMadeMembers(
  db: Db,
  { undoes }: UndoDetail,
  { cohort_id, ids }: OfPeople & { cohort_id: string },
): Promise<string[]> {
  const { rows } = await db.query<{ user_id: string }>(
    `select distinct a.user_id from audit a join cohort_member m on ${IS_MADE}
     where a.user_id = any($2::bigint[]) and a.cohort_id = $3::uuid and a.action = 'member.add'
       and a.detail ->> 'import_id' = $1::text`,
    [undoes, ids, cohort_id],
  );
  return rows.map(({ user_id }) => user_id);
}

/** Returns how many of the people have lost no grant by the job. */
export async function countOthers(db: Db, { undoes, since }: UndoDetail, { ids }: OfPeople): Promise<number> {
  const { rows } = await db.query<{ people: number }>(
    `select count(*)::int as people from unnest($2::bigint[]) who where not exists (
       select from audit w where w.user_id = who and w.id > $3::bigint
         and w.action = 'grant.withdraw' and w.detail ->> 'import_id' = $1::text)`,
    [undoes, ids, since],
  );
  return rows[0]?.people ?? 0;
}

/**
 * Archives the products of the upload without codes and grants that no other upload names, each with an audit line.
 * Returns their number.
 */
export async function archiveProductsOf(
  db: Db,
  { undoes }: UndoDetail,
  { actor, reason, at }: Omit<Withdrawal, 'today'>,
): Promise<number> {
  // Products are locked first, so that the second statement sees each code that was added before.
  await db.query(
    `select 1 from product where product_id in (select product_id from (${ADDED}) added) order by product_id for no key update`,
    [undoes],
  );
  const { rowCount } = await db.query(
    `with gone as (
       update product set archived_at = $2, archived_by = $3::text
       where product_id in (select product_id from (${ADDED}) added
         where is_open and not is_used and not is_named)
       returning product_id
     )
     insert into audit (actor, ${ORIGIN_COLUMNS}, action, product_id, detail)
     select $3::text, $5::audit_way, $6::inet, $7::bigint, $8::text, 'product.archive', product_id,
       jsonb_build_object('note', $4::text, 'import_id', $1::text)
     from gone`,
    [undoes, at, actor, reason, ...originOf(actor)],
  );
  await db.query('delete from product_source where import_id = $1', [undoes]);
  return rowCount;
}
