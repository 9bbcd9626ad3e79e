// Reads what a learner's list of products is made of: the products, and the grants and codes of the learner.
import type { MyProduct, ProductStatus } from '@portal/contract';
import { type Db, toIsoTime } from '../../db/database.ts';
import { listCountingGrants } from '../access/access.sql.ts';
import { TEXTS } from '../products/products.sql.ts';
import { CALLER, callerKey, type Identity } from '../team/callers.sql.ts';

/**
 * A product as all learners see it on a day, without the part that differs by learner. `product.sold_out` is true if the
 * portal cannot assign a code of it to another learner. A product with shared codes is sold out if it has no usable
 * code, or the newest usable code has reached its usage limit.
 */
export type ListedProduct = {
  product: Omit<MyProduct, 'assigned_at' | 'state' | 'from' | 'use_by'>;
  status: ProductStatus;
  opens_on: string | null;
};

/**
 * Returns an SQL condition that is true if a product has no code that can be assigned to another learner on a day. The
 * table alias of the product is `p`, `today` is an SQL expression. The claim searches from the same rows of claim_day.
 */
export function isSoldOut(today: string): string {
  return `case when p.shared_coupon then is_shared_sold_out(p.product_id, ${today}::date)
    -- Sorted like the index coupon_free, so that the planner uses it; 'exists' may get a sequential scan.
    else (select first.pos from claim_day d cross join lateral (
            select c.pos from coupon c
            where c.product_id = p.product_id and c.use_by = d.use_by and c.holder is null and c.voided_at is null
              and c.pos >= d.pos
            order by c.pos limit 1) first
          where d.product_id = p.product_id and d.use_by > ${today}::date
          order by d.use_by limit 1) is null end`;
}

const LISTED_PRODUCT = `${TEXTS}, product_status(p, $1) as status, p.opens_on, p.closes_on,
  ${isSoldOut('$1')} as sold_out`;

type ListedRow = ListedProduct['product'] & Omit<ListedProduct, 'product'>;
const toListed = ({ status, opens_on, ...product }: ListedRow): ListedProduct => ({
  product,
  status,
  opens_on,
});

/** Returns the products that are neither archived nor ended on the day `today`. */
export async function listOfferedProducts(db: Db, today: string): Promise<ListedProduct[]> {
  const { rows } = await db.query<ListedRow>(
    `select ${LISTED_PRODUCT} from product p where product_status(p, $1) not in ('archived', 'ended')`,
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
    `select ${LISTED_PRODUCT} from product p where p.product_id = any($2::uuid[])`,
    [today, product_ids],
  );
  return rows.map(toListed);
}

/** The learner's current code of a product. */
export type CurrentCode = { assigned_at: string; is_revoked: boolean; use_by: string | null };
/**
 * `firstDays` contains the first day of access by product_id; the day may be in the past, and the key null stands for all
 * products. `codes` contains the learner's current codes by product_id.
 */
export type Belongings = { firstDays: Map<string | null, string>; codes: Map<string, CurrentCode> };

/** The learner of the list: the caller of the request, or the user with this app_user.id. */
export type Owner = Identity | { user_id: string };

/**
 * Returns the first days of the learner's access, by own grants and by those of the learner's cohorts, and the learner's
 * current codes. Returns null if the learner's session has ended.
 */
export async function findBelongings(db: Db, owner: Owner, today: string): Promise<Belongings | null> {
  const { by, key } =
    'session_id' in owner ? callerKey(owner) : { by: 'byUserId' as const, key: owner.user_id };
  const { rows } = await db.query<{ grants: string | null; codes: string | null }>(BELONGINGS[by], [
    key,
    today,
  ]);
  const [own] = rows;
  if (own === undefined) return null;
  return { firstDays: readFirstDays(split(own.grants)), codes: new Map(split(own.codes).map(readCode)) };
}

// The statement returns one row, with the grants and the codes as texts. On the embedded engine, a row for each of them
// would take a third of the time of the statement.
const split = (list: string | null) => list?.split(',') ?? [];

function readFirstDays(grants: string[]): Belongings['firstDays'] {
  const days = new Map<string | null, string>();
  for (const grant of grants) {
    const [starts_on = '', product_id = null] = grant.split('|');
    const first = days.get(product_id);
    if (first === undefined || starts_on < first) days.set(product_id, starts_on);
  }
  return days;
}

function readCode(text: string): [string, CurrentCode] {
  const [product_id = '', assigned_at = '', revoked, use_by = null] = text.split('|');
  const is_revoked = revoked === 't';
  return [product_id, { assigned_at: toIsoTime(assigned_at), is_revoked, use_by }];
}

const BELONGINGS = {
  bySession: belongingsStatement(CALLER.bySession),
  byEmail: belongingsStatement(CALLER.byEmail),
  byUserId: belongingsStatement('select $1::bigint as user_id'),
};

function belongingsStatement(caller: string): string {
  return `select (
      select string_agg(concat_ws('|', starts_on, product_id), ',')
      from (${listCountingGrants('u.user_id', '$2')}) g) as grants, (
      select string_agg(concat_ws('|', product_id, assigned_at, revoked_at is not null, nullif(use_by, 'infinity')), ',')
      from coupon where holder = u.user_id and is_current) as codes
    from (${caller}) u`;
}
