// Explains whether a user would get a code of a product now, and why: a verdict, and the sentence that says it.
import { type AccessState, type Explanation, fillIn, type Verdict } from '@portal/contract';
import { formatDay } from '../../day.ts';
import { findMissingAccess } from './find-missing-access.ts';
import type { AccessRow, UserGrant } from './user-access.sql.ts';

type Parts = Explanation['parts'];
type Finding = { verdict: keyof typeof SENTENCES; parts: Parts };

// No verdict is 'waiting' as long as there are no waiting lists.
const SENTENCES = {
  unknown_person: 'Nobody is known by this address.',
  holds_code: 'Holds a code since {day}.',
  code_revoked: 'The code was withdrawn on {day}: {reason}.',
  no_grant: 'No grant names this product, for this person or any of their cohorts.',
  future: 'Access begins on {day}, {source}.',
  over: 'Access ended on {day}, {source}.',
  withdrawn: 'Access was removed on {day} by {who}: {reason}.',
  product_archived: 'This product was archived on {day}.',
  product_paused: 'Has access, but the product is paused since {day}.',
  product_scheduled: 'Has access; redeeming opens on {day}.',
  product_ended: 'Has access, but redeeming closed on {day}.',
  sold_out: 'Has access, but no code is left.',
  can_redeem: 'Can redeem now, {source}.',
} satisfies Partial<Record<Verdict, string>>;

const SOURCES = {
  direct: 'given directly by {who}',
  all_products: 'all products, by {who}',
  cohort: 'with cohort {cohort}',
  purchase: 'by purchase {purchase_id}',
};

/** The explanation for an address that nobody has. */
export const UNKNOWN_PERSON: Explanation = write({ verdict: 'unknown_person', parts: {} });

export type ExplainedRow = AccessRow & { access: AccessState; why: Explanation };

/**
 * Returns the product with its verdict, in the order of R-COHORT-17, and with whether the user has access to it.
 * `redeemCoupon` refuses in the same order, and reads the same facts. `dayOf` converts a moment to its day in the
 * portal's time zone.
 */
export function explainAccess(row: AccessRow, dayOf: (at: Date) => string): ExplainedRow {
  const missing = row.granted ? null : findMissingAccess(row.grants, dayOf);
  // N-64: access that was withdrawn is over.
  const ended = missing === null ? 'none' : missing.state === 'future' ? 'future' : 'over';
  return { ...row, access: row.granted ? 'live' : ended, why: write(decide(row, missing, dayOf)) };
}

function decide(
  { coupon, granted, grants, sold_out, ...product }: AccessRow,
  missing: ReturnType<typeof findMissingAccess<UserGrant>>,
  dayOf: (at: Date) => string,
): Finding {
  const dayAt = (time: string | null) => (time === null ? {} : { day: dayOf(new Date(time)) });
  if (coupon?.state === 'held') return { verdict: 'holds_code', parts: dayAt(coupon.assigned_at) };
  if (coupon !== null) {
    const { revoked_at, revoke_reason } = coupon;
    return { verdict: 'code_revoked', parts: { ...dayAt(revoked_at), reason: revoke_reason ?? '' } };
  }
  if (!granted) {
    if (missing === null) return { verdict: 'no_grant', parts: {} };
    const { state, day, grant } = missing;
    if (state !== 'withdrawn') return { verdict: state, parts: { day, ...describeSource(grant) } };
    const { withdrawn_by, withdraw_reason } = grant;
    return { verdict: state, parts: { day, who: withdrawn_by ?? '', reason: withdraw_reason ?? '' } };
  }
  switch (product.status) {
    case 'archived':
      return { verdict: 'product_archived', parts: dayAt(product.archived_at) };
    case 'paused':
      return { verdict: 'product_paused', parts: dayAt(product.paused_at) };
    case 'scheduled':
      return { verdict: 'product_scheduled', parts: { day: product.opens_on ?? '' } };
    case 'ended':
      return { verdict: 'product_ended', parts: { day: product.closes_on ?? '' } };
  }
  if (sold_out) return { verdict: 'sold_out', parts: {} };
  const live = grants.find(({ state }) => state === 'live');
  return { verdict: 'can_redeem', parts: live === undefined ? {} : describeSource(live) };
}

/** Returns the parts that name the source of a grant; see `explanation` in the contract. */
function describeSource({ product_id, cohort, purchase_id, given_by }: UserGrant): Parts {
  if (cohort !== null) return { source: 'cohort', cohort };
  if (purchase_id !== null) return { source: 'purchase', purchase_id };
  return { source: product_id === null ? 'all_products' : 'direct', who: given_by };
}

function write({ verdict, parts }: Finding): Explanation {
  const { day, source, cohort, ...texts } = parts;
  const values = { ...texts, ...(cohort && { cohort: cohort.name }), ...(day && { day: formatDay(day) }) };
  const sentence = fillIn(SENTENCES[verdict], {
    ...values,
    ...(source && { source: fillIn(SOURCES[source], values) }),
  });
  return { verdict, sentence, parts };
}
