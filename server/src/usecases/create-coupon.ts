// Adds one code to a product, at the request of an administrator: the given code, or a generated one if no code is
// given.
import type { Coupon, NewCoupon } from '@portal/contract';
import { AppError } from '../app-error.ts';
import { type Database, isUniqueViolation } from '../db/database.ts';
import { createAuditLine } from '../stores/audit.ts';
import { createBatch, createCoupon as insertCoupon } from '../stores/coupons.ts';
import { findProduct } from '../stores/products.ts';
import { makeCouponCode, type RandomBytes } from './coupon-code.ts';
import { isUuid } from './is-uuid.ts';

/**
 * Adds a code and returns it. @throws AppError product_not_found if the product does not exist; duplicate_code if the
 * product already has the code, unless its codes are shared.
 */
export async function createCoupon(
  db: Database,
  { actor, coupon }: { actor: string; coupon: NewCoupon },
  { randomBytes }: { randomBytes: RandomBytes },
): Promise<Coupon> {
  const { product_id, usage_limit } = coupon;
  const product = isUuid(product_id) ? await findProduct(db, product_id) : null;
  if (product === null) throw new AppError('product_not_found', 'Product not found');
  const isGenerated = coupon.coupon_code === null;
  const coupon_code = coupon.coupon_code ?? makeCouponCode(randomBytes);
  const shared = product.shared_coupon;
  try {
    return await db.transaction(async (tx) => {
      const source = isGenerated ? 'generated' : 'form';
      const batch_id = await createBatch(tx, { product_id, source, created_by: actor });
      const created = await insertCoupon(tx, { product_id, batch_id, coupon_code, shared, usage_limit });
      const detail = { made_up: isGenerated };
      await createAuditLine(tx, {
        actor,
        action: 'coupon.create',
        product_id,
        coupon_id: created.id,
        detail,
      });
      return created;
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'coupon_code_once')) throw error;
    throw new AppError('duplicate_code', 'This coupon code already exists for the product', { cause: error });
  }
}
