// Lists a learner's products with the state of each.
import type { MyProduct, MyProductState } from '@portal/contract';
import type { Db } from '../db/database.ts';
import {
  type CountingGrant,
  type CurrentCode,
  findBelongings,
  type ListedProduct,
  listOfferedProducts,
  listProductsById,
  type Owner,
} from '../stores/my-products.ts';

/** The products that are neither archived nor ended on the day `today`, sorted by name. */
export type Offer = { today: string; products: ListedProduct[] };

const COMPARE = new Intl.Collator('en').compare;
const byName = (a: ListedProduct, b: ListedProduct) =>
  COMPARE(a.name, b.name) || COMPARE(a.product_id, b.product_id);

export async function readOffer(db: Db, today: string): Promise<Offer> {
  return { today, products: (await listOfferedProducts(db, today)).sort(byName) };
}

/**
 * A product in a learner's list. `product` is what the learner reads. `starts_on` is the first day of access, which may
 * be in the past; null if the learner holds a code, whose state then counts instead of the access.
 */
export type OwnProduct = Pick<ListedProduct, 'status' | 'opens_on'> & {
  product: MyProduct;
  starts_on: string | null;
};

/**
 * Returns the products that the learner has access to now or later, and the products of which the learner holds a code,
 * sorted by name. Returns null if the learner's session has ended. A product that is archived or ended is listed only
 * if the learner holds a code of it (R-LIFE-23).
 * The offer must be read before the learner's codes. With the other order, a learner who takes the last code between
 * both would see the product as sold out.
 */
export async function findOwnProducts(
  db: Db,
  owner: Owner,
  { today, products }: Offer,
): Promise<OwnProduct[] | null> {
  const own = await findBelongings(db, owner, today);
  if (own === null) return null;
  const codes = new Map(own.codes.map((code) => [code.product_id, code]));
  const offered = new Set(products.map(({ product_id }) => product_id));
  const product_ids = [...codes.keys()].filter((product_id) => !offered.has(product_id));
  const others = product_ids.length === 0 ? [] : await listProductsById(db, { product_ids, today });
  const listed = others.length === 0 ? products : [...products, ...others].sort(byName);
  return listed.flatMap<OwnProduct>(({ status, opens_on, ...product }) => {
    const code = codes.get(product.product_id);
    if (code !== undefined)
      return [{ product: { ...product, ...describeCode(code) }, status, opens_on, starts_on: null }];
    const starts_on = findFirstDay(own.grants, product.product_id);
    if (starts_on === null) return [];
    const { sold_out } = product;
    const offer = describeOffer({ status, opens_on, starts_on, sold_out }, today);
    return [{ product: { ...product, ...offer }, status, opens_on, starts_on }];
  });
}

/** Returns the products of `findOwnProducts` as the learner reads them. */
export async function listMyProducts(db: Db, owner: Owner, offer: Offer): Promise<MyProduct[] | null> {
  return (await findOwnProducts(db, owner, offer))?.map(({ product }) => product) ?? null;
}

/** Returns the first day of access to the product, which may be in the past. Returns null without access. */
function findFirstDay(grants: readonly CountingGrant[], of: string): string | null {
  let first: string | null = null;
  for (const { product_id, starts_on } of grants)
    if ((product_id === null || product_id === of) && (first === null || starts_on < first))
      first = starts_on;
  return first;
}

function describeCode({ assigned_at, is_revoked, use_by }: CurrentCode) {
  const state: MyProductState = is_revoked ? 'revoked' : 'issued';
  return { assigned_at, sold_out: false, state, from: null, use_by };
}

function describeOffer(
  offer: Pick<ListedProduct, 'status' | 'opens_on' | 'sold_out'> & { starts_on: string },
  today: string,
) {
  const state = findState(offer, today);
  const { starts_on, opens_on } = offer;
  // N-60: the later of both days.
  const from = state !== 'not_yet' ? null : opens_on !== null && opens_on > starts_on ? opens_on : starts_on;
  return { assigned_at: null, state, from, use_by: null };
}

// N-60: access that begins later comes before a pause, and a pause comes before a product that opens later.
function findState(
  { status, starts_on, sold_out }: Pick<ListedProduct, 'status' | 'sold_out'> & { starts_on: string },
  today: string,
): MyProductState {
  if (starts_on > today) return 'not_yet';
  if (status === 'paused') return 'paused';
  if (status === 'scheduled') return 'not_yet';
  return sold_out ? 'sold_out' : 'ready';
}
