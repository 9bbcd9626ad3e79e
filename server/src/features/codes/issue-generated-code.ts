// Issues a generated code to a user, at the request of an administrator, if no code of the product is left. The
// generated code works only after the partner has accepted it.
import type { Db } from '../../db/database.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { findCodeTarget } from '../products/products.sql.ts';
import { type AssignedCoupon, createAssignedCoupon } from '../redeem/assigned-coupons.sql.ts';
import type { Recipient } from '../redeem/find-or-claim-coupon.ts';
import { createBatch, noteGenerated } from './new-coupons.sql.ts';

/** Warning that the administrator sees after a generated code was issued. */
export const GENERATED_CODE_WARNING =
  'No available coupon was left; a new code was generated. The partner must accept it before it works.';

/**
 * Adds a code that is assigned to the recipient. Also adds a batch for the code, and an audit line. Must be called in a
 * transaction.
 */
export async function issueGeneratedCode(
  tx: Db,
  recipient: Recipient & { shared: boolean; coupon_code: string },
): Promise<AssignedCoupon> {
  const use_by_default = (await findCodeTarget(tx, recipient.product_id))?.use_by_default ?? null;
  const use_by = use_by_default !== null && use_by_default > recipient.today ? use_by_default : 'infinity';
  const batch_id = await createBatch(tx, {
    product_id: recipient.product_id,
    source: 'generated',
    created_by: recipient.assigned_by,
    codes: 1,
  });
  const created = await createAssignedCoupon(tx, { ...recipient, batch_id, usage_limit: null, use_by });
  await noteGenerated(tx, created.id);
  await createAuditLine(tx, {
    ...recipient,
    actor: recipient.assigned_by,
    coupon_id: created.id,
    detail: { ...recipient.detail, made_up: true },
  });
  return created;
}
