// The claim: the one statement that hands out a code.
import type { Db } from '../db/database.ts';
import { CALLER, callerKey, type Identity } from './callers.ts';

/** Who is to get a code: whoever calls, as long as their session lives, or the user that an administrator names. */
export type Claimant = Identity | { user_id: string };

export type Claim = {
  /** Null: what was asked for cannot be a product. */
  product_id: string | null;
  claimant: Claimant;
  /** Only free codes after this position are looked at; '0' looks at all. */
  after: string;
  /** 'learner', or the address of the administrator who acts. */
  assigned_by: string;
  /** The audit line's action. */
  action: string;
  at: Date;
};

/**
 * What the claim found. `user_id` is null for an address that the portal does not know, `product_url` without such a
 * product, `pos` unless a code was handed out just now; without a code, none was found.
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
 * One statement is one transaction: the session, the product, the access, the code that the user already holds, the next
 * free code and the audit line are decided together. Two statements of one user at once both find no code of theirs and
 * take two rows; the index coupon_current lets one of them through, the other fails whole and its row is free again.
 * `skip locked` keeps claimers out of each other's way; the variant that waits serves whoever found nothing, so that a
 * code in the hands of a claim that fails in the end is not overlooked.
 * The order column must be covered by the partial index coupon_free alone (see the migration).
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
    ), noted as (
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
 * Hands the claimant their code of the product: the current one if they hold one, else the first free one after `after`.
 * `locked` says what to do about codes that another claim has in hand: skip them, or wait for its end.
 * Answers null when the claimant's session has ended, or there is no such user. Throws a unique violation of
 * `coupon_current` when another claim of the same user was quicker: ask again.
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
