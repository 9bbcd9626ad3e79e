// SQL of the codes that are assigned to a user: reads, adds and revokes these codes, and assigns shared codes.
import { sqlColumns } from '../../db/columns.ts';
import type { Db } from '../../db/database.ts';
import { lockStock, NEW_CODE, type NewCode } from '../codes/new-coupons.sql.ts';

/**
 * A code that is assigned to a user. `assigned_at` is in ISO 8601 in UTC. `use_by` is the last day; null if the code
 * has none.
 */
export type AssignedCoupon = { id: string; coupon_code: string; assigned_at: string; use_by: string | null };

type Assignment = { holder: string; assigned_by: string; assigned_at: Date; is_current: true };
const NEW_ASSIGNED_CODE = sqlColumns<NewCode & Assignment>({
  ...NEW_CODE.fields,
  holder: true,
  assigned_by: true,
  assigned_at: true,
  is_current: true,
});

/** Adds a code that is already assigned to a user: a generated code, or one more assignment of a shared code. */
export async function createAssignedCoupon(
  db: Db,
  { user_id, at, ...coupon }: NewCode & { user_id: string; assigned_by: string; at: Date },
): Promise<AssignedCoupon> {
  const { rows } = await db.query<AssignedCoupon>(
    `insert into coupon (${NEW_ASSIGNED_CODE.list}) values (${NEW_ASSIGNED_CODE.params})
     returning id, coupon_code, assigned_at, nullif(use_by, 'infinity') as use_by`,
    NEW_ASSIGNED_CODE.valuesOf({ ...coupon, holder: user_id, assigned_at: at, is_current: true }),
  );
  return rows[0] as AssignedCoupon;
}

/**
 * Returns an SQL condition that is true for the code that a user currently holds of a product, even if the code is
 * revoked. The table alias of the code is `c`, the arguments are SQL expressions.
 */
export function isCurrentCode({ product, user }: { product: string; user: string }): string {
  return `c.product_id = ${product} and c.holder = ${user} and c.is_current`;
}

/**
 * Returns the user's current code of a product, even if the code is revoked. Returns null if the user has no code of
 * the product.
 */
export async function findCurrentCoupon(
  db: Db,
  product_id: string,
  user_id: string,
): Promise<(AssignedCoupon & { revoked_at: string | null }) | null> {
  const { rows } = await db.query<AssignedCoupon & { revoked_at: string | null }>(
    `select id, coupon_code, assigned_at, nullif(use_by, 'infinity') as use_by, revoked_at
     from coupon c where ${isCurrentCode({ product: '$1', user: '$2' })}`,
    [product_id, user_id],
  );
  return rows[0] ?? null;
}

/** Returns true if `by` has assigned this code of the product to the user with the address `email`. */
export async function isAssignedBy(
  db: Db,
  { by, product_id, email, coupon_code }: Record<'by' | 'product_id' | 'email' | 'coupon_code', string>,
): Promise<boolean> {
  const { rows } = await db.query<{ is_assigned: boolean }>(
    `select exists (
       select from app_user u join coupon c on c.holder = u.id
       where u.email = $1 and c.product_id = $2 and c.coupon_code = $3 and c.assigned_by = $4
     ) as is_assigned`,
    [email, product_id, coupon_code, by],
  );
  return rows[0]?.is_assigned ?? false;
}

/** Makes the user's current code of the product a former code, which remains assigned to the user. */
export async function retireCurrentCoupon(db: Db, product_id: string, user_id: string): Promise<void> {
  await db.query(
    'update coupon set is_current = false where product_id = $1 and holder = $2 and is_current',
    [product_id, user_id],
  );
}

/** Revokes a code. Returns false if nobody holds the code, or the code is revoked already. */
export async function revokeCoupon(
  db: Db,
  { coupon_id, by, reason, at }: { coupon_id: string; by: string; reason: string; at: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update coupon set revoked_at = $2, revoked_by = $3, revoke_reason = $4
     where id = $1 and holder is not null and revoked_at is null`,
    [coupon_id, at, by, reason],
  );
  return rowCount === 1;
}

/**
 * Chooses a new current code after the user's current code of the product was revoked: the newest code that is not
 * revoked (N-46). If all codes of the user are revoked, the revoked code stays the current one, and redeeming is
 * refused (R-LIFE-06). The caller must have locked the user with `lockUser`.
 */
export async function promoteNewestCoupon(
  db: Db,
  { user_id, product_id }: { user_id: string; product_id: string },
): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    `select id from coupon where holder = $1 and product_id = $2 and revoked_at is null
     order by assigned_at desc, id desc limit 1`,
    [user_id, product_id],
  );
  if (rows[0] === undefined) return;
  await retireCurrentCoupon(db, product_id, user_id);
  await db.query('update coupon set is_current = true where id = $1', [rows[0].id]);
}

export type SharedCode = {
  batch_id: string;
  coupon_code: string;
  usage_limit: number | null;
  use_by: string;
  uses: number;
};

/**
 * Returns the newest usable code of a product with shared codes, or null if the product has no usable code. See the
 * SQL function usable_shared_code for which codes are usable. `uses` is the number of assignments of this code; 0 if the code has no
 * usage limit. Locks the product until the transaction ends, so that `uses` is still correct when the caller adds an
 * assignment.
 */
export async function lockSharedCode(db: Db, product_id: string, today: string): Promise<SharedCode | null> {
  await lockStock(db, product_id);
  const { rows } = await db.query<SharedCode>(
    `select newest.batch_id, newest.coupon_code, newest.usage_limit, newest.use_by,
            case when newest.usage_limit is null then 0 else (
              select count(*)::int from coupon used
              where used.product_id = $1 and used.shared and used.coupon_code = newest.coupon_code
                and used.holder is not null) end as uses
     from usable_shared_code($1, $2) newest`,
    [product_id, today],
  );
  return rows[0] ?? null;
}

/**
 * Assigns a free row of a shared code with the same last day to a user. Returns null if the code has no such row.
 * The outer condition repeats that the row is free: the job that marks expired codes may take the row while this
 * statement waits for its lock.
 */
export async function assignSharedRow(
  db: Db,
  {
    product_id,
    user_id,
    assigned_by,
    at,
    coupon_code,
    use_by,
  }: Pick<SharedCode, 'coupon_code' | 'use_by'> & {
    product_id: string;
    user_id: string;
    assigned_by: string;
    at: Date;
  },
): Promise<AssignedCoupon | null> {
  const { rows } = await db.query<AssignedCoupon>(
    `update coupon set holder = $2, assigned_by = $3, assigned_at = $4, is_current = true
     where id = (select id from coupon where product_id = $1 and shared and coupon_code = $5 and use_by = $6
                 and holder is null and voided_at is null order by id limit 1)
       and holder is null and voided_at is null
     returning id, coupon_code, assigned_at, nullif(use_by, 'infinity') as use_by`,
    [product_id, user_id, assigned_by, at, coupon_code, use_by],
  );
  return rows[0] ?? null;
}
