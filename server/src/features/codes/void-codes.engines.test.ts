// Tests that the operator makes codes void: which codes become void, and the audit lines.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct, utcToday } from '../../../test/factories.ts';
import { REDEEM_TOOLS } from '../../../test/fill-database.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';
import { getCouponTotal } from '../dashboard/tally.sql.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { voidCodes } from './void.ts';

const actor = 'operator';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

async function redeem(
  { product_id: productId }: { product_id: string },
  caller: Awaited<ReturnType<typeof addLearner>>,
) {
  const { coupon } = await redeemCoupon(db, { caller, productId }, REDEEM_TOOLS);
  return coupon.couponCode;
}

async function listVoided(product_id: string) {
  const { rows } = await db.query<{ code: string }>(
    "select coupon_code as code from coupon where product_id = $1 and void_reason = 'dead' and voided_by = 'operator' order by id",
    [product_id],
  );
  return rows.map(({ code }) => code);
}

async function listAuditLines(product_id: string) {
  const { rows } = await db.query<{ detail: unknown }>(
    "select detail from audit where action = 'coupon.void' and product_id = $1 order by id",
    [product_id],
  );
  return rows.map(({ detail }) => detail);
}

test('a voided code is never assigned, assigned codes stay with their holders, and the audit has the counts, no code', async () => {
  const product = await addProduct(db, { codes: ['HELD', 'OUT-1', 'GOOD', 'OUT-2'] });
  const { product_id } = product;
  const other = await addProduct(db, { codes: ['OUT-1'] });
  const [first, second, third] = [
    await addLearner(db, [product]),
    await addLearner(db, [product]),
    await addLearner(db, [product]),
  ];
  expect(await redeem(product, first)).toBe('HELD');
  const csvData = 'coupon_code,note\nOUT-1,x\nHELD,\n OUT-2 ,\nOUT-2,twice\nNOT-OURS,\n,\n';
  expect(await voidCodes(db, { product_id, actor, csvData }, () => new Date())).toMatchObject({
    voided: 2,
    assigned: 1,
    unknown: 1,
  });
  expect(await redeem(product, first)).toBe('HELD');
  expect(await redeem(product, second)).toBe('GOOD');
  await expect(redeem(product, third)).rejects.toMatchObject({ code: 'no_coupon_left' });
  expect((await listVoided(product_id)).sort()).toEqual(['OUT-1', 'OUT-2']);
  expect(await getCouponTotal(db, { today: utcToday(), product_id, status: 'void' })).toEqual({
    total: 2,
    atLeast: false,
  });
  expect(await listAuditLines(product_id)).toEqual([{ voided: 2, assigned: 1, unknown: 1 }]);
  expect(await getCouponTotal(db, { today: utcToday(), product_id: other.product_id })).toMatchObject({
    total: 1,
  });
  expect(await voidCodes(db, { product_id, actor, csvData }, () => new Date())).toMatchObject({
    voided: 0,
    assigned: 1,
    unknown: 3,
  });
});

test('all free codes can be voided at once, also more than a batch', async () => {
  const product = await addProduct(db, { codes: 2_100 });
  const { product_id } = product;
  const learner = await addLearner(db, [product]);
  const code = await redeem(product, learner);
  expect(await voidCodes(db, { product_id, actor, csvData: null }, () => new Date())).toMatchObject({
    voided: 2_099,
    assigned: 0,
    unknown: 0,
  });
  expect(await listVoided(product_id)).toHaveLength(2_099);
  // Each step is a transaction with its own audit line. So an interrupted call also has audit lines for its finished
  // steps.
  const lines = await listAuditLines(product_id);
  expect(lines.map((line) => (line as { voided: number }).voided)).toEqual([1_000, 1_000, 99]);
  expect(await redeem(product, learner)).toBe(code);
  expect(await getCouponTotal(db, { today: utcToday(), product_id, status: 'available' })).toMatchObject({
    total: 0,
  });
});

const revive = ({ product_id }: { product_id: string }, code: string, reason: 'mistake' | 'expired') =>
  db.query(
    "update coupon set voided_at = now(), voided_by = 'x', void_reason = $3 where product_id = $1 and coupon_code = $2",
    [product_id, code, reason],
  );

test.each([
  ['named', 'coupon_code\nWRONG\nOVER\nGONE\n'],
  ['all', null],
])('codes that could become free again are voided for good: %s', async (_which, csvData) => {
  const product = await addProduct(db, { codes: ['WRONG', 'OVER', 'GONE', 'FREE'] });
  const { product_id } = product;
  await revive(product, 'WRONG', 'mistake');
  await revive(product, 'OVER', 'expired');
  const counts = await voidCodes(db, { product_id, actor, csvData }, () => new Date());
  expect(counts).toMatchObject({ voided: csvData === null ? 4 : 3, assigned: 0, unknown: 0 });
  expect(await listVoided(product_id)).toEqual(expect.arrayContaining(['WRONG', 'OVER', 'GONE']));
  expect(await voidCodes(db, { product_id, actor, csvData }, () => new Date())).toMatchObject({ voided: 0 });
  expect(await getCouponTotal(db, { today: utcToday(), product_id, status: 'void' })).toMatchObject({
    total: counts.voided,
  });
});

test('codes that could become free again are voided for good, also more than a batch', async () => {
  const product = await addProduct(db, { codes: 1_050 });
  const { product_id } = product;
  await db.query(
    "update coupon set voided_at = now(), voided_by = 'x', void_reason = 'mistake' where product_id = $1",
    [product_id],
  );
  expect(await voidCodes(db, { product_id, actor, csvData: null }, () => new Date())).toMatchObject({
    voided: 1_050,
  });
  expect(await listVoided(product_id)).toHaveLength(1_050);
});

test('codes of an archived product can be voided, because the product may come back', async () => {
  const { product_id } = await addProduct(db, { codes: 2 });
  await db.query('update product set archived_at = now() where product_id = $1', [product_id]);
  expect(await voidCodes(db, { product_id, actor, csvData: null }, () => new Date())).toMatchObject({
    voided: 2,
  });
});

test('an unknown product, a shared code or a file without the column coupon_code is refused, and nothing is voided', async () => {
  const shared = await addProduct(db, { shared_coupon: true, codes: ['ALL'] });
  const attempt = (product_id: string, csvData: string | null) =>
    voidCodes(db, { product_id, actor, csvData }, () => new Date());
  await expect(attempt('x', null)).rejects.toMatchObject({ code: 'product_not_found' });
  await expect(attempt(shared.product_id, null)).rejects.toThrow(/shared/);
  const { product_id } = await addProduct(db, { codes: ['STAYS'] });
  await expect(attempt(product_id, 'email\nSTAYS\n')).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await getCouponTotal(db, { today: utcToday(), product_id })).toMatchObject({ total: 1 });
  expect(await listVoided(shared.product_id)).toEqual([]);
});

test('R-MAP-02: a file makes codes void that look like its codes', async () => {
  const { product_id } = await addProduct(db, { codes: ['OD\u200BD-1', 'EVEN-1'] });
  const csvData = 'coupon_code\nODD-1\nEV\uFEFFEN-1\n';
  expect(await voidCodes(db, { product_id, actor, csvData }, () => new Date())).toMatchObject({
    voided: 2,
    assigned: 0,
    unknown: 0,
  });
});
