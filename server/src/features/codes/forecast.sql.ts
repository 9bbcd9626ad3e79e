// Counts people without a code, hand-outs and codes that expire, and stores the counts in the table stock_forecast.
import type { Db } from '../../db/database.ts';

/**
 * Returns true if the counts must be made again: a product has none, a day has ended (in UTC or in the portal's time
 * zone), the oldest counts are too old, or counts are in the future because the clock was put back. Counting reads all
 * people, so the interval is one second for each 100 people, but at least a minute and at most an hour.
 */
export async function isForecastDue(db: Db, { now, today }: { now: Date; today: string }): Promise<boolean> {
  const { rows } = await db.query<{ is_due: boolean }>(
    `select exists (
       select from product p left join stock_forecast f on f.product_id = p.product_id
       where not p.shared_coupon and product_status(p, $2) not in ('archived', 'ended') and (
         f.product_id is null or f.day <> $2::date or f.counted_at > $1::timestamptz + interval '10 minutes'
         or (f.counted_at at time zone 'utc')::date <> ($1::timestamptz at time zone 'utc')::date
         or f.counted_at <= $1::timestamptz - make_interval(secs => least(3600, greatest(60, (
           select coalesce(sum(n), 0) from tally_now where what = 'user') / 100))::float8))
     ) as is_due`,
    [now, today],
  );
  return rows[0]?.is_due ?? false;
}

/**
 * The counters of one product. `free`: codes that can be handed out. `assigned`: codes that are held or revoked.
 * `handed_out`: codes redeemed or issued in the last 14 full days in UTC. `is_known`: a code was handed out at least
 * seven days ago. The numbers come from the tally (0014).
 */
export type StockCounters = {
  product_id: string;
  free: number;
  assigned: number;
  handed_out: number;
  is_known: boolean;
};

/** Returns the counters of all products that need a forecast: without a shared code, and not archived or ended. */
export async function listStockCounters(
  db: Db,
  { now, today }: { now: Date; today: string },
): Promise<StockCounters[]> {
  const { rows } = await db.query<StockCounters>(
    `select p.product_id, coalesce(n.free, 0) as free, coalesce(n.held + n.revoked, 0) as assigned,
       coalesce(h.handed_out, 0) as handed_out, coalesce(h.is_known, false) as is_known
     from product p left join code_counts($2) n on n.product_id = p.product_id
     left join (
       select t.product_id, sum(t.n) filter (where t.day >= utc.today - 14 and t.day < utc.today)::integer as handed_out,
         bool_or(t.n > 0 and (t.day is null or t.day <= utc.today - 7)) as is_known
       from tally_now t cross join (select ($1::timestamptz at time zone 'utc')::date as today) utc
       where t.what in ('redeemed', 'issued') group by t.product_id
     ) h on h.product_id = p.product_id
     where not p.shared_coupon and product_status(p, $2) not in ('archived', 'ended')
     order by p.product_id`,
    [now, today],
  );
  return rows;
}

/** The free codes of a product that have the same last day. `days`: full days until then, on which they are assigned. */
export type ExpiringCodes = { use_by: string; days: number; codes: number };

/**
 * Returns the free codes of a product that expire less than `within` days after `today`, earliest first. Reads one
 * index entry for each such code.
 */
export async function listExpiringCodes(
  db: Db,
  { product_id, today, within }: { product_id: string; today: string; within: number },
): Promise<ExpiringCodes[]> {
  const { rows } = await db.query<ExpiringCodes>(
    `select d.use_by::text, d.use_by - $2::date as days, (
       select count(*)::integer from coupon c
       where c.product_id = d.product_id and c.use_by = d.use_by and c.pos >= d.pos
         and c.holder is null and c.voided_at is null) as codes
     from claim_day d
     where d.product_id = $1 and d.use_by > $2::date and d.use_by < $2::date + $3::integer
     order by d.use_by`,
    [product_id, today, within],
  );
  return rows;
}

/** The people of one step, and for each product the number of them who have access today and never held a code. */
type CountedPeople = { last_id: string | null; without_code: Record<string, number> };

/**
 * Counts the next `limit` people after the id `after`. `last_id` is null if there is nobody after it. Reads only the
 * grants, memberships and codes of these people, so the cost of a step does not grow with the portal. Archived and
 * ended products are left out.
 */
export async function countWithoutCode(
  db: Db,
  { after, limit, today }: { after: string; limit: number; today: string },
): Promise<CountedPeople> {
  const { rows } = await db.query<CountedPeople>(
    `with people as materialized (
       select max(id) as last_id from (select id from app_user where id > $1 order by id limit $2) next
     ), counted as materialized (
       select p.product_id from product p
       where not p.shared_coupon and product_status(p, $3) not in ('archived', 'ended')
     ), given as materialized (
       select g.user_id, g.product_id from access_grant g
       where g.user_id > $1 and g.user_id <= (select last_id from people)
         and grant_state(g.withdrawn_at, g.cohort_archived, g.starts_on, g.ends_on, $3) = 'live'
       union all
       select m.user_id, g.product_id from cohort_member m join access_grant g on g.cohort_id = m.cohort_id
       where m.user_id > $1 and m.user_id <= (select last_id from people)
         and grant_state(g.withdrawn_at, g.cohort_archived, g.starts_on, g.ends_on, $3) = 'live'
     ), waiting as (
       (select given.user_id, c.product_id from given join counted c on c.product_id = given.product_id
        union
        select given.user_id, c.product_id from given cross join counted c where given.product_id is null)
       except
       select c.holder, c.product_id from coupon c where c.holder > $1 and c.holder <= (select last_id from people)
     )
     select (select last_id::text from people) as last_id, coalesce(jsonb_object_agg(product_id, n), '{}') as without_code
     from (select product_id, count(*)::integer as n from waiting group by product_id) numbers`,
    [after, limit, today],
  );
  return rows[0] as CountedPeople;
}

/** The counts of one product; see the table stock_forecast. */
export type StockForecast = {
  product_id: string;
  without_code: number;
  assigned: number;
  handed_out: number | null;
  expiring_first: number;
  expires_on: string | null;
};

/**
 * Stores the counts that began at `now`. Does not replace counts that another process began later and has stored
 * meanwhile. Replaces counts that are far in the future, because the clock was put back.
 */
export async function storeForecasts(
  db: Db,
  forecasts: readonly StockForecast[],
  { now, today }: { now: Date; today: string },
): Promise<void> {
  await db.query(
    `insert into stock_forecast as f (product_id, counted_at, day, without_code, assigned, handed_out, expiring_first, expires_on)
     select n.product_id, $2, $3, n.without_code, n.assigned, n.handed_out, n.expiring_first, n.expires_on
     from jsonb_to_recordset($1::jsonb) n (product_id uuid, without_code integer, assigned integer, handed_out integer,
       expiring_first integer, expires_on date)
     order by n.product_id
     on conflict (product_id) do update set counted_at = excluded.counted_at, day = excluded.day,
       without_code = excluded.without_code, assigned = excluded.assigned, handed_out = excluded.handed_out,
       expiring_first = excluded.expiring_first, expires_on = excluded.expires_on
     where f.counted_at <= excluded.counted_at or f.counted_at > excluded.counted_at + interval '10 minutes'`,
    [JSON.stringify(forecasts), now, today],
  );
}

/**
 * Records that the alert about few days left is sent. Returns false if it was recorded before: of several processes,
 * only one gets true.
 */
export async function claimDaysAlert(db: Db, product_id: string, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'update stock_forecast set alerted_at = $2 where product_id = $1 and alerted_at is null',
    [product_id, at],
  );
  return rowCount === 1;
}

/** Deletes the records of the alerts for products whose codes last more than `days` days. */
export async function clearDaysAlerts(
  db: Db,
  { today, days }: { today: string; days: number },
): Promise<void> {
  await db.query(
    `update stock_forecast set alerted_at = null
     where alerted_at is not null and product_id in (
       select p.product_id from product p join code_counts($1) n on n.product_id = p.product_id
       cross join forecast_stock(p, n.free, n.held + n.revoked, $1) f
       where f.days_left > $2)`,
    [today, days],
  );
}
