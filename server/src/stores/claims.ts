// The claim: the one statement that hands out a code.
import type { Db } from '../db/database.ts';

export type Claim = {
  product_id: string;
  user_id: string;
  /** Only free codes after this position are looked at; '0' looks at all. */
  after: string;
  /** 'learner', or the address of the administrator who acts. */
  assigned_by: string;
  /** The audit line's action. */
  action: string;
  at: Date;
};

/** What the claim found. `pos` is null unless a code was handed out just now; without a code, none was found. */
export type ClaimResult = {
  product_url: string;
  shared_coupon: boolean;
  granted: boolean;
  coupon_code: string | null;
  assigned_at: string | null;
  pos: string | null;
};

/*
 * One statement is one transaction: the product, the access, the code that the user already holds, the next free code
 * and the audit line are decided together. Two statements of one user at once both find no code of theirs and take two
 * rows; the index coupon_current lets one of them through, the other fails whole and its row is free again.
 * `skip locked` keeps claimers out of each other's way; the variant that waits serves whoever found nothing, so that a
 * code in the hands of a claim that fails in the end is not overlooked.
 * The order column must be covered by the partial index coupon_free alone (see the migration).
 */
function claimStatement(lock: 'for update skip locked' | 'for update'): string {
  return `
    with offer as (
      select p.url, p.shared_coupon,
             exists (select 1 from app_user u where u.id = $2 and (u.all_products or exists (
               select 1 from product_access a where a.user_id = u.id and a.product_id = $1))) as granted
      from product p where p.product_id = $1 and p.archived_at is null
    ), mine as (
      select coupon_code, assigned_at from coupon where product_id = $1 and holder = $2 and is_current
    ), free as (
      select id from coupon
      where product_id = $1 and holder is null and pos > $3
        and not exists (select 1 from mine) and (select granted from offer)
      order by pos limit 1 ${lock}
    ), claimed as (
      update coupon c
      set holder = $2, assigned_at = $4, assigned_by = $5, is_current = true
      from free where c.id = free.id
      returning c.id, c.coupon_code, c.assigned_at, c.pos
    ), noted as (
      insert into audit (at, actor, action, user_id, product_id, coupon_id)
      select $4, $5, $6, $2, $1, id from claimed
    )
    select offer.url as product_url, offer.shared_coupon, offer.granted,
           coalesce(mine.coupon_code, claimed.coupon_code) as coupon_code,
           coalesce(mine.assigned_at, claimed.assigned_at) as assigned_at,
           claimed.pos
    from offer left join mine on true left join claimed on true`;
}

const CLAIM = claimStatement('for update skip locked');
const CLAIM_WAITING = claimStatement('for update');

/**
 * Hands the user their code of the product: the current one if they hold one, else the first free one after `after`.
 * `locked` says what to do about codes that another claim has in hand: skip them, or wait for its end.
 * Answers null for an unknown product. Throws a unique violation of `coupon_current` when another claim of the same
 * user was quicker: ask again.
 */
export async function claimCoupon(
  db: Db,
  claim: Claim,
  locked: 'skip' | 'wait' = 'skip',
): Promise<ClaimResult | null> {
  const { rows } = await db.query<ClaimResult>(locked === 'wait' ? CLAIM_WAITING : CLAIM, [
    claim.product_id,
    claim.user_id,
    claim.after,
    claim.at,
    claim.assigned_by,
    claim.action,
  ]);
  return rows[0] ?? null;
}
