// Voids free codes for the operator, so that they are never assigned. This is needed, for example, after a restore:
// codes that were assigned after the backup are free again, although people have seen them.
import { AppError } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import { createAuditLine } from '../stores/audit.ts';
import { findCodeTarget } from '../stores/products.ts';
import { countAssignedCoupons, type Void, voidNamedCoupons, voidNextCoupons } from '../stores/voids.ts';
import { isUuid } from './is-uuid.ts';
import { readCsv } from './read-csv.ts';

/**
 * Numbers of codes in the file. Codes counted as `assigned` stay with their holders. Codes counted as `unknown` are not
 * codes of the product, or were void before.
 */
export type Voided = { voided: number; assigned: number; unknown: number };

const BATCH_CODES = 1_000;

/**
 * Voids the free codes in the column coupon_code of a CSV file; without a file, voids all free codes. A call that was
 * interrupted may be repeated. Writes one audit line with the counts.
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
  try {
    if (csvData === null) await voidAll(db, marking, sum);
    else await voidNamed(db, marking, await readCodes(csvData), sum);
  } finally {
    // The audit line is also written after a failure, because the codes that were voided before the failure stay void.
    if (sum.voided > 0) await createAuditLine(db, { ...which, action: 'coupon.void', detail: sum });
  }
  return sum;
}

type Marking = Void & { reason: 'dead'; at: Date };

async function voidAll(db: Database, marking: Marking, sum: Voided): Promise<void> {
  for (let more = true; more; ) {
    const voided = await voidNextCoupons(db, { ...marking, limit: BATCH_CODES });
    sum.voided += voided;
    more = voided > 0;
  }
}

async function voidNamed(db: Database, marking: Marking, codes: string[], sum: Voided): Promise<void> {
  for (let from = 0; from < codes.length; from += BATCH_CODES) {
    const batch = codes.slice(from, from + BATCH_CODES);
    const voided = await voidNamedCoupons(db, { ...marking, codes: batch });
    const assigned = await countAssignedCoupons(db, { product_id: marking.product_id, codes: batch });
    sum.voided += voided;
    sum.assigned += assigned;
    sum.unknown += batch.length - voided - assigned;
  }
}

async function readCodes(csvData: string): Promise<string[]> {
  const codes = new Set<string>();
  for await (const { cells } of readCsv('coupons', csvData))
    if (cells.coupon_code) codes.add(cells.coupon_code);
  return [...codes];
}
