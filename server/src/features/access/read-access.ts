// Reads what staff see of a user's access: all products, or one product with the reason in detail.
import { type AccessExplained, type CohortName, findHint } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Database, Db } from '../../db/database.ts';
import { beginReading } from '../../db/deployment.sql.ts';
import { isUuid } from '../../db/is-uuid.ts';
import { listCohortsOf } from '../people/people.sql.ts';
import { listSimilarEmails } from '../people/similar-emails.sql.ts';
import { findLastSignIn, findUser } from '../people/users.sql.ts';
import { findProductRecord } from '../products/products.sql.ts';
import { type ExplainedRow, explainAccess, UNKNOWN_PERSON } from './explain-access.ts';
import { findAccess, listAccess, type UserGrant } from './user-access.sql.ts';

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
    code: coupon === null ? null : { ...coupon, hint: findHint(coupon.coupon_code) },
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
