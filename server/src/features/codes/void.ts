// Makes free codes void, so that nobody gets them. An administrator makes one code void, the operator the codes of a
// file or of a product, and a job the expired codes.
import { type Coupon, canonicalKey, type LeftOut, type VoidReason } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import { checkCsv, readCsv } from '../../bulk/read-file.ts';
import { createThrottle, type WorkTools } from '../../bulk/run-bulk.ts';
import type { Database, Db } from '../../db/database.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { listLookalikes } from '../people/addresses.sql.ts';
import { findCodeTarget } from '../products/products.sql.ts';
import { recordClaimPlaces } from '../redeem/redeem.sql.ts';
import { lockStock } from './batches.sql.ts';
import { findVoidShared, type StoredCoupon } from './codes.sql.ts';
import { refuseCodes, requireCoupon } from './codes.ts';
import * as stock from './void.sql.ts';

/**
 * Makes the code void and returns it. If the code is void already, only the reason 'dead' has an effect: it replaces
 * 'mistake' or 'expired', so that the code cannot become free again. Holders of a shared code keep the code, but nobody
 * else gets it (N-51).
 * @throws AppError not_found; held if the code is not shared and somebody holds it; invalid_request if the note
 * contains a code.
 */
export function voidCoupon(
  db: Database,
  { id, actor, reason, note }: { id: string; actor: string; reason: VoidReason; note: string | null },
  { now }: { now: () => Date },
): Promise<Coupon> {
  return db.transaction(async (tx) => {
    const found = await requireCoupon(tx, id);
    const { product_id, coupon_code, shared } = found;
    await refuseCodes(tx, note, [product_id]);
    const marking = { actor, reason, at: now() };
    if (shared) await lockStock(tx, product_id);
    const voidTexts = shared ? stock.voidSharedCodes : stock.voidNamedCoupons;
    const changed = await voidTexts(tx, { ...marking, product_id, codes: [coupon_code] });
    const coupon = shared ? ((await findVoidShared(tx, found)) as StoredCoupon) : await requireCoupon(tx, id);
    if (coupon.holder !== null) throw new AppError('held', 'This code was handed out. Revoke it instead.');
    const detail = { reason, ...(note === null ? {} : { note }) };
    if (changed > 0)
      await createAuditLine(tx, { actor, action: 'coupon.void', product_id, coupon_id: coupon.id, detail });
    return coupon;
  });
}

/**
 * Numbers of codes. `voided` also counts codes that were void before with the reason 'mistake' or 'expired', and now
 * have the reason 'dead'. `assigned` codes stay with their holders. `unknown` codes are not codes of the product, or
 * already had the void reason 'dead'.
 */
export type Voided = { voided: number; assigned: number; unknown: number };
/** `left_out` has the lines of the file that are no data. */
export type VoidedFile = Voided & { left_out: LeftOut[] };

const STEP_CODES = 1_000;

/**
 * Makes free codes void for the operator, with the reason 'dead': the codes in the column coupon_code of a CSV file,
 * or, without a file, all codes of the product. Also changes the reason of codes that are void but could become free
 * again. This is needed after a restore, for example: codes that were assigned after the backup are free again,
 * although people have seen them. Assigned codes stay assigned. Works in steps of 1,000 codes. Each step is one
 * transaction with an audit line, so an interrupted call may be repeated.
 * @throws AppError product_not_found; invalid_request if the product shares its code or the file has no such column.
 */
export async function voidCodes(
  db: Database,
  { csvData, ...which }: stock.Void & { csvData: string | null },
  now: () => Date,
): Promise<VoidedFile> {
  const product = await findCodeTarget(db, which.product_id);
  if (product === null) throw new AppError('product_not_found', 'Product not found');
  if (product.shared_coupon)
    throw new AppError('invalid_request', 'The code of this product is shared: it is not used up');
  const { product_id } = which;
  const marking = { ...which, reason: 'dead', at: now() } as const;
  const sum: Voided = { voided: 0, assigned: 0, unknown: 0 };
  const run = (step: (tx: Db) => Promise<Voided>) =>
    db.transaction(async (tx) => {
      await lockStock(tx, product_id);
      const counts = await step(tx);
      await recordClaimPlaces(tx, product_id);
      if (counts.voided > 0) await createAuditLine(tx, { ...which, action: 'coupon.void', detail: counts });
      for (const count of ['voided', 'assigned', 'unknown'] as const) sum[count] += counts[count];
      return counts.voided;
    });
  const repeat = async (step: (tx: Db) => Promise<number>) => {
    while ((await run(async (tx) => ({ voided: await step(tx), assigned: 0, unknown: 0 }))) > 0);
  };
  if (csvData === null) {
    await repeat((tx) => stock.voidNextCoupons(tx, { ...marking, limit: STEP_CODES }));
    for (const state of ['void', 'expired'] as const) {
      let before: string | null = null;
      await repeat(async (tx) => {
        const next = { ...marking, limit: STEP_CODES, state, before };
        const { count, last } = await stock.markNextDead(tx, next);
        before = last;
        return count;
      });
    }
    return { ...sum, left_out: [] };
  }
  const { codes: all, left_out } = await readCodes(csvData);
  for (let from = 0; from < all.length; from += STEP_CODES)
    await run(async (tx) => {
      const named = all.slice(from, from + STEP_CODES);
      const codes = [...named, ...(await listLookalikes(tx, { product_id, codes: named }))];
      const voided = await stock.voidNamedCoupons(tx, { ...marking, codes });
      const assigned = await stock.countAssignedCoupons(tx, { product_id, codes });
      return { voided, assigned, unknown: Math.max(0, named.length - voided - assigned) };
    });
  return { ...sum, left_out };
}

async function readCodes(csvData: string): Promise<{ codes: string[]; left_out: LeftOut[] }> {
  const codes = new Set<string>();
  const { left_out } = await checkCsv('coupons', csvData);
  for await (const { cells } of readCsv('coupons', csvData))
    if (cells.coupon_code) codes.add(canonicalKey(cells.coupon_code));
  return { codes: [...codes], left_out };
}

// Jobs of the lane 'upkeep' run one at a time. So a run ends after this time, to let other jobs run. The next run
// continues.
const RUN_MS = 5_000;

/**
 * Makes the expired free codes of all products void, in steps of at most 1,000 codes. Then writes one audit line for
 * each product and last day (R-LIFE-53). Each step stores the codes and their count in one transaction, so the audit
 * lines are right even if a run is interrupted. Claims never assign an expired code, even before this job has run:
 * they check the last day themselves.
 */
export async function expireCoupons(db: Database, tools: WorkTools): Promise<void> {
  const { now, dayOf, isStopping } = tools;
  const today = dayOf(now());
  const throttle = createThrottle(tools);
  const endMs = performance.now() + RUN_MS;
  const isOver = () => isStopping() || performance.now() > endMs;
  for (const product_id of await stock.listProductsWithExpired(db, today)) {
    for (let expired = STEP_CODES; expired === STEP_CODES && !isOver(); ) {
      expired = await stock.expireNextCoupons(db, { product_id, today, at: now(), limit: STEP_CODES });
      await throttle();
    }
  }
  await stock.auditExpiry(db, today);
}
