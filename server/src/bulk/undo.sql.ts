// Undoes uploads of people or products in steps. Each undo is a job in the table bulk_job.

import type { UndoPreview } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { originOf } from '../features/log/audit.sql.ts';
import type { BulkJob } from './bulk-jobs.sql.ts';

/**
 * The upload to undo. `success` is the number of people, or of products, that the upload added. `joined` is the number
 * of people who joined the cohort. `undo_job` is the id of a job that runs or has completed the undo of this upload;
 * null if there is none.
 */
export type UndoTarget = Pick<BulkJob, 'id' | 'kind' | 'state' | 'product_ids' | 'cohort_id' | 'success'> & {
  file_name: string | null;
  lengthened: number;
  joined: number;
  undo_job: string | null;
};

/**
 * The parameters and the progress of the undo of the upload `undoes`. The phase 'grants' withdraws grants; `after` is
 * the id of the last person. The phase 'members' follows; `after` is then the id of the last audit line. `people`
 * counts the people who lost access, `grants` the withdrawn grants, `left` the people who left the cohort, and
 * `products` the archived products. `since` is the id of the last audit line before the undo.
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
  since: string;
};

// How the statements find the grants and memberships of an upload:
// - A grant has the id of the upload that made it. Grants that are withdrawn, that have ended, or of an archived cohort
//   do not count (N-61). The table `access_grant_source` has the other uploads and people that gave the same grant
//   later.
// - A membership of the upload has the same time as an audit line of the upload: one transaction writes the membership
//   and the line. If a person was removed and added again, the membership has another time.
// - The table `cohort_member_source` has the other uploads and people that gave the same membership later. If the first
//   upload is undone, the membership passes to the next giver (`handOverMembers`), and gets the time of that row.

/** Locks the upload until the transaction ends. After this, `findUndoTarget` sees each earlier undo. */
export async function lockUndoTarget(db: Db, id: string): Promise<void> {
  await db.query('select 1 from bulk_job where id = $1 for update', [id]);
}

export async function findUndoTarget(db: Db, id: string): Promise<UndoTarget | null> {
  const { rows } = await db.query<UndoTarget>(
    `select id, kind, state, file_name, product_ids, cohort_id, coalesce((detail ->> 'lengthened')::int, 0) as lengthened,
       success, joined,
       (select u.id from bulk_job u where u.kind = 'undo' and u.state in ('running', 'done')
          and u.id::text = t.detail ->> 'undo_job') as undo_job
     from bulk_job t where id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/**
 * Stores in the upload `id` that the job `job_id` undoes this upload. Returns the id of the last audit line before the
 * job.
 */
export async function noteUndoJob(db: Db, { id, job_id }: { id: string; job_id: string }): Promise<string> {
  const { rows } = await db.query<{ since: string }>(
    `update bulk_job set detail = detail || jsonb_build_object('undo_job', $2::text) where id = $1
     returning (select coalesce(max(id), 0)::text from audit) as since`,
    [id, job_id],
  );
  return rows[0]?.since ?? '0';
}

export async function setUndone(db: Db, id: string): Promise<void> {
  await db.query(
    "update bulk_job set state = 'taken_back' where id = $1 and state in ('done', 'cancelled')",
    [id],
  );
}

/**
 * Returns the ids of the next people in ascending order, at most `limit`. Selects people with grants that the upload
 * made. Also selects people whose grant or membership existed before and was given again by the upload.
 */
export async function listNextPeople(
  db: Db,
  { undoes, after }: UndoDetail,
  { today, limit }: { today: string; limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ user_id: string }>(
    `(select distinct g.user_id from access_grant g
      where g.import_id = $1::uuid and grant_counts(g.withdrawn_at, g.cohort_archived, g.ends_on, $2)
        and g.user_id > $3::bigint order by g.user_id limit $4)
     union
     (select distinct user_id from access_grant_source
      where import_id = $1::uuid and user_id > $3::bigint order by user_id limit $4)
     union
     (select distinct user_id from cohort_member_source
      where import_id = $1::uuid and user_id > $3::bigint order by user_id limit $4)
     order by user_id limit $4`,
    [undoes, today, after, limit],
  );
  return rows.map(({ user_id }) => user_id);
}

type Withdrawal = { actor: string; reason: string; at: Date; today: string };
type OfPeople = { ids: readonly string[] };

/**
 * Withdraws the grants that the upload made for these people, and writes an audit line for each grant. A grant that
 * others gave too is not withdrawn: it passes to the first of these givers, with the days that these givers gave
 * together (R-LIFE-02). If its days change, writes an audit line. The people must be locked. Returns the number of
 * withdrawn grants, and the people who had them.
 */
export async function withdrawGrantsOf(
  db: Db,
  { undoes }: UndoDetail,
  { ids, actor, reason, at, today }: Withdrawal & OfPeople,
): Promise<{ grants: number; people: string[] }> {
  // Locks the grants first, so that the next statements see each giver that `noteGivers` has stored.
  await db.query(
    `select 1 from access_grant g
     where g.import_id = $1::uuid and grant_counts(g.withdrawn_at, g.cohort_archived, g.ends_on, $2)
       and g.user_id = any($3::bigint[])
     order by g.user_id, g.product_id for no key update`,
    [undoes, today, ids],
  );
  const { rows } = await db.query<{ user_id: string }>(
    `with gone as (
       update access_grant g set withdrawn_at = $4, withdrawn_by = $5::text, withdraw_reason = $6::text
       where g.import_id = $1::uuid and grant_counts(g.withdrawn_at, g.cohort_archived, g.ends_on, $2)
         and g.user_id = any($3::bigint[]) and not exists (
           select from access_grant_source s where s.grant_id = g.id and s.import_id is distinct from $1::uuid)
       returning g.id, g.user_id, g.product_id
     )
     insert into audit (actor, via, ip, actor_id, actor_name, action, user_id, product_id, detail)
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
           from access_grant_source s where s.grant_id = g.id and s.import_id is distinct from $1::uuid) given
       where g.import_id = $1::uuid and grant_counts(g.withdrawn_at, g.cohort_archived, g.ends_on, $2)
         and g.user_id = any($3::bigint[]) order by g.id, s.given_at, s.import_id
     ), kept as (
       update access_grant g set import_id = next.import_id, granted_by = next.given_by, granted_at = next.given_at,
         starts_on = next.starts_on, ends_on = next.ends_on
       from next where g.id = next.id
     ), audited as (
       insert into audit (actor, via, ip, actor_id, actor_name, action, user_id, product_id, detail)
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

/** Returns the people whose membership passed to this upload when another upload was undone. */
export async function listLeftMembers(db: Db, { undoes }: UndoDetail, { ids }: OfPeople): Promise<string[]> {
  const { rows } = await db.query<{ user_id: string }>(
    `select m.user_id from cohort_member_source s join cohort_member m using (cohort_id, user_id)
     where s.import_id = $1::uuid and m.joined_at = s.given_at and m.user_id = any($2::bigint[])`,
    [undoes, ids],
  );
  return rows.map(({ user_id }) => user_id);
}

/**
 * Deletes the rows of these people and this upload from `cohort_member_source`. `made` are the people whom the upload
 * made members. If other uploads or staff gave a membership too, the membership passes to the first of these givers.
 * Returns the other people of `made`, who must leave the cohort. The people must be locked.
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
 * Reads the next audit lines, at most `limit`, that record that the upload made a person a member. Returns these
 * people, and the id of the last of these lines.
 */
export async function listNextMembers(
  db: Db,
  { undoes, after }: UndoDetail,
  { cohort_id, limit }: { cohort_id: string; limit: number },
): Promise<{ ids: string[]; last: string }> {
  const { rows } = await db.query<{ ids: string[]; last: string }>(
    `select coalesce(array_agg(user_id), '{}') as ids, coalesce(max(id), $2::bigint)::text as last
     from (
       select a.id, a.user_id::text from audit a
       where a.cohort_id = $3::uuid and a.action = 'member.add' and a.detail ->> 'import_id' = $1::text
         and a.id > $2::bigint order by a.id limit $4) next`,
    [undoes, after, cohort_id, limit],
  );
  return rows[0] as { ids: string[]; last: string };
}

/** Returns the people whom the upload made members and whom nobody has removed and added again since. */
export async function listMadeMembers(
  db: Db,
  { undoes }: UndoDetail,
  { cohort_id, ids }: OfPeople & { cohort_id: string },
): Promise<string[]> {
  const { rows } = await db.query<{ user_id: string }>(
    `select distinct a.user_id from audit a
       join cohort_member m on m.cohort_id = a.cohort_id and m.user_id = a.user_id and m.joined_at = a.at
     where a.user_id = any($2::bigint[]) and a.cohort_id = $3::uuid and a.action = 'member.add'
       and a.detail ->> 'import_id' = $1::text`,
    [undoes, ids, cohort_id],
  );
  return rows.map(({ user_id }) => user_id);
}

/** Returns how many of the people have lost no grant by this undo. The other people are already counted in `people`. */
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
 * Archives the products of the upload that have no codes and no grants, and are in no other upload. Writes an audit
 * line for each product. Returns the number of archived products.
 */
export async function archiveProductsOf(
  db: Db,
  { undoes }: UndoDetail,
  { actor, reason, at }: Omit<Withdrawal, 'today'>,
): Promise<number> {
  // Locks the products first, so that the next statement sees each code that was added before the lock.
  await db.query(
    `select 1 from product where product_id in (select product_id from products_of_upload($1))
     order by product_id for no key update`,
    [undoes],
  );
  const { rowCount } = await db.query(
    `with gone as (
       update product set archived_at = $2, archived_by = $3::text
       where product_id in (
         select product_id from products_of_upload($1::uuid) where is_open and not is_used and not is_named)
       returning product_id
     )
     insert into audit (actor, via, ip, actor_id, actor_name, action, product_id, detail)
     select $3::text, $5::audit_way, $6::inet, $7::bigint, $8::text, 'product.archive', product_id,
       jsonb_build_object('note', $4::text, 'import_id', $1::text)
     from gone`,
    [undoes, at, actor, reason, ...originOf(actor)],
  );
  await db.query('delete from product_source where import_id = $1', [undoes]);
  return rowCount;
}

/**
 * `joined` is the number of memberships that end. `lines` is the number of audit lines about members that the upload
 * added.
 */
type UndoCounts = Pick<UndoPreview, 'grants' | 'people' | 'holding' | 'kept' | 'kept_later' | 'later'> & {
  joined: number;
  lines: number;
};

/**
 * Counts what the undo of an upload of people on the day `today` would do (N-94). `later` has at most five later
 * uploads. `holding` counts people with a current code, in the same way as `countHolding`. `kept` counts people who
 * keep all their access. `kept_later` of these people were given the same access again after the upload (N-318). The
 * others have a duplicate row in the file, and are members of the upload's cohort or have a product of the upload. Only
 * the first 100,000 duplicates are stored: if the file has more, `kept` may be too small.
 */
export async function countUndo(
  db: Db,
  { id, cohort_id, product_ids }: UndoTarget,
  today: string,
): Promise<UndoCounts> {
  const { rows } = await db.query<UndoCounts>(
    `with granted as materialized (
       select g.id, g.user_id, g.product_id, exists (
           select from access_grant_source s where s.grant_id = g.id and s.import_id is distinct from $1::uuid) as stays
       from access_grant g
       where g.import_id = $1::uuid and grant_counts(g.withdrawn_at, g.cohort_archived, g.ends_on, $2)
     ), lines as materialized (
       select a.cohort_id, a.user_id, a.at from audit a
       where a.cohort_id = $3::uuid and a.action = 'member.add' and a.detail ->> 'import_id' = $1::text
     ), members as materialized (
       select m.user_id, m.cohort_id, exists (
           select from cohort_member_source s
           where s.cohort_id = m.cohort_id and s.user_id = m.user_id and s.import_id is distinct from $1::uuid) as stays from (
         select m.user_id, m.cohort_id from lines a
           join cohort_member m on m.cohort_id = a.cohort_id and m.user_id = a.user_id and m.joined_at = a.at
         union select m.user_id, m.cohort_id from cohort_member_source s join cohort_member m using (cohort_id, user_id)
         where s.import_id = $1::uuid and m.joined_at = s.given_at
       ) m
     ), made as materialized (
       select user_id, product_id from granted where not stays
     ), joined as materialized (
       select user_id from members where not stays
     ), touched as materialized (
       select user_id from made union select user_id from joined
     ), later as materialized (
       select s.import_id, g.user_id from granted g join access_grant_source s
         on s.grant_id = g.id and s.import_id is distinct from $1::uuid
       where g.stays and not exists (select from touched where touched.user_id = g.user_id)
       union
       select s.import_id, m.user_id from members m join cohort_member_source s
         on s.cohort_id = m.cohort_id and s.user_id = m.user_id and s.import_id is distinct from $1::uuid
       where m.stays and not exists (select from touched where touched.user_id = m.user_id)
     ), given as materialized (
       select g.product_id from access_grant g
       where g.cohort_id = $3::uuid and grant_counts(g.withdrawn_at, g.cohort_archived, g.ends_on, $2)
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
         and not exists (select from later where later.user_id = u.id)
     ), keeping as materialized (
       select $3::uuid as cohort_id
       union
       select g.cohort_id from access_grant g
       where g.cohort_id is not null and grant_counts(g.withdrawn_at, g.cohort_archived, g.ends_on, $2)
         and (g.product_id is null or g.product_id = any($4::uuid[]))
     ), kept as (
       select others.id from others join access_grant g on g.user_id = others.id
       where grant_counts(g.withdrawn_at, g.cohort_archived, g.ends_on, $2)
         and (g.product_id is null or g.product_id = any($4::uuid[]))
       union
       select others.id from others join cohort_member m on m.user_id = others.id
       where m.cohort_id in (select cohort_id from keeping)
     )
     select (select count(*)::int from made) as grants, (select count(*)::int from joined) as joined,
       (select count(*)::int from touched) as people, (select count(*)::int from holding) as holding,
       (select count(*)::int from kept) + n.kept_later as kept, n.kept_later, coalesce((
         select jsonb_agg(jsonb_build_object('import_id', import_id, 'file_name', file_name, 'count', count)
           order by count desc, import_id)
         from (
           select l.import_id, i.file_name, count(*)::int as count from later l left join bulk_job i on i.id = l.import_id
           group by l.import_id, i.file_name order by count desc, l.import_id limit 5) named), '[]') as later,
       (select count(*)::int from lines) as lines
     from (select count(distinct user_id)::int as kept_later from later) n`,
    [id, today, cohort_id, product_ids],
  );
  return rows[0] as UndoCounts;
}

type ProductCounts = Pick<UndoPreview, 'products' | 'products_kept' | 'kept_later' | 'later'>;

/**
 * Counts the products of an upload that the undo would archive, and the products that the undo would keep: those with
 * codes or grants (R-IMP-12), and `kept_later` products that a later upload has too. `added` is the number of products
 * with an audit line that the upload added them.
 */
export async function countUndoneProducts(db: Db, id: string): Promise<ProductCounts & { added: number }> {
  const { rows } = await db.query<ProductCounts & { added: number }>(
    `with added as materialized (select * from products_of_upload($1)), later as materialized (
       select s.import_id from added join product_source s on s.product_id = added.product_id and s.import_id <> $1::uuid
       where is_open and not is_used
     )
     select count(*) filter (where is_open and not is_used and not is_named)::int as products,
       count(*) filter (where is_used or (is_open and is_named))::int as products_kept,
       count(*) filter (where is_open and not is_used and is_named)::int as kept_later, coalesce((
         select jsonb_agg(jsonb_build_object('import_id', import_id, 'file_name', file_name, 'count', count)
           order by count desc, import_id)
         from (
           select l.import_id, i.file_name, count(*)::int as count from later l left join bulk_job i on i.id = l.import_id
           group by l.import_id, i.file_name order by count desc, l.import_id limit 5) named), '[]') as later,
       count(*) filter (where is_own)::int as added
     from added`,
    [id],
  );
  return rows[0] as ProductCounts & { added: number };
}
