// Tests that undoing an upload of codes keeps the codes that another upload contains too.
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, addProduct, utcDayOf, utcToday } from '../../../test/factories.ts';
import { REDEEM_TOOLS } from '../../../test/fill-database.ts';
import { toolsOn } from '../../../test/lifecycle.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { inDays } from '../../../test/staff-calls.ts';
import { createUploadTools, TEST_IMPORT_TOOLS } from '../../../test/test-jobs.ts';
import { setBatchUseBy, voidBatch } from '../../bulk/batch-acts.ts';
import { findJobState } from '../../bulk/bulk-jobs.sql.ts';
import { importCsv } from '../../bulk/uploads.ts';
import type { Database } from '../../db/database.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { findBatch } from './batches.sql.ts';

const actor = 'staff@example.org';

let db: Database;
let product: Product;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const tools = () => ({ ...createUploadTools(db), dayOf: utcDayOf });

describe('R-IMP-28: codes that another upload names too', () => {
  /** Uploads the codes as a file. `useBy` returns the last day of a code. Returns the id of the batch. */
  const upload = async (
    codes: readonly string[],
    file_name: string,
    useBy: (code: string, line: number) => string = () => '',
  ) => {
    const csvData = `coupon_code,use_by\n${codes.map((code, line) => `${code},${useBy(code, line)}`).join('\n')}\n`;
    const order = { kind: 'coupons' as const, csvData, file_name, product_ids: [product.product_id], actor };
    return { id: (await importCsv(db, order, tools())).batch_id ?? '' };
  };
  const makeVoid = async (id: string, expected: number, reason: 'mistake' | 'dead') => {
    const job = await voidBatch(db, { id, actor, expected, reason, note: null }, tools());
    return (await findJobState(db, job, 1))?.results;
  };
  const mistake = (id: string, expected: number) => makeVoid(id, expected, 'mistake');
  const codeOf = async (on: object = {}) => {
    const caller = await addLearner(db, [product]);
    const redemption = { caller, productId: product.product_id };
    return (await redeemCoupon(db, redemption, { ...REDEEM_TOOLS, ...on })).coupon.couponCode;
  };
  const lastDays = async () => {
    const { rows } = await db.query<{ code: string; day: string }>(
      'select coupon_code as code, use_by::text as day from coupon where product_id = $1 and voided_at is null order by 1',
      [product.product_id],
    );
    return Object.fromEntries(rows.map(({ code, day }) => [code, day]));
  };
  const listVoids = async () => {
    const { rows } = await db.query<{ detail: unknown }>(
      "select detail from audit where action = 'batch.void' and product_id = $1 order by id",
      [product.product_id],
    );
    return rows.map(({ detail }) => detail);
  };
  const countsOf = (id: string) => findBatch(db, id, utcToday());
  const listFree = async () => {
    const { rows } = await db.query<{ coupon_code: string }>(
      'select distinct coupon_code from coupon where product_id = $1 and holder is null and voided_at is null order by 1',
      [product.product_id],
    );
    return rows.map(({ coupon_code }) => coupon_code);
  };

  test('stay when an upload is taken back: they are codes of the other upload from then on', async () => {
    product = await addProduct(db);
    const a = await upload(['A1', 'A2', 'A3'], 'a.csv');
    const b = await upload(['A1', 'A2', 'B1'], 'b.csv');
    const kept_by = [{ id: b.id, file_name: 'b.csv', codes: 2 }];
    expect(await countsOf(a.id)).toMatchObject({ free: 3, kept: 2, kept_by });
    expect(await countsOf(b.id)).toMatchObject({ codes: 1, free: 1, kept: 0, kept_by: [] });
    expect(await mistake(a.id, 3)).toEqual({ voided: 1, kept: 2, handed_out_meanwhile: 0 });
    expect(await listFree()).toEqual(['A1', 'A2', 'B1']);
    expect(await countsOf(a.id)).toMatchObject({ codes: 3, free: 0, void: 1, moved: 2, kept: 0 });
    expect(await countsOf(b.id)).toMatchObject({ codes: 3, free: 3, moved: 0 });
    expect((await listVoids()).at(-1)).toMatchObject({ voided: 1, kept: 2 });
    expect(await codeOf()).toBe('A1');
    expect(await mistake(b.id, 2)).toEqual({ voided: 2, kept: 0, handed_out_meanwhile: 0 });
    expect(await listFree()).toEqual([]);
  });

  test('are void with the first upload if the second was taken back before, or if they must not be used', async () => {
    product = await addProduct(db);
    const a = await upload(['A1', 'A2'], 'a.csv');
    const b = await upload(['A1', 'B1'], 'b.csv');
    expect(await mistake(b.id, 1)).toEqual({ voided: 1, kept: 0, handed_out_meanwhile: 0 });
    expect(await countsOf(a.id)).toMatchObject({ free: 2, kept: 0, kept_by: [] });
    expect(await mistake(a.id, 2)).toEqual({ voided: 2, kept: 0, handed_out_meanwhile: 0 });

    const c = await upload(['A1', 'A2'], 'c.csv');
    await upload(['A1', 'A2'], 'd.csv');
    expect(await countsOf(c.id)).toMatchObject({ free: 2, kept: 2 });
    expect(await makeVoid(c.id, 2, 'dead')).toEqual({ voided: 2, kept: 0, handed_out_meanwhile: 0 });
    expect(await listFree()).toEqual([]);
  });

  test('of three uploads, the oldest that is left has them', async () => {
    product = await addProduct(db);
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await upload(['ONE', 'TWO', name], `${name}.csv`)).id);
    const [a = '', b = '', c = ''] = ids;
    expect(await mistake(a, 3)).toEqual({ voided: 1, kept: 2, handed_out_meanwhile: 0 });
    expect(await countsOf(b)).toMatchObject({ free: 3, kept: 2 });
    expect(await mistake(b, 3)).toEqual({ voided: 1, kept: 2, handed_out_meanwhile: 0 });
    expect(await mistake(c, 3)).toEqual({ voided: 3, kept: 0, handed_out_meanwhile: 0 });
  });

  test('have the last day of the upload that is left: the day of the one that was taken back is gone', async () => {
    product = await addProduct(db);
    const wrong = '2999-12-31';
    const a = await upload(['A1', 'A2', 'A3', 'A4'], 'a.csv', () => wrong);
    const days: Record<string, string> = { A1: '2998-12-31', A2: '', A3: inDays(1) };
    const named = ['A1', 'A2', 'A3', 'A1'];
    const b = await upload(named, 'b.csv', (code, at) => (at === 3 ? wrong : (days[code] ?? '')));
    const c = await upload(['A1'], 'c.csv', () => '2997-12-31');
    expect(await mistake(c.id, 0)).toMatchObject({ voided: 0 });
    expect(await lastDays()).toEqual({ A1: wrong, A2: wrong, A3: wrong, A4: wrong });
    const tomorrow = toolsOn(inDays(1));
    const order = { id: a.id, actor, expected: 4, reason: 'mistake' as const, note: null };
    const { runJob } = createUploadTools(db, { ...TEST_IMPORT_TOOLS, ...tomorrow });
    const job = await voidBatch(db, order, { ...tools(), runJob });
    expect((await findJobState(db, job, 1))?.results).toMatchObject({ voided: 1, kept: 3 });
    expect(await lastDays()).toEqual({ A1: '2998-12-31', A2: 'infinity', A3: inDays(1) });
    // The last day of A3 is today, so A3 has expired.
    expect(await findBatch(db, b.id, inDays(1))).toMatchObject({ codes: 3, free: 2, expired: 1 });
    const redeemed: string[] = [];
    for (let n = 0; n < 2; n += 1) redeemed.push(await codeOf(tomorrow));
    expect(redeemed).toEqual(['A1', 'A2']);
    await expect(codeOf(tomorrow)).rejects.toMatchObject({ code: 'no_coupon_left' });
  });

  test('have the last day that staff set for the upload that is left, the newest one', async () => {
    product = await addProduct(db);
    const a = await upload(['A1', 'A2'], 'a.csv', () => '2999-12-31');
    const b = await upload(['A1', 'B1'], 'b.csv', () => '2998-12-31');
    const date = (use_by: string | null) =>
      setBatchUseBy(db, { id: b.id, actor, expected: 1, use_by }, tools());
    await date('2996-12-31');
    await date('2997-12-31');
    // An action that failed after some of the codes can be repeated. The codes that it changed keep their new day.
    await db.query(
      "update bulk_job set state = 'failed' where batch_id = $1 and detail ->> 'use_by' = '2997-12-31'",
      [b.id],
    );
    await mistake(a.id, 2);
    expect(await lastDays()).toEqual({ A1: '2997-12-31', B1: '2997-12-31' });
    const c = await upload(['C1'], 'c.csv', () => '2999-12-31');
    const d = await upload(['C1', 'D1'], 'd.csv', () => '2998-12-31');
    await setBatchUseBy(db, { id: d.id, actor, expected: 1, use_by: null }, tools());
    await mistake(c.id, 1);
    expect(await lastDays()).toMatchObject({ C1: 'infinity', D1: 'infinity' });
  });

  test('come in the order of their new last day, also for a process that has found a later one', async () => {
    product = await addProduct(db);
    const a = await upload(['LATE'], 'a.csv', () => '2999-12-31');
    await upload(['LATE'], 'b.csv', () => '2997-12-31');
    await upload(['X1', 'X2'], 'c.csv', () => '2998-12-31');
    expect(await codeOf()).toBe('X1');
    await mistake(a.id, 1);
    expect(await codeOf()).toBe('LATE');
    expect(await codeOf()).toBe('X2');
  });

  test('N-51: also texts of shared codes', async () => {
    product = await addProduct(db, { shared_coupon: true });
    const { id: a } = await upload(['ALL'], 'a.csv');
    const b = await upload(['ALL', 'NEW'], 'b.csv');
    expect(await countsOf(a)).toMatchObject({ free: 1, kept: 1 });
    expect(await mistake(a, 1)).toEqual({ voided: 0, kept: 1, handed_out_meanwhile: 0 });
    expect(await listFree()).toEqual(['ALL', 'NEW']);
    expect(await mistake(b.id, 2)).toMatchObject({ kept: 0 });
    await expect(codeOf()).rejects.toMatchObject({ code: 'no_coupon_left' });
  });
});
