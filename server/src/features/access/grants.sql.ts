// Reads, edits and withdraws grants.
import type { Grant } from '@portal/contract';
import type { Db } from '../../db/database.ts';

/** The first and the last day of a grant; `ends_on` is null for a grant without end. */
export type Days = { starts_on: string; ends_on: string | null };

/** Products to which access is given. Null stands for all products, also future ones. */
export type GivenProducts = readonly (string | null)[];

/**
 * Returns SQL that selects the grants of a user: the user's own grants, and the grants of the user's cohorts. The SQL
 * has a part for each of the two kinds of grants. One condition with `or` would make the planner scan all grants.
 */
export function grantsOfUser(user: string): string {
  return `
    select g.* from access_grant g where g.user_id = ${user}
    union all
    select g.* from cohort_member m join access_grant g on g.cohort_id = m.cohort_id where m.user_id = ${user}`;
}

/** Returns an SQL expression for the state of a grant `g` on the day `today`. */
export function grantState(today: string): string {
  return `case when g.withdrawn_at is not null then 'withdrawn' when g.cohort_archived then 'archived'
    when g.starts_on > ${today}::date then 'future' when g.ends_on < ${today}::date then 'over' else 'live' end`;
}

const GRANTS = {
  user: grantsOfUser('$1::bigint'),
  cohort: 'select * from access_grant where cohort_id = $1::uuid',
  id: 'select * from access_grant where id = $1::bigint',
};

/**
 * Whose grants are read: the grants of a user and of the user's cohorts, the grants of a cohort, or one grant by its
 * id.
 */
export type GrantsOf = { user_id: string } | { cohort_id: string } | { id: string };

/**
 * SQL columns of a grant as staff see it, and the SQL that joins its product. The table alias of the grant is `g`.
 * `$2` is the day that decides the state.
 */
export const GRANT = {
  columns: `g.id, g.product_id, p.name as product_name, g.starts_on, g.ends_on, g.granted_by, g.granted_at, g.withdrawn_at,
            case when g.cohort_id is not null then 'cohort' when g.purchase_id is not null then 'purchase'
                 else 'direct' end as via,
            ${grantState('$2')} as state`,
  product: 'left join product p on p.product_id = g.product_id',
};

/** Returns grants, including withdrawn ones, newest first. */
export async function listGrants(db: Db, of: GrantsOf, today: string): Promise<Grant[]> {
  const [from, key] =
    'user_id' in of
      ? [GRANTS.user, of.user_id]
      : 'cohort_id' in of
        ? [GRANTS.cohort, of.cohort_id]
        : [GRANTS.id, of.id];
  const { rows } = await db.query<Grant>(
    `select ${GRANT.columns} from (${from}) g ${GRANT.product}
     order by g.id desc`,
    [key, today],
  );
  return rows;
}

/**
 * Returns the ids of the standing grants for these products. Only grants that were given directly to this user or
 * cohort are returned, not grants of a purchase.
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

/**
 * Returns the grant, or null if it does not exist. Locks the grant against other changes until the transaction ends.
 */
export async function lockGrant(db: Db, id: string): Promise<LockedGrant | null> {
  const { rows } = await db.query<LockedGrant>(
    `select user_id, product_id, cohort_id, starts_on, ends_on, withdrawn_at from access_grant
     where id = $1 for no key update`,
    [id],
  );
  return rows[0] ?? null;
}

/**
 * Returns the user to whom the grant was given. Returns null for a grant to a cohort, or if the grant does not exist.
 */
export async function findGrantee(db: Db, id: string): Promise<string | null> {
  const { rows } = await db.query<{ user_id: string | null }>(
    'select user_id from access_grant where id = $1',
    [id],
  );
  return rows[0]?.user_id ?? null;
}

/** Sets the days of a grant. They are those of its other givers too, so taking back the upload that made it keeps them. */
export async function updateGrantDays(db: Db, id: string, { starts_on, ends_on }: Days): Promise<void> {
  const values = [id, starts_on, ends_on];
  await db.query('update access_grant set starts_on = $2, ends_on = $3 where id = $1', values);
  await db.query('update access_grant_source set starts_on = $2, ends_on = $3 where grant_id = $1', values);
}

/** Withdraws a standing grant. */
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
