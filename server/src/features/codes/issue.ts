// Issues, replaces and revokes the code of a person, at the request of an administrator. `send-code.ts` issues a named code.
import type { IssuedCoupon, RevokedCoupon } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Clock } from '../../day.ts';
import { type Database, type Db, isUniqueViolation, isUuid } from '../../db/database.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { findUser, lockUser } from '../people/people.sql.ts';
import { requireLockedPerson } from '../people/people.ts';
import { findCodeTarget } from '../products/products.sql.ts';
import {
  type AssignedCoupon,
  createAssignedCoupon,
  promoteNewestCoupon,
  retireCurrentCoupon,
  revokeCoupon as revokeStored,
} from '../redeem/redeem.sql.ts';
import { findOrClaimCoupon, issueSharedCode, type Recipient, retryOnConflict } from '../redeem/redeem.ts';
import { createBatch, noteGenerated } from './batches.sql.ts';
import { findReplacement, type StoredCoupon } from './codes.sql.ts';
import { makeCouponCode, type RandomBytes, refuseCodes, requireCoupon } from './codes.ts';
import { countIssued, limitIssues, type Reader, tooManyReveals } from './reveal.ts';

export type IssueTools = Clock & { randomBytes: RandomBytes };
type Request = {
  actor: string;
  email: string;
  productId: string;
  /** The member of staff who reads the code in the reply. Without `reader`, the number of codes is not limited. */
  reader?: Reader | undefined;
  /** If false, no code is generated. */
  generate?: boolean | undefined;
};

/**
 * Returns the user's current code. If the user has none, issues a free code; if none is free, issues a generated code
 * . A second call returns the same code.
 * @throws AppError user_not_found, product_not_found, product_not_granted; product_ended if the product is archived;
 * no_coupon_left if no code is free and `generate` is false; code_revoked if the user's current code is revoked (N-45); too_many_requests if the reader has the role support and
 * has read too many codes (R-IMP-45).
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
  {
    actor,
    email,
    productId,
    reader,
    generate = true,
    action,
  }: Request & { action: 'coupon.generate' | 'coupon.regenerate' },
  { now, dayOf, randomBytes }: IssueTools,
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
    generate,
  };

  const issued = await retryIssue(() =>
    db.transaction(async (tx) => {
      const refused = await limitIssues(tx, reader, at);
      if (refused !== null) return refused;
      await requireLockedPerson(tx, user.user_id);
      if (action === 'coupon.regenerate') await retireCurrentCoupon(tx, productId, user.id);
      const coupon = await issueInTransaction(tx, recipient, randomBytes);
      await countIssued(tx, reader, { ...coupon, product_id: productId, email: user.email });
      return coupon;
    }),
  );
  if ('retry_after' in issued) throw tooManyReveals(issued);
  const { isGenerated, ...code } = issued;
  return {
    success: true,
    coupon: { ...code, product_id: productId, email: user.email },
    ...(isGenerated ? { warning: GENERATED_CODE_WARNING } : {}),
  };
}

type Issued = Omit<AssignedCoupon, 'id'> & { isGenerated: boolean };

/**
 * Returns the recipient's current code. If the recipient has none, assigns a free code; if none is free, assigns a
 * generated code, unless `generate` is false. Must be called in a transaction that has locked the user.
 */
async function issueInTransaction(
  tx: Db,
  { generate, ...recipient }: Recipient & { generate: boolean },
  randomBytes: RandomBytes,
): Promise<Issued> {
  const found = await findOrClaimCoupon(tx, recipient);
  if (found === null || found.product_url === null)
    throw new AppError('product_not_found', 'Product not found');
  const { coupon_code, assigned_at, use_by, unconfirmed, shared_coupon: shared } = found;
  if (found.revoked_at !== null)
    throw new AppError('code_revoked', 'The code of this person was withdrawn. Replace it instead.');
  const needsAccess = coupon_code === null && !recipient.isReplacement;
  if (needsAccess && found.status === 'archived')
    throw new AppError('product_ended', 'Codes of this benefit are no longer handed out.');
  if (needsAccess && !found.granted)
    throw new AppError('product_not_granted', "This product is not among the user's products");
  if (coupon_code !== null && assigned_at !== null)
    return { coupon_code, assigned_at, use_by, unconfirmed: unconfirmed ?? false, isGenerated: false };
  const sharedCode = shared ? await issueSharedCode(tx, recipient) : null;
  if (sharedCode !== null) return { ...sharedCode, isGenerated: false };
  if (!generate) throw new AppError('no_coupon_left', 'No code of this product is left.');
  const generated = { ...recipient, shared, coupon_code: makeCouponCode(randomBytes) };
  return { ...(await issueGeneratedCode(tx, generated)), isGenerated: true };
}

/**
 * Runs `work`, a transaction that issues a code. Runs `work` again if a concurrent claim of the same user succeeded
 * first. If the product already has the generated code, also runs `work` again, which generates another code.
 */
function retryIssue<T>(work: () => Promise<T>): Promise<T> {
  return retryOnConflict(() =>
    work().catch((error: unknown) => {
      if (!isUniqueViolation(error, 'coupon_code_once')) throw error;
      return work();
    }),
  );
}

const GENERATED_CODE_WARNING =
  'No available coupon was left; a new code was generated. The partner must accept it before it works.';

/**
 * Adds a generated code that is assigned to the recipient, with a batch and an audit line. The code works only after
 * the partner has accepted it. Must be called in a transaction.
 */
async function issueGeneratedCode(
  tx: Db,
  recipient: Recipient & { shared: boolean; coupon_code: string },
): Promise<AssignedCoupon> {
  const { product_id, assigned_by: actor, today } = recipient;
  const use_by_default = (await findCodeTarget(tx, product_id))?.use_by_default ?? null;
  const use_by = use_by_default !== null && use_by_default > today ? use_by_default : 'infinity';
  const batch_id = await createBatch(tx, { product_id, source: 'generated', created_by: actor, codes: 1 });
  const created = await createAssignedCoupon(tx, {
    ...{ ...recipient, batch_id, use_by },
    ...{ usage_limit: null, unconfirmed: true },
  });
  await noteGenerated(tx, created.id);
  const detail = { ...recipient.detail, made_up: true };
  await createAuditLine(tx, { ...recipient, actor, coupon_id: created.id, detail });
  return created;
}

type Revocation = {
  id: string;
  actor: string;
  reason: string;
  replace: boolean;
  /** The member of staff who reads the replacement in the reply. Without `reader`, the number is not limited. */
  reader?: Reader | undefined;
};
type HeldCoupon = StoredCoupon & { holder: string };

/** Message for a shared code, which cannot be revoked (R-LIFE-15, N-62). */
export const SHARED_CODE_STAYS = 'The code of this product is shared: it cannot be revoked for one person';
const NOT_CURRENT_WARNING = 'This was not the current code of the person, so it was not replaced.';

/**
 * Revokes the code. Without `replace`, the holder's newest other code that is not revoked becomes the current code
 * (N-46). With `replace`, if the code is current, its holder gets another code, chosen as in `regenerateCoupon`. The
 * access and the product's status are not checked (N-54). A current code that was revoked before is replaced too
 * (N-44). In all other cases, revoking a revoked code changes nothing and returns the result of the first call.
 * @throws AppError not_found; invalid_request if the code is shared or the reason contains a code; not_held if nobody
 * holds the code; user_not_found if the code is to be replaced and its holder is erased; too_many_requests if the reader
 * has the role support and has read too many codes (R-IMP-45).
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
      // Other staff actions on this user's codes now wait until this transaction ends. A redemption by the user does
      // not wait: it returns the code that was current before or after this transaction.
      const isErased = await lockUser(tx, holder);
      if (isErased && revocation.replace) throw new AppError('user_not_found', 'User not found');
      const revoked = await revokeInTransaction(tx, await findHeld(tx, id), revocation, tools);
      const { email } = revoked.coupon;
      const coupon_code = revoked.replacement?.coupon_code;
      if (email !== null && coupon_code) await countIssued(tx, reader, { product_id, email, coupon_code });
      return revoked;
    }),
  );
  if ('retry_after' in result) throw tooManyReveals(result);
  return result;
}

/**
 * Revokes a code that somebody holds, with an audit line. With `promotes`, the holder's newest other code that is not
 * revoked becomes the current code (N-46). The transaction must have locked the holder. Changes nothing if the code is
 * revoked already.
 */
export async function revokeHeld(
  tx: Db,
  held: { coupon_id: string; user_id: string; product_id: string },
  { actor, reason, at, promotes }: { actor: string; reason: string; at: Date; promotes: boolean },
): Promise<void> {
  if (!(await revokeStored(tx, { coupon_id: held.coupon_id, by: actor, reason, at }))) return;
  if (promotes) await promoteNewestCoupon(tx, held);
  await createAuditLine(tx, { ...held, actor, action: 'coupon.revoke', detail: { reason } });
}

async function findHeld(db: Db, id: string): Promise<HeldCoupon> {
  const coupon = await requireCoupon(db, id);
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
  { now, dayOf, randomBytes }: IssueTools,
): Promise<RevokedCoupon> {
  const at = now();
  if (revoked_at === null) {
    const held = { coupon_id: id, user_id: holder, product_id };
    await revokeHeld(tx, held, { actor, reason, at, promotes: is_current && !replace });
  }
  if (!(replace && is_current)) {
    const replacement =
      revoked_at === null ? null : await findReplacement(tx, { product_id, holder, id, after: revoked_at });
    const warning = replace && replacement === null ? { warning: NOT_CURRENT_WARNING } : {};
    return { coupon: await requireCoupon(tx, id), replacement, ...warning };
  }
  await retireCurrentCoupon(tx, product_id, holder);
  const recipient = {
    product_id,
    user_id: holder,
    assigned_by: actor,
    action: 'coupon.replace',
    at,
    today: dayOf(at),
    isReplacement: true,
    detail: { reason, replaced: id },
    generate: true,
  };
  const { isGenerated, coupon_code, assigned_at, unconfirmed } = await issueInTransaction(
    tx,
    recipient,
    randomBytes,
  );
  return {
    coupon: await requireCoupon(tx, id),
    replacement: { coupon_code, assigned_at, unconfirmed },
    ...(isGenerated ? { warning: GENERATED_CODE_WARNING } : {}),
  };
}
