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
  laterEnd,
  listOfferedProducts,
  listProductsById,
} from './my-products.sql.ts';

/** The products that are neither archived nor ended on the day `today`. `ids` contains their ids. */
export type Offer = { today: string; products: ListedProduct[]; ids: ReadonlySet<string> };

const COMPARE = new Intl.Collator('en').compare;
const GROUPS: Record<MyProductState, number> = {
  ready: 0,
  issued: 1,
  sold_out: 2,
  not_yet: 2,
  paused: 2,
  revoked: 2,
};
// Days are compared as texts. A product without an end follows all others.
const endOf = ({ state, ends_on }: MyProduct) => (state === 'ready' ? (ends_on ?? '9') : '');

/**
 * The order of the learner's home (R-CAT-11, N-243): products to redeem, those that end soonest first; then held codes;
 * then the others. Within a group by place, then name.
 */
function compareOnHome(one: OwnProduct, other: OwnProduct): number {
  const [a, b] = [one.product, other.product];
  return (
    GROUPS[a.state] - GROUPS[b.state] ||
    COMPARE(endOf(a), endOf(b)) ||
    one.position - other.position ||
    COMPARE(a.name, b.name) ||
    COMPARE(a.product_id, b.product_id)
  );
}

export async function readOffer(db: Db, today: string): Promise<Offer> {
  const products = await listOfferedProducts(db, today);
  return { today, products, ids: new Set(products.map(({ product }) => product.product_id)) };
}

/**
 * A product in a learner's list. `product` is what the learner reads. `starts_on` is the first day of access, which may
 * be in the past; null if the learner holds a code, whose state then counts instead of the access.
 */
export type OwnProduct = Omit<ListedProduct, 'product'> & { product: MyProduct; starts_on: string | null };

/**
 * Returns the products that the learner has access to now or later, and the products of which the learner holds a code,
 * in the order of the learner's home. Returns null if the learner's session has ended. A product that is archived or
 * ended is listed only if the learner holds a code of it (R-LIFE-23).
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
  const { codes } = own;
  const product_ids = [...codes.keys()].filter((product_id) => !ids.has(product_id));
  const others = product_ids.length === 0 ? [] : await listProductsById(db, { product_ids, today });
  const owned = [...products, ...others].flatMap<OwnProduct>((listed) => {
    const { product_id } = listed.product;
    const code = codes.get(product_id);
    if (code !== undefined) return [{ ...listed, product: describeHeld(listed, code), starts_on: null }];
    const access = findAccess(own, product_id);
    if (access === null) return [];
    const product = describeOffered(listed, access, today);
    return [{ ...listed, product, starts_on: access.starts_on }];
  });
  return owned.sort(compareOnHome);
}

/** Returns the products of `findOwnProducts` as the learner reads them. */
export async function listMyProducts(db: Db, learner: Identity, offer: Offer): Promise<MyProduct[] | null> {
  return (await findOwnProducts(db, learner, offer))?.map(({ product }) => product) ?? null;
}

/** `ends_on` is the last day of the access that has begun; null: it has no end, or has not begun. */
type OwnAccess = { starts_on: string; ends_on: string | null };

/** Returns the first day of access to the product, which may be in the past. Returns null without access. */
function findAccess({ firstDays, lastDays }: Belongings, product_id: string): OwnAccess | null {
  const [ofProduct, ofAll] = [firstDays.get(product_id), firstDays.get(null)];
  const starts_on = ofProduct === undefined || (ofAll !== undefined && ofAll < ofProduct) ? ofAll : ofProduct;
  if (starts_on === undefined) return null;
  const ends = [product_id, null].filter((key) => lastDays.has(key)).map((key) => lastDays.get(key) ?? null);
  return { starts_on, ends_on: ends.length === 0 ? null : ends.reduce(laterEnd) };
}

function describeHeld(
  { product }: ListedProduct,
  { assigned_at, is_revoked, use_by, unconfirmed, ...code }: CurrentCode,
): MyProduct {
  const held = is_revoked
    ? { state: 'revoked' as const, coupon_code: null, ends_on: null }
    : { state: 'issued' as const, coupon_code: code.coupon_code, ends_on: use_by };
  return { ...product, assigned_at, sold_out: false, from: null, use_by, unconfirmed, ...held };
}

function describeOffered(offered: ListedProduct, access: OwnAccess, today: string): MyProduct {
  const { starts_on } = access;
  const state = findState(offered, starts_on, today);
  const { product, opens_on, next_use_by } = offered;
  // N-60: the later of both days.
  const from = state !== 'not_yet' ? null : opens_on !== null && opens_on > starts_on ? opens_on : starts_on;
  const [ends = null] = [access.ends_on, product.closes_on, next_use_by].filter((day) => day !== null).sort();
  const ends_on = state === 'ready' ? ends : null;
  const noCode = { assigned_at: null, use_by: null, unconfirmed: false, coupon_code: null };
  return { ...product, ...noCode, state, from, ends_on };
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
