// A product with shared codes gives its newest code again when no free row is left.
import type { Db } from '../db/database.ts';
import { createAuditLine } from '../stores/audit.ts';
import {
  type AssignedCoupon,
  createAssignedCoupon,
  findCurrentCoupon,
  lockSharedCode,
} from '../stores/coupons.ts';
import type { Recipient } from './find-or-claim-coupon.ts';

/** In a transaction. Null when the product has no code at all, or its newest one has reached its usage limit. */
export async function issueSharedCode(tx: Db, who: Recipient): Promise<AssignedCoupon | null> {
  const code = await lockSharedCode(tx, who.product_id);
  // Whoever held the lock before may have been this very user.
  const current = await findCurrentCoupon(tx, who.product_id, who.user_id);
  if (current !== null) return current;
  if (code === null || (code.usage_limit !== null && code.uses >= code.usage_limit)) return null;
  const held = await createAssignedCoupon(tx, { ...who, ...code, shared: true });
  await createAuditLine(tx, { ...who, actor: who.assigned_by, coupon_id: held.id });
  return held;
}
