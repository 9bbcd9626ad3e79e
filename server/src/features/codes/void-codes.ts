// Voids free codes for the operator, so that they are never assigned. This is needed, for example, after a restore:
// codes that were assigned after the backup are free again, although people have seen them.
import { canonicalKey } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import { checkCsv, readCsv } from '../../bulk/read-file.ts';
import type { Database, Db } from '../../db/database.ts';
import { isUuid } from '../../db/is-uuid.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { listLookalikes } from '../people/addresses.sql.ts';
import { findCodeTarget } from '../products/products.sql.ts';
import { recordClaimPlaces } from '../redeem/claims.sql.ts';
import { restock } from './new-coupons.sql.ts';
import {
  countAssignedCoupons,
  markNextDead,
  type Void,
  voidNamedCoupons,
  voidNextCoupons,
} from './voids.sql.ts';

/**
 * Numbers of codes. `voided` also counts codes that were void by mistake or had expired: these codes can no longer become
 * free again. Codes counted as `assigned` stay with their holders. Codes counted as `unknown` are not codes of the
 * product, or were void for good before.
 */
export type Voided = { voided: number; assigned: number; unknown: number };

const BATCH_CODES = 1_000;

/**
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
      await restock(tx, which.product_id);
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
