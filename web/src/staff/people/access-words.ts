// What the access card says about a product: why a person would get a code of it, the days of access, and the grants
// that the actions can change.
import {
  type Explanation,
  type Grant,
  getUserAccess as getUserAccessCall,
  type ReplyOf,
} from '@portal/contract';
import { queryOf } from '../../queries.ts';
import { isolate } from '../../ui/text.tsx';
import { formatDay } from '../../words/format.ts';
import { t, tServed } from '../../words/translate.ts';
import { formatActor, formatReason } from '../nouns/log-line.ts';

export type Access = ReplyOf<typeof getUserAccessCall>;
export type AccessUser = Access['user'];
export type AccessProduct = Access['products'][number];
export type AssignedCoupon = NonNullable<AccessProduct['coupon']>;
/** The actions that a dialog asks about. */
export type AccessAction = 'dates' | 'remove' | 'revoke' | 'replace';

export const accessOf = (email: string) => queryOf(getUserAccessCall, { email });

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
 * The dates of a grant that is over can be changed, but such a grant cannot be removed. Grants of one product come
 * first. A grant of all products comes last, because the menu belongs to one product.
 */
export function listGrantsFor(action: 'dates' | 'remove', grants: readonly Grant[]): Grant[] {
  const fits = action === 'dates' ? isStanding : isAhead;
  const own = grants.filter((grant) => grant.via === 'direct' && fits(grant));
  return own.sort((a, b) => Number(a.product_id === null) - Number(b.product_id === null));
}

/**
 * Returns why a person would get a code now, or not. A newer server may send a verdict that this page has no words for:
 * then returns the server's sentence.
 */
export function formatVerdict({ verdict, sentence, parts }: Explanation): string {
  const day = formatDay(parts.day ?? '');
  const reason = parts.reason && isolate(formatReason(parts.reason));
  const source = formatSource(parts);
  switch (verdict) {
    case 'unknown_person':
      return formatUnknown();
    case 'holds_code':
      return t('Holds a code since {day}.', { day });
    case 'code_revoked':
      // Without a reason for those who may not see it (N-68).
      return reason
        ? t('The code was withdrawn on {day}: {reason}.', { day, reason })
        : t('The code was withdrawn on {day}.', { day });
    case 'no_grant':
      return formatNoGrant();
    case 'future':
      return t('Access begins on {day}, {source}.', { day, source });
    case 'over':
      return t('Access ended on {day}, {source}.', { day, source });
    case 'withdrawn': {
      const who = formatWho(parts);
      return reason
        ? t('Access was removed on {day} by {who}: {reason}.', { day, who, reason })
        : t('Access was removed on {day} by {who}.', { day, who });
    }
    case 'product_archived':
      return t('This product was archived on {day}.', { day });
    case 'product_paused':
      return t('Has access, but the product is paused since {day}.', { day });
    case 'product_scheduled':
      return t('Has access; redeeming opens on {day}.', { day });
    case 'product_ended':
      return t('Has access, but redeeming closed on {day}.', { day });
    case 'sold_out':
      return t('Has access, but no code is left.');
    case 'can_redeem':
      return t('Can redeem now, {source}.', { source });
    default:
      return tServed(sentence);
  }
}

export function formatUnknown(): string {
  return t('Nobody is known by this address.');
}

export function formatNoGrant(): string {
  return t('No grant names this product, for this person or any of their cohorts.');
}

/** Returns by what the person has access, as the end of a sentence. */
function formatSource(parts: Explanation['parts']): string {
  const { source, cohort, purchase_id = '' } = parts;
  if (source === 'cohort') return t('with cohort {cohort}', { cohort: isolate(cohort?.name ?? '') });
  if (source === 'purchase') return t('by purchase {id}', { id: isolate(purchase_id) });
  const who = formatWho(parts);
  return source === 'all_products'
    ? t('all products, by {who}', { who })
    : t('given directly by {who}', { who });
}

function formatWho({ who = '' }: Explanation['parts']): string {
  return isolate(formatActor(who));
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
 * Returns the first and the last day of access. Grants whose days overlap, or follow each other without a gap, count as
 * one span of days. If there are several spans, returns the span with a live grant, else the next future span, else the
 * last past span. Returns null if no grant gives access on any day.
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
