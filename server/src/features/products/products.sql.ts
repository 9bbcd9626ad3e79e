// Reads, adds and changes products.
import { randomUUID } from 'node:crypto';
import {
  type EditedProduct,
  type FoundProduct,
  type ListedProduct,
  type NewProduct,
  PRODUCT_FACTS,
  PRODUCT_TEXTS,
  type Product,
  type ProductFactName,
  type ProductRecord,
  type ProductTextName,
  type StaffProduct,
} from '@portal/contract';
import { asUuid, type Db, sqlColumns } from '../../db/database.ts';
import { type Importer, originOf } from '../log/audit.sql.ts';

const texts = [...PRODUCT_TEXTS, ...PRODUCT_FACTS].map(({ name }) => [name, true]);
/** The columns that a row of an upload has. */
const UPLOADED = sqlColumns<Omit<NewProduct, 'perks' | 'position'>>({
  ...(Object.fromEntries(texts) as Record<ProductTextName | ProductFactName, true>),
  shared_coupon: true,
});
const PUBLIC = { ...UPLOADED.fields, perks: true } as const;
const NEW_PRODUCT = sqlColumns<NewProduct>({ ...PUBLIC, position: true });
// No join, because statements that return changed rows have none.
const LOGO = `(select '/api/products/' || l.product_id || '/logo/' || l.sha256
    from product_logo l where l.product_id = p.product_id) as logo`;
/** SQL of the columns of a product that learners see. The table alias is `p`. */
export const TEXTS = `${sqlColumns<Omit<NewProduct, 'position'> & { product_id: string }>({
  product_id: true,
  ...PUBLIC,
}).of('p')}, ${LOGO}`;
const EDITED = sqlColumns<Omit<EditedProduct, 'version'>>({
  ...NEW_PRODUCT.fields,
  opens_on: true,
  closes_on: true,
  use_by_default: true,
});
/** `paused_at` is null if the product is not paused. `archived_at` is null if the product is not archived. */
type StatusFields = Record<'paused_at' | 'archived_at', Date | string | null> &
  Record<'paused_by' | 'pause_note' | 'archived_by', string | null>;
const STATUS = sqlColumns<StatusFields>({
  paused_at: true,
  paused_by: true,
  pause_note: true,
  archived_at: true,
  archived_by: true,
});

const PRODUCT = `${TEXTS}, product_status(p, $1) as status, p.opens_on, p.closes_on`;
const STAFF_PRODUCT = `${PRODUCT}, p.use_by_default, p.position, p.version`;

/**
 * Returns either the archived products or all other products, newest first, with numbers from the tally (0014). Counts
 * the codes on the day `today` of the portal's time zone, and the redemptions on 30 days in UTC, as the dashboard does.
 */
export async function listProducts(
  db: Db,
  { archived, now, today }: { archived: boolean; now: Date; today: string },
): Promise<ListedProduct[]> {
  const { rows } = await db.query<ListedProduct>(
    `select ${STAFF_PRODUCT}, case when not p.shared_coupon then coalesce(c.free, 0) end as "left",
       coalesce(c.held, 0) as held, coalesce(r.n, 0)::int as redeemed_30
     from product p left join code_counts($1) c on c.product_id = p.product_id
     left join (
       select product_id, sum(n) as n from tally_now
       where what = 'redeemed' and day > ($3::timestamptz at time zone 'utc')::date - 30 group by product_id
     ) r on r.product_id = p.product_id
     where (p.archived_at is not null) = $2 order by p.created_at desc, p.product_id`,
    [today, archived, now],
  );
  return rows;
}

/** Returns the product, even if it is archived, or null if it does not exist. */
export async function findProduct(db: Db, product_id: string, today: string): Promise<Product | null> {
  const { rows } = await db.query<Product>(`select ${PRODUCT} from product p where product_id = $2`, [
    today,
    asUuid(product_id),
  ]);
  return rows[0] ?? null;
}

/** Returns the product with the numbers of its codes from the tally (0014), or null if the product does not exist. */
export async function findProductRecord(
  db: Db,
  product_id: string,
  today: string,
): Promise<ProductRecord | null> {
  const { rows } = await db.query<ProductRecord>(
    `select ${STAFF_PRODUCT}, ${STATUS.of('p')}, p.changed_by, p.changed_at,
       coalesce(n.held, 0) as held, coalesce(n.free, 0) as "left", coalesce(n.revoked, 0) as revoked,
       coalesce(n.void, 0) as void, coalesce(n.expired, 0) as expired, f.without_code, f.short, f.pace, f.days_left,
       f.expiring_first, f.expires_on::text, f.forecast_at
     from product p left join code_counts($1) n on n.product_id = p.product_id
     left join forecast_stock(p, coalesce(n.free, 0), coalesce(n.held + n.revoked, 0), $1) f on true
     where p.product_id = $2`,
    [today, asUuid(product_id)],
  );
  return rows[0] ?? null;
}

/** Returns the name of a product, or null if the product does not exist. */
export async function findProductName(db: Db, product_id: string): Promise<string | null> {
  const statement = 'select name from product where product_id = $1';
  const { rows } = await db.query<{ name: string }>(statement, [asUuid(product_id)]);
  return rows[0]?.name ?? null;
}

/**
 * Returns at most `limit` products with a word in their name that begins with `q`, ignoring case, and the numbers of
 * their codes. Products whose name begins with `q` come first, then other products, then archived products. Uses no
 * index, because a portal has few products.
 */
export async function searchProducts(
  db: Db,
  { q, limit, today }: { q: string; limit: number; today: string },
): Promise<FoundProduct[]> {
  const { rows } = await db.query<FoundProduct>(
    `select p.product_id, p.name, p.url, ${LOGO}, p.status, coalesce(n.free + n.held + n.revoked, 0) as total,
       case when not p.shared_coupon then coalesce(n.free, 0) end as "left"
     from (
       select product_id, name, url, shared_coupon, product_status(p, $1) as status, row_number() over (
         order by archived_at is not null, strpos(' ' || lower(name), ' ' || lower($2)) > 1, lower(name), product_id) as place
       from product p where strpos(' ' || lower(name), ' ' || lower($2)) > 0 order by place limit $3
     ) p left join code_counts($1) n on n.product_id = p.product_id
     order by p.place`,
    [today, q, limit],
  );
  return rows;
}

/**
 * A product to which codes are added. An archived product gets codes only from uploads that began before it was
 * archived, and from replacements of revoked codes.
 */
type CodeTarget = {
  product_id: string;
  shared_coupon: boolean;
  use_by_default: string | null;
  is_archived: boolean;
};

/** Returns the fields of a product that are needed to add codes to it, or null if the product does not exist. */
export async function findCodeTarget(db: Db, product_id: string): Promise<CodeTarget | null> {
  const { rows } = await db.query<CodeTarget>(
    'select product_id, shared_coupon, use_by_default, archived_at is not null as is_archived from product where product_id = $1',
    [asUuid(product_id)],
  );
  return rows[0] ?? null;
}

export type LockedProduct = Required<EditedProduct> & StatusFields;

/** Returns the product, or null if it does not exist. Locks it against other edits until the transaction ends. */
export async function lockProduct(db: Db, product_id: string): Promise<LockedProduct | null> {
  const { rows } = await db.query<LockedProduct>(
    `select ${EDITED.list}, version, ${STATUS.list} from product where product_id = $1 for no key update`,
    [asUuid(product_id)],
  );
  return rows[0] ?? null;
}

/** Replaces the product's fields and raises its version. */
export async function updateProduct(
  db: Db,
  product: Required<Omit<EditedProduct, 'version'>>,
  { product_id, actor, at, today }: { product_id: string; actor: string; at: Date; today: string },
): Promise<StaffProduct> {
  const values = EDITED.valuesOf(product);
  const assignments = EDITED.list.split(', ').map((column, index) => `${column} = $${index + 5}`);
  const { rows } = await db.query<StaffProduct>(
    `update product p set ${assignments.join(', ')}, version = version + 1, changed_by = $3, changed_at = $4
     where product_id = $2 returning ${STAFF_PRODUCT}`,
    [today, product_id, actor, at, ...values],
  );
  return rows[0] as StaffProduct;
}

/** Sets whether the product is paused or archived. */
export async function updateStatus(
  db: Db,
  { product_id, today, ...status }: { product_id: string; today: string } & StatusFields,
): Promise<StaffProduct> {
  const { rows } = await db.query<StaffProduct>(
    `update product p set (${STATUS.list}) = ($3, $4, $5, $6, $7) where product_id = $2 returning ${STAFF_PRODUCT}`,
    [today, product_id, ...STATUS.valuesOf(status)],
  );
  return rows[0] as StaffProduct;
}

/** Returns how many of the products exist, and how many of these are archived. `product_ids` must be UUIDs. */
export async function countProducts(
  db: Db,
  product_ids: readonly string[],
): Promise<{ known: number; archived: number }> {
  const { rows } = await db.query<{ known: number; archived: number }>(
    `select count(*)::int as known, count(archived_at)::int as archived
     from product where product_id = any($1::uuid[])`,
    [product_ids],
  );
  return rows[0] as { known: number; archived: number };
}

const NO_FACTS = { category: null, value: null, terms: null, perks: null, position: 0 };

/**
 * Adds a product, and returns it with its status on the day `today`. Without `product_id`, the product gets a new id.
 * Returns null if a product with the id `product_id` exists.
 */
export async function createProduct(
  db: Db,
  product: NewProduct,
  { product_id = randomUUID(), today }: { product_id?: string | undefined; today: string },
): Promise<StaffProduct | null> {
  const values = NEW_PRODUCT.valuesOf({ ...NO_FACTS, ...product });
  const { rows } = await db.query<StaffProduct>(
    `insert into product as p (product_id, ${NEW_PRODUCT.list}) values ($2, ${values.map((_value, at) => `$${at + 3}`)})
     on conflict do nothing returning ${STAFF_PRODUCT}`,
    [today, product_id, ...values],
  );
  return rows[0] ?? null;
}

/** Returns the product with the fields that only staff see, or null if it does not exist. */
export async function findStaffProduct(
  db: Db,
  product_id: string,
  today: string,
): Promise<StaffProduct | null> {
  const statement = `select ${STAFF_PRODUCT} from product p where product_id = $2`;
  const { rows } = await db.query<StaffProduct>(statement, [today, asUuid(product_id)]);
  return rows[0] ?? null;
}

/**
 * Adds products, each with an audit line. Skips a product whose name and `url` occur earlier in `products`, or in a
 * stored product that is not archived. For such a stored product, records that this upload contains the product too. The
 * product then stays if the upload that added the product is undone. Returns the number of added products. Blocks other
 * writes to the table product until the transaction ends.
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
       insert into product (${UPLOADED.list}) select ${UPLOADED.list} from fresh order by ordinality
       returning product_id
     ), again as (
       insert into product_source (product_id, import_id)
       select known.product_id, $3::uuid from product known
       join jsonb_populate_recordset(null::product, $1::jsonb) as p on known.name = p.name and known.url = p.url
       where known.archived_at is null
       on conflict do nothing
     )
     insert into audit (actor, via, ip, actor_id, actor_name, action, product_id, detail)
     select $2, $4, $5::inet, $6::bigint, $7, 'product.create', product_id, jsonb_build_object('import_id', $3::text) from created`,
    [JSON.stringify(products), actor, import_id, ...originOf(actor)],
  );
  return rowCount;
}
