// Makes expired codes void, and counts them for the audit log. An expired code is a free code whose last day is today
// or earlier.
import type { Db } from '../../db/database.ts';

/** Returns the products that have free codes whose last day is `today` or earlier. */
export async function listProductsWithExpired(db: Db, today: string): Promise<string[]> {
  const { rows } = await db.query<{ product_id: string }>(
    // The subquery has the same order as the index coupon_free, so that the planner uses this index for each product.
    `select p.product_id from product p cross join lateral (
       select 1 from coupon c
       where c.product_id = p.product_id and c.holder is null and c.voided_at is null and c.use_by <= $1::date
       order by c.use_by, c.pos limit 1) expired`,
    [today],
  );
  return rows.map(({ product_id }) => product_id);
}

/**
 * Makes at most `limit` free codes of a product void. Considers only codes whose last day is `today` or earlier. Adds
 * the number of these codes to the counts in coupon_expiry (R-LIFE-53). Skips codes that another transaction has
 * locked. Returns the number of codes that became void.
 */
export async function expireNextCoupons(
  db: Db,
  { product_id, today, at, limit }: { product_id: string; today: string; at: Date; limit: number },
): Promise<number> {
  const { rows } = await db.query<{ expired: number }>(
    `with free as (
       select id from coupon where product_id = $1 and holder is null and voided_at is null and use_by <= $2::date
       order by use_by, pos limit $4 for update skip locked
     ), marked as (
       update coupon set voided_by = 'portal', void_reason = 'expired', voided_at = $3
       from free where coupon.id = free.id returning coupon.use_by
     ), counted as (
       insert into coupon_expiry as e (product_id, day, codes)
       select $1, use_by, count(*) from marked group by use_by order by use_by
       on conflict (product_id, day) do update set codes = e.codes + excluded.codes
     )
     select count(*)::int as expired from marked`,
    [product_id, today, at, limit],
  );
  return rows[0]?.expired ?? 0;
}

/**
 * Adds `codes` to the count of a product's expired codes with the last day `day`. Call this function for expired codes
 * that `expireNextCoupons` has not counted.
 */
export async function countExpired(
  db: Db,
  { product_id, day, codes }: { product_id: string; day: string; codes: number },
): Promise<void> {
  await db.query(
    `insert into coupon_expiry as e (product_id, day, codes) values ($1, $2, $3)
     on conflict (product_id, day) do update set codes = e.codes + excluded.codes`,
    [product_id, day, codes],
  );
}

/**
 * Writes an audit line for each product and day in coupon_expiry, and deletes these rows. Leaves out a product while it
 * has expired codes that are not void yet, so that each day gets only one audit line.
 */
export async function auditExpiry(db: Db, today: string): Promise<void> {
  await db.query(
    `with counted as (
       delete from coupon_expiry e
       where (select c.pos from coupon c
              where c.product_id = e.product_id and c.holder is null and c.voided_at is null and c.use_by <= $1::date
              order by c.use_by, c.pos limit 1) is null
       returning product_id, day, codes
     )
     insert into audit (actor, via, action, product_id, detail)
     select 'portal', 'portal', 'coupon.expire', product_id, jsonb_build_object('day', day::text, 'count', codes)
     from counted order by product_id, day`,
    [today],
  );
}
