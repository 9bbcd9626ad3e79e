// Shows one hidden code to one of staff. Each code that is shown is in the audit, and their number is limited.
import { findHint, hasRole } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Database, Db } from '../../db/database.ts';
import { isRowId } from '../../db/is-row-id.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { limitReveals, type Reader, tooManyReveals } from './limit-reveals.ts';
import { recordReveal } from './reveals.sql.ts';
import { findStoredCoupon, type StoredCoupon } from './revocations.sql.ts';

/**
 * Returns the code with this id. Below the role manager, only a code that is or was assigned to a user is shown. The
 * first call over the limit enqueues a mail to each owner (R-IMP-42).
 * @throws AppError not_found; not_held; too_many_requests with `retry_after`.
 */
export async function revealCoupon(
  db: Database,
  { id, caller }: { id: string; caller: Reader },
  { now }: { now: () => Date },
): Promise<{ coupon_code: string }> {
  const shown = await db.transaction(async (tx) => {
    const coupon = isRowId(id) ? await findStoredCoupon(tx, id) : null;
    if (coupon === null) throw new AppError('not_found', 'Coupon not found');
    if (coupon.holder === null && !hasRole(caller.team_role, 'manager'))
      throw new AppError('not_held', 'Nobody holds this code.');
    const refused = await limitReveals(tx, caller, now());
    if (refused !== null) return refused;
    await recordReveal(tx, { staff: caller.user_id, refused: false });
    await auditReveal(tx, coupon, caller.email);
    return coupon;
  });
  if ('retry_after' in shown) throw tooManyReveals(shown);
  return { coupon_code: shown.coupon_code };
}

function auditReveal(tx: Db, { id, coupon_code, holder, product_id }: StoredCoupon, actor: string) {
  return createAuditLine(tx, {
    actor,
    action: 'coupon.reveal',
    ...(holder !== null && { user_id: holder }),
    product_id,
    coupon_id: id,
    detail: { hint: findHint(coupon_code) },
  });
}
