// Tests the counts behind the forecast of the stock: who has access without a code, the pace, and the codes that expire.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct, utcDayOf } from '../../../test/factories.ts';
import { addCohort, addGrant, redeemOn } from '../../../test/lifecycle.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { TEST_IMPORT_TOOLS } from '../../../test/test-jobs.ts';
import type { Database } from '../../db/database.ts';
import { countForecasts, findExpiring } from './forecast.ts';

const TODAY = '2026-03-20';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.query(
    "update product set archived_at = now(), archived_by = 'staff@example.org' where archived_at is null",
  );
  await db.query(
    "update access_grant set withdrawn_at = now(), withdrawn_by = 'operator', withdraw_reason = 'Over' where withdrawn_at is null",
  );
  await db.query('delete from stock_forecast');
});

const renew = async () => true;
const toolsAt = (moment: string, dayOf = utcDayOf) => ({
  ...TEST_IMPORT_TOOLS,
  now: () => new Date(moment),
  dayOf,
});

/** Counts at noon of `day`, two people a step, so that each count takes several steps. */
async function countOn(day: string): Promise<void> {
  expect(await countForecasts(db, toolsAt(`${day}T12:00:00Z`), { renew }, { stepPeople: 2 })).toBeUndefined();
}

type Row = Record<'without_code' | 'assigned' | 'expiring_first', number> & { handed_out: number | null };

async function readRow({
  product_id,
}: {
  product_id: string;
}): Promise<(Row & { expires_on: string | null }) | undefined> {
  const { rows } = await db.query<Row & { expires_on: string | null }>(
    `select without_code, assigned, handed_out, expiring_first, expires_on::text
     from stock_forecast where product_id = $1`,
    [product_id],
  );
  return rows[0];
}

/** Redeems the product for `count` new learners on the day. */
async function handOut(product: Awaited<ReturnType<typeof addProduct>>, day: string, count: number) {
  for (let each = 0; each < count; each += 1)
    await redeemOn(db, day, await addLearner(db, [product]), product);
}

test('R-DAY-68: counts each person once who has access today and never held a code', async () => {
  const product = await addProduct(db, { codes: 5 });
  const other = await addProduct(db, { codes: 1 });
  const [own, holder, revoked, late, over, gone] = await Promise.all([
    addLearner(db, [product]),
    addLearner(db, [product]),
    addLearner(db, [product]),
    addLearner(db, []),
    addLearner(db, []),
    addLearner(db, []),
  ]);
  const [inCohort, inBoth, all, archived] = await Promise.all([
    addLearner(db, []),
    addLearner(db, [product]),
    addLearner(db, []),
    addLearner(db, []),
  ]);
  await redeemOn(db, '2026-03-19', holder, product);
  await redeemOn(db, '2026-03-19', revoked, product);
  await db.query(
    `update coupon set revoked_at = now(), revoked_by = 'staff@example.org', revoke_reason = 'Left' where holder = $1`,
    [revoked.user_id],
  );
  const { product_id } = product;
  await addGrant(db, { user_id: late.user_id, product_id, starts_on: '2026-03-21' });
  await addGrant(db, { user_id: over.user_id, product_id, ends_on: '2026-03-19' });
  await addGrant(db, { user_id: gone.user_id, product_id, withdrawn_on: '2026-03-19' });
  await addGrant(db, { user_id: all.user_id });
  await addGrant(db, { cohort_id: await addCohort(db, [inCohort, inBoth, holder]), product_id });
  await addGrant(db, { cohort_id: await addCohort(db, [inBoth]), product_id });
  await addGrant(db, { cohort_id: await addCohort(db, [archived], { archived: true }), product_id });
  expect(own.user_id).not.toBe(holder.user_id);
  await countOn(TODAY);
  // own, inCohort, inBoth and all.
  expect(await readRow(product)).toMatchObject({ without_code: 4, assigned: 2, handed_out: null });
  expect(await readRow(other)).toMatchObject({ without_code: 1, assigned: 0, handed_out: null });
});

test('R-DAY-68: archived, ended and shared products are not counted; paused and scheduled ones are', async () => {
  const [archived, ended, paused, scheduled, shared] = await Promise.all([
    addProduct(db),
    addProduct(db),
    addProduct(db),
    addProduct(db),
    addProduct(db, { shared_coupon: true }),
  ]);
  await addLearner(db, [archived, ended, paused, scheduled, shared]);
  const set = (change: string, { product_id }: { product_id: string }) =>
    db.query(`update product set ${change} where product_id = $1`, [product_id]);
  await set("archived_at = now(), archived_by = 'staff@example.org'", archived);
  await set("closes_on = '2026-03-19'", ended);
  await set("paused_at = now(), paused_by = 'staff@example.org'", paused);
  await set("opens_on = '2026-03-21'", scheduled);
  await countOn(TODAY);
  for (const product of [archived, ended, shared]) expect(await readRow(product)).toBeUndefined();
  for (const product of [paused, scheduled])
    expect(await readRow(product)).toMatchObject({ without_code: 1 });
});

test('R-DAY-68: the pace has the last 14 full days, needs ten hand-outs in them, and a first one seven days ago', async () => {
  const product = await addProduct(db, { codes: 60 });
  await handOut(product, '2026-03-13', 9);
  await countOn(TODAY);
  expect(await readRow(product)).toMatchObject({ handed_out: null });
  // A code of today is not in the full days.
  await handOut(product, TODAY, 1);
  await db.query('delete from stock_forecast');
  await countOn(TODAY);
  expect(await readRow(product)).toMatchObject({ handed_out: null });
  await countOn('2026-03-21');
  expect(await readRow(product)).toMatchObject({ handed_out: 10, assigned: 10 });
  // On the 27th, the 13th is the first of the 14 days; on the 28th, it is not in them.
  await countOn('2026-03-27');
  expect(await readRow(product)).toMatchObject({ handed_out: 10 });
  await countOn('2026-03-28');
  expect(await readRow(product)).toMatchObject({ handed_out: null });

  const young = await addProduct(db, { codes: 60 });
  await handOut(young, '2026-03-14', 12);
  await countOn('2026-03-20');
  expect(await readRow(young)).toMatchObject({ handed_out: null });
  await countOn('2026-03-21');
  expect(await readRow(young)).toMatchObject({ handed_out: 12 });
});

test('R-DAY-68: codes are counted that expire before they are handed out at the pace', async () => {
  const product = await addProduct(db, { codes: 14 });
  await handOut(product, '2026-03-12', 14);
  // One code a day is handed out: three before the 23rd, ten before the 30th.
  await addCodes(db, product, ['A1', 'A2', 'A3', 'A4', 'A5'], '2026-03-23');
  await addCodes(db, product, ['B1', 'B2', 'B3', 'B4', 'B5', 'B6', 'B7', 'B8'], '2026-03-30');
  await addCodes(db, product, ['C1'], '2026-12-31');
  await addCodes(db, product, ['D1', 'D2']);
  await addCodes(db, product, ['OLD'], TODAY);
  await countOn(TODAY);
  expect(await readRow(product)).toMatchObject({
    handed_out: 14,
    expiring_first: 3,
    expires_on: '2026-03-23',
  });
});

test('R-DAY-68: nothing that expires in its turn counts as lost', () => {
  const days = (...of: [days: number, codes: number][]) =>
    of.map(([day, codes]) => ({ use_by: `2026-04-${String(day).padStart(2, '0')}`, days: day, codes }));
  expect(findExpiring([], 14)).toEqual({ expiring_first: 0, expires_on: null });
  expect(findExpiring(days([5, 5], [10, 5]), 14)).toEqual({ expiring_first: 0, expires_on: null });
  expect(findExpiring(days([5, 4], [6, 4]), 14)).toEqual({ expiring_first: 2, expires_on: '2026-04-06' });
  expect(findExpiring(days([2, 5], [10, 9]), 14)).toEqual({ expiring_first: 4, expires_on: '2026-04-02' });
  // Half a code a day: none is handed out before the first day is over.
  expect(findExpiring(days([1, 1]), 7)).toEqual({ expiring_first: 1, expires_on: '2026-04-01' });
});

test('R-DAY-68: counts again after a minute, at the start of a day, and for a new product', async () => {
  const product = await addProduct(db);
  const first = `${TODAY}T12:00:00Z`;
  const countAt = (moment: string, dayOf = utcDayOf) => countForecasts(db, toolsAt(moment, dayOf), { renew });
  await countAt(first);
  expect(await readRow(product)).toMatchObject({ without_code: 0 });
  await addLearner(db, [product]);
  await countAt(`${TODAY}T12:00:59Z`);
  expect(await readRow(product)).toMatchObject({ without_code: 0 });
  await countAt(`${TODAY}T12:01:00Z`);
  expect(await readRow(product)).toMatchObject({ without_code: 1 });
  await addLearner(db, [product]);
  await addProduct(db);
  await countAt(`${TODAY}T12:01:10Z`);
  expect(await readRow(product)).toMatchObject({ without_code: 2 });
  await addLearner(db, [product]);
  await countAt(`${TODAY}T12:01:20Z`, () => '2026-03-21');
  expect(await readRow(product)).toMatchObject({ without_code: 3 });
});

test('R-DAY-68: 300,000 people are counted once in 50 minutes', async () => {
  const product = await addProduct(db);
  await db.query(
    "insert into tally (what, n) select 'user', 300000 - sum(n) from tally_now where what = 'user' on conflict do nothing",
  );
  await db.query(
    "update tally set n = n + 300000 - (select sum(n) from tally_now where what = 'user') where what = 'user'",
  );
  const countAt = (moment: string) => countForecasts(db, toolsAt(moment), { renew });
  await countAt(`${TODAY}T12:00:00Z`);
  await addLearner(db, [product]);
  await countAt(`${TODAY}T12:49:59Z`);
  expect(await readRow(product)).toMatchObject({ without_code: 0 });
  await countAt(`${TODAY}T12:50:01Z`);
  expect(await readRow(product)).toMatchObject({ without_code: 1 });
});

test('R-DAY-68: a process that stops, or has lost the job, stores nothing; older counts do not replace later ones', async () => {
  const product = await addProduct(db);
  await addLearner(db, [product]);
  const tools = toolsAt(`${TODAY}T12:00:00Z`);
  expect(await countForecasts(db, { ...tools, isStopping: () => true }, { renew })).toBe('released');
  expect(await countForecasts(db, tools, { renew: async () => false })).toBe('released');
  expect(await readRow(product)).toBeUndefined();
  // While this count begins, another process counts later, with one person more.
  const slow = countForecasts(
    db,
    tools,
    {
      renew: async () => {
        if ((await readRow(product)) !== undefined) return true;
        await addLearner(db, [product]);
        await countForecasts(db, toolsAt(`${TODAY}T12:05:00Z`), { renew });
        await db.query('update stock_forecast set without_code = 99');
        return true;
      },
    },
    { stepPeople: 1_000 },
  );
  await slow;
  expect(await readRow(product)).toMatchObject({ without_code: 99 });
});

test('R-DAY-68: counts of a clock that was put back are replaced', async () => {
  const product = await addProduct(db);
  await countForecasts(db, toolsAt(`${TODAY}T18:00:00Z`), { renew });
  await addLearner(db, [product]);
  await countForecasts(db, toolsAt(`${TODAY}T12:00:00Z`), { renew });
  expect(await readRow(product)).toMatchObject({ without_code: 1 });
});
