// Voids codes: deletes free codes, so that they are never assigned. The audit table keeps a record of each deleted
// code.
import type { Db } from '../db/database.ts';

export type Void = { product_id: string; actor: string };

// Rows are locked in the order of claims, so that two statements that void codes do not deadlock. The statement waits
// for a row that a claim has locked. If the claim assigns that row, the row is not deleted and does not count towards
// the limit.
const deleteLocked = (which: string) => `
  with free as (
    select id from coupon where product_id = $1 and holder is null ${which} for update
  ), deleted as (
    delete from coupon using free where coupon.id = free.id returning coupon.id, coupon_code
  )
  insert into audit (actor, action, product_id, coupon_id, detail)
  select $2, 'coupon.void', $1, id, jsonb_build_object('coupon_code', coupon_code) from deleted`;
// The condition 'not shared' lets the planner use the partial index coupon_code_once, which has the same condition.
const DELETE_NAMED = deleteLocked('and not shared and coupon_code = any($3) order by pos');
const DELETE_NEXT = deleteLocked('order by pos limit $3');

/**
 * Deletes those of `codes` that are free, each with an audit line. Returns the number of deleted codes.
 * Waits for claims in progress, and keeps a code that such a claim assigns. Claims wait for this statement too, so pass
 * at most a few thousand codes.
 */
export async function deleteFreeCoupons(
  db: Db,
  { product_id, actor, codes }: Void & { codes: readonly string[] },
): Promise<number> {
  return (await db.query(DELETE_NAMED, [product_id, actor, codes])).rowCount;
}

/**
 * Deletes the next `limit` free codes in the order of claims, each with an audit line. Returns the number of deleted
 * codes; 0 if none was left.
 */
export async function deleteNextFreeCoupons(
  db: Db,
  { product_id, actor, limit }: Void & { limit: number },
): Promise<number> {
  return (await db.query(DELETE_NEXT, [product_id, actor, limit])).rowCount;
}

/** Returns how many of `codes` are assigned to a user. */
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
