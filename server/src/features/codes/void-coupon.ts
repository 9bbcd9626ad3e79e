// Makes one free code void for an administrator, so that nobody gets it.
import type { Coupon, VoidReason } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Database } from '../../db/database.ts';
import { isRowId } from '../../db/is-row-id.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { lockStock } from './new-coupons.sql.ts';
import { refuseCodes } from './refuse-codes.ts';
import { findStoredCoupon, findVoidShared, type StoredCoupon } from './revocations.sql.ts';
import { voidOneCoupon, voidSharedCodes } from './voids.sql.ts';

/**
 * Makes the code void and returns it. The reason 'dead' replaces the reasons 'mistake' and 'expired', so that the code
 * cannot become free again. Otherwise repeating the call changes nothing. If the product's codes are shared, holders
 * keep the code, but nobody else gets it (N-51).
 * @throws AppError not_found; held if the code is not shared and somebody holds it; invalid_request if the note contains
 * a code.
 */
export function voidCoupon(
  db: Database,
  { id, actor, reason, note }: { id: string; actor: string; reason: VoidReason; note: string | null },
  { now }: { now: () => Date },
): Promise<Coupon> {
  return db.transaction(async (tx) => {
    const found = isRowId(id) ? await findStoredCoupon(tx, id) : null;
    if (found === null) throw new AppError('not_found', 'Coupon not found');
    const { product_id, coupon_code, shared } = found;
    await refuseCodes(tx, note, [product_id]);
    const marking = { actor, reason, at: now() };
    let isChanged: boolean;
    if (shared) {
      await lockStock(tx, product_id);
      isChanged = (await voidSharedCodes(tx, { ...marking, product_id, codes: [coupon_code] })) > 0;
    } else {
      isChanged = await voidOneCoupon(tx, { ...marking, id });
    }
    const coupon = (await (shared ? findVoidShared(tx, found) : findStoredCoupon(tx, id))) as StoredCoupon;
    if (coupon.holder !== null) throw new AppError('held', 'This code was handed out. Revoke it instead.');
    const detail = { reason, ...(note === null ? {} : { note }) };
    if (isChanged)
      await createAuditLine(tx, { actor, action: 'coupon.void', product_id, coupon_id: coupon.id, detail });
    return coupon;
  });
}
