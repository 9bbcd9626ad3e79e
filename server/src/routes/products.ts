// Registers the calls that list, read and create products.
import {
  createProduct as createProductCall,
  getProduct,
  listMyProducts,
  listProducts,
} from '@portal/contract';
import { AppError, authenticationRequired } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import * as products from '../stores/products.ts';
import { createProduct } from '../usecases/create-product.ts';
import { isUuid } from '../usecases/is-uuid.ts';
import type { Handle } from './handle.ts';

export function handleProducts(handle: Handle, { db }: { db: Database }): void {
  handle(getProduct, async ({ params: { id } }) => {
    const product = isUuid(id) ? await products.findProduct(db, id) : null;
    if (product === null) throw new AppError('product_not_found', 'Product not found');
    return product;
  });

  handle(listProducts, () => products.listProducts(db));

  handle(createProductCall, ({ body, caller }) => createProduct(db, { actor: caller.email, product: body }));

  handle.authenticatedInStatement(listMyProducts, async ({ identity }) => {
    const found = await products.listProductsOfCaller(db, identity);
    if (found === null) throw authenticationRequired();
    return found;
  });
}
