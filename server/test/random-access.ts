// Inserts random people, cohorts, products, grants and codes into a database, so that a test meets every combination of
// access, status and stock.
import { randomUUID } from 'node:crypto';
import type { Database } from '../src/db/database.ts';
import { type Learner, STAFF } from './lifecycle.ts';

export const TODAY = '2026-11-20';
const [LONG_AGO, BEFORE, AFTER, LATER] = ['2026-01-01', '2026-11-19', '2026-11-21', '2026-12-31'];
const PEOPLE = 20;
const PRODUCTS = 10;
const COHORTS = 4;
const GRANTS = 160;

export type Random = ReturnType<typeof createChoice>;
type Row = Record<string, unknown>;

/** Returns functions that choose at random. `random` is a generator of `createRandom`. */
export function createChoice(random: (below: number) => number) {
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
  return {
    pick,
    isOneIn: (n: number) => random(n) === 0,
    times: <T>(count: number, make: (n: number) => T): T[] =>
      Array.from({ length: count }, (_, n) => make(n)),
    upTo: (most: number) => random(most + 1),
  };
}

async function insert(db: Database, table: string, columns: string, rows: readonly Row[]): Promise<void> {
  await db.query(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)
     on conflict do nothing`,
    [JSON.stringify(rows)],
  );
}

/**
 * Inserts 20 people and 10 products with everything between them. The state of each pair is independent of all others,
 * but people compete for the free codes of a product. Returns the people and the ids of the products.
 */
export async function addRandomAccess(
  db: Database,
  choice: Random,
): Promise<{ learners: Learner[]; product_ids: string[] }> {
  const products = choice.times(PRODUCTS, () => makeProduct(choice));
  await insert(
    db,
    'product',
    'product_id, name, description, url, shared_coupon, stock_version, created_at, version, paused_at, paused_by, archived_at, archived_by, opens_on, closes_on',
    products,
  );
  const learners = await addPeople(db, choice);
  const product_ids = products.map(({ product_id }) => product_id);
  await addGrants(db, choice, { learners, product_ids });
  await addStock(db, choice, { learners, products });
  return { learners, product_ids };
}

function makeProduct({ pick, isOneIn }: Random) {
  const paused = isOneIn(6);
  const archived = isOneIn(9);
  const [opens_on, closes_on] = pick([
    ...Array.from({ length: 5 }, () => [null, null]),
    [LONG_AGO, TODAY],
    [TODAY, LATER],
    [AFTER, null],
    [null, BEFORE],
  ] as const);
  return {
    ...{
      product_id: randomUUID(),
      name: `Product ${randomUUID()}`,
      description: 'A tool.',
      url: 'a.example',
    },
    ...{ shared_coupon: isOneIn(3), stock_version: 0, created_at: LONG_AGO, version: 1 },
    ...{ paused_at: paused ? BEFORE : null, paused_by: paused ? STAFF : null },
    ...{ archived_at: archived ? BEFORE : null, archived_by: archived ? STAFF : null },
    ...{ opens_on, closes_on },
  };
}

async function addPeople(db: Database, { times }: Random): Promise<Learner[]> {
  const emails = times(PEOPLE, () => `random-${randomUUID()}@example.org`);
  const { rows } = await db.query<{ id: string; email: string }>(
    'insert into app_user (email) select unnest($1::text[]) returning id, email',
    [emails],
  );
  return rows.map(({ id, email }) => ({
    ...{ auth_id: randomUUID(), email, name: null, session_id: null },
    ...{ user_id: id, user_role: 'user', team_role: null },
  }));
}

async function addGrants(
  db: Database,
  { pick, isOneIn, times }: Random,
  { learners, product_ids }: { learners: Learner[]; product_ids: string[] },
): Promise<void> {
  const cohorts = times(COHORTS, () => ({
    ...{
      cohort_id: randomUUID(),
      name: `Cohort ${randomUUID()}`,
      created_by: STAFF,
      created_at: LONG_AGO,
      version: 1,
    },
    archived_at: isOneIn(3) ? BEFORE : null,
  }));
  await insert(db, 'cohort', 'cohort_id, name, archived_at, created_by, created_at, version', cohorts);
  const members = learners.flatMap(({ user_id }) =>
    cohorts
      .filter(() => isOneIn(3))
      .map(({ cohort_id }) => ({ cohort_id, user_id, joined_at: BEFORE, joined_by: STAFF })),
  );
  await insert(db, 'cohort_member', 'cohort_id, user_id, joined_at, joined_by', members);
  const grants = times(GRANTS, (n) => {
    const cohort_id = isOneIn(8) ? pick(cohorts).cohort_id : null;
    const [starts_on, ends_on] = pick([
      ...[
        [LONG_AGO, null],
        [TODAY, TODAY],
        [LONG_AGO, LATER],
        [LONG_AGO, BEFORE],
        [BEFORE, BEFORE],
      ],
      ...[
        [LONG_AGO, '2026-10-31'],
        [AFTER, null],
        [LATER, LATER],
      ],
    ] as [string, string | null][]);
    const isWithdrawn = isOneIn(4);
    return {
      ...{ user_id: cohort_id === null ? pick(learners).user_id : null, cohort_id },
      ...{ product_id: isOneIn(40) ? null : pick(product_ids), starts_on, ends_on },
      ...{ granted_by: STAFF, granted_at: LONG_AGO },
      purchase_id: cohort_id === null && isOneIn(4) ? n + 1 : null,
      withdrawn_at: isWithdrawn ? pick([`${BEFORE}T08:00Z`, `${TODAY}T09:00Z`, '2026-11-01T12:00Z']) : null,
      ...(isWithdrawn && { withdrawn_by: STAFF, withdraw_reason: 'Left' }),
    };
  });
  await insert(
    db,
    'access_grant',
    'user_id, cohort_id, product_id, starts_on, ends_on, granted_by, granted_at, purchase_id, withdrawn_at, withdrawn_by, withdraw_reason',
    grants,
  );
}

async function addStock(
  db: Database,
  { pick, isOneIn, times, upTo }: Random,
  { learners, products }: { learners: Learner[]; products: { product_id: string; shared_coupon: boolean }[] },
): Promise<void> {
  const { rows } = await db.query<{ id: string; product_id: string; source: string }>(
    `insert into coupon_batch (product_id, source, created_by)
     select p, s::text, $2 from unnest($1::uuid[]) p, unnest(array['file', 'generated']) s returning id, product_id, source`,
    [products.map(({ product_id }) => product_id), STAFF],
  );
  const batchOf = (product: string, source: string) =>
    rows.find((row) => row.product_id === product && row.source === source)?.id;
  const codes = products.flatMap(({ product_id, shared_coupon }) => {
    const make = (state: Row, source = 'file'): Row => ({
      ...{ product_id, batch_id: batchOf(product_id, source), shared: shared_coupon, created_at: LONG_AGO },
      coupon_code: `${shared_coupon ? `S${upTo(2)}-${product_id.slice(0, 8)}` : randomUUID()}`,
      use_by: pick([BEFORE, TODAY, AFTER, 'infinity', 'infinity']),
      usage_limit: shared_coupon ? pick([null, 1, 3, 8]) : null,
      is_current: false,
      ...state,
    });
    const voided = { voided_at: BEFORE, voided_by: STAFF };
    const stock = times(shared_coupon ? upTo(3) : pick([0, 1, 3, 9]), () =>
      make(isOneIn(5) ? { ...voided, void_reason: pick(['mistake', 'dead', 'expired', 'faulty']) } : {}),
    );
    const held = learners
      .filter(() => isOneIn(5))
      .flatMap(({ user_id: holder }) => {
        const given = { holder, assigned_at: BEFORE, assigned_by: pick(['learner', STAFF]) };
        const revoked = { revoked_at: TODAY, revoked_by: STAFF, revoke_reason: 'Leaked' };
        const source = isOneIn(3) ? 'generated' : 'file';
        const former = isOneIn(3) ? [make({ ...given, ...(isOneIn(2) && revoked) })] : [];
        return [...former, make({ ...given, is_current: true, ...(isOneIn(2) && revoked) }, source)];
      });
    return [...stock, ...held];
  });
  await insert(
    db,
    'coupon',
    'product_id, batch_id, shared, coupon_code, usage_limit, use_by, holder, is_current, assigned_at, assigned_by, created_at, revoked_at, revoked_by, revoke_reason, voided_at, voided_by, void_reason',
    codes,
  );
}
