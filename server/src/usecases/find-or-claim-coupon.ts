// Finds a user's current code of a product, or claims the next free one.
import { type Db, isDeadlock, isUniqueViolation } from '../db/database.ts';
import { type Claim, type ClaimResult, claimCoupon } from '../stores/claims.ts';
import type { ClaimHints } from './claim-hints.ts';

/**
 * The user who gets a code, and the values of the audit line. `assigned_by` is 'learner' or the address of an
 * administrator. `action` is, for example, 'coupon.generate'.
 */
export type Recipient = {
  product_id: string;
  user_id: string;
  assigned_by: string;
  action: string;
  at: Date;
};

const MAX_TRIES = 10;

/**
 * Returns the user's current code, or claims a free one and returns it. The result is null if the session has ended or
 * the user does not exist.
 * `coupon_code` is null if no code is left, or the product does not exist or is not granted. It is also null if the
 * address belongs to no user.
 */
export async function findOrClaimCoupon(
  db: Db,
  hints: ClaimHints,
  claim: Omit<Claim, 'after'>,
): Promise<ClaimResult | null> {
  const { product_id } = claim;
  // The first claim skips codes that other claims have locked. If the first claim finds no code, the second claim
  // considers all codes and waits for locked codes.
  // After a double click, a concurrent claim of the same user may take the last code, so that the second claim finds
  // none. The third claim then finds this user's code (0006).
  let found = await claimCoupon(db, { ...claim, after: product_id === null ? '0' : hints.find(product_id) });
  if (isEmpty(found)) found = await claimCoupon(db, { ...claim, after: '0' }, 'wait');
  if (isEmpty(found)) found = await claimCoupon(db, { ...claim, after: '0' });
  if (product_id !== null && found?.pos) hints.record(product_id, found.pos);
  return found;
}

function isEmpty(found: ClaimResult | null): boolean {
  return found?.granted === true && found.coupon_code === null;
}

/**
 * Runs `work` again if a concurrent claim of the same user succeeded first, ten times at most. The repeated `work`
 * finds the code of that other claim.
 */
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
