// What the access card says about a product: the days of access, and the grants that the actions can change.
import { type Grant, getUserAccess, type ReplyOf } from '@portal/contract';
import { queryOf } from '../../queries.ts';
import { t } from '../../words/translate.ts';
import { formatDay } from '../time.ts';

export type Access = ReplyOf<typeof getUserAccess>;
export type AccessUser = Access['user'];
export type AccessProduct = Access['products'][number];
export type AssignedCoupon = NonNullable<AccessProduct['coupon']>;
/** The actions that a dialog asks about. */
export type AccessAction = 'dates' | 'remove' | 'revoke' | 'replace';

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

export function isPossible(action: AccessAction, { coupon, shared_coupon, grants }: AccessProduct): boolean {
  if (action === 'dates' || action === 'remove') return listGrantsFor(action, grants).length > 0;
  return coupon?.state === 'held' && !shared_coupon;
}

/**
 * Returns the grants that `action` can change (N-97): those that were given to the user directly and were not withdrawn.
 * A grant that is over cannot be removed. Grants of all products come last.
 */
export function listGrantsFor(action: 'dates' | 'remove', grants: readonly Grant[]): Grant[] {
  const fits = action === 'dates' ? isStanding : isAhead;
  const own = grants.filter((grant) => grant.via === 'direct' && fits(grant));
  return own.sort((a, b) => Number(a.product_id === null) - Number(b.product_id === null));
}

/** Returns 'Valid {from} to {until}', or 'Valid from {from}' if `until` is null (N-106). */
export function formatValid({ from, until }: ValidDays): string {
  return until === null
    ? t('Valid from {from}', { from: formatDay(from) })
    : t('Valid {from} to {until}', { from: formatDay(from), until: formatDay(until) });
}

/** First and last day of access. `until` is null if the access has no last day. */
type ValidDays = { from: string; until: string | null };
type Span = ValidDays & { states: Grant['state'][] };

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns false for a grant that gives no access on any day: it was withdrawn, or its cohort is archived. */
function isStanding({ state }: Pick<Grant, 'state'>): boolean {
  return state === 'live' || state === 'future' || state === 'over';
}

/**
 * Returns the first and the last day of access; null without access on any day. Grants whose days overlap, or follow each
 * other without a gap, are one span. Of several spans, returns the one with a live grant, else the next future one, else
 * the last past one.
 */
export function findValidDays(
  grants: readonly Pick<Grant, 'starts_on' | 'ends_on' | 'state'>[],
): ValidDays | null {
  const spans: Span[] = [];
  const inOrder = grants.filter(isStanding).sort((a, b) => (a.starts_on < b.starts_on ? -1 : 1));
  for (const { starts_on, ends_on, state } of inOrder) {
    const last = spans.at(-1);
    if (last && (last.until === null || starts_on <= dayAfter(last.until))) {
      last.states.push(state);
      if (last.until !== null && (ends_on === null || ends_on > last.until)) last.until = ends_on;
    } else spans.push({ from: starts_on, until: ends_on, states: [state] });
  }
  const shown =
    spans.find(({ states }) => states.includes('live')) ??
    spans.find(({ states }) => states.includes('future')) ??
    spans.at(-1);
  return shown ? { from: shown.from, until: shown.until } : null;
}

/** Returns the time at which a grant was withdrawn last, or null if no grant was withdrawn. */
export function findRemoval(grants: readonly Pick<Grant, 'withdrawn_at'>[]): string | null {
  const times = grants.map(({ withdrawn_at }) => withdrawn_at ?? '');
  return times.sort().at(-1) || null;
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}
