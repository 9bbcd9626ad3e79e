// Tests that finding a free code reads few blocks of the index coupon_free, however many assigned or void codes come
// before the free code. The index keeps an entry for each of these codes, because autovacuum is off and a transaction
// keeps an old snapshot.

import type { Product } from '@portal/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Blocks, blocksOf } from '../../test/coupon-blocks.ts';
import { addCodes, addLearner, addProduct, startSessionOf, utcDayOf } from '../../test/factories.ts';
import { listProductsOf } from '../../test/lifecycle.ts';
import { createTestDatabase } from '../../test/open-test-database.ts';
import type { Database } from '../db/database.ts';
import { openPostgres } from '../db/open-postgres.ts';
import { createClaimHints } from '../usecases/claim-hints.ts';
import { redeemCoupon } from '../usecases/redeem-coupon.ts';
import type { Identity } from './callers.ts';
import { recordClaimPlaces } from './claims.ts';
import { foldTally } from './tally.ts';

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
  hints: createClaimHints(),
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
  await foldTally(db, new Date());
  await db.execute('analyze coupon');
  return product;
}

const signIn = async (product: Product): Promise<Identity> =>
  startSessionOf(db, await addLearner(db, [product]));

function expectFew(calls: readonly Blocks[], bound = BOUND): void {
  expect(Math.max(...calls.map(({ free }) => free))).toBeLessThanOrEqual(bound);
  expect(Math.max(...calls.map(({ others }) => others))).toBeLessThanOrEqual(OTHERS_BOUND);
}

/**
 * Makes claims, each by another learner, with the claim hints of a single process. Returns the blocks that each claim
 * read.
 */
async function blocksOfClaims(product: Product, hints = createClaimHints()): Promise<Blocks[]> {
  const blocks: Blocks[] = [];
  for (let execution = 0; execution < EXECUTIONS; execution += 1) {
    const caller = await signIn(product);
    const claim = () => redeemCoupon(db, { caller, productId: product.product_id }, { ...tools(), hints });
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

test('R-LIFE-05: assigned codes that expire earlier cost a claim and my products nothing, once their place is recorded', async () => {
  const product = await addStock('2026-12-31');
  const { user_id } = await addLearner(db, [product]);
  const assign = (until: number) =>
    db.query(
      `update coupon set holder = $2, assigned_at = now(), assigned_by = 'learner'
       where product_id = $1 and holder is null and use_by = '2026-12-31' and pos < $3 + (select min(pos) from coupon where product_id = $1)`,
      [product.product_id, user_id, until],
    );
  // `recordClaimPlaces` runs twice. The second run begins at the position that the first run has stored.
  await assign(CODES / 2);
  await recordClaimPlaces(db, TODAY);
  await foldTally(db, new Date());
  await assign(CODES + 100);
  await recordClaimPlaces(db, TODAY);
  const [first, ...others] = await blocksOfClaims(product);
  const lists = await blocksOfMyProducts(product);
  expectFew([first as Blocks], FIRST_CALL_BOUND);
  expectFew([...others, ...lists]);
  // The codes of this upload come after the stored position, so claims still read few blocks.
  await addCodes(db, product, ['LATE']);
  expectFew(await blocksOfClaims(product));
  expectFew(await blocksOfMyProducts(product));
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
