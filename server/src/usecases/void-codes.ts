// Voids free codes for the operator, so that they are never assigned. This is needed, for example, after a restore:
// codes that were assigned after the backup are free again, although people have seen them.
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

/**
 * Numbers of codes in the file. Codes counted as `assigned` stay with their holders. Codes counted as `unknown` do not
 * belong to the product, for example because they were voided before.
 */
export type Voided = { voided: number; assigned: number; unknown: number };

const BATCH_CODES = 1_000;

/**
 * Voids the free codes that a CSV file lists in its column coupon_code. Without a file, voids all free codes of the
 * product. An interrupted call can be repeated.
 * @throws AppError product_not_found; invalid_request if the product has shared codes or the file has no such column.
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
    const deleted = await deleteNextFreeCoupons(db, { ...which, limit: BATCH_CODES });
    voided += deleted;
    more = deleted > 0;
  }
  return { voided, assigned: 0, unknown: 0 };
}

async function voidNamed(db: Database, which: Void, codes: string[]): Promise<Voided> {
  const sum: Voided = { voided: 0, assigned: 0, unknown: 0 };
  for (let from = 0; from < codes.length; from += BATCH_CODES) {
    const batch = codes.slice(from, from + BATCH_CODES);
    const voided = await deleteFreeCoupons(db, { ...which, codes: batch });
    const assigned = await countAssignedCoupons(db, { product_id: which.product_id, codes: batch });
    sum.voided += voided;
    sum.assigned += assigned;
    sum.unknown += batch.length - voided - assigned;
  }
  return sum;
}

async function readCodes(csvData: string): Promise<string[]> {
  const codes = new Set<string>();
  for await (const { cells } of readCsv('coupons', csvData))
    if (cells.coupon_code) codes.add(cells.coupon_code);
  return [...codes];
}
