// Adds a product for an administrator, with an audit line.
import type { NewProduct, StaffProduct } from '@portal/contract';
import type { Database } from '../../db/database.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { idInUse, isFirstSent } from '../send-once.ts';
import { findStaffProduct, createProduct as insertProduct } from './products.sql.ts';

/**
 * Adds the product. If the same product was sent with the same `id` before, adds none and returns that one as it is on
 * the day `today` (N-325). @throws AppError id_in_use if the id was used for something else.
 */
export async function createProduct(
  db: Database,
  {
    actor,
    product,
    id,
    today,
  }: { actor: string; product: NewProduct; id?: string | undefined; today: string },
): Promise<StaffProduct> {
  return db.transaction(async (tx) => {
    const isFirst = await isFirstSent(tx, id, { actor, action: 'product.create', ...product });
    const stored = isFirst
      ? await insertProduct(tx, product, { product_id: id, today })
      : await findStaffProduct(tx, id ?? '', today);
    if (stored === null) throw idInUse();
    if (!isFirst) return stored;
    const { product_id, name } = stored;
    await createAuditLine(tx, { actor, action: 'product.create', product_id, detail: { name } });
    return stored;
  });
}
