// Gives, edits and withdraws access for an administrator, and checks the products and days in requests of staff.
import type { Grant, NewGrant } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Clock } from '../../day.ts';
import { type Database, type Db, isUuid } from '../../db/database.ts';
import { refuseCodes } from '../codes/codes.ts';
import { revokeHeld, SHARED_CODE_STAYS } from '../codes/issue.ts';
import { refuseMoreMembers, requireLockedCohort } from '../cohorts/members.ts';
import { createAuditLine, listChanges } from '../log/audit.sql.ts';
import { findUser, lockUser } from '../people/people.sql.ts';
import { requireLockedPerson } from '../people/people.ts';
import { countProducts, findProduct, findProductName } from '../products/products.sql.ts';
import { findCurrentCoupon } from '../redeem/redeem.sql.ts';
import { grantAccess, isGranted } from './access.sql.ts';
import {
  type Days,
  findGrantee,
  type LockedGrant,
  listGrantIds,
  listGrants,
  lockGrant,
  setWithdrawn,
  updateGrantDays,
} from './grants.sql.ts';

/** For a grant of a cohort, `expected` is the number of members that staff have seen (N-95). */
type Order = { id: string; actor: string; expected?: number | undefined };

/**
 * Gives a user or a cohort access to products. Returns the grantee's direct grants of these products that are not
 * withdrawn, including grants that already covered the days. `new` is the number of products to which the access is new
 * (R-LIFE-02, N-65).
 * @throws AppError user_not_found, cohort_not_found; product_not_found if a product is unknown or archived;
 * invalid_request if the last day is before the first.
 */
export function createGrants(
  db: Database,
  { actor, given }: { actor: string; given: NewGrant },
  { now, dayOf }: Clock,
): Promise<{ grants: Grant[]; new: number }> {
  return db.transaction(async (tx) => {
    const today = dayOf(now());
    const days = resolveDays(given, today);
    const grantee = await findGranteeOf(tx, given);
    const product_ids = given.product_ids === 'all' ? [null] : await requireProducts(tx, given.product_ids);
    const { count } = await grantAccess(tx, { ...grantee.to, ...days, product_ids, today, actor });
    const ids = new Set(await listGrantIds(tx, grantee.of, product_ids));
    const grants = await listGrants(tx, grantee.of, today);
    return { grants: grants.filter(({ id }) => ids.has(id)), new: count };
  });
}

/**
 * Changes the days of a grant. If the days are the same as before, writes nothing.
 * @throws AppError not_found, grant_withdrawn; edit_conflict if the grant no longer has the days `was`; invalid_request
 * if the end becomes earlier and `reason` is null (N-98); count_changed.
 */
export function editGrant(
  db: Database,
  order: Order & Days & { reason: string | null; was?: Days | undefined },
  { now, dayOf }: Clock,
): Promise<Grant> {
  const { id, actor, reason, expected, was, ...days } = order;
  return db.transaction(async (tx) => {
    const before = await requireGrant(tx, id);
    if (before.cohort_id !== null) await refuseMoreMembers(tx, before.cohort_id, expected);
    if (before.withdrawn_at !== null)
      throw new AppError('grant_withdrawn', 'This access was removed. Give it again instead.');
    if (was !== undefined && !isSameDays(before, was) && !isSameDays(before, days)) throw datesChanged();
    const endsEarlier = days.ends_on !== null && (before.ends_on === null || days.ends_on < before.ends_on);
    if (endsEarlier && reason === null) throw new AppError('invalid_request', 'reason is required');
    await refuseCodes(tx, reason, before.product_id === null ? null : [before.product_id]);
    const changes = listChanges(days, { from: before, to: days });
    if (Object.keys(changes).length > 0) {
      await updateGrantDays(tx, id, days);
      const detail = { ...changes, ...(reason !== null && { reason }) };
      await createGrantLine(tx, id, before, { actor, action: 'grant.edit', detail });
    }
    return readGrant(tx, id, dayOf(now()));
  });
}

/**
 * Withdraws a grant. Repeating the call changes nothing. With `revoke_code`, also revokes the user's current code of
 * the product. Keeps the code if another grant gives access today, or the code is shared; `kept` is then the reason (N-62).
 * @throws AppError not_found; invalid_request if `revoke_code` is set for a grant of a cohort, or of all products;
 * count_changed.
 */
export function withdrawGrant(
  db: Database,
  { id, actor, reason, revoke_code, expected }: Order & { reason: string; revoke_code: boolean },
  { now, dayOf }: Clock,
): Promise<Grant & { kept?: string }> {
  return db.transaction(async (tx) => {
    // Locks the user before the grant, because other staff actions on a user's codes lock the user first too. Another
    // order could cause a deadlock.
    const user_id = await findGrantee(tx, id);
    if (user_id !== null) await lockUser(tx, user_id);
    const grant = await requireGrant(tx, id);
    const { product_id } = grant;
    if (revoke_code && (user_id === null || product_id === null)) {
      const whose = user_id === null ? 'a cohort' : 'all products';
      throw new AppError('invalid_request', `revoke_code is not possible for a grant of ${whose}`);
    }
    await refuseCodes(tx, reason, product_id === null ? null : [product_id]);
    if (grant.cohort_id !== null && grant.withdrawn_at === null)
      await refuseMoreMembers(tx, grant.cohort_id, expected);
    const at = now();
    const today = dayOf(at);
    if (grant.withdrawn_at === null) {
      await setWithdrawn(tx, id, { by: actor, reason, at });
      const detail = { reason, revoke_code };
      await createGrantLine(tx, id, grant, { actor, action: 'grant.withdraw', detail });
    }
    let kept: string | null = null;
    if (revoke_code && user_id !== null && product_id !== null) {
      const code = { user_id, product_id };
      const current = await findCurrentCoupon(tx, product_id, user_id);
      const coupon_id = current?.revoked_at === null ? current.id : null;
      if (coupon_id !== null) kept = await findWhyKept(tx, { ...code, today });
      if (coupon_id !== null && kept === null && grant.withdrawn_at === null)
        await revokeHeld(tx, { ...code, coupon_id }, { actor, reason, at, promotes: true });
    }
    return { ...(await readGrant(tx, id, today)), ...(kept !== null && { kept }) };
  });
}

/** Returns the reason to keep the user's code although the grant was withdrawn; null if the code may be revoked. */
async function findWhyKept(
  tx: Db,
  { user_id, product_id, today }: { user_id: string; product_id: string; today: string },
): Promise<string | null> {
  if (await isGranted(tx, { user_id, product_id, today }))
    return 'The code was not revoked: another grant still gives access.';
  return (await findProduct(tx, product_id, today))?.shared_coupon ? SHARED_CODE_STAYS : null;
}

async function findGranteeOf(tx: Db, { email, cohort_id = '' }: NewGrant) {
  if (email !== undefined) {
    const user = await findUser(tx, email);
    if (user === null) throw new AppError('user_not_found', 'User not found');
    // Locks the person, so that nobody who is being erased gets a grant.
    await requireLockedPerson(tx, user.user_id);
    return { to: { emails: [user.email] }, of: { user_id: user.id } };
  }
  // Without this lock, two actions on several grants of one cohort could lock the grants in different orders and
  // deadlock.
  await requireLockedCohort(tx, cohort_id);
  return { to: { cohort_id }, of: { cohort_id } };
}

async function requireGrant(tx: Db, id: string): Promise<LockedGrant> {
  const grant = await lockGrant(tx, id);
  if (grant === null) throw new AppError('not_found', 'Grant not found');
  return grant;
}

async function readGrant(tx: Db, id: string, today: string): Promise<Grant> {
  const [grant] = await listGrants(tx, { id }, today);
  return grant as Grant;
}

async function createGrantLine(
  tx: Db,
  id: string,
  { user_id, product_id, cohort_id }: LockedGrant,
  { detail, ...line }: { actor: string; action: string; detail: object },
): Promise<void> {
  await createAuditLine(tx, {
    ...line,
    ...(user_id !== null && { user_id }),
    ...(product_id !== null && { product_id }),
    ...(cohort_id !== null && { cohort_id }),
    detail: { grant_id: id, ...(cohort_id !== null && { cohort_id }), ...detail },
  });
}

/**
 * Returns the ids of the products in lower case, without duplicates.
 * @throws AppError product_not_found if a product is archived; `unknown` if a product does not exist.
 */
export async function requireProducts(
  db: Db,
  given: readonly string[],
  unknown: AppError = new AppError('product_not_found', 'Product not found'),
): Promise<string[]> {
  const product_ids = [...new Set(given.map((id) => id.toLowerCase()))];
  if (!product_ids.every(isUuid)) throw unknown;
  const { known, archived } = await countProducts(db, product_ids);
  if (known !== product_ids.length) throw unknown;
  if (archived > 0) throw new AppError('product_not_found', 'Product not found');
  return product_ids;
}

/** @throws AppError product_not_found if there is no such product. Accepts archived products. */
export async function requireProduct(db: Db, product_id: string): Promise<void> {
  if ((await findProductName(db, product_id)) === null)
    throw new AppError('product_not_found', 'Product not found');
}

/** Returns the error for an unknown product in the form or the file of users (R-API). */
export const unknownProduct = () =>
  new AppError('invalid_request', 'product_ids names a product that does not exist');

/**
 * Returns the days of a grant. Without a first day, the grant begins on the day `today`. Without a last day, the grant has
 * no end (R-LIFE-03).
 * @throws AppError invalid_request if the last day is before the first.
 */
export function resolveDays(
  given: { starts_on?: string | null | undefined; ends_on?: string | null | undefined },
  today: string,
): Days {
  const days = { starts_on: given.starts_on ?? today, ends_on: given.ends_on ?? null };
  if (days.ends_on !== null && days.ends_on < days.starts_on)
    throw new AppError('invalid_request', 'ends_on must not be before starts_on');
  return days;
}

/** Grants with the days that the page showed. */
export type SeenGrants = readonly ({ id: string } & Days)[];

export function isSameDays(a: Days, b: Days): boolean {
  return a.starts_on === b.starts_on && a.ends_on === b.ends_on;
}

/** Returns the error for an edit of the days of a grant that somebody else has changed meanwhile. */
export function datesChanged(): AppError {
  return new AppError('edit_conflict', 'Somebody else changed these dates meanwhile.');
}
