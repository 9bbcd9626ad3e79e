// Takes back uploads: counts what an upload of people or products made, and ends it in steps. The job is a row of
// import_job too.
import type { UndoPreview } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { counting } from './access.ts';
import { ORIGIN_COLUMNS, originOf } from './origin.ts';

/** The upload that is taken back. */
export type UndoTarget = {
  id: string;
  kind: string;
  state: string;
  file_name: string | null;
  product_ids: string[];
  cohort_id: string | null;
  lengthened: number;
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
    `select id, kind, state, file_name, product_ids, cohort_id, coalesce((detail ->> 'lengthened')::int, 0) as lengthened,
       (select u.id from import_job u where u.kind = 'undo' and u.state in ('running', 'done')
          and u.id::text = t.detail ->> 'undo_job') as undo_job
     from import_job t where id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

// Grants that stand, are not over on the day $2, and are not of an archived cohort (N-61).
const COUNTING = counting('$2');
// The grants of an upload that an undo withdraws.
const MADE = `g.import_id = $1::uuid and ${COUNTING}`;
// Grants of products that the upload gives. $4: these products.
const OF_UPLOAD = '(g.product_id is null or g.product_id = any($4::uuid[]))';
// Memberships that an upload made and that were not made again since. The line of the log and the membership were
// written in one transaction, so their times are equal.
const JOINED = `audit a join cohort_member m on m.cohort_id = a.cohort_id and m.user_id = a.user_id and m.joined_at = a.at
  where a.cohort_id = $3::uuid and a.action = 'member.add' and a.detail ->> 'import_id' = $1::text`;

/** `joined` is the number of memberships that end. */
type UndoCounts = Pick<UndoPreview, 'grants' | 'people' | 'holding' | 'kept'> & { joined: number };

/**
 * Counts what taking back an upload of people on the day `today` would do (N-94). Like `countHolding`, `holding` reads
 * only current codes. `kept` reads the duplicates that are stored with the upload, which are the first 100,000: if the
 * file has more duplicates, `kept` may be too small. It counts those of them who are members of the upload's cohort, or
 * have a product of the upload, and for whom the upload made nothing.
 */
export async function countUndo(
  db: Db,
  { id, cohort_id, product_ids }: UndoTarget,
  today: string,
): Promise<UndoCounts> {
  const { rows } = await db.query<UndoCounts>(
    `with made as materialized (
       select g.user_id, g.product_id from access_grant g where ${MADE}
     ), joined as materialized (
       select a.user_id from ${JOINED}
     ), touched as (
       select user_id from made union select user_id from joined
     ), given as materialized (
       select g.product_id from access_grant g where g.cohort_id = $3::uuid and ${COUNTING}
     ), holding as (
       select made.user_id from made join coupon c on c.holder = made.user_id
         and (made.product_id is null or c.product_id = made.product_id)
       where c.is_current and c.revoked_at is null
       union
       select joined.user_id from joined join coupon c on c.holder = joined.user_id
       where c.is_current and c.revoked_at is null
         and exists (select from given where given.product_id is null or given.product_id = c.product_id)
     ), others as materialized (
       select distinct u.id from import_row r join app_user u on u.email = lower(btrim(r.cells[1]))
       where r.import_id = $1::uuid and r.kind = 'duplicate'
         and not exists (select from touched where touched.user_id = u.id)
     ), keeping as materialized (
       select $3::uuid as cohort_id
       union
       select g.cohort_id from access_grant g where g.cohort_id is not null and ${COUNTING} and ${OF_UPLOAD}
     ), kept as (
       select others.id from others join access_grant g on g.user_id = others.id where ${COUNTING} and ${OF_UPLOAD}
       union
       select others.id from others join cohort_member m on m.user_id = others.id
       where m.cohort_id in (select cohort_id from keeping)
     )
     select (select count(*)::int from made) as grants, (select count(*)::int from joined) as joined,
       (select count(*)::int from touched) as people, (select count(*)::int from holding) as holding,
       (select count(*)::int from kept) as kept`,
    [id, today, cohort_id, product_ids],
  );
  return rows[0] as UndoCounts;
}

// The products of an upload: the first line of the log about each has the id of the upload.
const ADDED = `
  select p.product_id, p.archived_at is null as is_open,
    exists (select from coupon c where c.product_id = p.product_id)
      or exists (select from access_grant g where g.product_id = p.product_id and g.withdrawn_at is null) as is_used
  from product p cross join lateral (
    select a.action, a.detail from audit a where a.product_id = p.product_id order by a.id limit 1) added
  where added.action = 'product.create' and added.detail ->> 'import_id' = $1::text`;

/** Counts the products of an upload that would be archived, and those with codes or grants, which stay (R-IMP-12). */
export async function countUndoneProducts(
  db: Db,
  id: string,
): Promise<Pick<UndoPreview, 'products' | 'products_kept'>> {
  const { rows } = await db.query<Pick<UndoPreview, 'products' | 'products_kept'>>(
    `select count(*) filter (where is_open and not is_used)::int as products,
       count(*) filter (where is_used)::int as products_kept
     from (${ADDED}) added`,
    [id],
  );
  return rows[0] as Pick<UndoPreview, 'products' | 'products_kept'>;
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

/** Returns the ids of the next people with grants that are withdrawn, in order, at most `limit` of them. */
export async function listNextPeople(
  db: Db,
  { undoes, after }: UndoDetail,
  { today, limit }: { today: string; limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ user_id: string }>(
    `select distinct g.user_id from access_grant g where ${MADE} and g.user_id > $3::bigint order by g.user_id limit $4`,
    [undoes, today, after, limit],
  );
  return rows.map(({ user_id }) => user_id);
}

type Withdrawal = { actor: string; reason: string; at: Date; today: string };

/** Withdraws the grants that the upload made for these people, each with an audit line. Returns their number. */
export async function withdrawGrantsOf(
  db: Db,
  { undoes }: UndoDetail,
  { ids, actor, reason, at, today }: Withdrawal & { ids: readonly string[] },
): Promise<number> {
  const { rowCount } = await db.query(
    `with next as (
       select g.id from access_grant g where ${MADE} and g.user_id = any($3::bigint[])
       order by g.user_id, g.product_id for no key update
     ), gone as (
       update access_grant g set withdrawn_at = $4, withdrawn_by = $5::text, withdraw_reason = $6::text
       from next where g.id = next.id returning g.id, g.user_id, g.product_id
     )
     insert into audit (actor, ${ORIGIN_COLUMNS}, action, user_id, product_id, detail)
     select $5::text, $7::audit_way, $8::inet, $9::bigint, $10::text, 'grant.withdraw', user_id, product_id,
       jsonb_build_object('grant_id', id::text, 'reason', $6::text, 'revoke_code', false, 'import_id', $1::text)
     from gone order by user_id, product_id`,
    [undoes, today, ids, at, actor, reason, ...originOf(actor)],
  );
  return rowCount;
}

/**
 * Returns the next members whom the upload made members, at most `limit`, and the last line of the log that names one.
 * `others` are those of them for whom the job has withdrawn no grant.
 */
export async function listNextMembers(
  db: Db,
  { undoes, after, since }: UndoDetail,
  { cohort_id, limit }: { cohort_id: string; limit: number },
): Promise<{ ids: string[]; others: number; last: string }> {
  const { rows } = await db.query<{ ids: string[]; others: number; last: string }>(
    `select coalesce(array_agg(user_id), '{}') as ids, coalesce(max(id), $2::bigint)::text as last,
       count(*) filter (where not has_lost)::int as others
     from (
       select a.id, a.user_id::text,
         exists (select from audit w where w.user_id = a.user_id and w.id > $5::bigint
           and w.action = 'grant.withdraw' and w.detail ->> 'import_id' = $1::text) as has_lost
       from ${JOINED} and a.id > $2::bigint order by a.id limit $4
     ) next`,
    [undoes, after, cohort_id, limit, since],
  );
  return rows[0] as { ids: string[]; others: number; last: string };
}

/** Archives the products of the upload without codes and grants, each with an audit line. Returns their number. */
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
       where product_id in (select product_id from (${ADDED}) added where is_open and not is_used)
       returning product_id
     )
     insert into audit (actor, ${ORIGIN_COLUMNS}, action, product_id, detail)
     select $3::text, $5::audit_way, $6::inet, $7::bigint, $8::text, 'product.archive', product_id,
       jsonb_build_object('note', $4::text, 'import_id', $1::text)
     from gone`,
    [undoes, at, actor, reason, ...originOf(actor)],
  );
  return rowCount;
}
