// Issues a code of a product to a user, at the request of an administrator. The user gets the current code again, or a
// new code that replaces the current code.
import type { IssuedCoupon } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import { type Database, type Db, isUniqueViolation } from '../../db/database.ts';
import { isUuid } from '../../db/is-uuid.ts';
import { findUser, lockUser } from '../people/people.sql.ts';
import { type AssignedCoupon, retireCurrentCoupon } from '../redeem/assigned-coupons.sql.ts';
import type { ClaimHints } from '../redeem/claim-hints.ts';
import { findOrClaimCoupon, type Recipient, retryOnConflict } from '../redeem/find-or-claim-coupon.ts';
import { issueSharedCode } from '../redeem/issue-shared-code.ts';
import { makeCouponCode, type RandomBytes } from './coupon-code.ts';
import { GENERATED_CODE_WARNING, issueGeneratedCode } from './issue-generated-code.ts';
import { countIssued, limitIssues, type Reader, tooManyReveals } from './limit-reveals.ts';

export type IssueTools = {
  hints: ClaimHints;
  now: () => Date;
  /** Returns the date of `at` in the portal's time zone, as YYYY-MM-DD. */
  dayOf: (at: Date) => string;
  randomBytes: RandomBytes;
};
type Request = {
  actor: string;
  email: string;
  productId: string;
  /** The member of staff who reads the code in the reply. Without it, the number of codes is not limited. */
  reader?: Reader | undefined;
};

/**
 * Returns the user's current code. If the user has none, issues a free code; if none is free, issues a generated code
 * . A second call returns the same code.
 * @throws AppError user_not_found, product_not_found, product_not_granted; product_ended if the product is archived;
 * code_revoked if the user's current code is revoked (N-45); too_many_requests if the reader has the role support and has
 * read too many codes (R-IMP-45).
 */
export function generateCoupon(db: Database, request: Request, tools: IssueTools): Promise<IssuedCoupon> {
  return issueCoupon(db, { ...request, action: 'coupon.generate' }, tools);
}

/**
 * Issues a new code, which becomes the user's current code. The previous code stays assigned to the user (R-UAC-13).
 * @throws the same errors as `generateCoupon`.
 */
export function regenerateCoupon(db: Database, request: Request, tools: IssueTools): Promise<IssuedCoupon> {
  return issueCoupon(db, { ...request, action: 'coupon.regenerate' }, tools);
}

async function issueCoupon(
  db: Database,
  { actor, email, productId, reader, action }: Request & { action: 'coupon.generate' | 'coupon.regenerate' },
  { hints, now, dayOf, randomBytes }: IssueTools,
): Promise<IssuedCoupon> {
  const user = await findUser(db, email);
  if (user === null) throw new AppError('user_not_found', 'User not found');
  if (!isUuid(productId)) throw new AppError('product_not_found', 'Product not found');
  const at = now();
  const recipient = {
    product_id: productId,
    user_id: user.id,
    assigned_by: actor,
    action,
    at,
    today: dayOf(at),
  };

  const issued = await retryIssue(() =>
    db.transaction(async (tx) => {
      const refused = await limitIssues(tx, reader, at);
      if (refused !== null) return refused;
      await lockUser(tx, user.id);
      if (action === 'coupon.regenerate') await retireCurrentCoupon(tx, productId, user.id);
      const coupon = await issueInTransaction(tx, hints, recipient, () => makeCouponCode(randomBytes));
      const { coupon_code } = coupon;
      await countIssued(tx, reader, { product_id: productId, email: user.email, coupon_code });
      return coupon;
    }),
  );
  if ('retry_after' in issued) throw tooManyReveals(issued);
  const { coupon_code, assigned_at, use_by, isGenerated } = issued;
  return {
    success: true,
    coupon: { coupon_code, product_id: productId, email: user.email, assigned_at, use_by },
    ...(isGenerated ? { warning: GENERATED_CODE_WARNING } : {}),
  };
}

type Issued = Pick<AssignedCoupon, 'coupon_code' | 'assigned_at' | 'use_by'> & { isGenerated: boolean };

/**
 * Returns the recipient's current code. If the recipient has none, assigns a free code; if none is free, assigns a
 * generated code. Must be called in a transaction that has locked the user.
 */
export async function issueInTransaction(
  tx: Db,
  hints: ClaimHints,
  recipient: Recipient,
  makeCode: () => string,
): Promise<Issued> {
  const found = await findOrClaimCoupon(tx, hints, { ...recipient, claimant: recipient });
  if (found === null || found.product_url === null)
    throw new AppError('product_not_found', 'Product not found');
  const { coupon_code, assigned_at, use_by, shared_coupon: shared } = found;
  if (found.revoked_at !== null)
    throw new AppError('code_revoked', 'The code of this person was withdrawn. Replace it instead.');
  const needsRight = coupon_code === null && !recipient.isReplacement;
  if (needsRight && found.status === 'archived')
    throw new AppError('product_ended', 'Codes of this benefit are no longer handed out.');
  if (needsRight && !found.granted)
    throw new AppError('product_not_granted', "This product is not among the user's products");
  if (coupon_code !== null && assigned_at !== null)
    return { coupon_code, assigned_at, use_by, isGenerated: false };
  const again = shared ? await issueSharedCode(tx, recipient) : null;
  if (again !== null) return { ...again, isGenerated: false };
  return {
    ...(await issueGeneratedCode(tx, { ...recipient, shared, coupon_code: makeCode() })),
    isGenerated: true,
  };
}

/**
 * Runs `work`, a transaction that issues a code. Runs it again if a concurrent claim of the same user succeeded first,
 * or if the product already has the generated code.
 */
export function retryIssue<T>(work: () => Promise<T>): Promise<T> {
  return retryOnConflict(() => retryWhenCodeTaken(work));
}

/**
 * Runs `work`, which may generate a code. If the product already has this code, runs `work` once more, which generates
 * another code.
 */
async function retryWhenCodeTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error, 'coupon_code_once')) throw error;
    return work();
  }
}
