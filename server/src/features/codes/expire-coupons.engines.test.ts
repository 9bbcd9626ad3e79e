// Tests expired codes: when the job makes them void, and which numbers the audit lines have.
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct, utcToday } from '../../../test/factories.ts';
import { REDEEM_TOOLS } from '../../../test/fill-database.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { createTestJobs, TEST_IMPORT_TOOLS } from '../../../test/test-jobs.ts';
import { createDayOf } from '../../day.ts';
import type { Database } from '../../db/database.ts';
import { createJobHandlers } from '../../jobs/job-handlers.ts';
import { getCouponTotal } from '../dashboard/tally.sql.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { createBatch, createCoupons } from './batches.sql.ts';
import { expireCoupons } from './void.ts';

const at = (day: string) => ({ now: () => new Date(`${day}T12:00:00Z`) });

let db: Database;
let product: Product;
beforeAll(async () => {
  db = await openTestDatabase();
});
beforeEach(async () => {
  product = await addProduct(db);
});
afterAll(() => db.close());

const expire = (day: string, more = {}) => expireCoupons(db, { ...TEST_IMPORT_TOOLS, ...at(day), ...more });

/** Adds codes. `days` maps each last day to the number of codes with this day. */
async function add(days: Record<string, number>, to = product): Promise<void> {
  const { product_id, shared_coupon: shared } = to;
  const use_by = Object.entries(days).flatMap(([day, count]) => Array.from({ length: count }, () => day));
  const batch_id = await createBatch(db, { product_id, source: 'file', created_by: 'staff@example.org' });
  const codes = use_by.map((day, index) => `${day}-${batch_id}-${index}`);
  await createCoupons(db, { product_id, batch_id, shared, codes, use_by });
}

async function listAudit({ product_id }: Product = product): Promise<unknown[]> {
  const { rows } = await db.query<{ detail: unknown; actor: string }>(
    "select actor, detail from audit where action = 'coupon.expire' and product_id = $1 order by id",
    [product_id],
  );
  return rows.map(({ actor, detail }) => (actor === 'portal' ? detail : actor));
}

async function countExpired({ product_id }: Product = product): Promise<number> {
  const { rowCount } = await db.query(
    "select 1 from coupon where product_id = $1 and void_reason = 'expired' and voided_by = 'portal' and holder is null",
    [product_id],
  );
  return rowCount;
}

const redeem = async (day: string) =>
  (
    await redeemCoupon(
      db,
      { caller: await addLearner(db, [product]), productId: product.product_id },
      { ...REDEEM_TOOLS, ...at(day) },
    )
  ).coupon.couponCode;

describe('R-LIFE-53: free codes', () => {
  test('are void as expired from their last day on, with one audit line a product and day', async () => {
    const other = await addProduct(db, { codes: ['STAYS'] });
    await add({ '2031-01-01': 2, '2031-01-02': 3, '2031-01-03': 1, infinity: 1 });
    await add({ '2031-01-01': 4 }, other);
    await expire('2031-01-02');
    expect(await listAudit()).toEqual([
      { day: '2031-01-01', count: 2 },
      { day: '2031-01-02', count: 3 },
    ]);
    expect(await listAudit(other)).toEqual([{ day: '2031-01-01', count: 4 }]);
    const { product_id } = product;
    expect(await getCouponTotal(db, { today: utcToday(), product_id, status: 'expired' })).toMatchObject({
      total: 5,
    });
    expect(await getCouponTotal(db, { today: utcToday(), product_id, status: 'void' })).toMatchObject({
      total: 0,
    });
    expect(await getCouponTotal(db, { today: utcToday(), product_id, status: 'available' })).toMatchObject({
      total: 2,
    });
    expect(await redeem('2031-01-02')).toMatch(/^2031-01-03/);
    await expire('2031-01-02');
    expect(await listAudit()).toHaveLength(2);
  });

  test('codes that somebody holds, or that are void already, stay as they are', async () => {
    await add({ '2031-02-01': 3 });
    const held = await redeem('2031-01-01');
    await db.query(
      `update coupon set voided_at = now(), voided_by = 'x', void_reason = 'dead'
       where id = (select max(id) from coupon where product_id = $1)`,
      [product.product_id],
    );
    await expire('2031-03-01');
    expect(await listAudit()).toEqual([{ day: '2031-02-01', count: 1 }]);
    const { rows } = await db.query(
      'select holder is not null as held, void_reason from coupon where product_id = $1 order by void_reason nulls first',
      [product.product_id],
    );
    expect(held).toMatch(/^2031/);
    expect(rows).toEqual([
      { held: true, void_reason: null },
      { held: false, void_reason: 'dead' },
      { held: false, void_reason: 'expired' },
    ]);
  });

  test('R-LIFE-04: are refused before the job has marked them', async () => {
    await add({ '2031-02-01': 1 });
    await expect(redeem('2031-02-01')).rejects.toMatchObject({ code: 'no_coupon_left' });
    expect(await countExpired()).toBe(0);
    expect(await redeem('2031-01-31')).toMatch(/^2031/);
  });

  test('expire by the days of the portal’s time zone', async () => {
    await add({ '2031-02-01': 1 });
    const late = { now: () => new Date('2031-01-31T23:30:00Z') };
    await expire('2031-01-31', late);
    expect(await countExpired()).toBe(0);
    await expire('2031-01-31', { ...late, dayOf: createDayOf('Europe/Berlin') });
    expect(await countExpired()).toBe(1);
  });
});

describe('R-LIFE-53: many codes', () => {
  /** Tools that stop the job after its first step, as if its process had been killed between two transactions. */
  const killedAfterStep = {
    pause: async () => {
      throw new Error('killed');
    },
  };

  /**
   * Runs `work` while the database rejects the statement that counts expired codes. So `work` fails as if its process
   * had been killed after it marked the codes and before it counted them.
   */
  async function killBeforeCount(work: () => Promise<unknown>): Promise<void> {
    await db.execute('alter table coupon_expiry add constraint killed check (false) not valid');
    try {
      await expect(work()).rejects.toThrow('killed');
    } finally {
      await db.execute('alter table coupon_expiry drop constraint killed');
    }
  }

  test('are marked in transactions of 1,000, and the counts are exact after a process was killed', async () => {
    await add({ '2031-01-01': 1_500, '2031-01-02': 1_200 });
    const sizes: number[] = [];
    const watch = async () => {
      sizes.push(await countExpired());
    };
    await killBeforeCount(() => expire('2031-01-05'));
    expect(await countExpired()).toBe(0);
    await expect(expire('2031-01-05', killedAfterStep)).rejects.toThrow('killed');
    expect(await countExpired()).toBe(1_000);
    expect(await listAudit()).toEqual([]);
    // A step adds to the count that an earlier step has stored.
    await killBeforeCount(() => expire('2031-01-05'));
    expect(await countExpired()).toBe(1_000);
    await expect(expire('2031-01-05', killedAfterStep)).rejects.toThrow('killed');
    expect(await listAudit()).toEqual([]);
    await add({ '2031-01-02': 300 });
    await expire('2031-01-05', { pause: watch });
    expect(sizes).toEqual([3_000, 3_000]);
    expect(await listAudit()).toEqual([
      { day: '2031-01-01', count: 1_500 },
      { day: '2031-01-02', count: 1_500 },
    ]);
  });

  test('a run that ends early, because other jobs wait or the process stops, leaves the rest to the next', async () => {
    await add({ '2031-01-01': 2_500 });
    let asked = 0;
    const isStopping = () => {
      asked += 1;
      return asked > 2;
    };
    await expire('2031-01-05', { isStopping });
    expect(await countExpired()).toBe(2_000);
    expect(await listAudit()).toEqual([]);
    await expire('2031-01-05');
    expect(await listAudit()).toEqual([{ day: '2031-01-01', count: 2_500 }]);
  });
});

test('R-LIFE-53: the recurring job marks them', async () => {
  await add({ '2001-01-01': 2 });
  const handlers = createJobHandlers({
    db,
    now: () => new Date(),
    importTools: TEST_IMPORT_TOOLS,
    sendMail: async () => '250 OK',
    publicUrl: 'http://localhost:3000',
    brand: { name: 'Academy', accent: '#005f44', support_email: '' },
    retention: { importDays: 0, mailDays: 0 },
    purgeExpired: async () => undefined,
  });
  const jobs = createTestJobs(db, { 'expire-codes': handlers['expire-codes'] });
  await jobs.start();
  await expect.poll(() => countExpired()).toBe(2);
  await expect.poll(() => listAudit()).toEqual([{ day: '2001-01-01', count: 2 }]);
  await jobs.close();
});

test('R-LIFE-21: a code that has expired counts as duplicate when it is uploaded again', async () => {
  await addCodes(db, product, ['OLD']);
  await db.query("update coupon set use_by = '2031-01-01' where product_id = $1", [product.product_id]);
  await expire('2031-01-01');
  const batch_id = await createBatch(db, {
    product_id: product.product_id,
    source: 'file',
    created_by: 'staff@example.org',
  });
  const skipped = await createCoupons(db, {
    product_id: product.product_id,
    batch_id,
    shared: false,
    codes: ['OLD', 'NEW'],
    use_by: ['infinity', 'infinity'],
  });
  expect(skipped).toEqual([0]);
});
