// An administrator may issue a code when none is left: it is made up, and the partner must accept it.
import type { Db } from '../db/database.ts';
import { createAuditLine } from '../stores/audit.ts';
import { type AssignedCoupon, createAssignedCoupon, createBatch } from '../stores/coupons.ts';
import type { Recipient } from './find-or-claim-coupon.ts';

/** What an administrator is told beside a generated code. */
export const GENERATED_CODE_WARNING =
  'No available coupon was left; a new code was generated. The partner must accept it before it works.';

/** In a transaction. */
export async function issueGeneratedCode(
  tx: Db,
  who: Recipient & { shared: boolean; coupon_code: string },
): Promise<AssignedCoupon> {
  const batch_id = await createBatch(tx, {
    product_id: who.product_id,
    source: 'generated',
    created_by: who.assigned_by,
  });
  const held = await createAssignedCoupon(tx, { ...who, batch_id, usage_limit: null });
  await createAuditLine(tx, {
    ...who,
    actor: who.assigned_by,
    coupon_id: held.id,
    detail: { made_up: true },
  });
  return held;
}
