// Redeems a code of a product for a learner, and defines the refusals of a redemption. Later calls return the same code.
import type { Redemption } from '@portal/contract';
import { AppError, authenticationRequired } from '../../app-error.ts';
import { type Clock, formatDay } from '../../day.ts';
import { type Database, type Db, isDeadlock, isUniqueViolation, isUuid } from '../../db/database.ts';
import { findMissingAccess } from '../access/access.ts';
import { listUserGrants } from '../access/grants.sql.ts';
import { followsRevocation } from '../codes/codes.sql.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import type { IdentityOrUser } from '../team/callers.sql.ts';
import {
  type AssignedCoupon,
  assignSharedRow,
  type Claim,
  type ClaimResult,
  claimCoupon,
  createAssignedCoupon,
  findCurrentCoupon,
  lockSharedCode,
} from './redeem.sql.ts';

export type RedeemTools = Clock & { supportEmail: string };

/**
 * If the learner holds a code that is not revoked, returns this code, even if the access has ended or the product is
 * archived. Else the refusals are checked in this order: address, product, revoked code, access, status of the product,
 * stock (R-LIFE-22).
 * @throws AppError 'authentication_required' if the session has ended, or a refusal with the title and message of the
 * specification (R-REDEEM-07 to R-REDEEM-10, R-LIFE-22).
 */
export async function redeemCoupon(
  db: Database,
  { caller, productId }: { caller: IdentityOrUser; productId: string },
  { now, dayOf, supportEmail }: RedeemTools,
): Promise<Redemption> {
  const product_id = isUuid(productId) ? productId : null;
  const at = now();
  const today = dayOf(at);
  const claim = { product_id, assigned_by: 'learner', action: 'coupon.redeem', at, today };
  const found = await retryOnConflict(() => findOrClaimCoupon(db, { ...caller, ...claim }));
  if (found === null) throw authenticationRequired();
  const { product_url, user_id } = found;
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
      throw await explainMissingAccess(
        db,
        { user_id, product_id: productId, today },
        { dayOf, supportEmail },
      );
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
    is_new: assigned !== found || found.is_new,
    use_by: assigned.use_by,
    replaced_on: isReplacement ? dayOf(new Date(assigned_at)) : null,
    unconfirmed: assigned.unconfirmed ?? false,
  };
}

/**
 * Returns the refusal for a user without access. There are three refusals: the access begins later, the access has
 * ended, or there never was any access.
 */
async function explainMissingAccess(
  db: Database,
  { user_id, product_id, today }: { user_id: string; product_id: string; today: string },
  { dayOf, supportEmail }: Pick<RedeemTools, 'dayOf' | 'supportEmail'>,
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

/** Returns the refusal if learners cannot redeem codes of the product today, otherwise null (R-LIFE-22). */
export function explainStatus({
  status,
  opens_on,
}: Pick<ClaimResult, 'status' | 'opens_on'>): AppError | null {
  if (status === 'scheduled' && opens_on !== null) {
    return new AppError('product_not_open', `Redeeming opens on ${formatDay(opens_on)}.`, {
      title: 'Not open yet',
      day: opens_on,
    });
  }
  if (status === 'paused') {
    return new AppError('product_paused', 'This benefit is paused for the moment. Please try again later.', {
      title: 'Paused',
    });
  }
  if (status === 'ended' || status === 'archived') {
    return new AppError('product_ended', 'Codes of this benefit are no longer handed out.', {
      title: 'This offer has ended',
    });
  }
  return null;
}

/** Returns the refusal for a learner whose access begins on the day `starts_on`. */
export function accessNotStarted(starts_on: string): AppError {
  return new AppError(
    'access_not_started',
    `Your access to this benefit begins on ${formatDay(starts_on)}.`,
    { title: 'Not yet yours', day: starts_on },
  );
}

export function codeRevoked(supportEmail: string): AppError {
  return new AppError(
    'code_revoked',
    `Your code of this benefit was withdrawn. Please write to us at ${supportEmail}`,
    { title: 'Code withdrawn' },
  );
}

export function noCouponLeft(supportEmail: string): AppError {
  return new AppError(
    'no_coupon_left',
    `All codes of this benefit have been handed out. Please try again later or write to us at ${supportEmail}`,
    { title: 'No codes left' },
  );
}

/** A claim of a product that exists: the user who gets a code, and the values of the audit line. */
export type Recipient = Claim & { product_id: string; user_id: string };

const MAX_TRIES = 10;

/**
 * Returns the user's current code. If the user has none, claims a code and returns it. Returns null as `claimCoupon` does.
 * `coupon_code` is null in these cases: the product is unknown, the user may not get a code today, no code is left, or
 * the product's codes are shared.
 */
export async function findOrClaimCoupon(db: Db, claim: Claim): Promise<ClaimResult | null> {
  // The first claim skips codes that other claims have locked. The second waits for locked codes. The third finds the
  // code that a concurrent claim of the same user took, for example after a double press (0006).
  let found = await claimCoupon(db, claim);
  if (isEmpty(found, claim)) found = await claimCoupon(db, claim, 'wait');
  if (isEmpty(found, claim)) found = await claimCoupon(db, claim);
  return found;
}

// True if the user may get a code, but the claim found none.
function isEmpty(found: ClaimResult | null, { assigned_by, isReplacement }: Claim): boolean {
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

/**
 * Returns the user's current code. If there is none, assigns the newest shared code, leaving out void and expired codes
 * (A-27, N-51).
 * Returns null if the product has no code, or its newest code has reached the usage limit. Must be called in a
 * transaction.
 */
export async function issueSharedCode(tx: Db, recipient: Recipient): Promise<AssignedCoupon | null> {
  const code = await lockSharedCode(tx, recipient.product_id, recipient.today);
  // Looks again after the lock, because a concurrent call of the same user may have assigned a code meanwhile.
  const current = await findCurrentCoupon(tx, recipient.product_id, recipient.user_id);
  if (current !== null) return current;
  if (code === null || (code.usage_limit !== null && code.uses >= code.usage_limit)) return null;
  const created =
    (await assignSharedRow(tx, { ...recipient, ...code })) ??
    (await createAssignedCoupon(tx, { ...recipient, ...code, shared: true }));
  await createAuditLine(tx, { ...recipient, actor: recipient.assigned_by, coupon_id: created.id });
  return created;
}
