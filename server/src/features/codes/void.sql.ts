// Makes codes void, so that they are never assigned. A free code has expired if its last day is today or earlier.
import type { Db } from '../../db/database.ts';
import { CODE_STATES } from './codes.sql.ts';

/**
 * The reason why a code is void. 'mistake': an upload may add the code again, which makes it free. 'expired': its last
 * day has passed or is today; a later last day makes it free again. 'dead': the code never becomes free again, so this
 * reason may replace the other two.
 */
export type VoidReason = 'mistake' | 'dead' | 'expired';
export type Void = { product_id: string; actor: string };
type Marking = { actor: string; reason: VoidReason; at: Date };

// The statements of the next three functions make codes without a holder void. Each statement locks its rows in a fixed
// order, so that two such statements do not deadlock. If a claim assigns a code while the statement waits for the lock
// of its row, the statement skips this code.

/**
 * Makes all free codes among `codes` void. With the reason 'dead', also changes the reason of codes that are already void,
 * but could become free again. Returns the number of changed codes. Waits for claims in progress; a code that such a
 * claim assigns does not become void. Pass at most a few thousand codes: claims of these codes wait until the
 * transaction ends.
 */
export async function voidNamedCoupons(
  db: Db,
  { product_id, actor, reason, at, codes }: Void & Marking & { codes: readonly string[] },
): Promise<number> {
  // With the condition `not shared`, the planner can use the partial index coupon_code_once.
  const { rowCount } = await db.query(
    `with found as (
       select id from coupon
       where holder is null and (voided_at is null or ($2 = 'dead' and void_reason in ('mistake', 'expired')))
         and product_id = $4 and not shared and coupon_code = any($5)
       order by id for update
     )
     update coupon set voided_by = $1, void_reason = $2, voided_at = $3 from found where coupon.id = found.id`,
    [actor, reason, at, product_id, codes],
  );
  return rowCount;
}

/**
 * Makes the next `limit` free codes void, in the order in which claims assign them. Returns the number of codes that
 * became void; 0 if no free code is left.
 */
export async function voidNextCoupons(
  db: Db,
  { product_id, actor, reason, at, limit }: Void & Marking & { limit: number },
): Promise<number> {
  const { rowCount } = await db.query(
    `with found as (
       select id from coupon where holder is null and voided_at is null and product_id = $4
       order by use_by, pos limit $5 for update
     )
     update coupon set voided_by = $1, void_reason = $2, voided_at = $3 from found where coupon.id = found.id`,
    [actor, reason, at, product_id, limit],
  );
  return rowCount;
}

/**
 * Changes the reason of a product's void codes from 'mistake' or 'expired' to 'dead'. Changes at most `limit` codes of
 * the given state whose id is below `before`, newest first. With null for `before`, begins with the newest code.
 * Returns the number of changed codes and the lowest of their ids; 0 and null if there are no more such codes.
 */
export async function markNextDead(
  db: Db,
  of: Void & { at: Date; limit: number; state: 'void' | 'expired'; before: string | null },
): Promise<{ count: number; last: string | null }> {
  const after = of.before === null ? '-9223372036854775807' : `-${of.before}`;
  const { rows } = await db.query<{ id: string }>(
    `with found as (
       select id from coupon
       where holder is null and void_reason in ('mistake', 'expired') and product_id = $4
         and coupon_state(holder, revoked_at, voided_at, void_reason) = $7 and -id > $6
       order by -id limit $5 for update
     )
     update coupon set voided_by = $1, void_reason = $2, voided_at = $3 from found where coupon.id = found.id
     returning coupon.id`,
    [of.actor, 'dead', of.at, of.product_id, of.limit, after, CODE_STATES[of.state]],
  );
  const ids = rows.map(({ id }) => BigInt(id)).sort((a, b) => (a < b ? -1 : 1));
  return { count: ids.length, last: ids[0]?.toString() ?? null };
}

/**
 * Makes the shared codes with the texts `codes` void, so that nobody else gets them (N-51). Marks the rows without a
 * holder as void. With the reason 'dead', also changes rows that are void with the reason 'mistake'. Adds a void row
 * for a text without such a row. Returns the number of marked and added rows. The caller must have locked the product
 * in the same transaction.
 */
export async function voidSharedCodes(
  db: Db,
  { product_id, actor, reason, at, codes }: Void & Marking & { codes: readonly string[] },
): Promise<number> {
  const { rows } = await db.query<{ voided: number }>(
    `with marked as (
       update coupon set voided_by = $1, void_reason = $2, voided_at = $3
       where product_id = $4 and shared and coupon_code = any($5) and holder is null
         and (void_reason = 'expired' or voided_at is null or ($2 = 'dead' and void_reason in ('mistake', 'expired')))
       returning coupon_code
     ), added as (
       insert into coupon (product_id, batch_id, shared, coupon_code, usage_limit, use_by, voided_by, void_reason, voided_at)
       select distinct on (c.coupon_code) $4, c.batch_id, true, c.coupon_code, c.usage_limit, c.use_by, $1, $2, $3::timestamptz
       from coupon c
       where c.product_id = $4 and c.shared and c.coupon_code = any($5)
         and not exists (select 1 from marked where marked.coupon_code = c.coupon_code)
         and not exists (
           select 1 from coupon v where v.product_id = $4 and v.shared and v.coupon_code = c.coupon_code
             and v.voided_at is not null)
       order by c.coupon_code, c.id desc
       returning 1
     )
     select ((select count(*) from marked) + (select count(*) from added))::int as voided`,
    [actor, reason, at, product_id, codes],
  );
  return rows[0]?.voided ?? 0;
}

export async function countAssignedCoupons(
  db: Db,
  { product_id, codes }: { product_id: string; codes: readonly string[] },
): Promise<number> {
  const { rows } = await db.query<{ assigned: number }>(
    'select count(*)::int as assigned from coupon where product_id = $1 and not shared and holder is not null and coupon_code = any($2)',
    [product_id, codes],
  );
  return rows[0]?.assigned ?? 0;
}

/** Returns the products that have free codes whose last day is `today` or earlier. */
export async function listProductsWithExpired(db: Db, today: string): Promise<string[]> {
  const { rows } = await db.query<{ product_id: string }>(
    // The subquery sorts in the order of the index coupon_free, so that the planner reads only one row of this index
    // for each product.
    `select p.product_id from product p cross join lateral (
       select 1 from coupon c
       where c.product_id = p.product_id and c.holder is null and c.voided_at is null and c.use_by <= $1::date
       order by c.use_by, c.pos limit 1) expired`,
    [today],
  );
  return rows.map(({ product_id }) => product_id);
}

/**
 * Makes at most `limit` free codes void whose last day is `today` or earlier. Adds their number to the table
 * coupon_expiry (R-LIFE-53). Skips codes that another transaction has locked. Returns the number of codes that became
 * void.
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
 * Adds `codes` to the number of a product's expired codes with the last day `day`. Call this function for expired codes
 * that `expireNextCoupons` did not make void.
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
 * Writes an audit line for each row of coupon_expiry (a product and a last day), and deletes the row. Leaves out a
 * product that still has expired codes that are not void, so that each last day gets only one audit line.
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
