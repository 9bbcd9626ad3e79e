// Notes that the partner knows codes that the portal made, at the request of staff (R-DAY-33).
import { AppError } from '../../app-error.ts';
import { type Database, isUuid } from '../../db/database.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { findCodeTarget } from '../products/products.sql.ts';
import { retryOnConflict } from '../redeem/redeem.ts';
import { lockStock } from './batches.sql.ts';
import { confirmCode, confirmNextOfProduct, findUnconfirmed } from './codes.sql.ts';
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

type Confirmation = { product_id: string; actor: string; expected?: number | undefined };

/**
 * Removes the mark `unconfirmed` of all codes of the product, in steps of 1,000 codes. Each step is one transaction with
 * an audit line, so an interrupted call may be repeated. Codes that the portal makes during the call keep their mark.
 * @throws AppError product_not_found; count_changed if more codes than `expected` have the mark (C-6).
 */
export async function confirmProduct(
  db: Database,
  { product_id, actor, expected }: Confirmation,
): Promise<{ confirmed: number }> {
  if (!isUuid(product_id) || (await findCodeTarget(db, product_id)) === null)
    throw new AppError('product_not_found', 'Product not found');
  const { count, last_id } = await findUnconfirmed(db, product_id);
  if (expected !== undefined && count > expected)
    throw new AppError('count_changed', `More codes than you saw would change now: ${count}.`, { count });
  let confirmed = 0;
  for (let step = STEP_CODES; step === STEP_CODES; confirmed += step)
    step = await retryOnConflict(() =>
      db.transaction(async (tx) => {
        await lockStock(tx, product_id);
        const changed = await confirmNextOfProduct(tx, { product_id, last_id, limit: STEP_CODES });
        const detail = { count: changed };
        if (changed > 0) await createAuditLine(tx, { actor, action: 'coupon.confirm', product_id, detail });
        return changed;
      }),
    );
  return { confirmed };
}
