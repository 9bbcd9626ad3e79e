// Reads and maintains the tally: counters that triggers update, so that totals need no count of rows (0014).
import type { Db } from '../db/database.ts';
import type { Total } from './prefix-search.ts';

/**
 * Days with their own counter: the 30 of the dashboard, and one more because clocks may differ. Older days share one.
 */
const DAILY_COUNTERS = 31;

/**
 * Adds the rows of `tally_change` to the counters, and merges the counters of days before the dashboard's range.
 * Several processes may do this at once. Returns the number of changed counters.
 */
export async function foldTally(db: Db, now: Date): Promise<number> {
  const { rowCount } = await db.query(
    `with since as (
       select ($1::timestamptz at time zone 'utc')::date - ${DAILY_COUNTERS} as day
     ), changes as (
       delete from tally_change returning what, product_id, day, n
     ), past as (
       delete from tally where day < (select day from since) returning what, product_id, day, n
     )
     insert into tally (what, product_id, day, n)
     select what, product_id, case when day >= (select day from since) then day end, sum(n)
     from (select * from changes union all select * from past) lines
     group by 1, 2, 3 order by 1, 2, 3
     on conflict (what, product_id, day) do update set n = tally.n + excluded.n`,
    [now],
  );
  return rowCount;
}

/** Makes the space of deleted rows available for new rows. */
export async function vacuumTally(db: Db): Promise<void> {
  await db.execute('vacuum tally, tally_change');
}

/** One counter. `day` is null if it is not broken down by day, or the day is older than the dashboard's range. */
export type Counter = { what: string; product_id: string | null; day: string | null; n: string };

/**
 * Blocks `foldTally` until the transaction ends, makes all reads of the transaction see the same snapshot, and removes
 * the statement time-out. Redemptions are not blocked. Must be the first statement of the transaction.
 */
export async function beginRecount(tx: Db): Promise<void> {
  // `lock table` takes no snapshot, so the snapshot contains everything that was committed before the lock.
  await tx.execute(
    `set transaction isolation level repeatable read;
     set local statement_timeout = 0;
     lock table tally in share row exclusive mode`,
  );
}

/** Returns all counters that are not zero, sorted. */
export async function listCounters(db: Db, now: Date): Promise<Counter[]> {
  const { rows } = await db.query<Counter>(
    `select what, product_id, case when day >= ($1::timestamptz at time zone 'utc')::date - ${DAILY_COUNTERS} then day::text end as day,
            sum(n)::text as n
     from tally_now group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3`,
    [now],
  );
  return rows;
}

/** Replaces all counters by counted rows. Call this function after `beginRecount`, in the same transaction. */
export async function rebuildTally(tx: Db): Promise<void> {
  await tx.execute(
    `delete from tally;
     delete from tally_change;
     insert into tally (what, product_id, n) select 'code', product_id, count(*) from coupon group by product_id;
     insert into tally (what, product_id, day, n)
       select case assigned_by when 'learner' then 'redeemed' else 'issued' end, product_id,
              (assigned_at at time zone 'utc')::date, count(*)
       from coupon where assigned group by 1, 2, 3;
     insert into tally (what, n) select 'user', count(*) from app_user having count(*) > 0`,
  );
}

export async function getUserTotal(db: Db): Promise<Total> {
  const { rows } = await db.query<{ total: number }>(
    "select coalesce(sum(n), 0)::int as total from tally_now where what = 'user'",
  );
  return { total: rows[0]?.total ?? 0, atLeast: false };
}

/** Returns the number of coupons, optionally of one product or in one state. */
export async function getCouponTotal(
  db: Db,
  { product_id, status }: { product_id?: string | undefined; status?: 'available' | 'assigned' | undefined },
): Promise<Total> {
  const { rows } = await db.query<{ codes: number; assigned: number }>(
    `select coalesce(sum(n) filter (where what = 'code'), 0)::int as codes,
            coalesce(sum(n) filter (where what in ('redeemed', 'issued')), 0)::int as assigned
     from tally_now where what <> 'user' and ($1::uuid is null or product_id = $1)`,
    [product_id ?? null],
  );
  const { codes = 0, assigned = 0 } = rows[0] ?? {};
  const totals = { assigned, available: codes - assigned };
  return { total: status ? totals[status] : codes, atLeast: false };
}
