// Checks the products that staff name in a grant, in an upload or for a user.
import { AppError } from '../../app-error.ts';
import type { Db } from '../../db/database.ts';
import { isUuid } from '../../db/is-uuid.ts';
import { countProducts } from '../products/products.sql.ts';

/**
 * Returns the ids of the products, in lower case and each once.
 * @throws AppError product_not_found if a product is archived. If a product does not exist: `unknown` if it is given,
 * else product_not_found.
 */
export async function requireProducts(
  db: Db,
  given: readonly string[],
  unknown: AppError = new AppError('product_not_found', 'Product not found'),
): Promise<string[]> {
  const product_ids = [...new Set(given.map((id) => id.toLowerCase()))];
  const { known, archived } = product_ids.every(isUuid)
    ? await countProducts(db, product_ids)
    : { known: Number.NaN, archived: 0 };
  if (known !== product_ids.length) throw unknown;
  if (archived > 0) throw new AppError('product_not_found', 'Product not found');
  return product_ids;
}

/** The error for an unknown product in the forms and files of users (R-API). */
export const unknownProduct = () =>
  new AppError('invalid_request', 'product_ids names a product that does not exist');
