// Gives a user their code of a product: the one they hold, or the next free one.
import { type Db, isDeadlock, isUniqueViolation } from '../db/database.ts';
import { type Claim, type ClaimResult, claimCoupon } from '../stores/claims.ts';
import type { ClaimHints } from './claim-hints.ts';

/** Whom a code is for, on whose word, and what the audit line calls it. */
export type Recipient = {
  product_id: string;
  user_id: string;
  assigned_by: string;
  action: string;
  at: Date;
};

const MAX_TRIES = 10;

/**
 * Null: the claimant's session has ended, or there is no such user. `coupon_code` null: no such user or product, not
 * granted, or none left. Nothing is answered as "none left" before all
 * codes were looked at, those included that another claim holds locked at this moment; and when that other claim was
 * this very user's (a double press on the last code), the third look finds the code it got them.
 */
export async function findOrClaimCoupon(
  db: Db,
  hints: ClaimHints,
  claim: Omit<Claim, 'after'>,
): Promise<ClaimResult | null> {
  const { product_id } = claim;
  let found = await claimCoupon(db, { ...claim, after: product_id === null ? '0' : hints.find(product_id) });
  if (isEmpty(found)) found = await claimCoupon(db, { ...claim, after: '0' }, 'wait');
  if (isEmpty(found)) found = await claimCoupon(db, { ...claim, after: '0' });
  if (product_id !== null && found?.pos) hints.record(product_id, found.pos);
  return found;
}

function isEmpty(found: ClaimResult | null): boolean {
  return found?.granted === true && found.coupon_code === null;
}

/** Runs `work` again when another claim of the same user won in between: then their code is there to be found. */
export async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isConflict = isUniqueViolation(error, 'coupon_current') || isDeadlock(error);
      if (!isConflict || tries === MAX_TRIES) throw error;
    }
  }
}
