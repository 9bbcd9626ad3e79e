// Reads and changes cohorts: their names, their grants and how many people they have. See cohort-members.sql.ts for their
// members.
import type { Cohort, CohortName } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import { type Days, grantState } from '../access/grants.sql.ts';

// Key of the advisory lock under which cohorts are created. The number is arbitrary, but every process must use the same
// one.
const CREATE_LOCK = 7_346_202;

export type CohortText = { name: string; note: string | null };
export type LockedCohort = CohortText & { archived: boolean; version: number };

/**
 * Returns cohorts, newest first, each with its standing grants, newest first (R-COHORT-10): the one with the id
 * `cohort_id`, or all that are archived or not. Two statements, however many cohorts there are.
 */
export async function listCohorts(
  db: Db,
  which: { cohort_id: string } | { archived: boolean },
  today: string,
): Promise<Cohort[]> {
  const [condition, key] =
    'cohort_id' in which
      ? ['o.cohort_id = $1::uuid', which.cohort_id]
      : ['(o.archived_at is not null) = $1::boolean', which.archived];
  const { rows } = await db.query<Omit<Cohort, 'grants'>>(
    `select o.cohort_id, o.name, o.note, o.archived_at is not null as archived, o.version,
       coalesce(f.n, 0)::int as members
     from cohort o left join (
       select cohort_id, sum(n) as n from tally_now where what = 'member' group by cohort_id
     ) f on f.cohort_id = o.cohort_id
     where ${condition} order by o.created_at desc, o.cohort_id`,
    [key],
  );
  const grants = await db.query<Cohort['grants'][number] & { cohort_id: string }>(
    `select g.id, g.cohort_id, g.product_id, p.name as product_name, g.starts_on, g.ends_on,
       ${grantState('$2')} as state
     from cohort o join access_grant g on g.cohort_id = o.cohort_id
     left join product p on p.product_id = g.product_id
     where ${condition} and g.withdrawn_at is null order by g.id desc`,
    [key, today],
  );
  const byCohort = Map.groupBy(grants.rows, ({ cohort_id }) => cohort_id);
  return rows.map((row) => ({ ...row, grants: byCohort.get(row.cohort_id) ?? [] }));
}

/** Returns name and id of the cohort, or null if there is none. `cohort_id` must be a UUID. */
export async function findCohortName(db: Db, cohort_id: string): Promise<CohortName | null> {
  const { rows } = await db.query<CohortName>('select cohort_id, name from cohort where cohort_id = $1', [
    cohort_id,
  ]);
  return rows[0] ?? null;
}

/** Returns the cohort, and locks it against other edits until the transaction ends. Null if there is none. */
export async function lockCohort(db: Db, cohort_id: string): Promise<LockedCohort | null> {
  const { rows } = await db.query<LockedCohort>(
    `select name, note, archived_at is not null as archived, version from cohort where cohort_id = $1
     for no key update`,
    [cohort_id],
  );
  return rows[0] ?? null;
}

/** Returns the number of all cohorts. Until the transaction ends, no other transaction gets past this call. */
export async function lockCohortCount(db: Db): Promise<number> {
  await db.query('select pg_advisory_xact_lock($1)', [CREATE_LOCK]);
  const { rows } = await db.query<{ count: number }>('select count(*)::int as count from cohort');
  return rows[0]?.count ?? 0;
}

/** Creates a cohort and returns its id. @throws a unique violation of cohort_name if the name is taken. */
export async function createCohort(db: Db, { name, note }: CohortText, created_by: string): Promise<string> {
  const { rows } = await db.query<{ cohort_id: string }>(
    'insert into cohort (name, note, created_by) values ($1, $2, $3) returning cohort_id',
    [name, note, created_by],
  );
  return rows[0]?.cohort_id ?? '';
}

/**
 * Stores the fields of a cohort, and raises its version. An archived cohort keeps the time at which it was archived.
 * @throws a unique violation of cohort_name if the name is taken.
 */
export async function updateCohort(
  db: Db,
  cohort_id: string,
  { name, note, archived, at }: CohortText & { archived: boolean; at: Date },
): Promise<void> {
  await db.query(
    `update cohort set name = $2, note = $3, archived_at = case when $4 then coalesce(archived_at, $5) end,
       version = version + 1
     where cohort_id = $1`,
    [cohort_id, name, note, archived, at],
  );
}

/** Locks the grants that `setDatesOfCohort` would change or keep, and returns their days. */
export async function lockGrantsAhead(
  db: Db,
  cohort_id: string,
  today: string,
): Promise<({ id: string } & Days)[]> {
  const { rows } = await db.query<{ id: string } & Days>(
    `select id, starts_on, ends_on from access_grant
     where cohort_id = $1 and withdrawn_at is null and (ends_on is null or ends_on >= $2::date)
     order by id for no key update`,
    [cohort_id, today],
  );
  return rows;
}

/**
 * Sets the days of the cohort's standing grants that are not over on the day `today` (N-96). Returns how many there are,
 * and the products of those whose days were others before; null stands for all products.
 */
export async function setDatesOfCohort(
  db: Db,
  cohort_id: string,
  { starts_on, ends_on, today }: Days & { today: string },
): Promise<{ count: number; product_ids: (string | null)[] }> {
  const { rows } = await db.query<{ count: number; product_ids: (string | null)[] }>(
    `with standing as (
       select id, (starts_on, ends_on) is distinct from ($2::date, $3::date) as differs from access_grant
       where cohort_id = $1 and withdrawn_at is null and (ends_on is null or ends_on >= $4::date)
       order by id for no key update
     ), changed as (
       update access_grant g set starts_on = $2, ends_on = $3 from standing
       where g.id = standing.id and standing.differs returning g.product_id
     )
     select (select count(*)::int from standing) as count,
       (select coalesce(array_agg(product_id), '{}') from changed) as product_ids`,
    [cohort_id, starts_on, ends_on, today],
  );
  return rows[0] ?? { count: 0, product_ids: [] };
}

/**
 * Returns how many members of the cohort hold a code, by product; under the key null those who hold a code of any of the
 * products. `product_ids` null stands for all products. With `user_ids`, counts only these members (app_user.id). A
 * person's current code is revoked only if all codes of the person and product are (N-46), so the current codes are
 * enough.
 */
export async function countHolding(
  db: Db,
  {
    cohort_id,
    product_ids,
    user_ids = null,
  }: {
    cohort_id: string;
    product_ids: readonly string[] | null;
    user_ids?: readonly string[] | null;
  },
): Promise<Map<string | null, number>> {
  const { rows } = await db.query<{ product_id: string | null; count: number }>(
    `select c.product_id, count(distinct c.holder)::int as count
     from cohort_member m join coupon c on c.holder = m.user_id and c.is_current
     where m.cohort_id = $1 and c.revoked_at is null and ($2::uuid[] is null or c.product_id = any($2))
       ${user_ids === null ? '' : 'and m.user_id = any($3::bigint[])'}
     group by grouping sets ((c.product_id), ())`,
    user_ids === null ? [cohort_id, product_ids] : [cohort_id, product_ids, user_ids],
  );
  return new Map(rows.map(({ product_id, count }) => [product_id, count]));
}
