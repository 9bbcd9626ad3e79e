// The claim: one SQL statement that assigns a free code to a user (0005).
import type { Db } from '../db/database.ts';
import { CALLER, callerKey, type Identity } from './callers.ts';

/**
 * The user who gets the code: the caller with this identity, or a user whom an administrator chose. A caller whose
 * session has ended gets no code.
 */
export type Claimant = Identity | { user_id: string };

export type Claim = {
  /** UUID of the product; null if the request has an id that is not a UUID and thus belongs to no product. */
  product_id: string | null;
  claimant: Claimant;
  /**
   * The claim considers only free codes at a position greater than `after`, which comes from a claim hint. With '0',
   * the claim considers all free codes.
   */
  after: string;
  /** 'learner', or the address of the administrator who issues the code. */
  assigned_by: string;
  /** Action that the audit line records, for example 'coupon.redeem'. */
  action: string;
  at: Date;
};

/**
 * Result of a claim. `user_id` is null if the claimant's address belongs to no user. `product_url` is null if there is
 * no such product.
 * `coupon_code` is null if the user got no code and had none. `pos` is the position of the code if this claim assigned
 * it, otherwise null.
 */
export type ClaimResult = {
  user_id: string | null;
  product_url: string | null;
  shared_coupon: boolean;
  granted: boolean;
  coupon_code: string | null;
  assigned_at: string | null;
  pos: string | null;
};

/*
 * One statement is one transaction. It checks session, product and access, assigns a code, and adds the audit line.
 * Two concurrent claims of the same user each lock a free row. The unique index coupon_current lets only one of them
 * succeed. The other claim is rolled back, and its row stays free.
 * With `skip locked`, concurrent claims take different rows. If such a claim finds no free row, the caller repeats it
 * without `skip locked`. The repeated claim waits for locked rows, because a row stays free if the claim that locked it
 * fails.
 * The column `pos` defines the order of claims. No index but coupon_free may contain `pos`: otherwise the planner could
 * choose another index and read every assigned code.
 */
function claimStatement(claimant: string, lock: 'for update skip locked' | 'for update'): string {
  return `
    with claimant as (${claimant}
    ), offer as (
      select p.url, p.shared_coupon,
             coalesce(claimant.all_products, false) or exists (
               select 1 from product_access a where a.user_id = claimant.user_id and a.product_id = p.product_id) as granted
      from claimant, product p where p.product_id = $2 and p.archived_at is null
    ), mine as (
      select coupon_code, assigned_at from coupon
      where product_id = $2 and holder = (select user_id from claimant) and is_current
    ), free as (
      select id from coupon
      where product_id = $2 and holder is null and pos > $3
        and not exists (select 1 from mine) and (select granted from offer)
      order by pos limit 1 ${lock}
    ), claimed as (
      update coupon c
      set holder = (select user_id from claimant), assigned_at = $4, assigned_by = $5, is_current = true
      from free where c.id = free.id
      returning c.id, c.coupon_code, c.assigned_at, c.pos
    ), audited as (
      insert into audit (at, actor, action, user_id, product_id, coupon_id)
      select $4, $5, $6, (select user_id from claimant), $2, id from claimed
    )
    select claimant.user_id, offer.url as product_url,
           coalesce(offer.shared_coupon, false) as shared_coupon, coalesce(offer.granted, false) as granted,
           coalesce(mine.coupon_code, claimed.coupon_code) as coupon_code,
           coalesce(mine.assigned_at, claimed.assigned_at) as assigned_at,
           claimed.pos
    from claimant left join offer on true left join mine on true left join claimed on true`;
}

const claimStatements = (claimant: string) => ({
  skip: claimStatement(claimant, 'for update skip locked'),
  wait: claimStatement(claimant, 'for update'),
});

const CLAIMS = {
  bySession: claimStatements(CALLER.bySession),
  byEmail: claimStatements(CALLER.byEmail),
  byUserId: claimStatements('select id as user_id, all_products from app_user where id = $1'),
};

/**
 * Returns the claimant's current code of the product. If there is none, assigns the first free code at a position
 * greater than `after`.
 * `locked` says what happens to free codes that another claim has locked: 'skip' passes over them, 'wait' waits until
 * the other claim ends.
 * Returns null if the claimant's session has ended or the user does not exist.
 * Throws a unique violation of `coupon_current` if a concurrent claim of the same user succeeded first. The caller
 * should then claim again.
 */
export async function claimCoupon(
  db: Db,
  { claimant, ...claim }: Claim,
  locked: 'skip' | 'wait' = 'skip',
): Promise<ClaimResult | null> {
  const { by, key } =
    'session_id' in claimant ? callerKey(claimant) : { by: 'byUserId' as const, key: claimant.user_id };
  const { rows } = await db.query<ClaimResult>(CLAIMS[by][locked], [
    key,
    claim.product_id,
    claim.after,
    claim.at,
    claim.assigned_by,
    claim.action,
  ]);
  return rows[0] ?? null;
}
