// The claim: one SQL statement that assigns a free code to a user (0005).
import type { ProductStatus } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import { offerTo } from '../access/access.sql.ts';
import { originOf } from '../log/audit.sql.ts';
import { CALLER, callerKey, type Identity } from '../team/callers.sql.ts';
import { isCurrentCode } from './assigned-coupons.sql.ts';

/**
 * The user who gets the code: the caller of the request, or a user whom an administrator chose. A caller whose session
 * has ended gets no code.
 */
export type Claimant = Identity | { user_id: string };

/**
 * A position in the order of claims. The code that expires first is assigned first. Codes with the same last day are
 * assigned in the order of their upload (R-LIFE-05).
 */
export type ClaimPlace = { use_by: string; pos: string };

/**
 * The position of the code that was assigned last. As long as the product has the same `stock_version`, no code up to
 * this position is free. Each change that may add a free code before this position raises `stock_version`, and so does a
 * change that voids many codes after it: then claims begin at a later position.
 */
export type ClaimHint = ClaimPlace & { stock_version: string };

export type Claim = {
  /** UUID of the product; null if the request has an id that is not a UUID and thus belongs to no product. */
  product_id: string | null;
  claimant: Claimant;
  /**
   * The claim considers only free codes after the position of the hint. With null, the claim considers all free codes.
   */
  hint: ClaimHint | null;
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
 * Result of a claim.
 * `user_id` is null if no user has the address. `product_url` is null if the product does not exist.
 * `coupon_code` is the user's current code, even if the code is revoked. If the user had no code before, `coupon_code`
 * is the code that this claim assigned, or null if this claim assigned none.
 * `assigned_by` is 'learner', or the address of the administrator who assigned the code. `assigned_place` is null unless
 * this claim assigned the code. `opens_on` and `use_by` are null if there is no such day.
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
  assigned_place: ClaimHint | null;
};

/*
 * One statement is one transaction: it checks session, product and access, and calls the SQL function
 * claim_next_coupon, which assigns a code and adds the audit line. A user who has a code, or may get none, costs no such call.
 * If a user claims twice at the same time, both statements lock a free row. The unique index coupon_current lets only
 * one of them succeed. The failed statement is rolled back, and the row that it locked is free again.
 * The function skips locked rows, so concurrent claims take different rows. A claim that found no free row is repeated,
 * and waits for locked rows, because a row becomes free again if the claim that locked it fails.
 * A code is not assigned on its last day, because the partner's clock may be ahead (R-LIFE-04).
 * No index but the partial index coupon_free may contain `use_by` and `pos`, by which claims are ordered. Otherwise the
 * planner could choose the other index, and read all assigned codes.
 */
function claimStatement(claimant: string): string {
  return `
    with claimant as (${claimant}
    ), offer as (
      select claimant.user_id, p.url, p.shared_coupon, p.opens_on::text, p.stock_version, ${offerTo('claimant.user_id', '$3')}
      from claimant left join product p on p.product_id = $2
    ), mine as (
      select coupon_code, assigned_at, assigned_by, use_by, revoked_at from coupon c
      where ${isCurrentCode({ product: '$2', user: '(select user_id from offer)' })}
    )
    select offer.user_id, offer.url as product_url,
           coalesce(offer.shared_coupon, false) as shared_coupon, offer.granted, offer.status, offer.opens_on,
           mine.coupon_code, mine.assigned_at, mine.assigned_by, nullif(mine.use_by, 'infinity')::text as use_by,
           mine.revoked_at, offer.stock_version::text,
           case when mine.coupon_code is null and not offer.shared_coupon
             and ($10 or (granted and (status = 'live' or ($5 <> 'learner' and status <> 'archived'))))
           then claim_next_coupon($2, offer.user_id, case when offer.stock_version = $7 then $8::date end, $9, $3,
             $12, $4, $5, $13, $14, $15, $16, $6, $11) end as claimed
    from offer left join mine on true`;
}

const CLAIMS = {
  bySession: claimStatement(CALLER.bySession),
  byEmail: claimStatement(CALLER.byEmail),
  byUserId: claimStatement('select id as user_id from app_user where id = $1'),
};

type ClaimRow = Omit<ClaimResult, 'assigned_place'> & {
  stock_version: string;
  /** The code that this claim assigned, and its position. `use_by` is 'infinity' if the code has no last day. */
  claimed: (ClaimPlace & { coupon_code: string }) | null;
};

/**
 * Returns the claimant's current code of the product, even if the code is revoked. If the claimant has none, assigns
 * the free code that expires first. Of codes with the same last day, assigns the one that was uploaded first.
 * A learner needs access, and the product must be live. If staff claim for a user, the user needs access, and the
 * product must not be archived (R-LIFE-07). This function never assigns shared codes.
 * With `locked` 'skip', the statement skips free codes that another claim has locked. With 'wait', the statement waits
 * until the other claim ends.
 * Returns null if the claimant's session has ended, or the user does not exist. Throws a unique violation of
 * `coupon_current` if a concurrent claim of the same user succeeded first. The caller should then try again.
 */
export async function claimCoupon(
  db: Db,
  { claimant, hint, ...claim }: Claim,
  locked: 'skip' | 'wait' = 'skip',
): Promise<ClaimResult | null> {
  const { by, key } =
    'session_id' in claimant ? callerKey(claimant) : { by: 'byUserId' as const, key: claimant.user_id };
  const { at, assigned_by } = claim;
  const { rows } = await db.query<ClaimRow>(CLAIMS[by], [
    key,
    claim.product_id,
    claim.today,
    at,
    assigned_by,
    claim.action,
    hint?.stock_version ?? null,
    hint?.use_by ?? null,
    hint?.pos ?? null,
    claim.isReplacement ?? false,
    claim.detail === undefined ? '{}' : JSON.stringify(claim.detail),
    locked === 'wait',
    ...originOf(assigned_by),
  ]);
  if (rows[0] === undefined) return null;
  const { claimed, stock_version, ...found } = rows[0];
  if (claimed === null) return { ...found, assigned_place: null };
  const { coupon_code, use_by, pos } = claimed;
  return {
    ...found,
    ...{ coupon_code, assigned_at: at.toISOString(), assigned_by },
    use_by: use_by === 'infinity' ? null : use_by,
    assigned_place: { use_by, pos, stock_version },
  };
}

/**
 * Records where a product's free codes begin now, for each of their last days; without `product_id`, of all products
 * (0005). Processes without a claim hint start there. A transaction that voids many free codes, or changes their last
 * day, calls this function at its end. Otherwise claims would read the index entries of these codes until the job runs.
 */
export async function recordClaimPlaces(db: Db, product_id?: string): Promise<void> {
  if (product_id !== undefined) await db.query('select advance_claim_days($1)', [product_id]);
  else
    await db.query(
      'select advance_claim_days(product_id) from (select distinct product_id from claim_day) d',
    );
}

/**
 * Returns how many free codes no claim can find, because claim_day does not cover them. Triggers prevent this; it can
 * happen if rows were changed by hand. Reads all free codes.
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
