// Finds the product of a page within a time limit, so that a busy or failed database cannot delay the page for long.
import type { Product } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { isUuid } from '../db/is-uuid.ts';
import { findProduct } from '../features/products/products.sql.ts';

/**
 * Returns a function that finds a product by its id. The function returns null if the product does not exist. The
 * function throws an error if the database fails, or needs longer than `timeoutMs`.
 * Concurrent lookups of the same product share one SQL statement. So many visitors of one product page do not occupy
 * the database connections that redemptions need.
 */
export function createProductLookup(
  db: Db,
  today: () => string,
  timeoutMs: number,
): (id: string) => Promise<Product | null> {
  const running = new Map<string, Promise<Product | null>>();
  return async (id) => {
    if (!isUuid(id)) return null;
    const lookup = running.get(id) ?? findProduct(db, id, today()).finally(() => running.delete(id));
    running.set(id, lookup);
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(timeout.reject, timeoutMs, new Error('the database is busy'));
    return Promise.race([lookup, timeout.promise]).finally(() => clearTimeout(timer));
  };
}
