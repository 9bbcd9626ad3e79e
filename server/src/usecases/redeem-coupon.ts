// Redeems a code of a product for a learner. Later calls return the same code.
import type { Redemption } from '@portal/contract';
import { AppError, authenticationRequired } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import type { Identity } from '../stores/callers.ts';
import type { ClaimHints } from './claim-hints.ts';
import { findOrClaimCoupon, retryOnConflict } from './find-or-claim-coupon.ts';
import { isUuid } from './is-uuid.ts';
import { issueSharedCode } from './issue-shared-code.ts';

export type RedeemTools = { hints: ClaimHints; now: () => Date; supportEmail: string };

/**
 * Assigns a code of the product to `caller`, the identity in the token. The statement that assigns the code also checks
 * the session (0016).
 * @throws AppError authentication_required, email_not_registered, product_not_found, product_not_assigned or
 * no_coupon_left. The last four have a title and a message (R-REDEEM-07 to R-REDEEM-10).
 */
export async function redeemCoupon(
  db: Database,
  { caller, productId }: { caller: Identity; productId: string },
  { hints, now, supportEmail }: RedeemTools,
): Promise<Redemption> {
  const product_id = isUuid(productId) ? productId : null;
  const claim = { product_id, assigned_by: 'learner', action: 'coupon.redeem', at: now() };
  const found = await retryOnConflict(() => findOrClaimCoupon(db, hints, { ...claim, claimant: caller }));
  if (found === null) throw authenticationRequired();
  const { user_id, product_url } = found;
  if (user_id === null) {
    throw new AppError('email_not_registered', 'Your email is not in our database.', {
      title: 'Email not registered',
    });
  }
  if (product_url === null) {
    throw new AppError('product_not_found', 'This product does not exist or was removed.', {
      title: 'Product not found',
    });
  }
  if (!found.granted) {
    throw new AppError(
      'product_not_assigned',
      `Oops! Seems like you do not have access! Please write to us at ${supportEmail} if you think this is an error.`,
      { title: 'Sorry, access is restricted!' },
    );
  }
  const assigned =
    found.coupon_code === null && found.shared_coupon
      ? await retryOnConflict(() =>
          db.transaction((tx) => issueSharedCode(tx, { ...claim, product_id: productId, user_id })),
        )
      : found;
  if (assigned === null || assigned.coupon_code === null || assigned.assigned_at === null) {
    throw new AppError(
      'no_coupon_left',
      `All codes of this benefit have been handed out. Please try again later or write to us at ${supportEmail}`,
      { title: 'No codes left' },
    );
  }
  return {
    success: true,
    coupon: { couponCode: assigned.coupon_code, assigned_at: assigned.assigned_at },
    productUrl: product_url,
    is_new: assigned !== found || found.pos !== null,
  };
}
