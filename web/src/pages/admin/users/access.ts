// Types and the query of the access card, and the grants on which its acts work.
import type { Grant, getUserAccess as getUserAccessCall, ReplyOf } from '@portal/contract';
import { getUserAccess } from '../../../admin-calls.ts';
import { queryOf } from '../../../queries.ts';
import { isStanding } from './valid-days.ts';

export type Access = ReplyOf<typeof getUserAccessCall>;
export type AccessUser = Access['user'];
export type AccessProduct = Access['products'][number];
export type AssignedCoupon = NonNullable<AccessProduct['coupon']>;
export type AccessAct = 'dates' | 'remove' | 'revoke' | 'replace';

/** Returns the query options of a look-up. */
export const accessOf = (email: string) => queryOf(getUserAccess, { email });

/** True for a grant that gives access today or later. */
export function isAhead({ state }: Pick<Grant, 'state'>): boolean {
  return state === 'live' || state === 'future';
}

/**
 * Returns the grants whose dates can be changed, or that can be removed: the person's own ones that were not withdrawn
 * (N-97). A grant that is over can be extended, but there is nothing to remove.
 * Those of this product come first, because one of all products concerns more than the row shows.
 */
export function listGrantsFor(act: 'dates' | 'remove', grants: readonly Grant[]): Grant[] {
  const fits = act === 'dates' ? isStanding : isAhead;
  const own = grants.filter((grant) => grant.via === 'direct' && fits(grant));
  return own.sort((a, b) => Number(a.product_id === null) - Number(b.product_id === null));
}
