// Registers the calls that list, read, create and change products.
import {
  createProduct as createProductCall,
  editProduct as editProductCall,
  getProduct,
  getProductRecord,
  hasRole,
  listProducts,
  setProductStatus as setProductStatusCall,
} from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Database } from '../../db/database.ts';
import { isUuid } from '../../db/ids.ts';
import type { Handle } from '../../http/handle.ts';
import * as products from './products.sql.ts';
import { createProduct, editProduct, type ProductTools, setProductStatus } from './products.ts';

export function handleProducts(handle: Handle, { db, ...tools }: { db: Database } & ProductTools): void {
  const today = () => tools.dayOf(tools.now());
  const required = <T>(product: T | null): T => {
    if (product === null) throw new AppError('product_not_found', 'Product not found');
    return product;
  };

  handle(getProduct, async ({ params: { id } }) =>
    required(isUuid(id) ? await products.findProduct(db, id, today()) : null),
  );

  handle(getProductRecord, async ({ params: { id }, caller }) => {
    const record = required(isUuid(id) ? await products.findProductRecord(db, id, today()) : null);
    // A viewer sees nobody's address (R-TEAM-04, N-100).
    return hasRole(caller.team_role, 'support')
      ? record
      : { ...record, paused_by: null, archived_by: null, changed_by: null };
  });

  handle(listProducts, ({ query: { archived } }) =>
    products.listProducts(db, { archived: archived === 'true', today: today() }),
  );

  handle(createProductCall, ({ body: { id, ...product }, caller }) =>
    createProduct(db, { actor: caller.email, product, id, today: today() }),
  );

  handle(editProductCall, ({ params: { id }, body, caller }) =>
    editProduct(db, { product_id: id, actor: caller.email, edited: body }, tools),
  );

  handle(setProductStatusCall, ({ params: { id }, body, caller }) =>
    setProductStatus(db, { product_id: id, actor: caller.email, ...body }, tools),
  );
}
