// Tests the two bulk actions on an upload of codes: to make its free codes void, and to set their last day.
import { randomUUID } from 'node:crypto';
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { addCodes, addLearner, addProduct, utcDayOf, utcToday } from '../../test/factories.ts';
import { REDEEM_TOOLS } from '../../test/fill-database.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { createTestJobs, createUploadTools, TEST_IMPORT_TOOLS } from '../../test/test-jobs.ts';
import type { Database } from '../db/database.ts';
import { findBatch } from '../features/codes/batches.sql.ts';
import { expireCoupons } from '../features/codes/void.ts';
import { redeemCoupon } from '../features/redeem/redeem.ts';
import { retryJobs } from '../jobs/change-jobs.ts';
import { createImportHandler } from '../jobs/job-handlers.ts';
import { JOB_KINDS } from '../jobs/job-kinds.ts';
import { listFailedJobs } from '../jobs/job-lists.sql.ts';
import { setBatchUseBy, voidBatch } from './batch-acts.ts';
import { findJobState, listImportStates } from './bulk-jobs.sql.ts';
import { cancelImport, importCsv } from './uploads.ts';

const actor = 'staff@example.org';
const NEXT_YEAR = '2999-01-01';

let db: Database;
let product: Product;
let batch: string;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

/** Creates a product with one upload of codes. */
async function start(codes: string[] | number, more: object = {}): Promise<void> {
  product = await addProduct(db, { codes, ...more });
  batch = await findLatestBatch();
}
beforeEach(() => start(['ONE', 'TWO', 'THREE', 'FOUR']));

async function findLatestBatch(): Promise<string> {
  const { rows } = await db.query<{ id: string }>('select max(id) as id from coupon_batch');
  return rows[0]?.id ?? '';
}

const tools = (more = {}) => ({
  ...createUploadTools(db, { ...TEST_IMPORT_TOOLS, ...more }),
  dayOf: utcDayOf,
});
const voidFree = (expected: number, more: object = {}, given = tools()) =>
  voidBatch(db, { id: batch, actor, expected, reason: 'dead', note: null, ...more }, given);
const date = (use_by: string | null, expected: number, given = tools()) =>
  setBatchUseBy(db, { id: batch, actor, expected, use_by }, given);
const stateOf = (id: string) => findJobState(db, id, 1);
const figures = () => findBatch(db, batch, utcToday());

const redeem = async (caller?: Awaited<ReturnType<typeof addLearner>>) => {
  const learner = caller ?? (await addLearner(db, [product]));
  return redeemCoupon(db, { caller: learner, productId: product.product_id }, REDEEM_TOOLS);
};
const codeOf = async () => (await redeem()).coupon.couponCode;

async function listAudit(action: string): Promise<unknown[]> {
  const { rows } = await db.query<{ detail: Record<string, unknown> }>(
    'select detail from audit where action = $1 and product_id = $2 and actor = $3 order by id',
    [action, product.product_id, action === 'coupon.expire' ? 'portal' : actor],
  );
  return rows.map(({ detail }) => detail);
}

/** Runs the due jobs as another process would, with a clock that is `seconds` ahead. */
async function runDueJobs(seconds: number): Promise<void> {
  const now = () => new Date(Date.now() + seconds * 1000);
  const jobs = createTestJobs(db, { import: createImportHandler(db, TEST_IMPORT_TOOLS) }, { now });
  jobs.wake('import');
  await jobs.close();
}

describe('R-LIFE-18: the free codes of an upload are made void', () => {
  test('N-57: others stay with their holders, and the job has the result', async () => {
    await addCodes(db, product, ['OTHER']);
    const learner = await addLearner(db, [product]);
    await redeem(learner);
    const id = await voidFree(3, { note: 'Wrong file' });
    expect(await stateOf(id)).toMatchObject({
      kind: 'void',
      state: 'done',
      results: { voided: 3, handed_out_meanwhile: 0 },
      rows_done: 3,
      rows_total: 3,
    });
    expect(await figures()).toMatchObject({ codes: 4, free: 0, held: 1, revoked: 0, void: 3, moved: 0 });
    expect((await redeem(learner)).coupon.couponCode).toBe('ONE');
    expect(await codeOf()).toBe('OTHER');
    expect(await listAudit('batch.void')).toEqual([
      { batch_id: batch, import_id: id, expected: 3, voided: 3, reason: 'dead', note: 'Wrong file' },
    ]);
    expect(
      (await listImportStates(db, { since: new Date(0), limit: 100, named: 0 })).map((state) => state.id),
    ).not.toContain(id);
  });

  test('C-6: not if more are free than staff saw; fewer were handed out meanwhile', async () => {
    await expect(voidFree(3)).rejects.toMatchObject({ code: 'count_changed', count: 4 });
    expect(await figures()).toMatchObject({ free: 4 });
    await redeem();
    await redeem();
    const id = await voidFree(4);
    expect(await stateOf(id)).toMatchObject({ results: { voided: 2, handed_out_meanwhile: 2 } });
  });

  test('N-56: not of an unknown upload', async () => {
    for (const id of ['0', 'x', '9223372036854775808', randomUUID()]) {
      await expect(voidFree(4, { id })).rejects.toMatchObject({ code: 'not_found' });
      await expect(
        setBatchUseBy(db, { id, actor, expected: 4, use_by: null }, tools()),
      ).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  test('an upload without free codes ends at once, and writes no audit line', async () => {
    await voidFree(4);
    const id = await voidFree(0, { reason: 'mistake' });
    expect(await stateOf(id)).toMatchObject({
      state: 'done',
      results: { voided: 0, handed_out_meanwhile: 0 },
    });
    expect(await listAudit('batch.void')).toHaveLength(1);
  });

  test('R-LIFE-19, R-LIFE-21: void as dead, codes that were void by mistake or expired do not become free again', async () => {
    await db.query(
      `update coupon set voided_at = now(), voided_by = 'x', void_reason = case coupon_code when 'ONE' then 'mistake' else 'expired' end
       where batch_id = $1 and coupon_code in ('ONE', 'TWO')`,
      [batch],
    );
    expect(await stateOf(await voidFree(2))).toMatchObject({ state: 'done', results: { voided: 2 } });
    expect(await figures()).toMatchObject({ free: 0, void: 4, expired: 0 });
    expect(await stateOf(await date(NEXT_YEAR, 0))).toMatchObject({ results: { changed: 0 } });
    const csvData = 'coupon_code\nONE\n';
    const upload = { kind: 'coupons' as const, csvData, product_ids: [product.product_id], actor };
    expect((await importCsv(db, upload, tools())).results).toMatchObject({ success: 0, duplicates: 1 });
  });

  test('void by mistake, an expired code stays expired', async () => {
    await date(utcDayOf(new Date()), 4);
    expect(await stateOf(await voidFree(0, { reason: 'mistake' }))).toMatchObject({ results: { voided: 0 } });
    expect(await figures()).toMatchObject({ expired: 4 });
  });

  test('N-51: of a product with shared codes, its texts: nobody else gets them, and holders keep them', async () => {
    await start(['OLD', 'NEW'], { shared_coupon: true });
    const learner = await addLearner(db, [product]);
    expect((await redeem(learner)).coupon.couponCode).toBe('NEW');
    const id = await voidFree(1);
    expect(await stateOf(id)).toMatchObject({ state: 'done', results: { voided: 2 } });
    await expect(codeOf()).rejects.toMatchObject({ code: 'no_coupon_left' });
    expect((await redeem(learner)).coupon.couponCode).toBe('NEW');
    await addCodes(db, product, ['NEWER']);
    expect(await codeOf()).toBe('NEWER');
  });
});

describe('R-LIFE-19: the last day of the free codes of an upload is set', () => {
  test('R-LIFE-05: they go before codes without a day, also in a process with a hint', async () => {
    await addCodes(db, product, ['LATE-1', 'LATE-2']);
    batch = await findLatestBatch();
    // This redemption gets code ONE, and stores that the next claim starts after ONE. Codes with a last day come before
    // ONE in the order of claims, so the action must reset this start.
    await redeem();
    const id = await date(NEXT_YEAR, 2);
    expect(await stateOf(id)).toMatchObject({
      kind: 'use_by',
      state: 'done',
      results: { changed: 2, handed_out_meanwhile: 0 },
    });
    expect(await figures()).toMatchObject({ use_by: NEXT_YEAR, use_by_mixed: false, free: 2, datable: 2 });
    expect(await redeem()).toMatchObject({ coupon: { couponCode: 'LATE-1' }, use_by: NEXT_YEAR });
    await date(null, 1);
    expect(await figures()).toMatchObject({ use_by: null, use_by_mixed: false, held: 1 });
    expect(await codeOf()).toBe('TWO');
    expect(await listAudit('batch.use_by')).toEqual([
      { batch_id: batch, import_id: id, expected: 2, changed: 2, use_by: NEXT_YEAR },
      { batch_id: batch, import_id: expect.any(String), expected: 1, changed: 1, use_by: null },
    ]);
  });

  test('N-59: a day that is not ahead expires the free codes; a later day frees them again', async () => {
    await redeem();
    const today = utcDayOf(new Date());
    expect(await stateOf(await date(today, 3))).toMatchObject({ results: { changed: 3 } });
    expect(await figures()).toMatchObject({
      free: 0,
      expired: 3,
      void: 0,
      held: 1,
      datable: 3,
      use_by: null,
    });
    await expect(codeOf()).rejects.toMatchObject({ code: 'no_coupon_left' });
    await expireCoupons(db, TEST_IMPORT_TOOLS);
    expect(await listAudit('coupon.expire')).toEqual([{ day: today, count: 3 }]);

    await expect(date(NEXT_YEAR, 2)).rejects.toMatchObject({ code: 'count_changed', count: 3 });
    expect(await stateOf(await date(NEXT_YEAR, 3))).toMatchObject({ results: { changed: 3 } });
    expect(await figures()).toMatchObject({ free: 3, void: 0, use_by: NEXT_YEAR });
    expect(await codeOf()).toBe('TWO');
  });

  test('N-59: codes that are void for another reason stay void, and several days are mixed', async () => {
    await start(4);
    await db.query(
      "update coupon set voided_at = now(), voided_by = 'x', void_reason = 'mistake' where batch_id = $1 and coupon_code = 'CODE-0'",
      [batch],
    );
    await date(NEXT_YEAR, 3);
    await db.query("update coupon set use_by = '2998-01-01' where batch_id = $1 and coupon_code = 'CODE-1'", [
      batch,
    ]);
    expect(await figures()).toMatchObject({ free: 3, void: 1, use_by: null, use_by_mixed: true, datable: 3 });
    expect(await stateOf(await date(null, 3))).toMatchObject({ results: { changed: 3 } });
    expect(await figures()).toMatchObject({ free: 3, void: 1, use_by: null, use_by_mixed: false });
  });

  test('not of a product with shared codes', async () => {
    await start(['ALL'], { shared_coupon: true });
    await expect(date(NEXT_YEAR, 1)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('C-7: an act on many codes', () => {
  const CODES = 6_000;
  beforeEach(() => start(CODES));

  /** Returns the tools of a process that stops after `steps` steps. */
  const stopsAfter = (steps: number) => {
    let asked = 0;
    return {
      isStopping: () => {
        asked += 1;
        return asked > steps;
      },
    };
  };
  const waitFor = (id: string, state: string) =>
    expect.poll(async () => (await stateOf(id))?.state).toBe(state);

  test('responds before it is done, and shows its progress', async () => {
    let go: (value?: unknown) => void = () => undefined;
    const held = new Promise((resolve) => {
      go = resolve;
    });
    const id = await voidFree(CODES, {}, tools({ pause: () => held }));
    await expect.poll(async () => (await stateOf(id))?.rows_done).toBe(1_000);
    expect(await stateOf(id)).toMatchObject({ state: 'running', rows_total: CODES, results: null });
    go();
    await waitFor(id, 'done');
    expect(await stateOf(id)).toMatchObject({ results: { voided: CODES, handed_out_meanwhile: 0 } });
  });

  test.each(['void', 'use_by'] as const)(
    '%s: another process continues it after the codes that are done, and the counts are exact',
    async (kind) => {
      const given = tools(stopsAfter(2));
      const id = await (kind === 'void' ? voidFree(CODES, {}, given) : date(NEXT_YEAR, CODES, given));
      await expect.poll(async () => (await stateOf(id))?.rows_done).toBe(2_000);
      await redeem();
      await runDueJobs(31);
      await waitFor(id, 'done');
      // A learner redeemed a code after two steps of the job. A job 'use_by' had changed this code before, so this job
      // counts all codes. A job 'void' could not make this code void any more.
      expect(await stateOf(id)).toMatchObject({
        state: 'done',
        results: kind === 'void' ? { voided: CODES - 1 } : { changed: CODES },
      });
      expect(await figures()).toMatchObject(
        kind === 'void'
          ? { free: 0, held: 1, void: CODES - 1 }
          : { free: CODES - 1, held: 1, void: 0, use_by: NEXT_YEAR },
      );
      expect(await listAudit(`batch.${kind}`)).toHaveLength(1);
    },
  );

  test('can be cancelled: codes that are void stay void, and the audit counts them', async () => {
    const pause = async () => {
      const { rows } = await db.query<{ id: string }>("select id from bulk_job where state = 'running'");
      await cancelImport(db, rows[0]?.id ?? '', { now: () => new Date(), actor });
    };
    const id = await voidFree(CODES, {}, tools({ pause }));
    await waitFor(id, 'cancelled');
    expect(await stateOf(id)).toMatchObject({ results: { voided: 1_000, handed_out_meanwhile: 0 } });
    await runDueJobs(100_000);
    expect(await figures()).toMatchObject({ free: CODES - 1_000, void: 1_000 });
    expect(await listAudit('batch.void')).toMatchObject([{ voided: 1_000 }]);
  });

  test('fails after its last try, with the reason; a retry does the rest, and the audit counts each code once', async () => {
    await db.execute(`
      create function refuse_void() returns trigger language plpgsql as $$
      begin raise exception 'out of ink'; end $$;
      create trigger refuse_void before update on coupon for each row when (new.coupon_code = 'CODE-5500')
        execute function refuse_void();`);
    onTestFinished(() => db.execute('drop function if exists refuse_void cascade'));
    const id = await voidFree(CODES);
    await expect.poll(async () => (await stateOf(id))?.rows_done).toBe(5_000);
    for (let tried = 1; tried <= JOB_KINDS.import.retrySeconds.length; tried += 1)
      await runDueJobs(tried * 1_000);
    await waitFor(id, 'failed');
    expect(await stateOf(id)).toMatchObject({ reason: 'out of ink', results: { voided: 5_000 } });
    const [{ reason = '' } = {}] = await listFailedJobs(db, 1);
    await db.execute('drop function refuse_void cascade');
    await retryJobs(db, { kind: 'import', reason }, { now: new Date(), actor });
    await runDueJobs(1);
    expect(await stateOf(id)).toMatchObject({ state: 'done', results: { voided: CODES } });
    expect(await listAudit('batch.void')).toMatchObject([{ voided: 5_000 }, { voided: 1_000 }]);
  });

  test('gives way: it pauses after each step while calls are served', async () => {
    let calls = 0;
    let pauses = 0;
    const countCalls = () => {
      calls += 1e6;
      return calls;
    };
    const pause = async (ms: number) => {
      if (ms > 0) pauses += 1;
    };
    await waitFor(await voidFree(CODES, {}, tools({ countCalls, pause })), 'done');
    expect(pauses).toBe(6);
  });
});

test('the codes of an import that was cancelled can be made void', async () => {
  const { product_id } = product;
  const import_id = randomUUID();
  const csvData = `coupon_code\n${Array.from({ length: 12_000 }, (_, n) => `CUT-${n}`).join('\n')}\n`;
  const pause = () => cancelImport(db, import_id, { now: () => new Date(), actor });
  const order = { kind: 'coupons' as const, csvData, import_id, product_ids: [product_id], actor };
  const { rows_done } = await importCsv(db, order, tools({ pause }));
  batch = await findLatestBatch();
  expect(await figures()).toMatchObject({ codes: rows_done, free: rows_done });
  const id = await voidFree(rows_done, { reason: 'mistake' });
  expect(await stateOf(id)).toMatchObject({ results: { voided: rows_done } });
});
