// Reads and adds products.
import type { MyProduct, NewProduct, Product } from '@portal/contract';
import { sqlColumns } from '../db/columns.ts';
import type { Db } from '../db/database.ts';
import type { Importer } from './audit.ts';
import { CALLER, callerKey, type Identity } from './callers.ts';

const NEW_PRODUCT = sqlColumns<NewProduct>({
  name: true,
  description: true,
  url: true,
  page_title: true,
  header_text: true,
  instructions: true,
  shared_coupon: true,
});
const PRODUCT = sqlColumns<Product>({ product_id: true, ...NEW_PRODUCT.fields }).of('p');

/** Returns all products that are not archived, newest first. */
export async function listProducts(db: Db): Promise<Product[]> {
  const { rows } = await db.query<Product>(
    `select ${PRODUCT} from product p where archived_at is null order by created_at desc, product_id`,
  );
  return rows;
}

/** Returns the product, or null if it does not exist or is archived. `product_id` must be a UUID. */
export async function findProduct(db: Db, product_id: string): Promise<Product | null> {
  const { rows } = await db.query<Product>(
    `select ${PRODUCT} from product p where product_id = $1 and archived_at is null`,
    [product_id],
  );
  return rows[0] ?? null;
}

/** Returns how many of the products with these ids exist and are not archived. `product_ids` must be UUIDs. */
export async function countProducts(db: Db, product_ids: readonly string[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from product where product_id = any($1::uuid[]) and archived_at is null',
    [product_ids],
  );
  return rows[0]?.count ?? 0;
}

export async function createProduct(db: Db, product: NewProduct): Promise<Product> {
  const { rows } = await db.query<Product>(
    `insert into product as p (${NEW_PRODUCT.list}) values (${NEW_PRODUCT.params}) returning ${PRODUCT}`,
    NEW_PRODUCT.valuesOf(product),
  );
  return rows[0] as Product;
}

/**
 * Adds products, each with an audit line. Skips a product if another one with the same name and `url` exists, in the
 * table or earlier in `products`. Returns the number of added products.
 * Blocks other writes to the product table until the transaction ends.
 */
export async function createProducts(
  db: Db,
  products: readonly NewProduct[],
  { actor, import_id }: Importer,
): Promise<number> {
  await db.execute('lock table product in share row exclusive mode');
  const { rowCount } = await db.query(
    `with fresh as (
       select distinct on (name, url) *
       from jsonb_populate_recordset(null::product, $1::jsonb) with ordinality as p
       where not exists (
         select 1 from product known where known.name = p.name and known.url = p.url and known.archived_at is null)
       order by name, url, ordinality
     ), created as (
       insert into product (${NEW_PRODUCT.list}) select ${NEW_PRODUCT.list} from fresh order by ordinality
       returning product_id
     )
     insert into audit (actor, action, product_id, detail)
     select $2, 'product.create', product_id, jsonb_build_object('import_id', $3::text) from created`,
    [JSON.stringify(products), actor, import_id],
  );
  return rowCount;
}

/**
 * Returns the products to which the caller has access, sorted by name. Returns null if the session has ended.
 * `assigned_at` is the time of the caller's current code.
 * `sold_out` is true if the caller has no code of the product and no code is left. If the codes are shared, the newest
 * code counts: it is left until it reaches its usage limit.
 */
export async function listProductsOfCaller(db: Db, identity: Identity): Promise<MyProduct[] | null> {
  const { by, key } = callerKey(identity);
  const { rows } = await db.query<MyProduct | { product_id: null }>(PRODUCTS_OF_CALLER[by], [key]);
  if (rows.length === 0) return null;
  return rows.filter((row) => row.product_id !== null);
}

const PRODUCTS_OF_CALLER = {
  bySession: productsStatement(CALLER.bySession),
  byEmail: productsStatement(CALLER.byEmail),
};

// The statement returns no row if the session has ended. If the caller has no products, it returns one row of nulls.
function productsStatement(caller: string): string {
  return `
    with caller as (${caller})
    select ${PRODUCT}, mine.assigned_at,
           mine.assigned_at is null
             -- Sorted like the index coupon_free, so that the planner uses it; 'exists' may get a sequential scan.
             and (select c.pos from coupon c where c.product_id = p.product_id and c.holder is null
                  order by c.pos limit 1) is null
             and (not p.shared_coupon or not exists (
               select 1
               from (select coupon_code, usage_limit from coupon c
                     where c.product_id = p.product_id and c.shared order by c.id desc limit 1) newest
               where newest.usage_limit is null or newest.usage_limit > (
                 select count(*) from coupon used
                 where used.product_id = p.product_id and used.shared and used.coupon_code = newest.coupon_code
                   and used.holder is not null))) as sold_out
    from caller u
    left join product p on p.archived_at is null
      and (u.all_products or exists (
        select 1 from product_access a where a.user_id = u.user_id and a.product_id = p.product_id))
    left join coupon mine on mine.product_id = p.product_id and mine.holder = u.user_id and mine.is_current
    order by p.name, p.product_id`;
}
