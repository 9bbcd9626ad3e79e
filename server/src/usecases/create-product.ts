// Adds a product for an administrator, with an audit line.
import type { NewProduct, StaffProduct } from '@portal/contract';
import type { Database } from '../db/database.ts';
import { createAuditLine } from '../stores/audit.ts';
import { findCreatedProduct, createProduct as insertProduct } from '../stores/products.ts';

/** Adds the product. With the `id` of a product that exists, adds none and returns that one (N-325). */
export async function createProduct(
  db: Database,
  { actor, product, id }: { actor: string; product: NewProduct; id?: string | undefined },
): Promise<StaffProduct> {
  return db.transaction(async (tx) => {
    const created = await insertProduct(tx, product, id);
    if (created === null) return findCreatedProduct(tx, id ?? '');
    const { product_id, name } = created;
    await createAuditLine(tx, { actor, action: 'product.create', product_id, detail: { name } });
    return created;
  });
}
