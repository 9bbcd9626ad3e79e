// Helpers of tests about checked files.
import type { ImportState } from '@portal/contract';
import { expect } from 'vitest';
import type { Database } from '../src/db/database.ts';
import { addProduct } from './factories.ts';

/** Expects that an import has the results that the check of its file announced. */
export function comparePreview({
  preview,
  results,
  errors_count,
}: Pick<ImportState, 'preview' | 'results' | 'errors_count'>): void {
  expect(results).toMatchObject({
    success: preview?.new,
    duplicates: (preview?.duplicate ?? 0) + (preview?.in_file_twice ?? 0),
    failures: preview?.invalid,
    productAccess: preview?.access_new,
    generated: preview?.generated,
    total: preview?.total,
  });
  expect(errors_count).toBe(preview?.invalid);
}

/** Adds a product with a free code, a code that is void by mistake, and one that is void for good. */
export async function addCodesOfAllKinds(db: Database) {
  const product = await addProduct(db, { codes: ['OLD', 'GONE', 'DEAD'] });
  await db.query(
    `update coupon set voided_at = now(), voided_by = 'x',
       void_reason = case coupon_code when 'GONE' then 'mistake' else 'dead' end
     where product_id = $1 and coupon_code in ('GONE', 'DEAD')`,
    [product.product_id],
  );
  return product;
}
