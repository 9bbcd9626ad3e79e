// The operator takes codes out that must never be handed out, such as those given away after the backup that was restored.
import { AppError } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import { findProduct } from '../stores/products.ts';
import {
  countAssignedCoupons,
  deleteFreeCoupons,
  deleteNextFreeCoupons,
  type Void,
} from '../stores/voids.ts';
import { isUuid } from './is-uuid.ts';
import { readCsv } from './read-csv.ts';

/** `held`: somebody has them, and keeps them. `unknown`: they are no codes of the product, or no longer. */
export type Voided = { voided: number; held: number; unknown: number };

const BATCH_CODES = 1_000;

/**
 * Voids the codes that a CSV file names in its column coupon_code; without a file all that are free. Cut off, it may be
 * repeated: what is done is done.
 * @throws AppError product_not_found, or invalid_request when all get the same code or the file has no such column.
 */
export async function voidCodes(
  db: Database,
  { csvData, ...which }: Void & { csvData: string | null },
): Promise<Voided> {
  const product = isUuid(which.product_id) ? await findProduct(db, which.product_id) : null;
  if (product === null) throw new AppError('product_not_found', 'Product not found');
  if (product.shared_coupon)
    throw new AppError('invalid_request', 'The code of this product is shared: it is not used up');
  return csvData === null ? voidAll(db, which) : voidNamed(db, which, await readCodes(csvData));
}

async function voidAll(db: Database, which: Void): Promise<Voided> {
  let voided = 0;
  for (let more = true; more; ) {
    const gone = await deleteNextFreeCoupons(db, { ...which, limit: BATCH_CODES });
    voided += gone;
    more = gone > 0;
  }
  return { voided, held: 0, unknown: 0 };
}

async function voidNamed(db: Database, which: Void, codes: string[]): Promise<Voided> {
  const sum: Voided = { voided: 0, held: 0, unknown: 0 };
  for (let from = 0; from < codes.length; from += BATCH_CODES) {
    const batch = codes.slice(from, from + BATCH_CODES);
    const voided = await deleteFreeCoupons(db, { ...which, codes: batch });
    const held = await countAssignedCoupons(db, { product_id: which.product_id, codes: batch });
    sum.voided += voided;
    sum.held += held;
    sum.unknown += batch.length - voided - held;
  }
  return sum;
}

async function readCodes(csvData: string): Promise<string[]> {
  const codes = new Set<string>();
  for await (const { cells } of readCsv('coupons', csvData))
    if (cells.coupon_code) codes.add(cells.coupon_code);
  return [...codes];
}
