// Adds one code to a product, at the request of an administrator: the given code, or a generated one if no code is
// given.
import type { Coupon, NewCoupon } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import { USE_BY_FAULT } from '../../bulk/read-file.ts';
import type { Database } from '../../db/database.ts';
import { isUuid } from '../../db/is-uuid.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { findCodeTarget } from '../products/products.sql.ts';
import { makeCouponCode, type RandomBytes } from './coupon-code.ts';
import { createBatch, createCoupon as insertCoupon, noteGenerated } from './new-coupons.sql.ts';

/**
 * Adds the code, with the product's default last day.
 * @throws AppError product_not_found; duplicate_code if the product already has the code and its codes are not shared;
 * invalid_request if the default last day is over.
 */
export async function createCoupon(
  db: Database,
  { actor, coupon }: { actor: string; coupon: NewCoupon },
  { now, dayOf, randomBytes }: { now: () => Date; dayOf: (at: Date) => string; randomBytes: RandomBytes },
): Promise<Coupon> {
  const { product_id, usage_limit } = coupon;
  const product = isUuid(product_id) ? await findCodeTarget(db, product_id) : null;
  if (product === null || product.is_archived) throw new AppError('product_not_found', 'Product not found');
  const { shared_coupon: shared, use_by_default } = product;
  if (use_by_default !== null && use_by_default <= dayOf(now()))
    throw new AppError('invalid_request', USE_BY_FAULT);
  const isGenerated = coupon.coupon_code === null;
  const coupon_code = coupon.coupon_code ?? makeCouponCode(randomBytes);
  return db.transaction(async (tx) => {
    // Not 'generated': the code is for everybody, not for one user (see is_usable_shared_code).
    const batch_id = await createBatch(tx, { product_id, source: 'form', created_by: actor, codes: 1 });
    const use_by = use_by_default ?? 'infinity';
    const created = await insertCoupon(tx, {
      product_id,
      batch_id,
      coupon_code,
      shared,
      usage_limit,
      use_by,
    });
    if (created === null)
      throw new AppError('duplicate_code', 'This coupon code already exists for the product');
    if (isGenerated) await noteGenerated(tx, created.id);
    const detail = { made_up: isGenerated };
    await createAuditLine(tx, { actor, action: 'coupon.create', product_id, coupon_id: created.id, detail });
    return created;
  });
}
