// Reads, edits and withdraws grants. Reads the products to which a user has, had or will have access, with the data
// that decides whether the user gets a code.
import type { AccessExplained, CohortName, Grant, ProductRecord } from '@portal/contract';
import { asRowId, type Db } from '../../db/database.ts';
import { isSoldOut } from '../redeem/my-products.sql.ts';
import { hasAccess } from './access.sql.ts';

/** The first and the last day of a grant. `ends_on` is null if the grant has no end. */
export type Days = { starts_on: string; ends_on: string | null };

/** Products to which access is given. Null stands for all products, including future products. */
export type GivenProducts = readonly (string | null)[];

/** Selects the grants of a user and of the user's cohorts, the grants of a cohort, or one grant by its id. */
export type GrantsOf = { user_id: string } | { cohort_id: string } | { id: string };

/** Returns grants, including withdrawn ones, newest first. */
export async function listGrants(db: Db, of: GrantsOf, today: string): Promise<Grant[]> {
  const keys: { id?: string; user_id?: string; cohort_id?: string } = of;
  const { rows } = await db.query<Grant>(
    `select g.id, g.product_id, p.name as product_name, g.starts_on, g.ends_on, g.granted_by, g.granted_at,
       g.withdrawn_at,
       case when g.cohort_id is not null then 'cohort' when g.purchase_id is not null then 'purchase' else 'direct' end as via,
       grant_state(g.withdrawn_at, g.cohort_archived, g.starts_on, g.ends_on, $2) as state
     from (
       select * from access_grant where id = $1
       union all
       select * from access_grant where cohort_id = $3
       union all
       select * from access_grant where user_id = $4
       union all
       select g.* from cohort_member m join access_grant g on g.cohort_id = m.cohort_id where m.user_id = $4
     ) g left join product p on p.product_id = g.product_id
     order by g.id desc`,
    [keys.id ?? null, today, keys.cohort_id ?? null, keys.user_id ?? null],
  );
  return rows;
}

/**
 * Returns the ids of the grants for these products that are not withdrawn. Returns only grants that were given
 * directly to this user or cohort, without grants of a purchase.
 */
export async function listGrantIds(
  db: Db,
  { user_id = null, cohort_id = null }: { user_id?: string | null; cohort_id?: string | null },
  product_ids: GivenProducts,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from access_grant
     where (user_id = $1 or cohort_id = $2) and withdrawn_at is null and purchase_id is null
       and (product_id = any($3::uuid[]) or (product_id is null and array_position($3::uuid[], null) is not null))`,
    [user_id, cohort_id, product_ids],
  );
  return rows.map(({ id }) => id);
}

export type LockedGrant = Days & {
  user_id: string | null;
  product_id: string | null;
  cohort_id: string | null;
  withdrawn_at: string | null;
};

/** Returns the grant, or null if it does not exist. Locks it against other changes until the transaction ends. */
export async function lockGrant(db: Db, id: string): Promise<LockedGrant | null> {
  const { rows } = await db.query<LockedGrant>(
    `select user_id, product_id, cohort_id, starts_on, ends_on, withdrawn_at from access_grant
     where id = $1 for no key update`,
    [asRowId(id)],
  );
  return rows[0] ?? null;
}

/** Returns the user (app_user.id) of a grant; null for a grant of a cohort, or if the grant does not exist. */
export async function findGrantee(db: Db, id: string): Promise<string | null> {
  const statement = 'select user_id from access_grant where id = $1';
  const { rows } = await db.query<{ user_id: string | null }>(statement, [asRowId(id)]);
  return rows[0]?.user_id ?? null;
}

/**
 * Sets the days of a grant. Sets the same days in access_grant_source, which records the uploads and staff that gave this
 * access again. Otherwise undoing the upload that made the grant would restore the old days.
 */
export async function updateGrantDays(db: Db, id: string, { starts_on, ends_on }: Days): Promise<void> {
  const values = [id, starts_on, ends_on];
  await db.query('update access_grant set starts_on = $2, ends_on = $3 where id = $1', values);
  await db.query('update access_grant_source set starts_on = $2, ends_on = $3 where grant_id = $1', values);
}

export async function setWithdrawn(
  db: Db,
  id: string,
  { by, reason, at }: { by: string; reason: string; at: Date },
): Promise<void> {
  await db.query(
    'update access_grant set withdrawn_at = $2, withdrawn_by = $3, withdraw_reason = $4 where id = $1',
    [id, at, by, reason],
  );
}

/**
 * A grant of a user, with the values for a sentence about the grant. `given_by` and `withdrawn_by` are names,
 * or the address of a person without a name (N-76). `archived` is true if the cohort of the grant is archived, even if
 * the grant was withdrawn.
 */
export type UserGrant = Grant & {
  archived: boolean;
  cohort: CohortName | null;
  purchase_id: string | null;
  given_by: string;
  withdrawn_by: string | null;
  withdraw_reason: string | null;
};

/**
 * Returns the grants of a user and of the user's cohorts, including withdrawn ones, newest first. With `product_id`,
 * returns only the grants that give this product.
 */
export async function listUserGrants(
  db: Db,
  { user_id, product_id = null }: { user_id: string; product_id?: string | null },
  today: string,
): Promise<UserGrant[]> {
  const { rows } = await db.query<UserGrant>(
    `select g.id, g.product_id, p.name as product_name, g.starts_on, g.ends_on, g.granted_by, g.granted_at,
       g.withdrawn_at,
       case when g.cohort_id is not null then 'cohort' when g.purchase_id is not null then 'purchase' else 'direct' end as via,
       grant_state(g.withdrawn_at, g.cohort_archived, g.starts_on, g.ends_on, $2) as state,
       g.cohort_archived as archived, g.purchase_id, g.withdraw_reason,
       case when o.cohort_id is not null then jsonb_build_object('cohort_id', o.cohort_id, 'name', o.name) end as cohort,
       coalesce(giver.name, g.granted_by) as given_by, coalesce(taker.name, g.withdrawn_by) as withdrawn_by
     from grants_of_user($1) g left join product p on p.product_id = g.product_id
     left join cohort o on o.cohort_id = g.cohort_id
     left join app_user giver on giver.email = g.granted_by left join app_user taker on taker.email = g.withdrawn_by
     where $3::uuid is null or g.product_id is null or g.product_id = $3
     order by g.id desc`,
    [user_id, today, product_id],
  );
  return rows;
}

/**
 * A product with the data that decides whether the user gets a code today. `granted` is true if the user has access.
 * `sold_out` is null if the value is not needed: the user has a code or no access, or the product is not live. `coupon`
 * is the user's current code, even if it is revoked.
 */
export type AccessRow = Pick<
  ProductRecord,
  'product_id' | 'name' | 'description' | 'shared_coupon' | 'status'
> &
  Pick<ProductRecord, 'opens_on' | 'closes_on' | 'paused_at' | 'archived_at'> & {
    granted: boolean;
    sold_out: boolean | null;
    coupon: CurrentCoupon | null;
    grants: UserGrant[];
  };
type CurrentCoupon = Omit<NonNullable<AccessExplained['code']>, 'hint'> & {
  coupon_code: string;
  revoke_reason: string | null;
  has_earlier: boolean;
};

/**
 * Returns the products for which the user has or had a grant, and the products of which the user holds a code (N-64),
 * including archived products, sorted by name. Each product has the user's grants for it, newest first.
 */
export async function listAccess(db: Db, user_id: string, today: string): Promise<AccessRow[]> {
  const grants = await listUserGrants(db, { user_id }, today);
  const given = grants.map(({ product_id }) => product_id);
  const rows = await listRows(db, 'c.id is not null or $3 or p.product_id = any($4::uuid[])', [
    user_id,
    today,
    given.includes(null),
    given,
  ]);
  return rows.map((row) => ({
    ...row,
    grants: grants.filter(({ product_id }) => product_id === null || product_id === row.product_id),
  }));
}

/** Returns one product as `listAccess` does, even without a grant. Returns null if the product does not exist. */
export async function findAccess(
  db: Db,
  { user_id, product_id, today }: { user_id: string; product_id: string; today: string },
): Promise<AccessRow | null> {
  const [row] = await listRows(db, 'p.product_id = $3', [user_id, today, product_id]);
  if (row === undefined) return null;
  return { ...row, grants: await listUserGrants(db, { user_id, product_id }, today) };
}

/**
 * Returns the products that match `condition`. `values` begins with the user and the day. Status and access are
 * computed as in the claim (R-COHORT-41). `offset 0` makes the planner check access once for each product, and search
 * free codes only where `sold_out` needs them. `limit 1` makes the planner look codes up by an index. Otherwise the planner
 * would estimate the number of codes from an average holder, which is wrong if some holders have many codes.
 */
async function listRows(
  db: Db,
  condition: string,
  values: [user_id: string, today: string, ...others: unknown[]],
): Promise<Omit<AccessRow, 'grants'>[]> {
  const utc = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  const { rows } = await db.query<Omit<AccessRow, 'grants'>>(
    `select p.product_id, p.name, p.description, p.shared_coupon, p.status, p.opens_on, p.closes_on, p.paused_at,
       p.archived_at, p.granted, p.coupon,
       case when p.coupon is null and p.granted and p.status = 'live' then ${isSoldOut('$2')} end as sold_out
     from (
       select p.*, product_status(p, $2) as status, ${hasAccess('$1::bigint', 'p.product_id', '$2')} as granted,
         case when c.id is not null then jsonb_build_object('id', c.id::text, 'coupon_code', c.coupon_code,
           'assigned_at', ${utc('c.assigned_at')}, 'state', case when c.revoked_at is null then 'held' else 'revoked' end,
           'unconfirmed', c.unconfirmed, 'use_by', nullif(c.use_by, 'infinity'), 'revoked_at', ${utc('c.revoked_at')},
           'revoke_reason', c.revoke_reason, 'has_earlier', (
             select e.id from coupon e
             where e.holder = $1 and e.product_id = p.product_id and not e.is_current and e.revoked_at is null
             order by e.id limit 1) is not null) end as coupon
       from product p left join lateral (
         select * from coupon c where c.product_id = p.product_id and c.holder = $1 and c.is_current limit 1) c on true
       where ${condition} offset 0
     ) p
     order by p.name, p.product_id`,
    values,
  );
  return rows;
}
