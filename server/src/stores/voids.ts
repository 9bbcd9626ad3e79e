// Makes codes void, so that they are never assigned, and frees or dates the free codes of a batch.
import type { Db } from '../db/database.ts';

/** 'mistake': may be uploaded again. 'dead': must not be used any more. 'expired': the last day is over. */
export type VoidReason = 'mistake' | 'dead' | 'expired';
export type Void = { product_id: string; actor: string };
type Marking = { actor: string; reason: VoidReason; at: Date };

// Locks rows in one order, so that two such statements do not deadlock. A row that was claimed while this statement
// waited for its lock is skipped and does not count towards the limit.
const markLocked = (which: string) => `
  with free as (
    select id from coupon where holder is null and voided_at is null and ${which} for update
  )
  update coupon set voided_by = $1, void_reason = $2, voided_at = $3 from free where coupon.id = free.id
  returning coupon.id`;
// 'not shared' is the condition of the partial index coupon_code_once, so the planner can find codes with it.
const NAMED = markLocked('product_id = $4 and not shared and coupon_code = any($5) order by id');
const NEXT_OF_PRODUCT = markLocked('product_id = $4 order by use_by, pos limit $5');
const NEXT_OF_BATCH = markLocked('batch_id = $4 and id > $5 order by id limit $6');
const NEXT_EXPIRED = markLocked('product_id = $4 and use_by <= $5::date order by use_by, pos limit $6');

/**
 * Makes the free codes among `codes` void. Returns the number of voided codes. Waits for claims in progress; a code that
 * such a claim assigns is kept. Pass at most a few thousand codes, because claims that need one of them wait for this
 * statement.
 */
export async function voidNamedCoupons(
  db: Db,
  { product_id, actor, reason, at, codes }: Void & Marking & { codes: readonly string[] },
): Promise<number> {
  return (await db.query(NAMED, [actor, reason, at, product_id, codes])).rowCount;
}

/** Makes the next `limit` free codes void, in the order of claims. Returns 0 if none is left. */
export async function voidNextCoupons(
  db: Db,
  { product_id, actor, reason, at, limit }: Void & Marking & { limit: number },
): Promise<number> {
  return (await db.query(NEXT_OF_PRODUCT, [actor, reason, at, product_id, limit])).rowCount;
}

/**
 * Makes the next `limit` free codes of a batch void, in the order of ids after `after`. Returns the number, and the last
 * id; null if there was none.
 */
export async function voidNextOfBatch(
  db: Db,
  { batch_id, after, limit, actor, reason, at }: Marking & { batch_id: string; after: string; limit: number },
): Promise<{ voided: number; last: string | null }> {
  const { rows } = await db.query<{ id: string }>(NEXT_OF_BATCH, [actor, reason, at, batch_id, after, limit]);
  const ids = rows.map(({ id }) => BigInt(id));
  const last = ids.reduce<bigint | null>((max, id) => (max === null || id > max ? id : max), null);
  return { voided: rows.length, last: last === null ? null : String(last) };
}

/** Marks the next `limit` free codes of a product whose last day is `today` or earlier as expired (R-LIFE-53). */
export async function voidNextExpired(
  db: Db,
  { product_id, today, at, limit }: { product_id: string; today: string; at: Date; limit: number },
): Promise<number> {
  return (await db.query(NEXT_EXPIRED, ['portal', 'expired', at, product_id, today, limit])).rowCount;
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
