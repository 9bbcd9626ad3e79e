// The claim, which assigns a free code to a user (0005), and the SQL of the codes that are assigned.
import type { ProductStatus } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import { lockStock, type NewCode } from '../codes/batches.sql.ts';
import { originOf } from '../log/audit.sql.ts';
import { type IdentityOrUser, selectCaller } from '../team/callers.sql.ts';

export type Claim = IdentityOrUser & {
  /** UUID of the product; null if the request has an id that is not a UUID and thus belongs to no product. */
  product_id: string | null;
  /** 'learner', or the administrator's address. */
  assigned_by: string;
  /** Action that the audit line records, for example 'coupon.redeem'. */
  action: string;
  at: Date;
  /** The day of `at` in the portal's time zone. */
  today: string;
  /** True if the code replaces a revoked code. Then the claim checks neither access nor the product's status (N-54). */
  isReplacement?: boolean;
  /** Additional fields for the `detail` of the audit line. */
  detail?: Record<string, unknown> | undefined;
};

/**
 * Result of a claim. `user_id` is null if the caller's address belongs to no user.
 * `product_url` is null if the product does not exist.
 * `coupon_code` is the user's current code, even if the code is revoked. If the user had no code before, `coupon_code`
 * is the code that this claim assigned, or null if this claim assigned none. `is_new` is true if this claim assigned a code.
 * `unconfirmed` is null without a code.
 * `assigned_by` is 'learner', or the address of the administrator who assigned the code. `opens_on` and `use_by` are
 * null if there is no such day.
 */
export type ClaimResult = {
  user_id: string | null;
  product_url: string | null;
  shared_coupon: boolean;
  status: ProductStatus;
  opens_on: string | null;
  granted: boolean;
  coupon_code: string | null;
  assigned_at: string | null;
  use_by: string | null;
  revoked_at: string | null;
  assigned_by: string | null;
  unconfirmed: boolean | null;
  is_new: boolean;
};

/*
 * This statement is one transaction. It checks the session (0016), the product and the access (as `hasAccess` does). If the
 * user has no code yet and may get one, it calls the SQL function claim_next_coupon, which assigns a code and adds the audit
 * line.
 * If a user claims twice at the same time, each statement locks a free code. The unique index coupon_current lets only one
 * of them succeed. The other statement fails, and its locked code is free again.
 * The function skips locked codes, so concurrent claims take different codes. A claim that found no free code is repeated,
 * and then waits for locked codes, because a code becomes free again if the claim that locked it fails.
 * A code is not assigned on its last day, because the partner's clock may be ahead (R-LIFE-04).
 * Claims take codes in the order of `use_by` and `pos`. Only the partial index coupon_free may contain these columns. With
 * another such index, the planner could choose this other index and read all assigned codes.
 */
const claimBy = (claimant: string) => `
  with claimant as (${claimant}
  ), offer as (
    select u.user_id, p.url, p.shared_coupon, p.opens_on, product_status(p, $3) as status,
           p.product_id is not null and (
             exists (
               select from access_grant g
               where g.user_id = u.user_id and (g.product_id = p.product_id or g.product_id is null)
                 and g.withdrawn_at is null and g.starts_on <= $3 and (g.ends_on is null or g.ends_on >= $3))
             or has_cohort_access(u.user_id, p.product_id, $3)) as granted
    from claimant u left join product p on p.product_id = $2
  )
  select offer.user_id, offer.url as product_url, coalesce(offer.shared_coupon, false) as shared_coupon,
         offer.status, offer.opens_on::text, offer.granted,
         mine.coupon_code, mine.assigned_at, mine.assigned_by, nullif(mine.use_by, 'infinity')::text as use_by,
         mine.revoked_at, mine.unconfirmed,
         case when mine.coupon_code is null and not offer.shared_coupon
           and ($7 or (offer.granted and (offer.status = 'live' or ($5 <> 'learner' and offer.status <> 'archived'))))
         then claim_next_coupon($2, offer.user_id, $3, $8, $4, $5, $10, $11, $12, $13, $6, $9) end as claimed
  from offer left join lateral (
    select coupon_code, assigned_at, assigned_by, use_by, revoked_at, unconfirmed
    from coupon where product_id = $2 and holder = offer.user_id and is_current limit 1) mine on true`;

type ClaimRow = Omit<ClaimResult, 'is_new'> & {
  /** The code that this claim assigned. `use_by` is 'infinity' if the code has no last day. */
  claimed: { coupon_code: string; use_by: string; unconfirmed: boolean } | null;
};

/**
 * Returns the user's current code of the product, even if the code is revoked. If the user has none, assigns the free
 * code that expires first. Of codes with the same last day, assigns the one that was uploaded first (R-LIFE-05).
 * A learner needs access, and the product must be live. If staff claim for a user, the user needs access, and the
 * product must not be archived (R-LIFE-07). This function never assigns shared codes.
 * With `locked` 'skip', the statement skips free codes that another claim has locked. With 'wait', the statement waits
 * until the other claim ends.
 * Returns null if the session has ended. Throws a unique violation of `coupon_current` if a concurrent claim of the same
 * user succeeded first. The caller should then try again.
 */
export async function claimCoupon(
  db: Db,
  { product_id, today, at, assigned_by, action, ...claim }: Claim,
  locked: 'skip' | 'wait' = 'skip',
): Promise<ClaimResult | null> {
  const { query, key } = selectCaller(claim);
  const { rows } = await db.query<ClaimRow>(claimBy(query), [
    ...[key, product_id, today, at, assigned_by, action, claim.isReplacement ?? false],
    ...[locked === 'wait', JSON.stringify(claim.detail ?? {}), ...originOf(assigned_by)],
  ]);
  if (rows[0] === undefined) return null;
  const { claimed, ...found } = rows[0];
  if (claimed === null) return { ...found, is_new: false };
  const { coupon_code, use_by, unconfirmed } = claimed;
  return {
    ...found,
    ...{ coupon_code, assigned_at: at.toISOString(), assigned_by, unconfirmed, is_new: true },
    use_by: use_by === 'infinity' ? null : use_by,
  };
}

/**
 * Records the position of the first free code for each last day of a product's free codes; without `product_id`, for all
 * products (0005). Claims start their search at this position. A transaction that voids many free codes, or changes their
 * last day, must call this function at its end. Otherwise claims would read the index entries of these codes until the
 * recurring job calls this function.
 */
export async function recordClaimPlaces(db: Db, product_id?: string): Promise<void> {
  if (product_id !== undefined) await db.query('select advance_claim_days($1)', [product_id]);
  else
    await db.query(
      'select advance_claim_days(product_id) from (select distinct product_id from claim_day) d',
    );
}

/**
 * Returns how many free codes no claim can find, because claim_day does not cover them. Triggers prevent this, unless
 * somebody changed rows by hand. Reads all free codes.
 */
export async function countHiddenCodes(db: Db): Promise<number> {
  const { rows } = await db.query<{ hidden: number }>(
    `select count(*)::int as hidden from coupon c
     left join claim_day d on d.product_id = c.product_id and d.use_by = c.use_by
     where c.holder is null and c.voided_at is null and (d.pos is null or d.pos > c.pos)`,
  );
  return rows[0]?.hidden ?? 0;
}

/** Makes claim_day cover all free codes. Returns the number of days that were added or corrected. */
export async function reopenClaimDays(db: Db): Promise<number> {
  const { rowCount } = await db.query(
    `insert into claim_day as d (product_id, use_by, pos)
       select product_id, use_by, min(pos) from coupon where holder is null and voided_at is null
       group by product_id, use_by order by product_id, use_by
     on conflict (product_id, use_by) do update set pos = excluded.pos where d.pos > excluded.pos`,
  );
  return rowCount;
}

/**
 * A code that is assigned to a user. `assigned_at` is in ISO 8601 in UTC. `use_by` is the last day; null if the code
 * has none.
 */
export type AssignedCoupon = {
  id: string;
  coupon_code: string;
  assigned_at: string;
  use_by: string | null;
  unconfirmed: boolean;
};

/** Adds a code that is already assigned to a user: a generated code, or one more assignment of a shared code. */
export async function createAssignedCoupon(
  db: Db,
  { user_id, at, ...coupon }: NewCode & { user_id: string; assigned_by: string; at: Date },
): Promise<AssignedCoupon> {
  const { rows } = await db.query<AssignedCoupon>(
    `insert into coupon (product_id, batch_id, coupon_code, shared, usage_limit, use_by, holder, assigned_by, assigned_at,
       is_current, unconfirmed)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, true, $10)
     returning id, coupon_code, assigned_at, nullif(use_by, 'infinity') as use_by, unconfirmed`,
    [
      ...[coupon.product_id, coupon.batch_id, coupon.coupon_code, coupon.shared, coupon.usage_limit],
      ...[coupon.use_by, user_id, coupon.assigned_by, at, coupon.unconfirmed],
    ],
  );
  return rows[0] as AssignedCoupon;
}

/**
 * Assigns the code `id` to a user, as the user's current code. Returns null if the code is not free, is shared, or its
 * last day is `today` or earlier. Throws a unique violation of `coupon_current` if the user has a current code.
 */
export async function assignCoupon(
  db: Db,
  { id, user_id, ...by }: Record<'id' | 'user_id' | 'assigned_by' | 'today', string> & { at: Date },
): Promise<AssignedCoupon | null> {
  const { rows } = await db.query<AssignedCoupon>(
    `update coupon set holder = $2, assigned_by = $3, assigned_at = $4, is_current = true
     where id = $1 and holder is null and voided_at is null and use_by > $5::date and not shared
     returning id, coupon_code, assigned_at, nullif(use_by, 'infinity') as use_by, unconfirmed`,
    [id, user_id, by.assigned_by, by.at, by.today],
  );
  return rows[0] ?? null;
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
    `select id, coupon_code, assigned_at, nullif(use_by, 'infinity') as use_by, unconfirmed, revoked_at
     from coupon where product_id = $1 and holder = $2 and is_current`,
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
  unconfirmed: boolean;
  uses: number;
};

/**
 * Returns the newest usable code of a product with shared codes, or null if the product has no usable code. The SQL
 * function usable_shared_code defines which codes are usable. `uses` is the number of assignments of this code; 0 if the
 * code has no usage limit. Locks the product until the transaction ends, so that `uses` remains correct until the caller
 * has added an assignment.
 */
export async function lockSharedCode(db: Db, product_id: string, today: string): Promise<SharedCode | null> {
  await lockStock(db, product_id);
  const { rows } = await db.query<SharedCode>(
    `select newest.batch_id, newest.coupon_code, newest.usage_limit, newest.use_by, newest.unconfirmed,
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
  row: Record<'product_id' | 'user_id' | 'assigned_by' | 'coupon_code' | 'use_by', string> & { at: Date },
): Promise<AssignedCoupon | null> {
  const { rows } = await db.query<AssignedCoupon>(
    `update coupon set holder = $2, assigned_by = $3, assigned_at = $4, is_current = true
     where id = (select id from coupon where product_id = $1 and shared and coupon_code = $5 and use_by = $6
                 and holder is null and voided_at is null order by id limit 1)
       and holder is null and voided_at is null
     returning id, coupon_code, assigned_at, nullif(use_by, 'infinity') as use_by, unconfirmed`,
    [row.product_id, row.user_id, row.assigned_by, row.at, row.coupon_code, row.use_by],
  );
  return rows[0] ?? null;
}
