// Revokes a code that a user holds, for an administrator. If requested, also gives the user another code.
import type { RevokedCoupon } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Database, Db } from '../../db/database.ts';
import { isRowId } from '../../db/is-row-id.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { lockUser } from '../people/people.sql.ts';
import * as assigned from '../redeem/assigned-coupons.sql.ts';
import { makeCouponCode } from './coupon-code.ts';
import { type IssueTools, issueInTransaction, retryIssue } from './issue-coupon.ts';
import { GENERATED_CODE_WARNING } from './issue-generated-code.ts';
import { countIssued, limitIssues, type Reader, tooManyReveals } from './limit-reveals.ts';
import { refuseCodes } from './refuse-codes.ts';
import { findReplacement, findStoredCoupon, type StoredCoupon } from './revocations.sql.ts';

type Revocation = {
  id: string;
  actor: string;
  reason: string;
  replace: boolean;
  /** The member of staff who reads the replacement in the reply. Without it, the number of codes is not limited. */
  reader?: Reader | undefined;
};
type HeldCoupon = StoredCoupon & { holder: string };

/** Why a shared code stays (R-LIFE-15, N-62). */
export const SHARED_CODE_STAYS = 'The code of this product is shared: it cannot be revoked for one person';
const NOT_CURRENT_WARNING = 'This was not the current code of the person, so it was not replaced.';

/**
 * Revokes the code. Without `replace`, the holder's newest other code that is not revoked becomes the current one, if
 * there is one (N-46).
 * With `replace`, if the code is current, its holder gets another code, chosen as in `regenerateCoupon`. The access and
 * the product's status are not checked (N-54). A current code that was revoked before is replaced too (N-44).
 * In all other cases, revoking a revoked code changes nothing and returns the result of the first call.
 * @throws AppError not_found; invalid_request if the code is shared or the reason contains a code; not_held if nobody
 * holds the code; too_many_requests if the reader has the role support and has read too many codes (R-IMP-45).
 */
export async function revokeCoupon(
  db: Database,
  { id, reader, ...revocation }: Revocation,
  tools: IssueTools,
): Promise<RevokedCoupon> {
  const { holder, product_id } = await findHeld(db, id);
  await refuseCodes(db, revocation.reason, [product_id]);
  const result = await retryIssue(() =>
    db.transaction(async (tx) => {
      const refused = await limitIssues(tx, reader, tools.now());
      if (refused !== null) return refused;
      // From here on, other acts of staff on this user's codes wait until this transaction ends. A redemption by the
      // user does not wait: it finds the current code from before or after this transaction.
      await lockUser(tx, holder);
      const revoked = await revokeInTransaction(tx, await findHeld(tx, id), revocation, tools);
      const { email } = revoked.coupon;
      const coupon_code = revoked.replacement?.coupon_code ?? null;
      if (email !== null && coupon_code !== null)
        await countIssued(tx, reader, { product_id, email, coupon_code });
      return revoked;
    }),
  );
  if ('retry_after' in result) throw tooManyReveals(result);
  return result;
}

/**
 * Revokes a code that somebody holds, and writes the audit line. With `promotes`, makes the holder's newest other code
 * the current one (N-46). The transaction must have locked the holder. Changes nothing if the code is revoked already.
 */
export async function revokeHeld(
  tx: Db,
  {
    coupon_id,
    user_id,
    product_id,
    actor,
    reason,
    at,
    promotes,
  }: {
    coupon_id: string;
    user_id: string;
    product_id: string;
    actor: string;
    reason: string;
    at: Date;
    promotes: boolean;
  },
): Promise<void> {
  if (!(await assigned.revokeCoupon(tx, { coupon_id, by: actor, reason, at }))) return;
  if (promotes) await assigned.promoteNewestCoupon(tx, { user_id, product_id });
  const line = { actor, action: 'coupon.revoke', user_id, product_id, coupon_id };
  await createAuditLine(tx, { ...line, detail: { reason } });
}

async function findHeld(db: Db, id: string): Promise<HeldCoupon> {
  const coupon = isRowId(id) ? await findStoredCoupon(db, id) : null;
  if (coupon === null) throw new AppError('not_found', 'Coupon not found');
  const { shared, holder } = coupon;
  if (shared) throw new AppError('invalid_request', SHARED_CODE_STAYS);
  if (holder === null) throw new AppError('not_held', 'Nobody holds this code.');
  return { ...coupon, holder };
}

/**
 * Revokes the code, and replaces it if requested. The transaction `tx` must have locked the holder before it read the
 * coupon.
 */
async function revokeInTransaction(
  tx: Db,
  { id, product_id, holder, is_current, revoked_at }: HeldCoupon,
  { actor, reason, replace }: Omit<Revocation, 'id' | 'reader'>,
  { hints, now, dayOf, randomBytes }: IssueTools,
): Promise<RevokedCoupon> {
  const at = now();
  if (revoked_at === null) {
    const held = { coupon_id: id, user_id: holder, product_id };
    await revokeHeld(tx, { ...held, actor, reason, at, promotes: is_current && !replace });
  }
  const readCoupon = async () => (await findStoredCoupon(tx, id)) as StoredCoupon;
  if (!(replace && is_current)) {
    const replacement =
      revoked_at === null ? null : await findReplacement(tx, { product_id, holder, id, after: revoked_at });
    const isOther = replace && replacement === null;
    return {
      coupon: await readCoupon(),
      replacement,
      ...(isOther ? { warning: NOT_CURRENT_WARNING } : {}),
    };
  }
  await assigned.retireCurrentCoupon(tx, product_id, holder);
  const recipient = {
    product_id,
    user_id: holder,
    assigned_by: actor,
    action: 'coupon.replace',
    at,
    today: dayOf(at),
    isReplacement: true,
    detail: { reason, replaced: id },
  };
  const issued = await issueInTransaction(tx, hints, recipient, () => makeCouponCode(randomBytes));
  const { isGenerated, coupon_code, assigned_at } = issued;
  return {
    coupon: await readCoupon(),
    replacement: { coupon_code, assigned_at },
    ...(isGenerated ? { warning: GENERATED_CODE_WARNING } : {}),
  };
}
