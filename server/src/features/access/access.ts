// Reads a user's access for staff, and explains whether the user would get a code of a product now. An explanation
// consists of a verdict, a sentence, and the values in the sentence.
import {
  type AccessExplained,
  type AccessState,
  type Explanation,
  fillIn,
  findSuffix,
  type Verdict,
} from '@portal/contract';
import { AppError } from '../../app-error.ts';
import { type Clock, formatDay } from '../../day.ts';
import type { Database, Db } from '../../db/database.ts';
import { beginReading } from '../../db/deployment.sql.ts';
import { listSimilarEmails } from '../people/addresses.sql.ts';
import { findLastSignIn, findUser, listCohortsOf } from '../people/people.sql.ts';
import { findProductRecord } from '../products/products.sql.ts';
import { type AccessRow, findAccess, listAccess, type UserGrant } from './grants.sql.ts';

const SIMILAR = 5;

/**
 * Returns the user with this address, and the user's products. These are the products to which the user has, had or will
 * have access, and the products of which the user holds a code. Products with access today come first, then products with
 * later access, then all others, including archived products. Each group is sorted by name. Reads from one snapshot, so
 * that verdicts and grants agree.
 * @throws AppError user_not_found, with addresses that resemble the unknown address (R-COHORT-18).
 */
export function readUserAccess(db: Database, email: string, { now, dayOf }: Clock) {
  return db.transaction(async (tx) => {
    await beginReading(tx);
    const user = await findUser(tx, email);
    if (user === null) {
      const similar = await listSimilarEmails(tx, email, SIMILAR);
      throw new AppError('user_not_found', 'User not found', { similar });
    }
    const rows = await listAccess(tx, user.id, dayOf(now()));
    const cohorts = await listCohortsOf(tx, user.id);
    return {
      user: {
        email: user.email,
        name: user.name,
        last_sign_in_at: await findLastSignIn(tx, user.email),
        cohorts: cohorts.filter(({ archived }) => !archived),
      },
      products: rows.map((row) => explainAccess(row, dayOf)).sort((a, b) => rankOf(a) - rankOf(b)),
    };
  });
}

const RANKS = { live: 0, future: 1, over: 2, none: 2 };
const rankOf = ({ status, access }: ExplainedRow) => (status === 'archived' ? RANKS.none : RANKS[access]);

/**
 * Explains whether the person with this address would get a code of the product now. An unknown address is not an
 * error, but has its own verdict (N-55).
 * @throws AppError product_not_found.
 */
export function explainWhy(
  db: Database,
  { email, product_id }: { email: string; product_id: string },
  { now, dayOf }: Clock,
): Promise<AccessExplained> {
  const today = dayOf(now());
  return db.transaction(async (tx) => {
    await beginReading(tx);
    const found = await findProductRecord(tx, product_id, today);
    if (found === null) throw new AppError('product_not_found', 'Product not found');
    const { status, opens_on, closes_on, shared_coupon } = found;
    const product = { status, opens_on, closes_on, left: shared_coupon ? null : found.left };
    const person = await explainPerson(tx, { email, product_id, today }, dayOf);
    return { ...person, product };
  });
}

async function explainPerson(
  tx: Db,
  { email, ...of }: { email: string; product_id: string; today: string },
  dayOf: Clock['dayOf'],
): Promise<Omit<AccessExplained, 'product'>> {
  const user = await findUser(tx, email);
  const row = user === null ? null : await findAccess(tx, { ...of, user_id: user.id });
  if (row === null) {
    return {
      ...write({ verdict: 'unknown_person', parts: {} }),
      grants: [],
      code: null,
      person: { known: false, last_sign_in_at: null },
      similar: await listSimilarEmails(tx, email, SIMILAR),
    };
  }
  const { coupon, grants, why } = explainAccess(row, dayOf);
  return {
    ...why,
    grants: grants.map(describeGrant),
    code: coupon === null ? null : { ...coupon, hint: findSuffix(coupon.coupon_code) },
    person: { known: true, last_sign_in_at: await findLastSignIn(tx, user?.email ?? email) },
    similar: [],
  };
}

function describeGrant({ via, cohort, purchase_id, ...grant }: UserGrant): AccessExplained['grants'][number] {
  return {
    ...grant,
    from: { kind: via, ...cohort, ...(purchase_id !== null && { purchase_id }) },
    all_products: grant.product_id === null,
  };
}

type Parts = Explanation['parts'];
type Judgement = { verdict: keyof typeof SENTENCES; parts: Parts };

// The verdict 'waiting' of the contract is missing, because the portal has no waiting lists yet.
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

type ExplainedRow = AccessRow & { access: AccessState; why: Explanation };

/**
 * Adds `access` and the verdict to a product of a user. The verdicts are checked in the order of R-COHORT-17.
 * `redeemCoupon` checks its refusals in the same order, with the same data.
 */
function explainAccess(row: AccessRow, dayOf: Clock['dayOf']): ExplainedRow {
  const missing = row.granted ? null : findMissingAccess(row.grants, dayOf);
  // Withdrawn access counts as over (N-64).
  const ended = missing === null ? 'none' : missing.state === 'future' ? 'future' : 'over';
  return { ...row, access: row.granted ? 'live' : ended, why: write(decide(row, missing, dayOf)) };
}

function decide(
  { coupon, granted, grants, sold_out, ...product }: AccessRow,
  missing: MissingAccess<UserGrant> | null,
  dayOf: Clock['dayOf'],
): Judgement {
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

function write({ verdict, parts }: Judgement): Explanation {
  const { day, source, cohort, ...texts } = parts;
  const values = { ...texts, ...(cohort && { cohort: cohort.name }), ...(day && { day: formatDay(day) }) };
  const sentence = fillIn(SENTENCES[verdict], {
    ...values,
    ...(source && { source: fillIn(SOURCES[source], values) }),
  });
  return { verdict, sentence, parts };
}

type Explaining = Pick<UserGrant, 'archived' | 'state' | 'starts_on' | 'ends_on' | 'withdrawn_at'>;

/**
 * `day` is the day on which the access begins ('future') or has ended ('over' and 'withdrawn'), as YYYY-MM-DD. `grant`
 * is the grant with this day.
 */
type MissingAccess<T> = { state: 'future' | 'over' | 'withdrawn'; day: string; grant: T };

/**
 * Chooses the grant that explains why a user has no access today. `grants` are the user's grants for a product, none of
 * which is live. Returns the grant that begins first in the future, else the grant that ended last, else the grant
 * that was withdrawn last (N-49). Ignores grants of archived cohorts (N-47, N-63). Returns null if no grant is left.
 * Refused redemptions and explanations for staff both use this function, so they agree (R-COHORT-41).
 */
export function findMissingAccess<T extends Explaining>(
  grants: readonly T[],
  dayOf: Clock['dayOf'],
): MissingAccess<T> | null {
  const listSorted = (state: MissingAccess<T>['state'], timeOf: (grant: T) => string | null) =>
    grants
      .filter((grant) => grant.state === state && !grant.archived)
      .map((grant) => ({ state, day: timeOf(grant) ?? '', grant }))
      .sort((a, b) => a.day.localeCompare(b.day));
  const [first] = listSorted('future', ({ starts_on }) => starts_on);
  if (first !== undefined) return first;
  const ended = listSorted('over', ({ ends_on }) => ends_on).at(-1);
  if (ended !== undefined) return ended;
  const withdrawn = listSorted('withdrawn', ({ withdrawn_at }) => withdrawn_at).at(-1);
  return withdrawn === undefined ? null : { ...withdrawn, day: dayOf(new Date(withdrawn.day)) };
}
