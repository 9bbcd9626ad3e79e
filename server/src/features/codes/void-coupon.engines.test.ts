// Tests making a code void, and uploading void codes again.
import { randomBytes } from 'node:crypto';
import type { Product, VoidReason } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct, utcDayOf, utcToday } from '../../../test/factories.ts';
import { REDEEM_TOOLS } from '../../../test/fill-database.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { createUploadTools } from '../../../test/test-jobs.ts';
import { importCsv } from '../../bulk/uploads.ts';
import type { Database } from '../../db/database.ts';
import { getCouponTotal } from '../dashboard/tally.sql.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { findBatch } from './batches.sql.ts';
import { createCoupon } from './codes.ts';
import { voidCoupon } from './void.ts';

const actor = 'staff@example.org';
const now = () => new Date();

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

type Learner = Awaited<ReturnType<typeof addLearner>>;
const redeem = async ({ product_id: productId }: Product, caller: Learner) =>
  (await redeemCoupon(db, { caller, productId }, REDEEM_TOOLS)).coupon.couponCode;

async function findRows({ product_id }: Product, code: string) {
  const { rows } = await db.query<{ id: string; batch_id: string; pos: string; void_reason: string | null }>(
    'select id, batch_id, pos, void_reason from coupon where product_id = $1 and coupon_code = $2 order by id',
    [product_id, code],
  );
  return rows;
}

async function makeVoid(
  product: Product,
  code: string,
  reason: VoidReason = 'dead',
  note: string | null = null,
) {
  const [row] = await findRows(product, code);
  return voidCoupon(db, { id: row?.id ?? '0', actor, reason, note }, { now });
}

async function listAudit({ product_id }: Product): Promise<unknown[]> {
  const { rows } = await db.query(
    "select actor, detail from audit where action = 'coupon.void' and product_id = $1 order by id",
    [product_id],
  );
  return rows;
}

async function upload({ product_id }: Product, ...lines: string[]) {
  const csvData = `coupon_code\n${lines.join('\n')}\n`;
  const order = { kind: 'coupons' as const, csvData, product_ids: [product_id], actor };
  const { results } = await importCsv(db, order, createUploadTools(db));
  return results;
}

const addOne = ({ product_id }: Product, coupon_code: string) =>
  createCoupon(
    db,
    { actor, coupon: { product_id, coupon_code, usage_limit: null } },
    { now, dayOf: utcDayOf, randomBytes },
  );

describe('R-LIFE-16: one code is made void', () => {
  test('nobody gets it, the audit has reason and note, and repeating changes nothing', async () => {
    const product = await addProduct(db, { codes: ['ONE', 'TWO'] });
    const voided = await makeVoid(product, 'ONE', 'dead', 'Sold twice');
    expect(voided).toMatchObject({ coupon_code: 'ONE', state: 'void', email: null });
    expect(await makeVoid(product, 'ONE', 'mistake')).toEqual(voided);
    expect(await listAudit(product)).toEqual([{ actor, detail: { reason: 'dead', note: 'Sold twice' } }]);
    expect(await redeem(product, await addLearner(db, [product]))).toBe('TWO');
    await expect(redeem(product, await addLearner(db, [product]))).rejects.toMatchObject({
      code: 'no_coupon_left',
    });
    expect(
      await getCouponTotal(db, { today: utcToday(), product_id: product.product_id, status: 'void' }),
    ).toMatchObject({
      total: 1,
    });
  });

  test('not one that somebody holds: 409 held, and the holder keeps it', async () => {
    const product = await addProduct(db, { codes: ['ONE'] });
    const learner = await addLearner(db, [product]);
    await redeem(product, learner);
    await expect(makeVoid(product, 'ONE')).rejects.toMatchObject({
      code: 'held',
      message: 'This code was handed out. Revoke it instead.',
    });
    expect(await redeem(product, learner)).toBe('ONE');
    expect(await listAudit(product)).toEqual([]);
  });

  test.each(['mistake', 'expired'] as const)(
    'R-LIFE-21: a code that was void as %s and is dead now does not become free again',
    async (reason) => {
      const product = await addProduct(db, { codes: ['ONE'] });
      await makeVoid(product, 'ONE', 'mistake');
      await db.query('update coupon set void_reason = $2 where product_id = $1', [
        product.product_id,
        reason,
      ]);
      expect(await makeVoid(product, 'ONE', 'dead', 'Leaked')).toMatchObject({ state: 'void' });
      expect(await makeVoid(product, 'ONE', 'mistake')).toMatchObject({ state: 'void' });
      expect(await upload(product, 'ONE')).toMatchObject({ success: 0, duplicates: 1 });
      expect((await listAudit(product)).at(-1)).toEqual({
        actor,
        detail: { reason: 'dead', note: 'Leaked' },
      });
      expect(
        await getCouponTotal(db, { today: utcToday(), product_id: product.product_id, status: 'void' }),
      ).toMatchObject({
        total: 1,
      });
    },
  );

  test('no audit line contains a code: a note with a code of the product is refused', async () => {
    const product = await addProduct(db, { codes: ['ONE-4711', 'TWO-4712'] });
    await addProduct(db, { codes: ['Other-1'] });
    for (const note of ['Posted: (TWO-4712).', 'ONE-4711', 'See "ONE-4711", please'])
      await expect(makeVoid(product, 'ONE-4711', 'dead', note)).rejects.toMatchObject({
        code: 'invalid_request',
        message: 'Leave the code out; name its last four characters.',
      });
    expect(await listAudit(product)).toEqual([]);
    expect(await makeVoid(product, 'ONE-4711', 'dead', 'Not that one, but 4711')).toMatchObject({
      state: 'void',
    });
  });

  test('N-56: not an unknown one, nor an id that is none', async () => {
    for (const id of ['0', 'x', '1.5', '9223372036854775808'])
      await expect(voidCoupon(db, { id, actor, reason: 'dead', note: null }, { now })).rejects.toMatchObject({
        code: 'not_found',
      });
  });
});

describe('R-LIFE-08, N-51: the code of a product with shared codes', () => {
  test('is void as a text: holders keep it, others get the newest that is left, and uploads find a duplicate', async () => {
    const product = await addProduct(db, { shared_coupon: true, codes: ['OLD', 'NEW'] });
    const [first, second, third] = [
      await addLearner(db, [product]),
      await addLearner(db, [product]),
      await addLearner(db, [product]),
    ];
    expect(await redeem(product, first)).toBe('NEW');
    // So far the code NEW has one row, which belongs to its holder. Making NEW void must add a second row.
    expect(await findRows(product, 'NEW')).toHaveLength(1);
    expect(await makeVoid(product, 'NEW')).toMatchObject({ coupon_code: 'NEW', state: 'void' });
    expect(await makeVoid(product, 'NEW')).toMatchObject({ state: 'void' });
    expect(await findRows(product, 'NEW')).toHaveLength(2);
    expect(await redeem(product, first)).toBe('NEW');
    expect(await redeem(product, second)).toBe('OLD');
    expect(await upload(product, 'NEW')).toMatchObject({ success: 0, duplicates: 1 });
    await expect(addOne(product, 'NEW')).rejects.toMatchObject({ code: 'duplicate_code' });
    expect(await redeem(product, third)).toBe('OLD');
    await makeVoid(product, 'OLD');
    await expect(redeem(product, await addLearner(db, [product]))).rejects.toMatchObject({
      code: 'no_coupon_left',
    });
    expect(await listAudit(product)).toHaveLength(2);
  });

  test('R-LIFE-21: and is dead after that is not allowed again', async () => {
    const product = await addProduct(db, { shared_coupon: true, codes: ['ALL'] });
    await makeVoid(product, 'ALL', 'mistake');
    await makeVoid(product, 'ALL', 'dead');
    expect(await upload(product, 'ALL')).toMatchObject({ success: 0, duplicates: 1 });
    await expect(addOne(product, 'ALL')).rejects.toMatchObject({ code: 'duplicate_code' });
  });

  test.each([
    ['an upload', (product: Product) => upload(product, 'ALL')],
    ['a single coupon', (product: Product) => addOne(product, 'ALL')],
  ])('R-LIFE-21, N-70: void by mistake is allowed again by %s', async (_what, addAgain) => {
    const product = await addProduct(db, { shared_coupon: true, codes: ['ALL'] });
    const learner = await addLearner(db, [product]);
    await redeem(product, learner);
    await makeVoid(product, 'ALL', 'mistake');
    const other = await addLearner(db, [product]);
    await expect(redeem(product, other)).rejects.toMatchObject({ code: 'no_coupon_left' });
    await addAgain(product);
    expect(await redeem(product, other)).toBe('ALL');
  });

  test('whose last day is over is not assigned, and the same text with a later day is', async () => {
    const product = await addProduct(db, { shared_coupon: true, codes: ['ALL'] });
    const { product_id } = product;
    await db.query("update coupon set use_by = '2001-01-01' where product_id = $1", [product_id]);
    const learner = await addLearner(db, [product]);
    await expect(redeem(product, learner)).rejects.toMatchObject({ code: 'no_coupon_left' });
    await addCodes(db, product, ['ALL']);
    await db.query(
      "update coupon set voided_at = now(), voided_by = 'portal', void_reason = 'expired' where product_id = $1 and use_by < '2002-01-01'",
      [product_id],
    );
    expect(await redeem(product, learner)).toBe('ALL');
  });
});

test('R-LIFE-04, N-51: a shared code is assigned with its newest last day, not with that of an older row of the same text', async () => {
  const product = await addProduct(db, { shared_coupon: true, codes: ['ALL'] });
  const { product_id } = product;
  // The job has not marked this row as expired yet.
  await db.query("update coupon set use_by = '2001-01-01' where product_id = $1", [product_id]);
  await addCodes(db, product, ['ALL']);
  const learner = await addLearner(db, [product]);
  for (const caller of [learner, learner, await addLearner(db, [product])])
    expect(await redeemCoupon(db, { caller, productId: product_id }, REDEEM_TOOLS)).toMatchObject({
      coupon: { couponCode: 'ALL' },
      use_by: null,
    });
  const { rows } = await db.query('select holder from coupon where product_id = $1 and use_by = $2', [
    product_id,
    '2001-01-01',
  ]);
  expect(rows).toEqual([{ holder: null }]);
});

describe('R-LIFE-21: a void code that is uploaded again', () => {
  test('is free in the new batch, at the end of the order, if it was void by mistake; else a duplicate', async () => {
    const product = await addProduct(db, { codes: ['A', 'B', 'C', 'D'] });
    const [before] = await findRows(product, 'A');
    await makeVoid(product, 'A', 'mistake');
    await makeVoid(product, 'B', 'dead');
    expect(await upload(product, 'NEW', 'A', 'B', 'C', 'A')).toMatchObject({ success: 2, duplicates: 3 });
    const [after] = await findRows(product, 'A');
    expect(after).toMatchObject({ id: before?.id, void_reason: null });
    expect(Number(after?.pos)).toBeGreaterThan(Number(before?.pos));
    const [old, fresh] = [
      await findBatch(db, before?.batch_id ?? '', utcToday()),
      await findBatch(db, after?.batch_id ?? '', utcToday()),
    ];
    expect(old).toMatchObject({ codes: 4, free: 2, void: 1, held: 0, moved: 1 });
    expect(fresh).toMatchObject({ codes: 2, free: 2, void: 0, moved: 0 });
    const codes: string[] = [];
    for (let turn = 0; turn < 4; turn += 1)
      codes.push(await redeem(product, await addLearner(db, [product])));
    expect(codes).toEqual(['C', 'D', 'NEW', 'A']);
    const { product_id } = product;
    expect(await getCouponTotal(db, { today: utcToday(), product_id })).toMatchObject({ total: 5 });
    expect(await getCouponTotal(db, { today: utcToday(), product_id, status: 'void' })).toMatchObject({
      total: 1,
    });
  });

  test('N-70: a single coupon frees a code that is void by mistake, with the default last day of the product', async () => {
    const product = await addProduct(db, { codes: ['A', 'B'] });
    const { product_id } = product;
    await db.query("update product set use_by_default = '2999-06-30' where product_id = $1", [product_id]);
    await makeVoid(product, 'A', 'mistake');
    await makeVoid(product, 'B', 'dead');
    expect(await addOne(product, 'A')).toMatchObject({
      coupon_code: 'A',
      state: 'free',
      use_by: '2999-06-30',
    });
    await expect(addOne(product, 'B')).rejects.toMatchObject({ code: 'duplicate_code' });
    const generated = await createCoupon(
      db,
      { actor, coupon: { product_id, coupon_code: null, usage_limit: null } },
      { now, dayOf: utcDayOf, randomBytes },
    );
    expect(generated.use_by).toBe('2999-06-30');
  });
});

test('R-LIFE-04: a code is not assigned on its last day, nor after it', async () => {
  const product = await addProduct(db, { codes: ['TODAY', 'PAST', 'LATER'] });
  const { product_id } = product;
  const set = (code: string, use_by: string) =>
    db.query('update coupon set use_by = $3 where product_id = $1 and coupon_code = $2', [
      product_id,
      code,
      use_by,
    ]);
  await set('TODAY', utcDayOf(now()));
  await set('PAST', '2020-01-01');
  expect(await redeem(product, await addLearner(db, [product]))).toBe('LATER');
  await expect(redeem(product, await addLearner(db, [product]))).rejects.toMatchObject({
    code: 'no_coupon_left',
  });
});
