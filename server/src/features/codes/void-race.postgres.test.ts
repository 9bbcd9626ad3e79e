// Tests voiding codes, by the operator and by staff, while learners claim them. The tests run on PostgreSQL only,
// because the embedded engine has one connection and cannot run two statements at the same time.
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct, utcToday } from '../../../test/factories.ts';
import { STAFF } from '../../../test/lifecycle.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { createUploadTools } from '../../../test/test-jobs.ts';
import { voidBatch } from '../../bulk/batch-acts.ts';
import { findJobState } from '../../bulk/bulk-jobs.sql.ts';
import type { Database } from '../../db/database.ts';
import { claimCoupon } from '../redeem/redeem.sql.ts';
import { type Voided, voidCodes } from './void.ts';

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

const voidByOperator =
  (csvData: string | null) =>
  ({ product_id }: Product) =>
    voidCodes(db, { product_id, actor: 'operator', csvData }, () => new Date());

/** Makes the free codes of the product's upload void, as staff do. Returns the results of the job. */
async function voidByStaff({ product_id }: Product) {
  const { rows } = await db.query<{ id: string }>('select id from coupon_batch where product_id = $1', [
    product_id,
  ]);
  const act = { id: rows[0]?.id ?? '', actor: STAFF, expected: 2, reason: 'dead', note: null } as const;
  const job = await voidBatch(db, act, createUploadTools(db));
  return (await findJobState(db, job, 1))?.results;
}

test.each([
  ['codes by name', voidByOperator('coupon_code\nONE\nTWO\n'), { voided: 1, assigned: 1, unknown: 0 }],
  ['all free codes of a product', voidByOperator(null), { voided: 1, assigned: 0, unknown: 0 }],
  ['R-LIFE-51: an upload', voidByStaff, { voided: 1, handed_out_meanwhile: 1 }],
])(
  'voiding %s waits for a code that is being claimed, and the code stays with its holder',
  async (_what, voidAll, voided) => {
    const product = await addProduct(db, { codes: ['ONE', 'TWO'] });
    const { product_id } = product;
    const learner = await addLearner(db, [product]);
    let voiding: Promise<unknown> | undefined;
    const claim = await db.transaction(async (tx) => {
      const claimed = await claimCoupon(tx, {
        product_id,
        user_id: learner.user_id ?? '',
        assigned_by: 'learner',
        action: 'coupon.redeem',
        at: new Date(),
        today: utcToday(),
      });
      voiding = voidAll(product);
      await expect.poll(countWaiting).toBe(1);
      return claimed;
    });
    expect(await voiding).toMatchObject(voided);
    expect(claim?.coupon_code).toBe('ONE');
    const { rows } = await db.query(
      'select coupon_code, holder, void_reason from coupon where product_id = $1 order by id',
      [product_id],
    );
    expect(rows).toEqual([
      { coupon_code: 'ONE', holder: learner.user_id, void_reason: null },
      { coupon_code: 'TWO', holder: null, void_reason: 'dead' },
    ]);
  },
);

test('all free codes are voided, also those after a thousand codes that are claimed meanwhile', async () => {
  const product = await addProduct(db, { codes: 1_500 });
  const { product_id } = product;
  const { user_id } = await addLearner(db, [product]);
  let voiding: Promise<Voided> | undefined;
  await db.transaction(async (tx) => {
    await tx.query(
      `update coupon set holder = $2, assigned_at = now(), assigned_by = 'learner' where id in (
         select id from coupon where product_id = $1 order by pos limit 1000)`,
      [product_id, user_id],
    );
    voiding = voidCodes(db, { product_id, actor: 'operator', csvData: null }, () => new Date());
    await expect.poll(countWaiting).toBe(1);
  });
  expect(await voiding).toMatchObject({ voided: 500, assigned: 0, unknown: 0 });
});
