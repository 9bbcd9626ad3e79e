// Reads the numbers of the dashboard.
import type { Stats } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { CODES } from './tally.ts';

/**
 * Returns all numbers of the dashboard with one statement. The redemptions are counted for 30 days. The last of these
 * days is the day of `today` in UTC.
 */
export async function getStats(db: Db, today: Date): Promise<Stats> {
  const { rows } = await db.query<Stats>(
    `with counters as materialized (
       select * from tally_now
     ), stock as (
       select p.product_id, p.name, p.shared_coupon,
              ${CODES.all} as total, ${CODES.assigned} as assigned, ${CODES.usable} as usable, ${CODES.left} as "left",
              ${CODES.revoked} as revoked, ${CODES.void} as void
       from product p left join counters f on f.product_id = p.product_id
       where p.archived_at is null
       group by p.product_id
     ), days as (
       select ($1::timestamptz at time zone 'utc')::date - 29 + n as day from generate_series(0, 29) as n
     ), redeemed as (
       select day, sum(n)::int as count from counters where what = 'redeemed' group by day
     )
     select (select count(*)::int from product where archived_at is null) as products,
       (select coalesce(sum(n), 0)::int from counters where what = 'user') as users,
       (select jsonb_build_object('total', coalesce(sum(total), 0), 'assigned', coalesce(sum(assigned), 0),
          'revoked', coalesce(sum(revoked), 0), 'void', coalesce(sum(void), 0)) from stock) as coupons,
       (select jsonb_agg(jsonb_build_object('day', to_char(d.day, 'YYYY-MM-DD'), 'count', coalesce(r.count, 0)) order by d.day)
        from days d left join redeemed r on r.day = d.day) as redemptions,
       (select coalesce(jsonb_agg(jsonb_build_object('product_id', product_id, 'name', name, 'shared_coupon', shared_coupon,
          'total', usable, 'left', case when not shared_coupon then "left" end,
          'revoked', revoked, 'void', void)
          order by shared_coupon, "left", name, product_id), '[]') from stock) as stock`,
    [today],
  );
  return rows[0] as Stats;
}
