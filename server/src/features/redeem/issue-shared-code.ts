// Assigns the newest code of a product with shared codes, leaving out void and expired codes (A-27, N-51).
import type { Db } from '../../db/database.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import {
  type AssignedCoupon,
  assignSharedRow,
  createAssignedCoupon,
  findCurrentCoupon,
  lockSharedCode,
} from './assigned-coupons.sql.ts';
import type { Recipient } from './find-or-claim-coupon.ts';

/**
 * Returns the user's current code. If there is none, assigns the newest shared code.
 * Returns null if the product has no code, or its newest code has reached the usage limit. Must be called in a
 * transaction.
 */
export async function issueSharedCode(tx: Db, recipient: Recipient): Promise<AssignedCoupon | null> {
  const code = await lockSharedCode(tx, recipient.product_id, recipient.today);
  // Looks again after the lock, because a concurrent call of the same user may have assigned a code meanwhile.
  const current = await findCurrentCoupon(tx, recipient.product_id, recipient.user_id);
  if (current !== null) return current;
  if (code === null || (code.usage_limit !== null && code.uses >= code.usage_limit)) return null;
  const created =
    (await assignSharedRow(tx, { ...recipient, ...code })) ??
    (await createAssignedCoupon(tx, { ...recipient, ...code, shared: true }));
  await createAuditLine(tx, { ...recipient, actor: recipient.assigned_by, coupon_id: created.id });
  return created;
}
