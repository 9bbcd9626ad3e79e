// Tests recounts of the tally: repaired counters, audit lines, and recounts while codes are redeemed.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { addLearner, addProduct } from '../../../test/factories.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { createDayOf } from '../../day.ts';
import type { Database } from '../../db/database.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { addUpTally, listCounters, recountTally } from './tally.sql.ts';

const DAY_MS = 86_400_000;
const today = new Date('2026-03-20T23:30:00Z');

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

async function redeem(product: Awaited<ReturnType<typeof addProduct>>, at: Date, on = db): Promise<void> {
  const caller = await addLearner(on, [product]);
  const tools = { dayOf: createDayOf('UTC'), now: () => at, supportEmail: '' };
  await redeemCoupon(on, { caller, productId: product.product_id }, tools);
}

async function listAuditDetails() {
  const { rows } = await db.query(
    "select actor, detail from audit where action = 'tally.recount' order by id",
  );
  return rows;
}

test('a recount corrects changed, missing and extra counters, also those by day, and adds an audit line', async () => {
  const [one, two] = [await addProduct(db, { codes: 9 }), await addProduct(db, { codes: 3 })];
  await redeem(one, today);
  await redeem(one, new Date(today.getTime() - 5 * DAY_MS));
  await redeem(two, new Date(today.getTime() - 90 * DAY_MS));
  await addUpTally(db, today);
  await redeem(two, today);
  const right = await listCounters(db, today);
  expect(await recountTally(db, today)).toEqual({ figures: right.length, wrong: 0, reopened: 0 });
  expect(await listCounters(db, today)).toEqual(right);

  await db.query("update tally set n = n + 5 where what = 'code' and product_id = $1", [one.product_id]);
  await db.query("delete from tally where what = 'redeemed' and product_id = $1", [two.product_id]);
  await db.query("insert into tally_change (what, product_id, n) values ('issued', gen_random_uuid(), 7)");
  await db.query("insert into tally_change (what, n) values ('user', -1)");
  expect(await recountTally(db, today)).toEqual({ figures: right.length, wrong: 4, reopened: 0 });
  expect(await listCounters(db, today)).toEqual(right);
  await addUpTally(db, today);
  expect(await listCounters(db, today)).toEqual(right);
  expect(await listAuditDetails()).toEqual([
    { actor: 'operator', detail: { figures: right.length, wrong: 0, reopened: 0 } },
    { actor: 'operator', detail: { figures: right.length, wrong: 4, reopened: 0 } },
  ]);
});

test('codes that are redeemed or folded during a recount are counted once', async () => {
  const other = await openTestDatabase();
  onTestFinished(() => other.close());
  const product = await addProduct(other, { codes: 40 });
  let redeeming = true;
  const learners = Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let press = 0; press < 5; press += 1) await redeem(product, today, other);
    }),
  ).finally(() => {
    redeeming = false;
  });
  const folding = (async () => {
    while (redeeming) await addUpTally(other, today);
  })();
  let counted = 0;
  while (redeeming) {
    expect((await recountTally(other, today)).wrong).toBe(0);
    counted += 1;
  }
  await Promise.all([learners, folding]);
  expect(counted).toBeGreaterThan(0);
  const sums = (await listCounters(other, today)).map(({ what, n }) => `${what} ${n}`);
  expect(sums).toEqual(['code 40', 'redeemed 40', 'user 40']);
});
