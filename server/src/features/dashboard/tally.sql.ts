// Reads and maintains the tally, and reads the numbers of the dashboard. The tally has aggregate counters of codes,
// users and cohort members. Database triggers record each change in the tally, so that totals are read without counting
// rows (0014).
import type { Stats } from '@portal/contract';
import type { Database, Db } from '../../db/database.ts';
import type { Total } from '../../db/prefix-search.sql.ts';
import type { CouponFilter } from '../codes/codes.sql.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { reopenClaimDays } from '../redeem/redeem.sql.ts';

// Number of days with their own counter: the 30 days of the dashboard, and one more because the clocks of two
// processes may differ. All older days share one counter.
const DAILY_COUNTERS = 31;

/**
 * Adds the changes in `tally_change` to the counters and deletes these changes. Merges the counters of days that the
 * dashboard no longer shows into counters whose `day` is null. Several processes may do this concurrently. Returns the
 * number of changed counters.
 */
export async function addUpTally(db: Db, now: Date): Promise<number> {
  const { rowCount } = await db.query(
    `with since as (
       select ($1::timestamptz at time zone 'utc')::date - $2::int as day
     ), changes as (
       delete from tally_change returning what, product_id, cohort_id, day, n
     ), past as (
       delete from tally where day < (select day from since) returning what, product_id, cohort_id, day, n
     )
     insert into tally (what, product_id, cohort_id, day, n)
     select what, product_id, cohort_id, case when day >= (select day from since) then day end, sum(n)
     from (select * from changes union all select * from past) lines
     group by 1, 2, 3, 4 order by 1, 2, 3, 4
     on conflict (what, product_id, cohort_id, day) do update set n = tally.n + excluded.n`,
    [now, DAILY_COUNTERS],
  );
  return rowCount;
}

/** Runs VACUUM, which makes the space of deleted rows available for new rows. */
export async function vacuumTally(db: Db): Promise<void> {
  await db.execute('vacuum tally, tally_change');
}

/**
 * One counter. `day` is null if the counter is not broken down by day, or counts the days before the dashboard's
 * range.
 */
export type Counter = { what: string; n: string } & Record<'product_id' | 'cohort_id' | 'day', string | null>;

/**
 * Prepares a recount: blocks `addUpTally` until the transaction ends, makes all reads use one snapshot, and removes the
 * statement time-out. Does not block redemptions. Must be the first statement of the transaction.
 */
async function beginRecount(tx: Db): Promise<void> {
  // The first query after `lock table` takes the snapshot. So the snapshot contains everything that was committed
  // before the lock was taken.
  await tx.execute(
    `set transaction isolation level repeatable read;
     set local statement_timeout = 0;
     lock table tally in share row exclusive mode`,
  );
}

/** Returns all counters that are not zero, in a fixed order. */
export async function listCounters(db: Db, now: Date): Promise<Counter[]> {
  const { rows } = await db.query<Counter>(
    `select what, product_id, cohort_id,
       case when day >= ($1::timestamptz at time zone 'utc')::date - $2::int then day::text end as day, sum(n)::text as n
     from tally_now group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4`,
    [now, DAILY_COUNTERS],
  );
  return rows;
}

/** Recounts all counters from the rows of the tables. Call `beginRecount` first, in the same transaction. */
async function rebuildTally(tx: Db): Promise<void> {
  await tx.execute(
    `delete from tally;
     delete from tally_change;
     insert into tally (what, product_id, n) select 'code', product_id, count(*) from coupon group by product_id;
     insert into tally (what, product_id, day, n)
       select case assigned_by when 'learner' then 'redeemed' else 'issued' end, product_id,
              (assigned_at at time zone 'utc')::date, count(*)
       from coupon where holder is not null group by 1, 2, 3;
     insert into tally (what, product_id, n)
       select 'void', product_id, count(*) from coupon where voided_at is not null group by product_id
       union all
       select 'expired', product_id, count(*) from coupon where void_reason = 'expired' group by product_id
       union all
       select 'revoked', product_id, count(*) from coupon where revoked_at is not null group by product_id;
     insert into tally (what, n) select 'user', count(*) from app_user where erased_at is null having count(*) > 0;
     insert into tally (what, cohort_id, n) select 'member', cohort_id, count(*) from cohort_member group by cohort_id`,
  );
}

export async function getUserTotal(db: Db): Promise<Total> {
  const { rows } = await db.query<{ total: number }>(
    "select coalesce(sum(n), 0)::int as total from tally_now where what = 'user'",
  );
  return { total: rows[0]?.total ?? 0, atLeast: false };
}

/** Returns the number of people in a cohort. */
export async function getMemberTotal(db: Db, cohort_id: string): Promise<Total> {
  const { rows } = await db.query<{ total: number }>(
    "select coalesce(sum(n), 0)::int as total from tally_now where what = 'member' and cohort_id = $1",
    [cohort_id],
  );
  return { total: rows[0]?.total ?? 0, atLeast: false };
}

/**
 * Returns the number of codes with the state `status` on the day `today`: of one product, or of either all archived
 * products or all others.
 */
export async function getCouponTotal(
  db: Db,
  { product_id, status, archived = false, today }: CouponFilter,
): Promise<Total> {
  const { rows } = await db.query<{ total: number }>(
    `select coalesce(sum(case $4::text
         when 'available' then n.free when 'assigned' then n.held when 'revoked' then n.revoked
         when 'void' then n.void when 'expired' then n.expired else n.codes end), 0)::int as total
     from code_counts($1) n join product p on p.product_id = n.product_id
     where case when $2::uuid is null then (p.archived_at is not null) = $3 else p.product_id = $2 end`,
    [today, product_id ?? null, archived, status ?? null],
  );
  return { total: rows[0]?.total ?? 0, atLeast: false };
}

/**
 * Returns all numbers of the dashboard with one statement. Counts redemptions for each of 30 days in UTC, up to the
 * day of `now`, including those of archived products. Counts codes by their state on the day `today` of the portal's
 * time zone, without codes of archived products (N-202). Products that need attention come first: none left, low, short or
 * ending soon; of the same kind, the one that ends first. Then by name (R-DAY-10, R-DAY-68).
 */
export async function getStats(
  db: Db,
  { now, today }: { now: Date; today: string },
): Promise<Omit<Stats, 'setup'>> {
  const { rows } = await db.query<Omit<Stats, 'setup'>>(
    `with counters as materialized (
       select * from tally_now
     ), stock as (
       select p.product_id, p.name, p.shared_coupon, coalesce(n.codes, 0) as codes, coalesce(n.free, 0) as free,
              coalesce(n.held, 0) as held, coalesce(n.revoked, 0) as revoked, coalesce(n.void, 0) as void,
              coalesce(n.expired, 0) as expired, (
                select count(*)::int from coupon c where c.product_id = p.product_id and c.unconfirmed) as unconfirmed,
              case when p.closes_on < $2::date then 3
                when not p.shared_coupon and coalesce(n.free, 0) = 0 then 0
                when not p.shared_coupon and n.free * 10 < n.free + n.held + n.revoked then 1
                when f.short > 0 or f.days_left < 14 then 2
                when p.closes_on <= $2::date + 14 and p.paused_at is null
                  and coalesce(p.opens_on <= $2::date, true) then 2
                else 3 end as attention, f.without_code, f.short, f.pace, f.days_left, f.expiring_first,
              f.expires_on, f.forecast_at
       from product p left join code_counts($2) n on n.product_id = p.product_id
       left join forecast_stock(p, coalesce(n.free, 0), coalesce(n.held + n.revoked, 0), $2) f on true
       where p.archived_at is null
     ), days as (
       select ($1::timestamptz at time zone 'utc')::date - 29 + n as day from generate_series(0, 29) as n
     ), redeemed as (
       select day, sum(n)::int as count from counters where what = 'redeemed' group by day
     )
     select (select count(*)::int from product where archived_at is null) as products,
       (select coalesce(sum(n), 0)::int from counters where what = 'user') as users,
       (select jsonb_build_object('total', coalesce(sum(codes), 0), 'available', coalesce(sum(free), 0),
          'assigned', coalesce(sum(held), 0), 'revoked', coalesce(sum(revoked), 0), 'void', coalesce(sum(void), 0),
          'expired', coalesce(sum(expired), 0)) from stock) as coupons,
       (select jsonb_agg(jsonb_build_object('day', to_char(d.day, 'YYYY-MM-DD'), 'count', coalesce(r.count, 0)) order by d.day)
        from days d left join redeemed r on r.day = d.day) as redemptions,
       (select coalesce(jsonb_agg(jsonb_build_object('product_id', product_id, 'name', name, 'shared_coupon', shared_coupon,
          'total', free + held + revoked, 'left', case when not shared_coupon then free end,
          'codes', codes, 'free', free, 'held', held, 'revoked', revoked, 'void', void, 'expired', expired,
          'unconfirmed', unconfirmed,
          'without_code', without_code, 'short', short, 'pace', pace, 'days_left', days_left,
          'expiring_first', expiring_first, 'expires_on', expires_on,
          'forecast_at', to_char(forecast_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
          order by attention, case when attention < 3 then days_left end, case when attention < 3 then free end,
            lower(name), product_id), '[]') from stock) as stock`,
    [now, today],
  );
  return rows[0] as Omit<Stats, 'setup'>;
}

/**
 * Recounts the tally for the operator, for example after rows were changed by hand in the database. Meanwhile the portal
 * serves requests. Returns the number of counters (`figures`), and how many of
 * them were wrong, missing or superfluous. Also makes free codes available that no claim could find (0005); `reopened`
 * is the number of last days with such codes.
 */
export async function recountTally(
  db: Database,
  now: Date,
): Promise<{ figures: number; wrong: number; reopened: number }> {
  // This needs no lock, because claims are correct even if claim_day has an earlier position than necessary.
  const reopened = await reopenClaimDays(db);
  return db.transaction(async (tx) => {
    await beginRecount(tx);
    const before = new Set((await listCounters(tx, now)).map(keyOf));
    await rebuildTally(tx);
    const after = await listCounters(tx, now);
    const right = after.filter((counter) => before.has(keyOf(counter))).length;
    const wrong = Math.max(before.size, after.length) - right;
    const detail = { figures: after.length, wrong, reopened };
    await createAuditLine(tx, { actor: 'operator', action: 'tally.recount', detail });
    return detail;
  });
}

function keyOf(counter: Counter): string {
  return JSON.stringify(Object.values(counter));
}
