// How many there are, without counting: what the triggers of 0005-tally.sql note down.
import type { Db } from '../db/database.ts';

/** More matches of a search than this are not counted, only said to be more. */
export const COUNTED_MATCHES = 1_000;

/** How many rows a list has; `atLeast`: there may be more than `total`. */
export type Total = { total: number; atLeast: boolean };

/** What is said of a search that found `count` rows, of which one more than COUNTED_MATCHES were looked at. */
export function countedMatches(count: number): Total {
  return { total: Math.min(count, COUNTED_MATCHES), atLeast: count > COUNTED_MATCHES };
}

/** Days before the 30 of the dashboard need no figure of their own; with one to spare for clocks that disagree. */
const DAYS_APART = 31;

/** Adds up what was noted since the last time, and the days before the dashboard's. Any number of processes may do so at once. */
export async function foldTally(db: Db, now: Date): Promise<void> {
  await db.query(
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
     group by 1, 2, 3
     on conflict (what, product_id, day) do update set n = tally.n + excluded.n`,
    [now],
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
