// Tests confirming generated codes while learners take them. The tests run on PostgreSQL only, because the embedded engine
// has one connection and cannot run two statements at the same time.
import { randomBytes } from 'node:crypto';
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct, utcDayOf, utcToday } from '../../../test/factories.ts';
import { STAFF } from '../../../test/lifecycle.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database, Db } from '../../db/database.ts';
import { claimCoupon } from '../redeem/redeem.sql.ts';
import { issueSharedCode } from '../redeem/redeem.ts';
import { createCoupon } from './codes.ts';
import { confirmCoupon, confirmProduct } from './confirm.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

async function countWaiting(): Promise<number> {
  const { rowCount } = await db.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rowCount;
}

/** Adds a generated code to a new product. Returns the product, the code's id, and the claim of a learner. */
async function addGenerated(shared_coupon: boolean) {
  const product = await addProduct(db, { shared_coupon });
  const { product_id } = product;
  const { user_id } = await addLearner(db, [product]);
  const tools = { now: () => new Date(), dayOf: utcDayOf, randomBytes };
  const coupon = { product_id, coupon_code: null, usage_limit: null };
  const { id } = await createCoupon(db, { actor: STAFF, coupon }, tools);
  const claim = {
    ...{ product_id, user_id: user_id ?? '', assigned_by: 'learner', action: 'coupon.redeem' },
    ...{ at: new Date(), today: utcToday() },
  };
  return { product, id, claim };
}

/** Starts `act` in the transaction of `first`, before its commit, and waits until `act` waits for a lock. */
async function during<T>(first: (tx: Db) => Promise<unknown>, act: () => Promise<T>): Promise<T> {
  let started: Promise<T> | undefined;
  await db.transaction(async (tx) => {
    await first(tx);
    started = act();
    started.catch(() => undefined);
    await expect.poll(countWaiting).toBe(1);
  });
  return started as Promise<T>;
}

async function listMarks({ product_id }: Product): Promise<string[]> {
  const { rows } = await db.query<{ mark: string }>(
    `select case when holder is null then 'free' else 'held' end || case when unconfirmed then ' unknown' else '' end as mark
     from coupon where product_id = $1 order by id`,
    [product_id],
  );
  return rows.map(({ mark }) => mark);
}

test('R-DAY-33: a row that a learner gets of a shared code while staff confirm the code is confirmed too', async () => {
  const { product, id, claim } = await addGenerated(true);
  await db.transaction((tx) => issueSharedCode(tx, claim));
  const other = { ...claim, user_id: (await addLearner(db, [product])).user_id ?? '' };
  const confirm = () => confirmCoupon(db, { id, actor: STAFF });
  expect(await during((tx) => issueSharedCode(tx, other), confirm)).toEqual({ confirmed: 2 });
  expect(await listMarks(product)).toEqual(['held', 'held']);
});

test.each(['code', 'product'])(
  'R-DAY-33: confirming a %s waits for a learner who takes a generated code, and loses neither',
  async (what) => {
    const { product, id, claim } = await addGenerated(false);
    const { product_id } = product;
    const confirm = () =>
      what === 'code'
        ? confirmCoupon(db, { id, actor: STAFF })
        : confirmProduct(db, { product_id, actor: STAFF });
    const claimed = during(async (tx) => {
      expect(await claimCoupon(tx, claim)).toMatchObject({ unconfirmed: true, is_new: true });
    }, confirm);
    expect(await claimed).toEqual({ confirmed: 1 });
    expect(await listMarks(product)).toEqual(['held']);
  },
);
