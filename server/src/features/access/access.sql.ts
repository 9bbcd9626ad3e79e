// Decides who has access to a product, and gives access.
import type { Db } from '../../db/database.ts';
import { originOf } from '../log/audit.sql.ts';
import type { Days, GivenProducts } from './grants.sql.ts';

/*
 * A grant counts if the grant is not withdrawn, has not ended before the day `today`, and belongs to no archived cohort.
 * `ownGrants` selects the user's own grants. `cohortGrants` selects the grants of the user's cohorts. A single query with
 * `or` would make the planner scan all grants.
 * `cohortGrants` reads the ids of the user's cohorts into an array. With a join, the planner may read the grants of all
 * cohorts.
 */
const counting = (today: string) =>
  `g.withdrawn_at is null and not g.cohort_archived and (g.ends_on is null or g.ends_on >= ${today}::date)`;
const ofProduct = (product: string) => `(g.product_id = ${product} or g.product_id is null)`;
const ownGrants = (user: string, today: string) =>
  `from access_grant g where g.user_id = ${user} and ${counting(today)}`;
const cohortGrants = (user: string, today: string) =>
  `from access_grant g where ${counting(today)} and g.cohort_id = any(array(
     select m.cohort_id from cohort_member m where m.user_id = ${user}))`;

/**
 * Returns an SQL condition that is true if a user has access to a product on a day (R-LIFE-01). The arguments are SQL
 * expressions for app_user.id, product.product_id and a date. The claim (redeem/redeem.sql.ts) has an equal condition of its
 * own, and a test compares the two. The SQL function has_cohort_access checks the grants of the user's cohorts.
 */
export function hasAccess(user: string, product: string, today: string): string {
  return `(exists (select 1 ${ownGrants(user, today)} and ${ofProduct(product)} and g.starts_on <= ${today}::date)
    or has_cohort_access(${user}, ${product}, ${today}::date))`;
}

/**
 * Returns an SQL query of the grants that give a user access today or later. Its columns are `starts_on` and `product_id`;
 * `product_id` is null if the grant is for all products. The user has access to a product (`hasAccess`) if one of these
 * grants for the product has begun.
 */
export function listCountingGrants(user: string, today: string): string {
  return `select g.product_id, g.starts_on, g.ends_on ${ownGrants(user, today)}
    union all
    select g.product_id, g.starts_on, g.ends_on ${cohortGrants(user, today)}`;
}

/** Who gets a grant: the users with the addresses `emails`, or an existing cohort. */
export type Grantees = { emails: readonly string[] } | { cohort_id: string };

export type NewGrants = Days & {
  product_ids: GivenProducts;
  today: string;
  actor: string;
  import_id?: string | undefined;
};

/**
 * `count` is the number of grants that are new, or had ended before (N-65). `product_ids` contains the products of these
 * grants. `people` is the number of users with a new or changed grant. `lengthened` is the number of existing grants that
 * became longer.
 */
type Granted = { count: number; people: number; lengthened: number; product_ids: (string | null)[] };

/**
 * Gives the grantees access to products. If a grantee already has a grant of one of the products, and the grant is not
 * withdrawn, changes this grant instead of adding a second grant (R-LIFE-02):
 * - If the grant has ended before the day `today`, the grant gets the new days.
 * - Otherwise the grant is extended to contain both the old and the new days.
 * - If the grant already contains the new days, the grant stays as it is.
 * If an upload made the existing grant, `noteGivers` records who gives the access again.
 * Writes an audit line for each grantee with a new or changed grant. If the line is about one product, `product_id` is set.
 */
export async function grantAccess(db: Db, order: NewGrants & Grantees): Promise<Granted> {
  const { product_ids, starts_on, ends_on, today, actor, import_id = null } = order;
  const [emails, cohort_id] = 'emails' in order ? [order.emails, null] : [[], order.cohort_id];
  const { rows } = await db.query<Granted & { given: number }>(
    `with product_given as (
       select distinct unnest($2::uuid[]) as product_id
     ), given as (
       select u.id as user_id, null::uuid as cohort_id, p.product_id
       from app_user u cross join product_given p where u.email = any($1::text[])
       union all
       select null, $12::uuid, p.product_id from product_given p where $12::uuid is not null
     ), over as (
       select g.id from given join access_grant g
         on g.user_id = given.user_id and g.product_id is not distinct from given.product_id
       where g.withdrawn_at is null and g.purchase_id is null and g.ends_on < $5::date
       union all
       select g.id from product_given p join access_grant g
         on g.cohort_id = $12::uuid and g.product_id is not distinct from p.product_id
       where g.withdrawn_at is null and g.purchase_id is null and g.ends_on < $5::date
     ), granted as (
       insert into access_grant as g (user_id, cohort_id, product_id, starts_on, ends_on, granted_by, import_id)
       select user_id, cohort_id, product_id, $3, $4, $6, $7 from given order by user_id, product_id
       on conflict (user_id, cohort_id, product_id, purchase_id) where withdrawn_at is null do update set
         starts_on = case when g.ends_on < $5::date then excluded.starts_on
                     else least(g.starts_on, excluded.starts_on) end,
         ends_on = case when g.ends_on < $5::date then excluded.ends_on
                   when g.ends_on is null or excluded.ends_on is null then null
                   else greatest(g.ends_on, excluded.ends_on) end,
         granted_by = case when g.ends_on < $5::date then excluded.granted_by else g.granted_by end,
         granted_at = case when g.ends_on < $5::date then excluded.granted_at else g.granted_at end,
         import_id = case when g.ends_on < $5::date then excluded.import_id else g.import_id end
       where case when g.ends_on < $5::date then (g.starts_on, g.ends_on) is distinct from (excluded.starts_on, excluded.ends_on)
         else excluded.starts_on < g.starts_on
           or (g.ends_on is not null and (excluded.ends_on is null or excluded.ends_on > g.ends_on)) end
       returning g.id, user_id, cohort_id, product_id, xmax = 0 or g.id in (select id from over) as is_new
     ), forgotten as (
       delete from access_grant_source s using over, granted where s.grant_id = over.id and granted.id = over.id
     ), audited as (
       insert into audit (actor, via, ip, actor_id, actor_name, action, user_id, cohort_id, product_id, detail)
       select $6, $8, $9, $10, $11, 'grant.create', user_id, cohort_id,
         case when count(*) = 1 then (array_agg(product_id))[1] end, jsonb_strip_nulls(jsonb_build_object(
         'product_ids', case when bool_or(product_id is null) then '"all"' else to_jsonb(array_agg(product_id)) end,
         'starts_on', $3::text, 'ends_on', $4::text, 'import_id', $7::text, 'cohort_id', cohort_id))
       from granted group by user_id, cohort_id, product_id is null
     )
     select count(*) filter (where is_new)::int as count, count(distinct user_id)::int as people,
       count(*) filter (where not is_new)::int as lengthened,
       coalesce(array_agg(distinct product_id) filter (where is_new), '{}') as product_ids,
       (select count(*)::int from given) as given from granted`,
    [
      ...[emails, product_ids, starts_on, ends_on, today, actor, import_id],
      ...[...originOf(actor), cohort_id],
    ],
  );
  const { given: asked, ...granted } = rows[0] as Granted & { given: number };
  if ('emails' in order && granted.count < asked) await noteGivers(db, order);
  return granted;
}

/**
 * Records who gives access again that an upload has given before, and for which days. The giver is the actor, or a later
 * upload of people (`import_id`). If the first upload is undone, the grant stays for these days.
 * An action on many people has an `import_id` too. The action cannot be undone, so the actor counts as the giver.
 * `grantAccess` has locked the grants before. So this statement sees what other transactions have committed meanwhile.
 */
async function noteGivers(db: Db, order: NewGrants & { emails: readonly string[] }): Promise<void> {
  const { emails, product_ids, actor, import_id = null, starts_on, ends_on, today } = order;
  await db.query(
    `with given as (
       select u.id as user_id, p.product_id
       from app_user u cross join (select distinct unnest($2::uuid[]) as product_id) p where u.email = any($1::text[])
     )
     insert into access_grant_source as s (grant_id, user_id, import_id, given_by, starts_on, ends_on)
     select g.id, g.user_id, (select id from bulk_job where id = $4::uuid and kind = 'users'), $3, $5, $6
     from given join access_grant g on g.user_id = given.user_id and g.product_id is not distinct from given.product_id
     where g.withdrawn_at is null and g.purchase_id is null and g.import_id is not null
       and g.import_id is distinct from $4::uuid
     on conflict (grant_id, import_id) do update set
         starts_on = case when s.ends_on < $7::date then excluded.starts_on
                     else least(s.starts_on, excluded.starts_on) end,
         ends_on = case when s.ends_on < $7::date then excluded.ends_on
                   when s.ends_on is null or excluded.ends_on is null then null
                   else greatest(s.ends_on, excluded.ends_on) end`,
    [emails, product_ids, actor, import_id, starts_on, ends_on, today],
  );
}

/** Returns true if the user has access to the product on the day `today`. */
export async function isGranted(
  db: Db,
  { user_id, product_id, today }: { user_id: string; product_id: string; today: string },
): Promise<boolean> {
  const { rows } = await db.query<{ granted: boolean }>(
    `select ${hasAccess('$1::bigint', '$2::uuid', '$3')} as granted`,
    [user_id, product_id, today],
  );
  return rows[0]?.granted ?? false;
}
