// A page does not wait for a database that is away or busy: it goes out without its product, which the browser then asks for.
import type { Product } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { findProduct } from '../stores/products.ts';
import { isUuid } from '../usecases/is-uuid.ts';

export type Found = { product: Product | null } | { failure: unknown };

/**
 * A function that finds a product by its id, or none; a `failure` when that takes longer than `patienceMs`. Those who ask
 * for one product at the same time share a statement, so that a crowd of visitors does not stand before those who redeem.
 */
export function createProductLookup(db: Db, patienceMs: number): (id: string) => Promise<Found> {
  const underWay = new Map<string, Promise<Found>>();

  const read = async (id: string): Promise<Found> => {
    try {
      return { product: await findProduct(db, id) };
    } catch (failure) {
      return { failure };
    } finally {
      underWay.delete(id);
    }
  };

  return async (id) => {
    if (!isUuid(id)) return { product: null };
    const reading = underWay.get(id) ?? read(id);
    underWay.set(id, reading);
    const late = Promise.withResolvers<Found>();
    const timer = setTimeout(late.resolve, patienceMs, { failure: new Error('the database is busy') });
    try {
      return await Promise.race([reading, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}
