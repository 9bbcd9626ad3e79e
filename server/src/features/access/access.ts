// Reads what staff see of a user's access, and explains whether the user would get a code of a product now: a verdict, the
// sentence that says it, and the grant that a refusal names.
import {
  type AccessExplained,
  type AccessState,
  type CohortName,
  type Explanation,
  fillIn,
  findSuffix,
  type Verdict,
} from '@portal/contract';
import { AppError } from '../../app-error.ts';
import { formatDay } from '../../day.ts';
import type { Database, Db } from '../../db/database.ts';
import { beginReading } from '../../db/deployment.sql.ts';
import { isUuid } from '../../db/ids.ts';
import { listSimilarEmails } from '../people/addresses.sql.ts';
import { findLastSignIn, findUser, listCohortsOf } from '../people/people.sql.ts';
import { findProductRecord } from '../products/products.sql.ts';
import { type AccessRow, findAccess, listAccess, type UserGrant } from './grants.sql.ts';

const SIMILAR = 5;

export type ReadTools = { now: () => Date; dayOf: (at: Date) => string };

export type UserAccess = {
  user: {
    email: string;
    name: string | null;
    last_sign_in_at: string | null | undefined;
    cohorts: CohortName[];
  };
  products: ExplainedRow[];
};

/**
 * Returns the user with this address, and the products that the user has, had or will have access to, or holds a code
 * of. Products with access today come first, then those with access later, then all others, also archived ones; each of
 * these groups is sorted by name. All is read from one snapshot, so that a verdict agrees with the grants beside it.
 * @throws AppError user_not_found, with addresses that resemble the unknown one (R-COHORT-18).
 */
export function readUserAccess(db: Database, email: string, { now, dayOf }: ReadTools): Promise<UserAccess> {
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
 * Returns why the person with this address would get a code of the product now, or not. An unknown address is a verdict
 * too (N-55).
 * @throws AppError product_not_found.
 */
export function explainWhy(
  db: Database,
  { email, product_id }: { email: string; product_id: string },
  { now, dayOf }: ReadTools,
): Promise<AccessExplained> {
  const today = dayOf(now());
  return db.transaction(async (tx) => {
    await beginReading(tx);
    const found = isUuid(product_id) ? await findProductRecord(tx, product_id, today) : null;
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
  dayOf: ReadTools['dayOf'],
): Promise<Omit<AccessExplained, 'product'>> {
  const user = await findUser(tx, email);
  const row = user === null ? null : await findAccess(tx, { ...of, user_id: user.id });
  if (row === null) {
    return {
      ...UNKNOWN_PERSON,
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
const UNKNOWN_PERSON: Explanation = write({ verdict: 'unknown_person', parts: {} });

export type ExplainedRow = AccessRow & { access: AccessState; why: Explanation };

/**
 * Returns the product with its verdict, in the order of R-COHORT-17, and with whether the user has access to it.
 * `redeemCoupon` refuses in the same order, and reads the same facts. `dayOf` converts a moment to its day in the
 * portal's time zone.
 */
function explainAccess(row: AccessRow, dayOf: (at: Date) => string): ExplainedRow {
  const missing = row.granted ? null : findMissingAccess(row.grants, dayOf);
  // N-64: access that was withdrawn is over.
  const ended = missing === null ? 'none' : missing.state === 'future' ? 'future' : 'over';
  return { ...row, access: row.granted ? 'live' : ended, why: write(decide(row, missing, dayOf)) };
}

function decide(
  { coupon, granted, grants, sold_out, ...product }: AccessRow,
  missing: ReturnType<typeof findMissingAccess<UserGrant>>,
  dayOf: (at: Date) => string,
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
export type MissingAccess<T> = { state: 'future' | 'over' | 'withdrawn'; day: string; grant: T };

/**
 * `grants` are the grants of a user for a product, none of which is live. Of several, the first one to begin later
 * counts, else the last one to end, else the one that was withdrawn last (N-49). Grants of archived cohorts do not count
 * (N-47, N-63). Returns null if no grant counts. The refusal of a redemption and the explanation for staff both use this
 * function, so they agree (R-COHORT-41).
 */
export function findMissingAccess<T extends Explaining>(
  grants: readonly T[],
  dayOf: (at: Date) => string,
): MissingAccess<T> | null {
  const list = (state: MissingAccess<T>['state'], timeOf: (grant: T) => string | null) =>
    grants
      .filter((grant) => grant.state === state && !grant.archived)
      .map((grant) => ({ state, day: timeOf(grant) ?? '', grant }))
      .sort((a, b) => a.day.localeCompare(b.day));
  const [first] = list('future', ({ starts_on }) => starts_on);
  if (first !== undefined) return first;
  const ended = list('over', ({ ends_on }) => ends_on).at(-1);
  if (ended !== undefined) return ended;
  const withdrawn = list('withdrawn', ({ withdrawn_at }) => withdrawn_at).at(-1);
  return withdrawn === undefined ? null : { ...withdrawn, day: dayOf(new Date(withdrawn.day)) };
}
