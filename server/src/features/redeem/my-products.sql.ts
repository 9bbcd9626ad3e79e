// Reads the data of a learner's list of products: the products, and the learner's grants and codes.
import type { MyProduct, ProductStatus } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import { listCountingGrants } from '../access/access.sql.ts';
import { TEXTS } from '../products/products.sql.ts';
import { type IdentityOrUser, selectCaller } from '../team/callers.sql.ts';

/**
 * A product as all learners see it on a day, without the part that differs by learner. `product.sold_out` is true if the
 * portal cannot assign a code of it to another learner. A product with shared codes is sold out if it has no usable
 * code, or the newest usable code has reached its usage limit.
 */
export type ListedProduct = {
  product: Omit<MyProduct, OfLearner>;
  status: ProductStatus;
  opens_on: string | null;
  /** The place on the learner's home (N-244). */
  position: number;
  /** The last day of the code that would be assigned next; null: it has none, or there is no code. */
  next_use_by: string | null;
};
type OfLearner = 'assigned_at' | 'state' | 'from' | 'use_by' | 'unconfirmed' | 'coupon_code' | 'ends_on';

/**
 * Returns an SQL condition that is true if a product has no code that can be assigned to another learner on a day. The
 * table alias of the product is `p`; `today` is an SQL expression.
 */
export function isSoldOut(today: string): string {
  return `case when p.shared_coupon then is_shared_sold_out(p.product_id, ${today}::date)
    else ${nextUseBy(today)} is null end`;
}

// The last day of the next free code. As the claim does, the query starts its search at the positions in claim_day.
const nextUseBy = (today: string) => `
  -- The order of the index coupon_free makes the planner use this index. With 'exists', the planner may scan the table.
  (select d.use_by from claim_day d cross join lateral (
      select c.pos from coupon c
      where c.product_id = p.product_id and c.use_by = d.use_by and c.holder is null and c.voided_at is null
        and c.pos >= d.pos
      order by c.pos limit 1) first
    where d.product_id = p.product_id and d.use_by > ${today}::date
    order by d.use_by limit 1)`;

// `offset 0` makes the planner search for the next code once, although two columns are computed from it.
const LISTED_PRODUCT = `${TEXTS}, product_status(p, $1) as status, p.opens_on, p.closes_on, p.position,
  case when p.shared_coupon then is_shared_sold_out(p.product_id, $1::date) else next.use_by is null end as sold_out,
  nullif(next.use_by, 'infinity') as next_use_by
  from product p cross join lateral (
    select case when p.shared_coupon then (select c.use_by from usable_shared_code(p.product_id, $1::date) c)
      else ${nextUseBy('$1')} end as use_by offset 0) next`;

type ListedRow = ListedProduct['product'] & Omit<ListedProduct, 'product'>;
const toListed = ({ status, opens_on, position, next_use_by, ...product }: ListedRow): ListedProduct => ({
  product,
  status,
  opens_on,
  position,
  next_use_by,
});

/** Returns the products that are neither archived nor ended on the day `today`. */
export async function listOfferedProducts(db: Db, today: string): Promise<ListedProduct[]> {
  const { rows } = await db.query<ListedRow>(
    `select ${LISTED_PRODUCT} where product_status(p, $1) not in ('archived', 'ended')`,
    [today],
  );
  return rows.map(toListed);
}

/** Returns the products with these ids, whatever their status. */
export async function listProductsById(
  db: Db,
  { product_ids, today }: { product_ids: readonly string[]; today: string },
): Promise<ListedProduct[]> {
  const { rows } = await db.query<ListedRow>(
    `select ${LISTED_PRODUCT} where p.product_id = any($2::uuid[])`,
    [today, product_ids],
  );
  return rows.map(toListed);
}

/** The learner's current code of a product. */
export type CurrentCode = {
  coupon_code: string;
  assigned_at: string;
  is_revoked: boolean;
  use_by: string | null;
  unconfirmed: boolean;
};
/**
 * `firstDays` contains the first day of access by product_id; the day may be in the past, and the key null stands for all
 * products. `lastDays` contains the last day of the access that has begun; null is no end. `codes` contains the learner's
 * current codes by product_id.
 */
export type Belongings = {
  firstDays: Map<string | null, string>;
  lastDays: Map<string | null, string | null>;
  codes: Map<string, CurrentCode>;
};

const belongingsOf = (learner: string) => `
  select (
      select json_agg(json_build_object('product_id', g.product_id, 'starts_on', g.starts_on, 'ends_on', g.ends_on))
      from (${listCountingGrants('learner.user_id', '$2')}) g) as grants, (
      select json_agg(json_build_object('product_id', product_id, 'coupon_code', coupon_code,
        'assigned_at', assigned_at, 'is_revoked', revoked_at is not null, 'use_by', nullif(use_by, 'infinity'),
        'unconfirmed', unconfirmed))
      from coupon where holder = learner.user_id and is_current) as codes
  from (${learner} offset 0) learner`;

/**
 * Returns the first days of the learner's access, by own grants and by those of the learner's cohorts, and the learner's
 * current codes. Both are empty if the learner is no user. Returns null if the learner's session has ended.
 */
export async function findBelongings(
  db: Db,
  learner: IdentityOrUser,
  today: string,
): Promise<Belongings | null> {
  const { query, key } = selectCaller(learner);
  const { rows } = await db.query<{
    grants: { product_id: string | null; starts_on: string; ends_on: string | null }[] | null;
    codes: (CurrentCode & { product_id: string })[] | null;
  }>(belongingsOf(query), [key, today]);
  const [own] = rows;
  if (own === undefined) return null;
  const firstDays: Belongings['firstDays'] = new Map();
  const lastDays: Belongings['lastDays'] = new Map();
  for (const { product_id, starts_on, ends_on } of own.grants ?? []) {
    const first = firstDays.get(product_id);
    if (first === undefined || starts_on < first) firstDays.set(product_id, starts_on);
    if (starts_on <= today) lastDays.set(product_id, laterEnd(lastDays.get(product_id), ends_on));
  }
  const codes = (own.codes ?? []).map(({ product_id, assigned_at, ...code }): [string, CurrentCode] => [
    product_id,
    { ...code, assigned_at: new Date(assigned_at).toISOString() },
  ]);
  return { firstDays, lastDays, codes: new Map(codes) };
}

/** Returns the later of two last days, of which null is no end. `one` is undefined if there is only the other. */
export function laterEnd(one: string | null | undefined, other: string | null): string | null {
  if (one === undefined) return other;
  return one === null || other === null ? null : one > other ? one : other;
}
