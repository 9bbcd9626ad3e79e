// How many there are, without counting: what the triggers of 0005-tally.sql note down.
import type { Db } from '../db/database.ts';
import type { Total } from './prefix-search.ts';

/** Days before the 30 of the dashboard need no figure of their own; with one to spare for clocks that disagree. */
const DAYS_APART = 31;

/**
 * Adds up what was noted since the last time, and the days before the dashboard's. Any number of processes may do so at
 * once. Answers how many sums it changed; 0 when nothing was noted.
 */
export async function foldTally(db: Db, now: Date): Promise<number> {
  const { rowCount } = await db.query(
    `with since as (
       select ($1::timestamptz at time zone 'utc')::date - ${DAYS_APART} as day
     ), noted as (
       delete from tally_change returning what, product_id, day, n
     ), past as (
       delete from tally where day < (select day from since) returning what, product_id, day, n
     )
     insert into tally (what, product_id, day, n)
     select what, product_id, case when day >= (select day from since) then day end, sum(n)
     from (select * from noted union all select * from past) lines
     group by 1, 2, 3 order by 1, 2, 3
     on conflict (what, product_id, day) do update set n = tally.n + excluded.n`,
    [now],
  );
  return rowCount;
}

/** Gives the place of lines that are gone back for new ones. */
export async function vacuumTally(db: Db): Promise<void> {
  await db.execute('vacuum tally, tally_change');
}

/** A sum; `day` is null for those that no figure tells apart by days, and for days before the dashboard's. */
export type Counter = { what: string; product_id: string | null; day: string | null; n: string };

/**
 * Keeps others from adding the tally up, and lets the transaction see one moment until its end, and take its time. Whoever
 * redeems waits for nothing. To be called first.
 */
export async function beginRecount(tx: Db): Promise<void> {
  // The lock comes first: what is seen is what there is when it is held.
  await tx.execute(
    `set transaction isolation level repeatable read;
     set local statement_timeout = 0;
     lock table tally in share row exclusive mode`,
  );
}

/** Every figure that is not nought, in order. */
export async function listCounters(db: Db, now: Date): Promise<Counter[]> {
  const { rows } = await db.query<Counter>(
    `select what, product_id, case when day >= ($1::timestamptz at time zone 'utc')::date - ${DAYS_APART} then day::text end as day,
            sum(n)::text as n
     from tally_now group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3`,
    [now],
  );
  return rows;
}

/** Puts what counting gives in the place of what was noted. Call it after `beginRecount`, in its transaction. */
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

/** Of a product or of all, in a state or in any. */
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
