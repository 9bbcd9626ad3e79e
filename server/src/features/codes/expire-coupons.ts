// Makes free codes void when their last day has come. Claims check the last day themselves, so they never assign such a
// code, even if this job has not run yet.

import { createPauses, type WorkTools } from '../../bulk/run-bulk.ts';
import type { Database } from '../../db/database.ts';
import { auditExpiry, expireNextCoupons, listProductsWithExpired } from './expiry.sql.ts';

const STEP_CODES = 1_000;
// Jobs of the lane 'upkeep' run one at a time. So a run ends after this time, to let other jobs run. The next run
// continues.
const RUN_MS = 5_000;

/**
 * Marks the expired free codes of all products as void, in steps of at most 1,000 codes. Then writes one audit line for
 * each product and day (R-LIFE-53). Each step stores the codes and their count in one transaction, so the audit is
 * right even if a run is interrupted.
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
