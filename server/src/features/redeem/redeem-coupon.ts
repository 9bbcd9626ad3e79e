// Redeems a code of a product for a learner. Later calls return the same code.
import type { Redemption } from '@portal/contract';
import { AppError, authenticationRequired } from '../../app-error.ts';
import { formatDay } from '../../day.ts';
import type { Database } from '../../db/database.ts';
import { isUuid } from '../../db/is-uuid.ts';
import { findMissingAccess } from '../access/access.ts';
import { listUserGrants } from '../access/grants.sql.ts';
import { followsRevocation } from '../codes/revocations.sql.ts';
import type { Identity } from '../team/callers.sql.ts';
import type { ClaimHints } from './claim-hints.ts';
import { findOrClaimCoupon, retryOnConflict } from './find-or-claim-coupon.ts';
import { issueSharedCode } from './issue-shared-code.ts';
import { accessNotStarted, codeRevoked, explainStatus, noCouponLeft } from './redeem-refusals.ts';

export type RedeemTools = {
  hints: ClaimHints;
  now: () => Date;
  /** Returns the date of `at` in the portal's time zone, as YYYY-MM-DD. */
  dayOf: (at: Date) => string;
  supportEmail: string;
};

/**
 * `caller` is the identity in the token. The statement that assigns the code also checks the session (0016).
 * If the learner holds a code that is not revoked, returns this code, even if the access has ended or the product is
 * archived. Else the refusals are checked in this order: address, product, revoked code, access, status of the product,
 * stock (R-LIFE-22).
 * @throws AppError authentication_required, or a refusal with the title and message of the specification (R-REDEEM-07
 * to R-REDEEM-10, R-LIFE-22).
 */
export async function redeemCoupon(
  db: Database,
  { caller, productId }: { caller: Identity; productId: string },
  { hints, now, dayOf, supportEmail }: RedeemTools,
): Promise<Redemption> {
  const product_id = isUuid(productId) ? productId : null;
  const at = now();
  const today = dayOf(at);
  const claim = { product_id, assigned_by: 'learner', action: 'coupon.redeem', at, today };
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
  if (found.coupon_code === null) {
    if (!found.granted)
      throw await explainMissingAccess(db, { user_id, product_id: productId, today, dayOf, supportEmail });
    const refusal = explainStatus(found);
    if (refusal !== null) throw refusal;
  }
  if (found.revoked_at !== null) throw codeRevoked(supportEmail);
  const assigned =
    found.coupon_code === null && found.shared_coupon
      ? await retryOnConflict(() =>
          db.transaction((tx) => issueSharedCode(tx, { ...claim, product_id: productId, user_id })),
        )
      : found;
  if (assigned === null || assigned.coupon_code === null || assigned.assigned_at === null)
    throw noCouponLeft(supportEmail);
  const { coupon_code: couponCode, assigned_at } = assigned;
  // Learners get no second code of a product themselves, so only staff replace a code.
  const isReplacement =
    found.assigned_by !== null &&
    found.assigned_by !== 'learner' &&
    (await followsRevocation(db, { user_id, product_id: productId, assigned_at }));
  return {
    success: true,
    coupon: { couponCode, assigned_at },
    productUrl: product_url,
    is_new: assigned !== found || found.assigned_place !== null,
    use_by: assigned.use_by,
    replaced_on: isReplacement ? dayOf(new Date(assigned_at)) : null,
  };
}

/**
 * Returns the refusal for a user without access. There are three refusals: the access begins later, the access has
 * ended, or there never was any access.
 */
async function explainMissingAccess(
  db: Database,
  {
    user_id,
    product_id,
    today,
    dayOf,
    supportEmail,
  }: { user_id: string; product_id: string; today: string } & Pick<RedeemTools, 'dayOf' | 'supportEmail'>,
): Promise<AppError> {
  const grants = await listUserGrants(db, { user_id, product_id }, today);
  const missing = findMissingAccess(grants, dayOf);
  if (missing?.state === 'future') return accessNotStarted(missing.day);
  if (missing !== null) {
    const { day } = missing;
    return new AppError(
      'access_ended',
      `Your access to this benefit ended on ${formatDay(day)}. Please write to us at ${supportEmail}`,
      { title: 'Your access has ended', day },
    );
  }
  return new AppError(
    'product_not_assigned',
    `Oops! Seems like you do not have access! Please write to us at ${supportEmail} if you think this is an error.`,
    { title: 'Sorry, access is restricted!' },
  );
}
