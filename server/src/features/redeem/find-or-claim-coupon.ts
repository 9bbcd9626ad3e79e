// Finds a user's current code of a product, or claims the next free one.
import { type Db, isDeadlock, isUniqueViolation } from '../../db/database.ts';
import type { ClaimHints } from './claim-hints.ts';
import { type Claim, type ClaimResult, claimCoupon } from './claims.sql.ts';

/**
 * The user who gets a code, and the values of the audit line. `assigned_by` is 'learner' or the address of an
 * administrator. `action` is, for example, 'coupon.generate'; `detail` is further information for the audit line.
 */
export type Recipient = {
  product_id: string;
  user_id: string;
  assigned_by: string;
  action: string;
  at: Date;
  /** The date of `at` in the portal's time zone. */
  today: string;
  /**
   * True if the code replaces a revoked code. Such a code is assigned without a check of the access and the product's
   * status (N-54).
   */
  isReplacement?: boolean;
  detail?: Record<string, unknown>;
};

const MAX_TRIES = 10;

/**
 * Returns the user's current code; without one, the code that was claimed. Returns null if the session of the claimant
 * has ended or the user does not exist. `coupon_code` is null in these cases: the address or the product is unknown,
 * the claimant may not get a code today, no code is left, or the product's codes are shared.
 */
export async function findOrClaimCoupon(
  db: Db,
  hints: ClaimHints,
  claim: Omit<Claim, 'hint'>,
): Promise<ClaimResult | null> {
  const { product_id } = claim;
  // The first claim skips codes that other claims have locked. The second looks at all codes and waits for locked ones.
  // The third finds the code that a concurrent claim of the same user took, for example after a double press (0006). If
  // the first claim finds nothing, the hint is dropped: later claims would search the same entries in vain.
  const hint = product_id === null ? null : hints.find(product_id);
  try {
    let found = await claimCoupon(db, { ...claim, hint });
    if (product_id !== null && isEmpty(found, claim)) hints.record(product_id, null);
    if (isEmpty(found, claim)) found = await claimCoupon(db, { ...claim, hint: null }, 'wait');
    if (isEmpty(found, claim)) found = await claimCoupon(db, { ...claim, hint: null });
    if (product_id !== null && found?.assigned_place) hints.record(product_id, found.assigned_place);
    return found;
  } catch (error) {
    if (product_id !== null) hints.record(product_id, hint);
    throw error;
  }
}

// True if the claimant may get a code, but the claim found none.
function isEmpty(found: ClaimResult | null, { assigned_by, isReplacement }: Omit<Claim, 'hint'>): boolean {
  if (found === null || found.coupon_code !== null || found.shared_coupon) return false;
  if (isReplacement) return true;
  return (
    found.granted && (found.status === 'live' || (assigned_by !== 'learner' && found.status !== 'archived'))
  );
}

/**
 * Runs `work` again, at most ten times in all, if a concurrent claim of the same user succeeded first or the claims
 * caused a deadlock. The repeated `work` finds the code of the successful claim.
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
