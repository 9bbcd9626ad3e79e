// Makes free codes void after their last day. Claims never assign such a code, also before this job has marked it.
import type { Database } from '../db/database.ts';
import { auditExpiry, expireNextCoupons, listProductsWithExpired } from '../stores/expiry.ts';
import { createPauses, type WorkTools } from './give-way.ts';

const STEP_CODES = 1_000;
// A run ends after this time, so that other jobs of the lane have their turn. The next run continues.
const RUN_MS = 5_000;

/**
 * Marks the expired codes of all products in steps of at most 1,000 codes, and writes an audit line for each product and
 * day (R-LIFE-53). Each step is a transaction that also counts its codes, so an interrupted run loses no count.
 */
export async function expireCoupons(db: Database, tools: WorkTools): Promise<void> {
  const { now, dayOf, isStopping } = tools;
  const today = dayOf(now());
  const giveWay = createPauses(tools);
  const endMs = performance.now() + RUN_MS;
  const isOver = () => isStopping() || performance.now() > endMs;
  for (const product_id of await listProductsWithExpired(db, today)) {
    for (let expired = STEP_CODES; expired === STEP_CODES && !isOver(); ) {
      expired = await expireNextCoupons(db, { product_id, today, at: now(), limit: STEP_CODES });
      await giveWay();
    }
  }
  await auditExpiry(db, today);
}
