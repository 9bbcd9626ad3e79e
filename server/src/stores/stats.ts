// Figures of the dashboard.
import type { Stats } from '@portal/contract';
import type { Db } from '../db/database.ts';

/** All figures in one read; the 30 days end with the day of `today`, in UTC. */
export async function getStats(db: Db, today: Date): Promise<Stats> {
  const { rows } = await db.query<Stats>(
    `with stock as (
       select p.product_id, p.name, p.shared_coupon, count(c.id)::int as total, count(c.id) filter (where c.holder is null)::int as free
       from product p left join coupon c on c.product_id = p.product_id
       where p.archived_at is null
       group by p.product_id
     ), days as (
       select ($1::timestamptz at time zone 'utc')::date - 29 + n as day from generate_series(0, 29) as n
     ), redeemed as (
       select (a.at at time zone 'utc')::date as day, count(*)::int as count
       from audit a where a.action = 'coupon.redeem' and a.at >= (select min(day) from days) group by 1
     )
     select (select count(*)::int from product where archived_at is null) as products,
       (select count(*)::int from app_user) as users,
       (select jsonb_build_object('total', coalesce(sum(total), 0), 'assigned', coalesce(sum(total - free), 0)) from stock) as coupons,
       (select jsonb_agg(jsonb_build_object('day', to_char(d.day, 'YYYY-MM-DD'), 'count', coalesce(r.count, 0)) order by d.day)
        from days d left join redeemed r on r.day = d.day) as redemptions,
       (select coalesce(jsonb_agg(jsonb_build_object('product_id', product_id, 'name', name, 'shared_coupon', shared_coupon,
          'total', total, 'left', case when not shared_coupon then free end)
          order by shared_coupon, free, name, product_id), '[]') from stock) as stock`,
    [today],
  );
  return rows[0] as Stats;
}
