// Reads the numbers of the dashboard.
import type { Stats } from '@portal/contract';
import type { Db } from '../../db/database.ts';

/**
 * Returns all numbers of the dashboard with one statement. The redemptions are counted for 30 days, also those of
 * products that have been archived since. The last of these days is the day of `now` in UTC. Codes are counted by their
 * state on the day `today` of the portal's time zone, without codes of archived products (N-202).
 */
export async function getStats(db: Db, { now, today }: { now: Date; today: string }): Promise<Stats> {
  const { rows } = await db.query<Stats>(
    `with counters as materialized (
       select * from tally_now
     ), stock as (
       select p.product_id, p.name, p.shared_coupon, coalesce(n.codes, 0) as codes, coalesce(n.free, 0) as free,
              coalesce(n.held, 0) as held, coalesce(n.revoked, 0) as revoked, coalesce(n.void, 0) as void,
              coalesce(n.expired, 0) as expired
       from product p left join code_counts($2) n on n.product_id = p.product_id
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
          'codes', codes, 'free', free, 'held', held, 'revoked', revoked, 'void', void, 'expired', expired)
          order by shared_coupon, free, name, product_id), '[]') from stock) as stock`,
    [now, today],
  );
  return rows[0] as Stats;
}
