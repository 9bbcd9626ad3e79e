// What must stay fast when a product has many codes: no statement on a learner's way may read the coupon table through.
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../test/factories.ts';
import { createTestDatabase } from '../../test/open-test-database.ts';
import type { Database } from '../db/database.ts';
import { openPostgres } from '../db/open-postgres.ts';
import { createClaimHints } from '../usecases/claim-hints.ts';
import { redeemCoupon } from '../usecases/redeem-coupon.ts';
import type { Caller } from './callers.ts';
import { listProductsOfUser } from './products.ts';

const CODES = 100_000;
const PRODUCTS = 3;
// After five executions PostgreSQL may settle on a plan for all parameters.
const EXECUTIONS = 8;

let db: Database;
let learners: Caller[];
let product_ids: string[];
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
  product_ids = products.map(({ product_id }) => product_id);
  learners = await Promise.all(Array.from({ length: EXECUTIONS }, () => addLearner(db, products)));
  // Half of the codes are gone.
  await db.query(
    `update coupon set holder = $1, assigned_at = now(), assigned_by = 'learner' where pos % 2 = 0`,
    [learners[0]?.user_id],
  );
  await db.execute('analyze');
});
afterAll(() => db.close());

/** Rows of the coupon table read by sequential scans so far. */
async function countScannedRows(): Promise<string> {
  await db.query('select pg_stat_force_next_flush()');
  const { rows } = await db.query<{ seq_tup_read: string }>(
    "select seq_tup_read from pg_stat_user_tables where relname = 'coupon'",
  );
  return rows[0]?.seq_tup_read ?? '';
}

test('the list of one’s products reads no coupon table through', async () => {
  const before = await countScannedRows();
  for (const { user_id } of learners)
    expect(await listProductsOfUser(db, user_id ?? '')).toHaveLength(PRODUCTS);
  expect(await countScannedRows()).toBe(before);
});

test('redeeming, first and again, reads no coupon table through', async () => {
  const before = await countScannedRows();
  const tools = { hints: createClaimHints(), now: () => new Date(), supportEmail: '' };
  for (const caller of [...learners, ...learners]) {
    for (const productId of product_ids) await redeemCoupon(db, { caller, productId }, tools);
  }
  expect(await countScannedRows()).toBe(before);
});
