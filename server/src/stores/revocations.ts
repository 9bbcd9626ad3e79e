// Finds one code by its id, and revokes a code that a user holds.
import type { Coupon } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { COUPON } from './coupons.ts';

/** A code with what staff may do to it. `holder` is app_user.id, or null if the code is free or void. */
export type CouponRecord = Coupon & {
  revoked_at: string | null;
  holder: string | null;
  shared: boolean;
  is_current: boolean;
};

/** Returns a code, or null if there is none with this id. `id` must be a row id. */
export async function findCouponRecord(db: Db, id: string): Promise<CouponRecord | null> {
  const { rows } = await db.query<CouponRecord>(
    `select ${COUPON}, c.revoked_at, c.holder, c.shared, c.is_current
     from coupon c left join app_user u on u.id = c.holder where c.id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/** Returns the row that makes the text of a shared code void; of several, that of the code itself, else the newest. */
export async function findVoidShared(
  db: Db,
  { id, product_id, coupon_code }: Pick<Coupon, 'id' | 'product_id' | 'coupon_code'>,
): Promise<CouponRecord | null> {
  const { rows } = await db.query<CouponRecord>(
    `select ${COUPON}, c.revoked_at, c.holder, c.shared, c.is_current
     from coupon c left join app_user u on u.id = c.holder
     where c.product_id = $1 and c.shared and c.coupon_code = $2 and c.voided_at is not null
     order by c.id = $3 desc, c.id desc limit 1`,
    [product_id, coupon_code, id],
  );
  return rows[0] ?? null;
}

/** Revokes a held code. It stays the current code of its holder, unless another one becomes it. */
export async function markRevoked(
  db: Db,
  { id, actor, reason, at }: { id: string; actor: string; reason: string; at: Date },
): Promise<void> {
  await db.query(
    `update coupon set revoked_at = $2, revoked_by = $3, revoke_reason = $4
     where id = $1 and holder is not null and revoked_at is null`,
    [id, at, actor, reason],
  );
}

type Whose = { product_id: string; holder: string };

/**
 * Makes the newest code of the holder that is not revoked the current one (N-46). Does nothing if all codes of the
 * holder are revoked.
 */
export async function restoreCurrentCoupon(db: Db, { product_id, holder }: Whose): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    `select id from coupon where product_id = $1 and holder = $2 and revoked_at is null
     order by assigned_at desc, id desc limit 1`,
    [product_id, holder],
  );
  if (rows[0] === undefined) return;
  // Two statements: the unique index coupon_current is checked for each row.
  await db.query(
    'update coupon set is_current = false where product_id = $1 and holder = $2 and is_current and id <> $3',
    [product_id, holder, rows[0].id],
  );
  await db.query('update coupon set is_current = true where id = $1 and not is_current', [rows[0].id]);
}

/** Returns the code that the holder got first after `after`, or null. */
export async function findReplacement(
  db: Db,
  { product_id, holder, id, after }: Whose & { id: string; after: string },
): Promise<{ coupon_code: string; assigned_at: string } | null> {
  const { rows } = await db.query<{ coupon_code: string; assigned_at: string }>(
    `select coupon_code, assigned_at from coupon
     where product_id = $1 and holder = $2 and id <> $3 and assigned_at >= $4
     order by assigned_at, id limit 1`,
    [product_id, holder, id, after],
  );
  return rows[0] ?? null;
}
