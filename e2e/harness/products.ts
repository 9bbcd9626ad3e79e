// Changes the status or the fields of a product, as an administrator.
import {
  type EditedProduct,
  editProduct,
  getProductRecord,
  type Product,
  setProductStatus,
} from '@portal/contract';
import type { Fixture } from './fixture.ts';

export async function setStatus(
  { admin }: Fixture,
  { product_id: id }: Product,
  status: 'live' | 'paused' | 'archived',
): Promise<void> {
  await admin.call(setProductStatus, { params: { id }, body: { status, note: null } });
}

/**
 * Changes the fields in `changes`. Reads the product first, because the request must contain all fields and the version
 * of the product.
 */
export async function edit(
  { admin }: Fixture,
  { product_id: id }: Product,
  changes: Partial<EditedProduct>,
): Promise<void> {
  const record = await admin.call(getProductRecord, { params: { id } });
  await admin.call(editProduct, { params: { id }, body: { ...record, ...changes } });
}
