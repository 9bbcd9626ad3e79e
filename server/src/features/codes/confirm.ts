// Notes that the partner knows codes that the portal made, at the request of staff (R-DAY-33).
import { AppError } from '../../app-error.ts';
import { type Database, isUuid } from '../../db/database.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { findCodeTarget } from '../products/products.sql.ts';
import { retryOnConflict } from '../redeem/redeem.ts';
import { lockStock } from './batches.sql.ts';
import { confirmCode, confirmNextOfProduct } from './codes.sql.ts';
import { requireCoupon } from './codes.ts';

// While a step changes its codes, claims of these codes wait.
const STEP_CODES = 1_000;

/**
 * Removes the mark `unconfirmed` of the code; of a shared code, from all its rows. Returns the number of changed rows: 0
 * without an audit line if the code had no mark.
 * @throws AppError not_found.
 */
export function confirmCoupon(
  db: Database,
  { id, actor }: { id: string; actor: string },
): Promise<{ confirmed: number }> {
  return retryOnConflict(() =>
    db.transaction(async (tx) => {
      const { product_id } = await requireCoupon(tx, id);
      // New rows of a shared code copy the mark of an older row, and wait for this lock.
      await lockStock(tx, product_id);
      const coupon = await requireCoupon(tx, id);
      const confirmed = await confirmCode(tx, coupon);
      if (confirmed > 0) {
        const about = { product_id, coupon_id: id, user_id: coupon.holder };
        await createAuditLine(tx, { actor, action: 'coupon.confirm', ...about });
      }
      return { confirmed };
    }),
  );
}

/**
 * Removes the mark `unconfirmed` of all codes of the product, in steps of 1,000 codes. Each step is one transaction with
 * an audit line, so an interrupted call may be repeated.
 * @throws AppError product_not_found.
 */
export async function confirmProduct(
  db: Database,
  { product_id, actor }: { product_id: string; actor: string },
): Promise<{ confirmed: number }> {
  if (!isUuid(product_id) || (await findCodeTarget(db, product_id)) === null)
    throw new AppError('product_not_found', 'Product not found');
  let confirmed = 0;
  for (let count = STEP_CODES; count === STEP_CODES; confirmed += count)
    count = await retryOnConflict(() =>
      db.transaction(async (tx) => {
        await lockStock(tx, product_id);
        const changed = await confirmNextOfProduct(tx, { product_id, limit: STEP_CODES });
        const detail = { count: changed };
        if (changed > 0) await createAuditLine(tx, { actor, action: 'coupon.confirm', product_id, detail });
        return changed;
      }),
    );
  return { confirmed };
}
