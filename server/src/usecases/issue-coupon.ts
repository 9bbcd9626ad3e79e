// An administrator gives a user a code of a product: their current one, or a new one in its place.
import type { IssuedCoupon } from '@portal/contract';
import { AppError } from '../app-error.ts';
import { type Database, type Db, isUniqueViolation } from '../db/database.ts';
import { type AssignedCoupon, retireCurrentCoupon } from '../stores/coupons.ts';
import { findUser, lockUser } from '../stores/users.ts';
import type { ClaimHints } from './claim-hints.ts';
import { makeCouponCode, type RandomBytes } from './coupon-code.ts';
import { findOrClaimCoupon, type Recipient, retryOnConflict } from './find-or-claim-coupon.ts';
import { isUuid } from './is-uuid.ts';
import { GENERATED_CODE_WARNING, issueGeneratedCode } from './issue-generated-code.ts';
import { issueSharedCode } from './issue-shared-code.ts';

export type IssueTools = { hints: ClaimHints; now: () => Date; randomBytes: RandomBytes };
type Request = { actor: string; email: string; productId: string };

/** The user's current code, or the oldest free one, or one made up. Asked again, it answers the same. */
export function generateCoupon(db: Database, request: Request, tools: IssueTools): Promise<IssuedCoupon> {
  return issueCoupon(db, { ...request, action: 'coupon.generate' }, tools);
}

/** A new code in the place of the current one, which stays the user's (R-UAC-13). */
export function regenerateCoupon(db: Database, request: Request, tools: IssueTools): Promise<IssuedCoupon> {
  return issueCoupon(db, { ...request, action: 'coupon.regenerate' }, tools);
}

async function issueCoupon(
  db: Database,
  { actor, email, productId, action }: Request & { action: 'coupon.generate' | 'coupon.regenerate' },
  { hints, now, randomBytes }: IssueTools,
): Promise<IssuedCoupon> {
  const user = await findUser(db, email);
  if (user === null) throw new AppError('user_not_found', 'User not found');
  if (!isUuid(productId)) throw new AppError('product_not_found', 'Product not found');
  const who = { product_id: productId, user_id: user.id, assigned_by: actor, action, at: now() };

  const { coupon_code, assigned_at, isGenerated } = await retryOnConflict(() =>
    retryWhenCodeTaken(() =>
      db.transaction(async (tx) => {
        await lockUser(tx, user.id);
        if (action === 'coupon.regenerate') await retireCurrentCoupon(tx, productId, user.id);
        return issueIn(tx, hints, who, () => makeCouponCode(randomBytes));
      }),
    ),
  );
  return {
    success: true,
    coupon: { coupon_code, product_id: productId, email: user.email, assigned_at },
    ...(isGenerated ? { warning: GENERATED_CODE_WARNING } : {}),
  };
}

type Issued = Pick<AssignedCoupon, 'coupon_code' | 'assigned_at'> & { isGenerated: boolean };

async function issueIn(tx: Db, hints: ClaimHints, who: Recipient, makeCode: () => string): Promise<Issued> {
  const found = await findOrClaimCoupon(tx, hints, { ...who, claimant: who });
  if (found === null || found.product_url === null)
    throw new AppError('product_not_found', 'Product not found');
  if (!found.granted) {
    throw new AppError('product_not_granted', "This product is not among the user's products");
  }
  const { coupon_code, assigned_at, shared_coupon: shared } = found;
  if (coupon_code !== null && assigned_at !== null) return { coupon_code, assigned_at, isGenerated: false };
  const again = shared ? await issueSharedCode(tx, who) : null;
  if (again !== null) return { ...again, isGenerated: false };
  return {
    ...(await issueGeneratedCode(tx, { ...who, shared, coupon_code: makeCode() })),
    isGenerated: true,
  };
}

/** Runs `work` again, with a new generated code, when the product turned out to have that very code. */
async function retryWhenCodeTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error, 'coupon_code_once')) throw error;
    return work();
  }
}
