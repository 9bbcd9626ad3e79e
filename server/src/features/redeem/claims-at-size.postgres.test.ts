// Tests that finding a free code reads few blocks of the index coupon_free, however many assigned or void codes come
// before the free code. The index keeps an entry for each of these codes, because autovacuum is off and a transaction
// keeps an old snapshot.

import type { Product } from '@portal/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Blocks, blocksOf } from '../../../test/coupon-blocks.ts';
import { addCodes, addLearner, addProduct, startSessionOf, utcDayOf } from '../../../test/factories.ts';
import { listProductsOf } from '../../../test/lifecycle.ts';
import { createTestDatabase } from '../../../test/open-test-database.ts';
import { createUploadTools, TEST_IMPORT_TOOLS } from '../../../test/test-jobs.ts';
import { setBatchUseBy, voidBatch } from '../../bulk/batch-acts.ts';
import { findJobState } from '../../bulk/bulk-jobs.sql.ts';
import type { Database } from '../../db/database.ts';
import { openPostgres } from '../../db/open-postgres.ts';
import { addUpTally } from '../dashboard/tally.sql.ts';
import type { Caller, Identity } from '../team/callers.sql.ts';
import { recordClaimPlaces } from './redeem.sql.ts';
import { redeemCoupon } from './redeem.ts';

// The index entries of so many codes fill more than 200 blocks.
const CODES = 40_000;
const TODAY = '2026-11-20';
const BOUND = 10;
const FIRST_CALL_BOUND = 20;
// Maximum number of blocks that a call may read from the table coupon and from its indexes other than coupon_free.
// Writing and planning need some of these blocks. All codes together fill thousands of blocks.
const OTHERS_BOUND = 200;
// More than five executions, because PostgreSQL may use a generic plan after five.
const EXECUTIONS = 8;

let db: Database;
let keeper: Database;
let letGo: () => void;
let snapshot: Promise<unknown>;
beforeAll(async () => {
  const url = await createTestDatabase();
  db = await openPostgres({ url, maxConnections: 1 });
  keeper = await openPostgres({ url, maxConnections: 1 });
  await db.execute('alter table coupon set (autovacuum_enabled = false)');
  const kept = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  letGo = kept.resolve;
  snapshot = keeper.transaction(async (tx) => {
    await tx.execute(
      'set transaction isolation level repeatable read; set local idle_in_transaction_session_timeout = 0',
    );
    await tx.query('select 1 from product');
    begun.resolve();
    await kept.promise;
  });
  await begun.promise;
});
afterAll(async () => {
  letGo();
  await snapshot;
  await keeper.close();
  await db.close();
});

// My products reads the stock of all offered products. So each test has a single offered product.
beforeEach(() =>
  db.query("update product set archived_at = now(), archived_by = 'staff' where archived_at is null"),
);

const tools = () => ({
  dayOf: utcDayOf,
  now: () => new Date(`${TODAY}T12:00:00Z`),
  supportEmail: '',
});

/** Adds a product with CODES codes that expire on the day `first`, and 100 codes that expire later. */
async function addStock(first: string): Promise<Product> {
  const product = await addProduct(db, { codes: ['ONE'] });
  await db.query(
    `insert into coupon (product_id, batch_id, shared, coupon_code, use_by)
     select $1, (select max(id) from coupon_batch), false, 'CODE-' || n,
            case when n <= ${CODES} then $2::date else '2027-12-31'::date end
     from generate_series(1, ${CODES + 100}) n`,
    [product.product_id, first],
  );
  await addUpTally(db, new Date());
  await db.execute('analyze coupon');
  return product;
}

async function signIn(product: Product): Promise<Identity & Pick<Caller, 'user_id'>> {
  const learner = await addLearner(db, [product]);
  return { ...(await startSessionOf(db, learner)), user_id: learner.user_id };
}

function expectFew(calls: readonly Blocks[], bound = BOUND): void {
  expect(Math.max(...calls.map(({ free }) => free))).toBeLessThanOrEqual(bound);
  expect(Math.max(...calls.map(({ others }) => others))).toBeLessThanOrEqual(OTHERS_BOUND);
}

/**
 * Makes claims, each by another learner. Returns the blocks that each claim read.
 */
async function blocksOfClaims(product: Product): Promise<Blocks[]> {
  const blocks: Blocks[] = [];
  for (let execution = 0; execution < EXECUTIONS; execution += 1) {
    const caller = await signIn(product);
    const claim = () => redeemCoupon(db, { caller, productId: product.product_id }, tools());
    blocks.push(await blocksOf(db, claim));
  }
  return blocks;
}

async function blocksOfMyProducts(product: Product): Promise<Blocks[]> {
  const blocks: Blocks[] = [];
  const caller = await signIn(product);
  for (let execution = 0; execution < EXECUTIONS; execution += 1)
    blocks.push(await blocksOf(db, () => listProductsOf(db, caller, TODAY)));
  return blocks;
}

test('R-LIFE-53: expired codes in front cost a claim and my products nothing, before they are void and after', async () => {
  const product = await addStock(TODAY);
  const claims = await blocksOfClaims(product);
  const lists = await blocksOfMyProducts(product);
  await db.query(
    `update coupon set voided_at = now(), voided_by = 'portal', void_reason = 'expired'
     where product_id = $1 and holder is null and use_by = $2`,
    [product.product_id, TODAY],
  );
  const voided = await blocksOfClaims(product);
  const voidedLists = await blocksOfMyProducts(product);
  expectFew([...claims, ...lists, ...voided, ...voidedLists]);
});

/** Assigns the product's first `count` free codes with the last day `use_by`. No trigger and no claim runs. */
async function assignFirst(product: Product, { use_by, count }: { use_by: string; count: number }) {
  const { user_id } = await addLearner(db, [product]);
  await db.query(
    `update coupon set holder = $2, assigned_at = now(), assigned_by = 'learner' where id in (
       select id from coupon where product_id = $1 and holder is null and use_by = $3 order by pos limit $4)`,
    [product.product_id, user_id, use_by, count],
  );
}

/** Expects that claims and my products read few blocks. */
async function expectFewCalls(product: Product): Promise<void> {
  const [first, ...others] = await blocksOfClaims(product);
  expectFew([first as Blocks], FIRST_CALL_BOUND);
  expectFew([...others, ...(await blocksOfMyProducts(product))]);
}

const FIRST_DAY = '2026-12-31';
const makeCodes = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

test('R-LIFE-05: assigned codes that expire earlier cost a claim and my products nothing', async () => {
  const product = await addStock(FIRST_DAY);
  // `recordClaimPlaces` runs twice. The second run begins at the position that the first run has stored.
  await assignFirst(product, { use_by: FIRST_DAY, count: CODES / 2 });
  await recordClaimPlaces(db);
  await assignFirst(product, { use_by: FIRST_DAY, count: CODES / 2 });
  await recordClaimPlaces(db);
  await expectFewCalls(product);
  await addCodes(db, product, ['LATE']);
  await expectFewCalls(product);
});

test('R-LIFE-05: they cost nothing before, during and after an upload that expires earlier or on the same day', async () => {
  const product = await addStock(FIRST_DAY);
  await assignFirst(product, { use_by: FIRST_DAY, count: CODES });
  await recordClaimPlaces(db);
  expectFew(await blocksOfClaims(product), FIRST_CALL_BOUND);
  for (const use_by of ['2026-12-01', FIRST_DAY]) {
    const isFree = () =>
      db.query('select from coupon where product_id = $1 and use_by = $2 and holder is null', [
        product.product_id,
        use_by,
      ]);
    await addCodes(db, product, makeCodes(use_by, EXECUTIONS * 2 + 4), use_by);
    // The last of these claims find no more code of the upload. They skip the entries of all assigned codes.
    expectFew(await blocksOfClaims(product), FIRST_CALL_BOUND);
    expectFew(await blocksOfClaims(product), FIRST_CALL_BOUND);
    expect((await isFree()).rowCount).toBe(4);
    expectFew(await blocksOfClaims(product));
    expect((await isFree()).rowCount).toBe(0);
    await expectFewCalls(product);
  }
});

test('R-LIFE-05: the place is recorded even if the recurring job does not run between many claims', async () => {
  const product = await addStock(FIRST_DAY);
  await db.query(
    `with claimant as (
       insert into app_user (email) select lower($2) || '-' || n || '@example.org' from generate_series(1, 6000) n returning id
     )
     select claim_next_coupon($1, id, $3, false, now(), 'learner', 'page', null, null, null, 'coupon.redeem', '{}') from claimant`,
    [product.product_id, product.name, TODAY],
  );
  await expectFewCalls(product);
});

const uploadTools = () => ({ ...createUploadTools(db, TEST_IMPORT_TOOLS), dayOf: utcDayOf });

test.each([
  ['R-LIFE-18', 'become void', { reason: 'dead', note: null }],
  ['R-LIFE-19', 'get a later last day', { use_by: '2028-12-31' }],
] as const)(
  '%s: codes that %s cost a claim and my products nothing, in any process',
  async (_rule, _what, act) => {
    const product = await addStock(FIRST_DAY);
    const { rows } = await db.query<{ id: string }>(
      'select max(batch_id)::text as id from coupon where product_id = $1',
      [product.product_id],
    );
    await addCodes(db, product, makeCodes('OTHER', 200), '2027-06-30');
    expectFew(await blocksOfClaims(product), FIRST_CALL_BOUND);
    const order = { id: rows[0]?.id ?? '', actor: 'staff@example.org', expected: CODES + 101 };
    const job = await ('use_by' in act
      ? setBatchUseBy(db, { ...order, ...act }, uploadTools())
      : voidBatch(db, { ...order, ...act }, uploadTools()));
    await expect.poll(() => findJobState(db, job, 0), { timeout: 60_000 }).toMatchObject({ state: 'done' });
    expectFew(await blocksOfClaims(product), FIRST_CALL_BOUND);
    await expectFewCalls(product);
  },
);

test('my products reads few blocks of a sold-out product', async () => {
  const product = await addStock(FIRST_DAY);
  await assignFirst(product, { use_by: FIRST_DAY, count: CODES });
  await assignFirst(product, { use_by: '2027-12-31', count: 100 });
  await assignFirst(product, { use_by: 'infinity', count: 1 });
  await recordClaimPlaces(db);
  expectFew(await blocksOfMyProducts(product));
  expect(await listProductsOf(db, await signIn(product), TODAY)).toMatchObject([{ state: 'sold_out' }]);
});

test('a claim and my products read few blocks of a large upload, also if the statistics say that no code is free', async () => {
  const product = await addProduct(db, { codes: ['ONE'] });
  const { product_id } = product;
  const { user_id } = await addLearner(db, [product]);
  await db.query(
    `update coupon set holder = $1, assigned_at = now(), assigned_by = 'learner' where holder is null and voided_at is null`,
    [user_id],
  );
  await db.execute('analyze coupon');
  await db.query(
    `insert into coupon (product_id, batch_id, shared, coupon_code)
     select $1, (select max(id) from coupon_batch), false, 'CODE-' || n from generate_series(1, ${CODES}) n`,
    [product_id],
  );
  const claims = await blocksOfClaims(product);
  const lists = await blocksOfMyProducts(product);
  expectFew([...claims, ...lists]);
});

test.each([
  ['over', "use_by = '2026-11-20'"],
  ['void', "voided_at = now(), voided_by = 'staff', void_reason = 'dead'"],
])(
  'R-LIFE-08: my products reads few blocks of a shared code that is %s, however many people hold it',
  async (_what, change) => {
    const product = await addProduct(db, { shared_coupon: true, codes: ['ALL'] });
    const { product_id } = product;
    const { user_id } = await addLearner(db, [product]);
    await db.query(`update coupon set ${change} where product_id = $1`, [product_id]);
    await db.query(
      `insert into coupon (product_id, batch_id, shared, coupon_code, use_by, holder, assigned_at, assigned_by)
     select product_id, batch_id, true, coupon_code, use_by, $2, now(), 'learner'
     from coupon, generate_series(1, ${CODES}) n where product_id = $1`,
      [product_id, user_id],
    );
    await db.execute('analyze coupon');
    expectFew(await blocksOfMyProducts(product));
  },
);
