// Tests that recording where a product's free codes begin never hides a code that another transaction adds meanwhile.
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addLearner, addProduct, utcToday } from '../../../test/factories.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database, Db } from '../../db/database.ts';
import { createBatch, createCoupons } from '../codes/batches.sql.ts';
import { claimCoupon, recordClaimPlaces } from './redeem.sql.ts';

let db: Database;
let product: Product;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  product = await addProduct(db, { codes: ['FIRST'] });
});

async function claim(locked: 'skip' | 'wait' = 'skip'): Promise<string | null | undefined> {
  const { user_id } = await addLearner(db, [product]);
  const by = { user_id: user_id ?? '', assigned_by: 'learner', action: 'coupon.redeem' };
  const when = { at: new Date(), today: utcToday() };
  return (await claimCoupon(db, { product_id: product.product_id, ...by, ...when }, locked))?.coupon_code;
}

async function addCode(tx: Db, code: string): Promise<void> {
  const { product_id } = product;
  const batch_id = await createBatch(tx, { product_id, source: 'file', created_by: 'staff', codes: 1 });
  await createCoupons(tx, { product_id, batch_id, shared: false, codes: [code], use_by: ['infinity'] });
}

async function listPlaces(): Promise<{ use_by: string; first: string }[]> {
  const { rows } = await db.query<{ use_by: string; first: string }>(
    `select d.use_by::text, c.coupon_code as first from claim_day d left join coupon c on c.pos = d.pos
     where d.product_id = $1 order by d.use_by`,
    [product.product_id],
  );
  return rows;
}

/** Returns how many connections of this test wait for a lock. */
async function countWaiting(): Promise<number> {
  const { rowCount } = await db.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rowCount;
}

/** Calls `meanwhile` while a transaction that adds a code is open. */
async function addDuring(code: string, meanwhile: () => Promise<unknown>): Promise<void> {
  await db.transaction(async (tx) => {
    await addCode(tx, code);
    await meanwhile();
  });
}

test('a day without free codes has no row, until codes of this day are added', async () => {
  expect(await listPlaces()).toEqual([{ use_by: 'infinity', first: 'FIRST' }]);
  expect(await claim()).toBe('FIRST');
  await recordClaimPlaces(db, product.product_id);
  expect(await listPlaces()).toEqual([]);
  expect(await claim()).toBeNull();
  await addDuring('SECOND', async () => undefined);
  expect(await listPlaces()).toEqual([{ use_by: 'infinity', first: 'SECOND' }]);
  expect(await claim()).toBe('SECOND');
});

test('the last code of a day is assigned while a transaction adds codes of this day: the new code is found', async () => {
  expect(await claim()).toBe('FIRST');
  await addDuring('SECOND', () => recordClaimPlaces(db));
  expect(await claim()).toBe('SECOND');
});

test('a transaction that adds a code waits for the removal of the day, and then adds the day again', async () => {
  expect(await claim()).toBe('FIRST');
  let adding: Promise<void> | null = null;
  await db.transaction(async (tx) => {
    await recordClaimPlaces(tx);
    adding = addDuring('SECOND', async () => undefined);
    await expect.poll(countWaiting).toBe(1);
  });
  await adding;
  expect(await claim()).toBe('SECOND');
});

test('a code that another claim has locked stays the first one', async () => {
  await addDuring('SECOND', async () => undefined);
  await db.transaction(async (tx) => {
    await tx.query("select from coupon where coupon_code = 'FIRST' for update");
    await recordClaimPlaces(db);
  });
  expect(await listPlaces()).toEqual([{ use_by: 'infinity', first: 'FIRST' }]);
  expect(await claim()).toBe('FIRST');
});

test('a claim that waits finds codes that get an earlier last day meanwhile', async () => {
  let claiming: ReturnType<typeof claim> | null = null;
  await db.transaction(async (tx) => {
    await tx.query("update coupon set use_by = '2999-12-31' where product_id = $1", [product.product_id]);
    claiming = claim('wait');
    await expect.poll(countWaiting).toBe(1);
  });
  expect(await claiming).toBe('FIRST');
});
