// Lists a learner's products with the state of each product. Requests of several learners at the same time share one read
// of the products.
import type { MyProduct, MyProductState } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import type { Identity, IdentityOrUser } from '../team/callers.sql.ts';
import {
  type Belongings,
  type CurrentCode,
  findBelongings,
  type ListedProduct,
  listOfferedProducts,
  listProductsById,
} from './my-products.sql.ts';

/** The products that are neither archived nor ended on the day `today`, sorted by name. `ids` contains their ids. */
export type Offer = { today: string; products: ListedProduct[]; ids: ReadonlySet<string> };

const COMPARE = new Intl.Collator('en').compare;
const byName = ({ product: a }: ListedProduct, { product: b }: ListedProduct) =>
  COMPARE(a.name, b.name) || COMPARE(a.product_id, b.product_id);

export async function readOffer(db: Db, today: string): Promise<Offer> {
  const products = (await listOfferedProducts(db, today)).sort(byName);
  return { today, products, ids: new Set(products.map(({ product }) => product.product_id)) };
}

/**
 * A product in a learner's list. `product` is what the learner reads. `starts_on` is the first day of access, which may
 * be in the past; null if the learner holds a code, whose state then counts instead of the access.
 */
export type OwnProduct = Omit<ListedProduct, 'product'> & { product: MyProduct; starts_on: string | null };

/**
 * Returns the products that the learner has access to now or later, and the products of which the learner holds a code,
 * sorted by name. Returns null if the learner's session has ended. A product that is archived or ended is listed only
 * if the learner holds a code of it (R-LIFE-23).
 * The offer must be read before the learner's codes. With the other order, a learner who takes the last code between the
 * two reads would see the product as sold out.
 */
export async function findOwnProducts(
  db: Db,
  learner: IdentityOrUser,
  { today, products, ids }: Offer,
): Promise<OwnProduct[] | null> {
  const own = await findBelongings(db, learner, today);
  if (own === null) return null;
  const { firstDays, codes } = own;
  const product_ids = [...codes.keys()].filter((product_id) => !ids.has(product_id));
  const others = product_ids.length === 0 ? [] : await listProductsById(db, { product_ids, today });
  const listed = others.length === 0 ? products : [...products, ...others].sort(byName);
  return listed.flatMap<OwnProduct>((listedProduct) => {
    const { product, status, opens_on } = listedProduct;
    const code = codes.get(product.product_id);
    if (code !== undefined)
      return [{ product: describeHeld(listedProduct, code), status, opens_on, starts_on: null }];
    const starts_on = findFirstDay(firstDays, product.product_id);
    if (starts_on === undefined) return [];
    return [{ product: describeOffered(listedProduct, starts_on, today), status, opens_on, starts_on }];
  });
}

/** Returns the products of `findOwnProducts` as the learner reads them. */
export async function listMyProducts(db: Db, learner: Identity, offer: Offer): Promise<MyProduct[] | null> {
  return (await findOwnProducts(db, learner, offer))?.map(({ product }) => product) ?? null;
}

/** Returns the first day of access to the product, which may be in the past. Returns undefined without access. */
function findFirstDay(firstDays: Belongings['firstDays'], product_id: string): string | undefined {
  const ofProduct = firstDays.get(product_id);
  const ofAll = firstDays.get(null);
  return ofProduct === undefined || (ofAll !== undefined && ofAll < ofProduct) ? ofAll : ofProduct;
}

function describeHeld(
  { product }: ListedProduct,
  { assigned_at, is_revoked, use_by, unconfirmed }: CurrentCode,
): MyProduct {
  const state: MyProductState = is_revoked ? 'revoked' : 'issued';
  return { ...product, assigned_at, sold_out: false, state, from: null, use_by, unconfirmed };
}

function describeOffered(offered: ListedProduct, starts_on: string, today: string): MyProduct {
  const state = findState(offered, starts_on, today);
  const { product, opens_on } = offered;
  // N-60: the later of both days.
  const from = state !== 'not_yet' ? null : opens_on !== null && opens_on > starts_on ? opens_on : starts_on;
  return { ...product, assigned_at: null, state, from, use_by: null, unconfirmed: false };
}

// N-60: access that begins later comes before a pause, and a pause comes before a product that opens later.
function findState({ status, product }: ListedProduct, starts_on: string, today: string): MyProductState {
  if (starts_on > today) return 'not_yet';
  if (status === 'paused') return 'paused';
  if (status === 'scheduled') return 'not_yet';
  return product.sold_out ? 'sold_out' : 'ready';
}

/**
 * Returns a function that calls `read`, at most once at a time. All calls that come while a read is running share the next
 * read. So the result of a call is never older than the call. If a read fails, only the calls that share this read fail.
 */
export function shareReads<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= running.then(() => {
      next = null;
      const result = read();
      running = result.catch(() => undefined);
      return result;
    });
    return next;
  };
}
