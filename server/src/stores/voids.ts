// Codes that must never be handed out: taken out of the table, and kept in the audit.
import type { Db } from '../db/database.ts';

export type Void = { product_id: string; actor: string };

// Locked in the order of handing out, so that two of these do not deadlock; rows that were claimed meanwhile drop out
// before the limit counts them.
const deleteLocked = (which: string) => `
  with free as (
    select id from coupon where product_id = $1 and holder is null ${which} for update
  ), gone as (
    delete from coupon using free where coupon.id = free.id returning coupon.id, coupon_code
  )
  insert into audit (actor, action, product_id, coupon_id, detail)
  select $2, 'coupon.void', $1, id, jsonb_build_object('coupon_code', coupon_code) from gone`;
// 'not shared' lets the index coupon_code_once find codes by name.
const DELETE_NAMED = deleteLocked('and not shared and coupon_code = any($3) order by pos');
const DELETE_NEXT = deleteLocked('order by pos limit $3');

/**
 * Takes out those of `codes` that are free, with an audit line each; answers how many. One that is just being handed out
 * is waited for, and stays with its holder. At most some thousands at once: whoever wants one of them waits meanwhile.
 */
export async function deleteFreeCoupons(
  db: Db,
  { product_id, actor, codes }: Void & { codes: readonly string[] },
): Promise<number> {
  return (await db.query(DELETE_NAMED, [product_id, actor, codes])).rowCount;
}

/** As `deleteFreeCoupons`, for the next `limit` in the order in which they would be handed out; 0 when none is left. */
export async function deleteNextFreeCoupons(
  db: Db,
  { product_id, actor, limit }: Void & { limit: number },
): Promise<number> {
  return (await db.query(DELETE_NEXT, [product_id, actor, limit])).rowCount;
}

/** How many of `codes` somebody holds. */
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
