// Finds a code by its id, and the code that replaced a revoked code.
import type { Coupon } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import { COUPON_ON_ANY_DAY } from './coupons.sql.ts';

/**
 * A code with the fields that decide what staff may do with it. `state` does not say whether a free code has expired
 * today. `holder` is app_user.id, or null if the code is free or void.
 */
export type StoredCoupon = Coupon & {
  revoked_at: string | null;
  holder: string | null;
  shared: boolean;
  is_current: boolean;
};

/** Returns the code with this id, or null if there is none. `id` must be a row id. */
export async function findStoredCoupon(db: Db, id: string): Promise<StoredCoupon | null> {
  const { rows } = await db.query<StoredCoupon>(
    `select ${COUPON_ON_ANY_DAY}, c.revoked_at, c.holder, c.shared, c.is_current
     from coupon c left join app_user u on u.id = c.holder where c.id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/**
 * Returns a row that makes the text of a shared code void, or null if there is none. If several rows do so, prefers the
 * row with the given `id`, then the newest row.
 */
export async function findVoidShared(
  db: Db,
  { id, product_id, coupon_code }: Pick<Coupon, 'id' | 'product_id' | 'coupon_code'>,
): Promise<StoredCoupon | null> {
  const { rows } = await db.query<StoredCoupon>(
    `select ${COUPON_ON_ANY_DAY}, c.revoked_at, c.holder, c.shared, c.is_current
     from coupon c left join app_user u on u.id = c.holder
     where c.product_id = $1 and c.shared and c.coupon_code = $2 and c.voided_at is not null
     order by c.id = $3 desc, c.id desc limit 1`,
    [product_id, coupon_code, id],
  );
  return rows[0] ?? null;
}

/**
 * Returns the code that the holder got in place of the revoked code `id`: the first one at the time `after` or later.
 * Returns null if there is none.
 */
export async function findReplacement(
  db: Db,
  { product_id, holder, id, after }: { product_id: string; holder: string; id: string; after: string },
): Promise<{ coupon_code: string; assigned_at: string } | null> {
  const { rows } = await db.query<{ coupon_code: string; assigned_at: string }>(
    `select coupon_code, assigned_at from coupon
     where product_id = $1 and holder = $2 and id <> $3 and assigned_at >= $4
     order by assigned_at, id limit 1`,
    [product_id, holder, id, after],
  );
  return rows[0] ?? null;
}

/**
 * Returns an SQL condition that is true if a code of the user was revoked before the user's code that was assigned at
 * the time `assigned_at`. The arguments are SQL expressions.
 */
const followsRevocationOf = (user: string, product: string, assigned_at: string) =>
  `exists (select from coupon where holder = ${user} and product_id = ${product} and revoked_at <= ${assigned_at})`;

/** Returns true if a code of the user was revoked before the user's code that was assigned at the time `assigned_at`. */
export async function followsRevocation(
  db: Db,
  { user_id, product_id, assigned_at }: { user_id: string; product_id: string; assigned_at: string },
): Promise<boolean> {
  const { rows } = await db.query<{ follows: boolean }>(
    `select ${followsRevocationOf('$1', '$2', '$3')} as follows`,
    [user_id, product_id, assigned_at],
  );
  return rows[0]?.follows ?? false;
}

/**
 * A user's current code. `is_replacement` is true if staff assigned the code after the user's code before was revoked.
 */
export type OwnCode = Pick<Coupon, 'id' | 'product_id' | 'coupon_code'> & {
  assigned_at: string;
  is_replacement: boolean;
};

/** Returns the user's current codes that are not revoked. */
export async function listOwnCodes(db: Db, user_id: string): Promise<OwnCode[]> {
  const { rows } = await db.query<OwnCode>(
    `select c.id, c.product_id, c.coupon_code, c.assigned_at,
       c.assigned_by <> 'learner' and ${followsRevocationOf('c.holder', 'c.product_id', 'c.assigned_at')} as is_replacement
     from coupon c where c.holder = $1 and c.is_current and c.revoked_at is null`,
    [user_id],
  );
  return rows;
}
