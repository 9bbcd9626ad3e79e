// Makes free codes void, so that nobody gets them: one code for an administrator, codes of a file or a product for the
// operator, and codes whose last day has come.
import { type Coupon, canonicalKey, type VoidReason } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import { checkCsv, readCsv } from '../../bulk/read-file.ts';
import { createThrottle, type WorkTools } from '../../bulk/run-bulk.ts';
import type { Database, Db } from '../../db/database.ts';
import { isRowId, isUuid } from '../../db/ids.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { listLookalikes } from '../people/addresses.sql.ts';
import { findCodeTarget } from '../products/products.sql.ts';
import { recordClaimPlaces } from '../redeem/redeem.sql.ts';
import { lockStock } from './batches.sql.ts';
import { findStoredCoupon, findVoidShared, type StoredCoupon } from './codes.sql.ts';
import { refuseCodes } from './codes.ts';
import {
  auditExpiry,
  countAssignedCoupons,
  expireNextCoupons,
  listProductsWithExpired,
  markNextDead,
  type Void,
  voidNamedCoupons,
  voidNextCoupons,
  voidOneCoupon,
  voidSharedCodes,
} from './void.sql.ts';

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

/**
 * Numbers of codes. `voided` also counts codes that were void by mistake or had expired: these codes can no longer become
 * free again. Codes counted as `assigned` stay with their holders. Codes counted as `unknown` are not codes of the
 * product, or were void for good before.
 */
export type Voided = { voided: number; assigned: number; unknown: number };

const BATCH_CODES = 1_000;

/**
 * Voids free codes for the operator. This is needed, for example, after a restore: codes that were assigned after the
 * backup are free again, although people have seen them.
 * Voids the codes in the column coupon_code of a CSV file; without a file, voids all codes of the product. Assigned codes
 * stay assigned. Codes that are void already, but could become free again, become void for good. Works in batches of
 * 1,000 codes. Each batch is one transaction with an audit line, so a call that was interrupted may be repeated.
 * @throws AppError product_not_found; invalid_request if the product shares its code or the file has no such column.
 */
export async function voidCodes(
  db: Database,
  { csvData, ...which }: Void & { csvData: string | null },
  now: () => Date,
): Promise<Voided> {
  const product = isUuid(which.product_id) ? await findCodeTarget(db, which.product_id) : null;
  if (product === null) throw new AppError('product_not_found', 'Product not found');
  if (product.shared_coupon)
    throw new AppError('invalid_request', 'The code of this product is shared: it is not used up');
  const marking = { ...which, reason: 'dead', at: now() } as const;
  const sum: Voided = { voided: 0, assigned: 0, unknown: 0 };
  const run = (voidBatch: (tx: Db) => Promise<Voided>) =>
    db.transaction(async (tx) => {
      await lockStock(tx, which.product_id);
      const batch = await voidBatch(tx);
      await recordClaimPlaces(tx, which.product_id);
      if (batch.voided > 0) await createAuditLine(tx, { ...which, action: 'coupon.void', detail: batch });
      for (const count of ['voided', 'assigned', 'unknown'] as const) sum[count] += batch[count];
      return batch.voided;
    });
  if (csvData === null) {
    for (let more = true; more; ) more = (await run((tx) => voidNext(tx, marking))) > 0;
    for (const state of ['void', 'expired'] as const) {
      let before: string | null = null;
      const markDead = async (tx: Db) => {
        const { count, last } = await markNextDead(tx, { ...marking, limit: BATCH_CODES, state, before });
        before = last;
        return { voided: count, assigned: 0, unknown: 0 };
      };
      for (let more = true; more; ) more = (await run(markDead)) > 0;
    }
  } else {
    const codes = await readCodes(csvData);
    for (let from = 0; from < codes.length; from += BATCH_CODES)
      await run((tx) => voidNamed(tx, marking, codes.slice(from, from + BATCH_CODES)));
  }
  return sum;
}

type Marking = Void & { reason: 'dead'; at: Date };

async function voidNext(tx: Db, marking: Marking): Promise<Voided> {
  return { voided: await voidNextCoupons(tx, { ...marking, limit: BATCH_CODES }), assigned: 0, unknown: 0 };
}

async function voidNamed(tx: Db, marking: Marking, codes: string[]): Promise<Voided> {
  const { product_id } = marking;
  const texts = [...codes, ...(await listLookalikes(tx, { product_id, codes }))];
  const voided = await voidNamedCoupons(tx, { ...marking, codes: texts });
  const assigned = await countAssignedCoupons(tx, { product_id, codes: texts });
  return { voided, assigned, unknown: Math.max(0, codes.length - voided - assigned) };
}

async function readCodes(csvData: string): Promise<string[]> {
  const codes = new Set<string>();
  await checkCsv('coupons', csvData);
  for await (const { cells } of readCsv('coupons', csvData))
    if (cells.coupon_code) codes.add(canonicalKey(cells.coupon_code));
  return [...codes];
}

const STEP_CODES = 1_000;
// Jobs of the lane 'upkeep' run one at a time. So a run ends after this time, to let other jobs run. The next run
// continues.
const RUN_MS = 5_000;

/**
 * Claims check the last day themselves, so they never assign an expired code, even if this job has not run yet.
 * Marks the expired free codes of all products as void, in steps of at most 1,000 codes. Then writes one audit line for
 * each product and day (R-LIFE-53). Each step stores the codes and their count in one transaction, so the audit is
 * right even if a run is interrupted.
 */
export async function expireCoupons(db: Database, tools: WorkTools): Promise<void> {
  const { now, dayOf, isStopping } = tools;
  const today = dayOf(now());
  const throttle = createThrottle(tools);
  const endMs = performance.now() + RUN_MS;
  const isOver = () => isStopping() || performance.now() > endMs;
  for (const product_id of await listProductsWithExpired(db, today)) {
    for (let expired = STEP_CODES; expired === STEP_CODES && !isOver(); ) {
      expired = await expireNextCoupons(db, { product_id, today, at: now(), limit: STEP_CODES });
      await throttle();
    }
  }
  await auditExpiry(db, today);
}
