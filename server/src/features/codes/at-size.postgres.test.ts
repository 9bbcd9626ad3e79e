// Tests that statements stay fast with many codes and users: statements for learners, for lists and for the dashboard
// must not scan a whole table.

import { PEOPLE_SORTS, type Product } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct, startSessionOf, utcToday } from '../../../test/factories.ts';
import { listProductsOf } from '../../../test/lifecycle.ts';
import { createTestDatabase } from '../../../test/open-test-database.ts';
import { vacuumAll } from '../../../test/vacuum.ts';
import { createDayOf } from '../../day.ts';
import type { Database } from '../../db/database.ts';
import { openPostgres } from '../../db/open-postgres.ts';
import { explainWhy, readUserAccess } from '../access/access.ts';
import { readSetup } from '../dashboard/setup.sql.ts';
import { addUpTally, getCouponTotal, getStats } from '../dashboard/tally.sql.ts';
import { type LogSubject, readLog } from '../log/audit.sql.ts';
import { findLastSignIn } from '../people/people.sql.ts';
import {
  countFoundUsers,
  countUsers,
  listSortedUsers,
  listUsers,
  searchUsers,
} from '../people/search.sql.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { findForStaff, viewAsLearner } from '../support/support.ts';
import type { Caller, Identity } from '../team/callers.sql.ts';
import { findBatch, listBatches } from './batches.sql.ts';
import { countFoundCoupons, countReveals, listCoupons, listLowStock, searchCoupons } from './codes.sql.ts';
import { countWithoutCode, isForecastDue, listStockCounters } from './forecast.sql.ts';
import { listProductsWithExpired } from './void.sql.ts';

const CODES = 40_000;
const PRODUCTS = 3;
const LOG_LINES = 120_000;
const COHORT = '00000000-0000-4000-8000-000000000001';
// Each call is executed this many times before it is measured. PostgreSQL may switch to a generic plan after five
// executions of a prepared statement, and the generic plan must be fast too.
const EXECUTIONS = 8;

let db: Database;
let learners: (Identity & Pick<Caller, 'user_id'>)[];
let product_ids: string[];
let batch_id: string;
let viewed_id: string;
let viewed_member: string;
const VIEW_TOOLS = { now: () => new Date(), dayOf: createDayOf('UTC'), supportEmail: '' };
beforeAll(async () => {
  db = await openPostgres({ url: await createTestDatabase(), maxConnections: 1 });
  const products: Product[] = [];
  for (let count = 0; count < PRODUCTS; count += 1) {
    const product = await addProduct(db);
    products.push(product);
    await db.query(
      `insert into coupon (product_id, batch_id, shared, coupon_code)
       select $1, (select max(id) from coupon_batch), false, 'CODE-' || n from generate_series(1, ${CODES}) n`,
      [product.product_id],
    );
  }
  const { rows } = await db.query<{ id: string }>('select max(id) as id from coupon_batch');
  batch_id = rows[0]?.id ?? '';
  product_ids = products.map(({ product_id }) => product_id);
  const people = await Promise.all(Array.from({ length: EXECUTIONS }, () => addLearner(db, products)));
  // Half of the codes are assigned.
  await db.query(
    `update coupon set holder = $1, assigned_at = now(), assigned_by = 'learner' where pos % 2 = 0`,
    [people[0]?.user_id],
  );
  await db.query(
    `insert into app_user (email, name, user_role)
     select 'user-' || n || '@example.org', 'Amara ' || n, 'user' from generate_series(1, ${CODES}) n`,
  );
  await db.query(
    `insert into auth_user (email, email_confirmed_at, last_sign_in_at, created_at, updated_at)
     select email, now(), now(), now(), now() from app_user where not (email = any($1))`,
    [people.map(({ email }) => email)],
  );
  await db.query(
    `insert into code_reveal (staff, at, refused)
     select u.id, now() - n * interval '20 seconds', false
     from (select id from app_user order by id limit 4000) u, generate_series(1, 30) n`,
  );
  // Each person has redeemed a code. Every tenth audit line is an action of the portal itself.
  await db.execute(`
    insert into audit (at, actor, action, user_id, product_id, coupon_id)
    select now() - interval '300 days' + n * interval '3 minutes', case when n % 10 = 0 then 'portal' else 'learner' end,
      case when n % 10 = 0 then 'coupon.expire' else 'coupon.redeem' end,
      first_user + n % ${CODES}, product_ids[n % ${PRODUCTS} + 1], first_coupon + n % ${CODES}
    from generate_series(1, ${LOG_LINES}) n,
      (select min(id) as first_user from app_user), (select min(id) as first_coupon from coupon),
      (select array_agg(product_id) as product_ids from product)`);
  // A few audit lines are about a cohort.
  await db.query(
    `insert into audit (at, actor, action, user_id, cohort_id)
     select now() - interval '300 days', 'staff@example.org', 'member.add', u.id, $1 from app_user u order by id limit 30`,
    [COHORT],
  );
  const { rows: viewed } = await db.query<{ user_id: string }>(
    'select user_id from app_user where email = $1',
    [people[1]?.email],
  );
  viewed_id = viewed[0]?.user_id ?? '';
  viewed_member = people[2]?.user_id ?? '';
  // The audit log has a line for each member, and few lines about the cohort itself.
  await db.execute(
    `with cohort as (insert into cohort (name, created_by) values ('Large', 'staff') returning cohort_id),
       member as (insert into cohort_member (cohort_id, user_id, joined_by)
         select cohort_id, u.id, 'staff' from cohort, app_user u returning cohort_id, user_id)
     insert into audit (actor, action, cohort_id, user_id)
     select 'staff', 'grant.create', cohort_id, null from cohort, generate_series(1, 30)
     union all select 'staff', 'member.add', cohort_id, user_id from member`,
  );
  learners = await Promise.all(
    people.map(async (person) => ({ ...(await startSessionOf(db, person)), user_id: person.user_id })),
  );
  await addUpTally(db, new Date());
  await vacuumAll(db);
});
afterAll(() => db.close());

/** Returns the number of rows of the coupon table that sequential scans have read so far. */
async function countScannedRows(): Promise<string> {
  await db.query('select pg_stat_force_next_flush()');
  const { rows } = await db.query<{ seq_tup_read: string }>(
    "select seq_tup_read from pg_stat_user_tables where relname = 'coupon'",
  );
  return rows[0]?.seq_tup_read ?? '';
}

test('listing a learner’s products never scans the coupon table', async () => {
  const before = await countScannedRows();
  for (const learner of learners)
    expect(await listProductsOf(db, learner, utcToday())).toHaveLength(PRODUCTS);
  expect(await countScannedRows()).toBe(before);
});

test('redeeming, for the first time and again, never scans the coupon table', async () => {
  const before = await countScannedRows();
  const tools = {
    dayOf: createDayOf('UTC'),
    now: () => new Date(),
    supportEmail: '',
  };
  for (const caller of [...learners, ...learners]) {
    for (const productId of product_ids) await redeemCoupon(db, { caller, productId }, tools);
  }
  expect(await countScannedRows()).toBe(before);
});

/** Returns the number of 8-kB blocks that were read so far from the large tables and their indexes. */
async function countBlocks(): Promise<number> {
  await db.query('select pg_stat_force_next_flush()');
  const { rows } = await db.query<{ blocks: number }>(
    `select sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::int as blocks
     from pg_statio_user_tables where relname in ('coupon', 'app_user', 'auth_user', 'code_reveal', 'audit')`,
  );
  return rows[0]?.blocks ?? 0;
}

const limit = 20;
const product_id = () => product_ids[1] as string;
const cursor = (id: number, part: 0 | 1, text: string) => `${id}-${part}${Buffer.from(text).toString('hex')}`;
const searchField = (q: string) => findForStaff(db, { q, caller: { team_role: 'owner' }, today: utcToday() });
// In the test data every second code is assigned. About a quarter of the codes of each product begin with 'CODE-1', so
// a search for 'code-1' finds very many codes.
const calls: [name: string, call: () => Promise<unknown>][] = [
  ['the newest codes', () => listCoupons(db, { today: utcToday(), limit })],
  ['codes of a page far down', () => listCoupons(db, { today: utcToday(), limit, after: '1000' })],
  [
    'codes of a product',
    () => listCoupons(db, { today: utcToday(), limit, product_id: product_id(), after: '60000' }),
  ],
  ['assigned codes', () => listCoupons(db, { today: utcToday(), limit, status: 'assigned', after: '50000' })],
  [
    'free codes of a product',
    () => listCoupons(db, { today: utcToday(), limit, product_id: product_id(), status: 'available' }),
  ],
  ['expired codes', () => listCoupons(db, { today: utcToday(), limit, status: 'expired' })],
  ['codes of archived products', () => listCoupons(db, { today: utcToday(), limit, archived: true })],
  [
    'expired codes on the last day of one code',
    () => listCoupons(db, { today: '2999-01-01', limit, status: 'expired' }),
  ],
  ['a search that all codes match', () => searchCoupons(db, { today: utcToday(), limit, q: 'code' })],
  [
    'a search that all codes match, far down',
    () => searchCoupons(db, { today: utcToday(), limit, q: 'code', after: cursor(39_999, 0, 'code-20000') }),
  ],
  [
    'a search among assigned codes',
    () => searchCoupons(db, { today: utcToday(), limit, q: 'code-1', status: 'assigned' }),
  ],
  ['a search without matches', () => searchCoupons(db, { today: utcToday(), limit, q: 'nothing' })],
  [
    'a search for a whole code',
    () => searchCoupons(db, { today: utcToday(), limit, q: 'code-3777', isExact: true }),
  ],
  ['a search for one code', () => searchCoupons(db, { today: utcToday(), limit, q: 'code-37777' })],
  [
    'a search for a holder',
    () => searchCoupons(db, { today: utcToday(), limit, q: learners[0]?.email.slice(0, 12) ?? '' }),
  ],
  [
    'a search for people of whom none holds a code',
    () => searchCoupons(db, { today: utcToday(), limit, q: 'user-' }),
  ],
  ['the number of such codes found', () => countFoundCoupons(db, { today: utcToday(), q: 'user-' })],
  [
    'the number of free codes found',
    () => countFoundCoupons(db, { today: utcToday(), q: 'user-', status: 'available' }),
  ],
  ['the number of codes', () => getCouponTotal(db, { today: utcToday() })],
  [
    'the number of free codes',
    () => getCouponTotal(db, { today: utcToday(), product_id: product_id(), status: 'available' }),
  ],
  ['the number found', () => countFoundCoupons(db, { today: utcToday(), q: 'code' })],
  ['the figures of an upload', () => findBatch(db, batch_id, utcToday())],
  ['uploads of a product', () => listBatches(db, { limit, product_id: product_id() })],
  ['products with expired codes', () => listProductsWithExpired(db, utcToday())],
  ['the newest users', () => listUsers(db, { limit })],
  ['administrators', () => listUsers(db, { limit, role: 'admin' })],
  ...PEOPLE_SORTS.flatMap((sort): typeof calls => [
    [`users in the order ${sort}`, () => listSortedUsers(db, { limit, sort })],
    [`administrators in the order ${sort}`, () => listSortedUsers(db, { limit, sort, role: 'admin' })],
    [
      `users in the order ${sort}, far down`,
      () => listSortedUsers(db, { limit, sort, role: 'user', after: cursor(20_000, 0, 'amara 20000') }),
    ],
  ]),
  ['users without a name', () => listSortedUsers(db, { limit, sort: 'name', after: cursor(0, 1, '') })],
  ['a search that all users match', () => searchUsers(db, { limit, q: 'user-' })],
  [
    'a search that all names match',
    () => searchUsers(db, { limit, q: 'amara', after: cursor(20_000, 1, 'amara okafor') }),
  ],
  ['a search for a name and a number', () => searchUsers(db, { limit, q: '3777 amara' })],
  ['a search for words that all and none have', () => searchUsers(db, { limit, q: 'amara nothing' })],
  ['the number of users', () => countUsers(db, { role: 'user' })],
  ['the number of users found', () => countFoundUsers(db, { q: 'amara' })],
  ['when a user last signed in', () => findLastSignIn(db, 'user-777@example.org')],
  ['the codes that one of staff was shown', () => countReveals(db, '1')],
  ['the dashboard', () => getStats(db, { now: new Date(), today: utcToday() })],
  ['how far the portal is set up', () => readSetup(db, '1')],
  ['whether the stock must be counted', () => isForecastDue(db, { now: new Date(), today: utcToday() })],
  ['the counters of the stock', () => listStockCounters(db, { now: new Date(), today: utcToday() })],
  [
    'a step of the people without a code',
    () => countWithoutCode(db, { after: '20000', limit: 200, today: utcToday() }),
  ],
  ['products that run out', () => listLowStock(db, { today: utcToday(), days: 14 })],
  ['the search field, for a whole code', () => searchField('code-37777')],
  ['the search field, for the beginning of all codes', () => searchField('code')],
  ['the search field, for the beginning of all addresses', () => searchField('user-')],
  ['the search field, for the beginning of all names', () => searchField('amara')],
  ['the search field, for nothing', () => searchField('nothing')],
  ['the access of a user', () => readUserAccess(db, learners[1]?.email ?? '', VIEW_TOOLS)],
  [
    'why a user may redeem',
    () => explainWhy(db, { email: 'user-9@example.org', product_id: product_id() }, VIEW_TOOLS),
  ],
  [
    'addresses like an unknown one',
    () => explainWhy(db, { email: 'user-9@a.example', product_id: product_id() }, VIEW_TOOLS),
  ],
  ['the view of a learner', () => viewAsLearner(db, { user_id: viewed_id, actor: 'x' }, VIEW_TOOLS)],
];

test.each(calls)('%s: reads few blocks, however large the tables are', async (name, call) => {
  for (let execution = 0; execution < EXECUTIONS; execution += 1) await call();
  const before = await countBlocks();
  await call();
  // Maximum number of blocks that a call may read. The whole coupon table has about 3,000 blocks. Counts and searches
  // by holder may read more blocks than other calls, because they read up to a thousand rows.
  const most = name.includes('found') || name.includes('none holds') ? 2_500 : 400;
  expect((await countBlocks()) - before).toBeLessThan(most);
});

const log =
  (
    by: LogSubject['by'] | null,
    value: () => string,
    from: Date | null = null,
    before: string | null = null,
  ) =>
  () =>
    readLog(
      db,
      { entries: true, subject: by && { by, value: value() }, kinds: null, from, until: null },
      { limit, before },
    );
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const pagesOfLog: [string, () => ReturnType<typeof readLog>][] = [
  ['the newest lines', log(null, () => '')],
  ['lines far down', log(null, () => '', null, '2000')],
  ['lines of a person', log('user_id', () => '20000')],
  ['lines of a person in a large cohort', log('user_id', () => viewed_member)],
  ['lines of a product', log('product_id', product_id)],
  ['lines of a product, far down', log('product_id', product_id, null, '3000')],
  ['lines of a code', log('coupon_id', () => '20000')],
  ['lines of a cohort', log('cohort_id', () => COHORT)],
  ['lines of an actor', log('actor', () => 'portal')],
  ['lines of days', log(null, () => '', daysAgo(200))],
];

test.each(pagesOfLog)('R-TRAIL-03: a page of the log, %s, reads few blocks', async (_name, call) => {
  for (let execution = 0; execution < EXECUTIONS; execution += 1) await call();
  const before = await countBlocks();
  const { lines } = await call();
  expect(lines.length).toBeGreaterThan(1);
  expect((await countBlocks()) - before).toBeLessThanOrEqual(300);
});

test('R-TRAIL-04: a page that finds nothing of a kind reads the blocks of 5,000 lines', async () => {
  const call = () =>
    readLog(
      db,
      { entries: true, subject: null, kinds: ['team'], from: null, until: null },
      { limit, before: null },
    );
  for (let execution = 0; execution < EXECUTIONS; execution += 1) await call();
  const before = await countBlocks();
  expect(await call()).toMatchObject({ lines: [], looked_until: expect.any(String) });
  expect((await countBlocks()) - before).toBeLessThanOrEqual(300);
});
