// Types and query options of the access card. Selects the grants that the actions of this card can change.
import type { Grant, getUserAccess as getUserAccessCall, ReplyOf } from '@portal/contract';
import { getUserAccess } from '@portal/contract';
import { queryOf } from '../../../queries.ts';
import { isStanding } from './valid-days.ts';

export type Access = ReplyOf<typeof getUserAccessCall>;
export type AccessUser = Access['user'];
export type AccessProduct = Access['products'][number];
export type AssignedCoupon = NonNullable<AccessProduct['coupon']>;
/** The acts that a dialog asks about. */
export type DialogAct = 'dates' | 'remove' | 'revoke' | 'replace';
export type AccessAct = DialogAct | 'mail';

/** Returns the options of the query for the products and codes of the user with this address. */
export const accessOf = (email: string) => queryOf(getUserAccess, { email });

/** True for a grant that gives access today or later. */
export function isAhead({ state }: Pick<Grant, 'state'>): boolean {
  return state === 'live' || state === 'future';
}

/** True if the user has access to the product today or later. Nobody gets a code of an archived product. */
export function hasAccess({ grants, status }: AccessProduct): boolean {
  return status !== 'archived' && grants.some(isAhead);
}

/** Returns the first day of the future grant that begins first, or null if there is no future grant. */
export function findNextStart(grants: readonly Pick<Grant, 'state' | 'starts_on'>[]): string | null {
  const days = grants.filter(({ state }) => state === 'future').map(({ starts_on }) => starts_on);
  return days.sort()[0] ?? null;
}

export function isPossible(act: DialogAct, { coupon, shared_coupon, grants }: AccessProduct): boolean {
  if (act === 'dates' || act === 'remove') return listGrantsFor(act, grants).length > 0;
  return coupon?.state === 'held' && !shared_coupon;
}

/**
 * Returns the grants that `act` can change (N-97): those that were given to the user directly and were not withdrawn.
 * The dates of a grant that is over can be changed, but such a grant cannot be removed. Grants of one product come
 * first. A grant of all products comes last, because the menu belongs to one product.
 */
export function listGrantsFor(act: 'dates' | 'remove', grants: readonly Grant[]): Grant[] {
  const fits = act === 'dates' ? isStanding : isAhead;
  const own = grants.filter((grant) => grant.via === 'direct' && fits(grant));
  return own.sort((a, b) => Number(a.product_id === null) - Number(b.product_id === null));
}
