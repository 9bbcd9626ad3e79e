// Reads and grants access to products. Each statement locks its rows in the order of their ids, so that two concurrent
// statements do not deadlock.
import type { Db } from '../db/database.ts';
import type { Importer } from './audit.ts';

/** Gives a user access to products. Returns the ids of the products to which the user had no access before. */
export async function grantProducts(
  db: Db,
  grant: { user_id: string; product_ids: readonly string[]; granted_by: string },
): Promise<string[]> {
  const { rows } = await db.query<{ product_id: string }>(
    `insert into product_access (user_id, product_id, granted_by)
     select $1, product_id, $3 from unnest($2::uuid[]) as product_id order by product_id
     on conflict do nothing
     returning product_id`,
    [grant.user_id, grant.product_ids, grant.granted_by],
  );
  return rows.map((row) => row.product_id);
}

type BulkGrant = Importer & { emails: readonly string[] };

/**
 * Gives all users with these addresses access to all these products. Adds one audit line for each user. Returns the
 * number of new grants.
 */
export async function grantProductsTo(
  db: Db,
  { emails, product_ids, actor, import_id }: BulkGrant & { product_ids: readonly string[] },
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `with granted as (
       insert into product_access (user_id, product_id, granted_by)
       select u.id, p.product_id, $3
       from app_user u cross join unnest($2::uuid[]) as p (product_id)
       where u.email = any($1::text[])
       order by u.id, p.product_id
       on conflict do nothing
       returning user_id, product_id
     ), audited as (
       insert into audit (actor, action, user_id, detail)
       select $3, 'grant.create', user_id,
              jsonb_build_object('product_ids', jsonb_agg(product_id), 'import_id', $4::text)
       from granted group by user_id
     )
     select count(*)::int as count from granted`,
    [emails, product_ids, actor, import_id],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Gives users access to all products, including those added later. Adds an audit line for each user who did not
 * have this access before.
 */
export async function grantAll(db: Db, { emails, actor, import_id }: BulkGrant): Promise<void> {
  await db.query(
    `with changed as (
       select id from app_user where email = any($1::text[]) and not all_products order by id for no key update
     ), granted as (
       update app_user u set all_products = true, updated_at = now() from changed where u.id = changed.id returning u.id
     )
     insert into audit (actor, action, user_id, detail)
     select $2, 'user.grant_all', id, jsonb_build_object('import_id', $3::text) from granted`,
    [emails, actor, import_id],
  );
}

export type AccessRow = {
  product_id: string;
  name: string;
  description: string;
  coupon_code: string | null;
  assigned_at: string | null;
};

/**
 * Returns the products to which the user has access, sorted by name, each with the user's current code. `coupon_code`
 * is null if the user has no code of the product.
 */
export async function listAccess(db: Db, user_id: string): Promise<AccessRow[]> {
  const { rows } = await db.query<AccessRow>(
    `select p.product_id, p.name, p.description, c.coupon_code, c.assigned_at
     from app_user u
     join product p on p.archived_at is null
       and (u.all_products or exists (
         select 1 from product_access a where a.user_id = u.id and a.product_id = p.product_id))
     left join coupon c on c.product_id = p.product_id and c.holder = u.id and c.is_current
     where u.id = $1
     order by p.name, p.product_id`,
    [user_id],
  );
  return rows;
}
