// Adds a product for an administrator, with an audit line.
import type { NewProduct, StaffProduct } from '@portal/contract';
import type { Database } from '../db/database.ts';
import { createAuditLine } from '../stores/audit.ts';
import { createProduct as insertProduct } from '../stores/products.ts';

export async function createProduct(
  db: Database,
  { actor, product }: { actor: string; product: NewProduct },
): Promise<StaffProduct> {
  return db.transaction(async (tx) => {
    const created = await insertProduct(tx, product);
    const { product_id, name } = created;
    await createAuditLine(tx, { actor, action: 'product.create', product_id, detail: { name } });
    return created;
  });
}
