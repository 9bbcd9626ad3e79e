// Issues one named free code to a person, at the request of staff (R-DAY-32).
import type { IssuedCoupon } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import { type Clock, formatDay } from '../../day.ts';
import type { Database, Db } from '../../db/database.ts';
import { isGranted } from '../access/access.sql.ts';
import { findMissingAccess } from '../access/access.ts';
import { listUserGrants } from '../access/grants.sql.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { findUser } from '../people/people.sql.ts';
import { requireLockedPerson } from '../people/people.ts';
import { findCodeTarget } from '../products/products.sql.ts';
import { assignCoupon, findCurrentCoupon } from '../redeem/redeem.sql.ts';
import { retryOnConflict } from '../redeem/redeem.ts';
import type { StoredCoupon } from './codes.sql.ts';
import { requireCoupon } from './codes.ts';
import { countIssued, limitIssues, type Reader, tooManyReveals } from './reveal.ts';

type Sending = { id: string; actor: string; email: string; reader: Reader };

/**
 * Assigns the free code `id` to the user with the address `email`. Locks the user and then the code, as a redemption
 * does. So two people cannot get the code, and one person cannot get two current codes.
 * @throws AppError not_found, user_not_found; invalid_request for a shared code; held, code_revoked or void if the code
 * is not free; product_ended if the product is archived; product_not_granted, access_not_started or access_ended
 * without access; held or code_revoked if the user has a code of the product; too_many_requests (R-IMP-45).
 */
export async function sendCode(
  db: Database,
  { id, actor, email, reader }: Sending,
  { now, dayOf }: Clock,
): Promise<IssuedCoupon> {
  const at = now();
  const today = dayOf(at);
  const issued = await retryOnConflict(() =>
    db.transaction(async (tx) => {
      const refused = await limitIssues(tx, reader, at);
      if (refused !== null) return refused;
      const { product_id } = await requireCoupon(tx, id);
      const user = await findUser(tx, email);
      if (user === null) throw new AppError('user_not_found', 'User not found');
      await requireLockedPerson(tx, user.user_id);
      const refusal =
        explainTaken(await requireCoupon(tx, id), today) ??
        (await explainRecipient(tx, { product_id, user_id: user.id, today }, dayOf));
      if (refusal !== null) throw refusal;
      const coupon = await assignCoupon(tx, { id, user_id: user.id, assigned_by: actor, at, today });
      // Somebody else has taken the code since it was read.
      if (coupon === null) throw explainTaken(await requireCoupon(tx, id), today) ?? heldBySomebody();
      const about = { user_id: user.id, product_id, coupon_id: id };
      await createAuditLine(tx, { actor, action: 'coupon.issue', ...about });
      await countIssued(tx, reader, { ...coupon, product_id, email: user.email });
      const { id: _id, ...code } = coupon;
      return { ...code, product_id, email: user.email };
    }),
  );
  if ('retry_after' in issued) throw tooManyReveals(issued);
  return { success: true, coupon: issued };
}

const heldBySomebody = () => new AppError('held', 'Somebody holds this code already.');

/** Returns why the code cannot be issued to anybody, or null if it is free. */
function explainTaken({ shared, state, use_by }: StoredCoupon, today: string): AppError | null {
  if (shared) {
    const words = 'The code of this product is shared: it cannot be sent to one person';
    return new AppError('invalid_request', words);
  }
  if (state === 'held') return heldBySomebody();
  if (state === 'revoked') return new AppError('code_revoked', 'This code was withdrawn from its holder.');
  if (state === 'void') return new AppError('void', 'This code is void.');
  // The stored state is 'free' until the job has made an expired code void.
  const isExpired = state === 'expired' || (use_by !== null && use_by <= today);
  return isExpired ? new AppError('void', 'The last day of this code has come.') : null;
}

/** Returns why the user cannot get a code of the product, or null. */
async function explainRecipient(
  tx: Db,
  { product_id, user_id, today }: Record<'product_id' | 'user_id' | 'today', string>,
  dayOf: Clock['dayOf'],
): Promise<AppError | null> {
  const current = await findCurrentCoupon(tx, product_id, user_id);
  if (current !== null && current.revoked_at === null)
    return new AppError('held', 'This person holds a code of the product. Replace it instead.');
  if (current !== null)
    return new AppError('code_revoked', 'The code of this person was withdrawn. Replace it instead.');
  if ((await findCodeTarget(tx, product_id))?.is_archived)
    return new AppError('product_ended', 'Codes of this benefit are no longer handed out.');
  if (await isGranted(tx, { user_id, product_id, today })) return null;
  const missing = findMissingAccess(await listUserGrants(tx, { user_id, product_id }, today), dayOf);
  if (missing === null)
    return new AppError('product_not_granted', "This product is not among the user's products");
  const { day } = missing;
  return missing.state === 'future'
    ? new AppError('access_not_started', `Access of this person begins on ${formatDay(day)}.`, { day })
    : new AppError('access_ended', `Access of this person ended on ${formatDay(day)}.`, { day });
}
