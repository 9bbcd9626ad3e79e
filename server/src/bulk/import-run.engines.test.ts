// Tests imports that are interrupted, cancelled or fail, and imports while the process serves other calls.
import { randomUUID } from 'node:crypto';
import type { CsvKind } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { addProduct } from '../../test/factories.ts';

import { openTestDatabase } from '../../test/open-test-database.ts';
import { createTestJobs, createUploadTools, TEST_IMPORT_TOOLS } from '../../test/test-jobs.ts';
import type { Database } from '../db/database.ts';
import { retryJobs } from '../jobs/change-jobs.ts';
import { createImportHandler } from '../jobs/job-handlers.ts';
import { JOB_KINDS } from '../jobs/job-kinds.ts';
import { listFailedJobs } from '../jobs/job-lists.sql.ts';
import { placeOf } from '../jobs/jobs.sql.ts';
import { setBatchUseBy } from './batch-acts.ts';
import { analyseTables, findImport, findImportState, recoverImports } from './bulk-jobs.sql.ts';
import { listImportRows } from './import-rows.sql.ts';
import type { ImportTools } from './run-bulk.ts';
import { cancelImport, importCsv, type Upload } from './uploads.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const upload = (kind: CsvKind, csvData: string, more: Partial<Upload> = {}): Upload => ({
  kind,
  csvData,
  product_ids: [],
  actor: 'staff@example.org',
  ...more,
});
const run = (...args: Parameters<typeof upload>) => importCsv(db, upload(...args), createUploadTools(db));

/** Runs the due jobs as another process would, with a clock that is `seconds` ahead. */
async function runDueJobs(tools: ImportTools, seconds: number): Promise<void> {
  const now = () => new Date(Date.now() + seconds * 1000);
  const jobs = createTestJobs(db, { import: createImportHandler(db, tools) }, { now });
  jobs.wake('import');
  await jobs.close();
}

async function listCodes(product_id: string): Promise<string[]> {
  const { rows } = await db.query<{ coupon_code: string }>(
    'select coupon_code from coupon where product_id = $1 order by pos',
    [product_id],
  );
  return rows.map(({ coupon_code }) => coupon_code);
}

describe('an interrupted import', () => {
  test('continues after its last row, without lost or duplicate rows, and a second upload with its id imports nothing', async () => {
    const { product_id } = await addProduct(db);
    const count = 12_000;
    const lines = Array.from({ length: count }, (_, index) =>
      index % 100 === 7 ? 'bad\u0007' : `CUT-${index}`,
    );
    const csv = `coupon_code\n${lines.join('\n')}\n`;
    const import_id = randomUUID();
    let batches = 0;
    const stopping = {
      ...TEST_IMPORT_TOOLS,
      isStopping: () => {
        batches += 1;
        return batches > 2;
      },
    };
    const cut = await importCsv(
      db,
      upload('coupons', csv, { import_id, product_ids: [product_id] }),
      createUploadTools(db, stopping),
    );
    expect(cut).toMatchObject({ state: 'running', results: null });
    expect(cut.rows_done).toBeGreaterThan(0);
    expect(cut.rows_done).toBeLessThan(count);

    // With `stopping`, the handler behaves as in a process that stops: it returns the job to the queue, and the import
    // stays in the state 'running'.
    const state = () => findImport(db, import_id).then((job) => job?.state);
    await runDueJobs(stopping, 31);
    expect(await state()).toBe('running');
    await runDueJobs(TEST_IMPORT_TOOLS, 33);
    expect(await state()).toBe('done');
    const done = await run('coupons', csv, { import_id, product_ids: [product_id] });
    expect(done).toMatchObject({
      state: 'done',
      rows_done: count,
      results: { success: count - 120, failures: 120, duplicates: 0, total: count },
    });
    expect(await listCodes(product_id)).toHaveLength(count - 120);
    expect(await listImportRows(db, import_id, 'error', { after: 0, limit: 1000 })).toHaveLength(120);
    expect((await findImport(db, import_id))?.source).toBeNull();
  });
});

describe('an import that cannot continue', () => {
  const TRIES = JOB_KINDS.import.retrySeconds.length + 1;

  /** Imports 6,001 codes. A trigger refuses the last code, so the import fails after the last retry of its job. */
  async function failImport() {
    const { product_id } = await addProduct(db);
    const codes = [...Array.from({ length: 6_000 }, (_, index) => `GOOD-${index}`), 'POISON'];
    const import_id = randomUUID();
    await db.execute(`
      create or replace function refuse_poison() returns trigger language plpgsql as $$
      begin raise exception 'out of ink'; end $$;
      create or replace trigger refuse_poison before insert on coupon for each row when (new.coupon_code = 'POISON')
        execute function refuse_poison();`);
    onTestFinished(() => db.execute('drop function if exists refuse_poison cascade'));
    await run('coupons', `coupon_code\n${codes.join('\n')}\n`, { import_id, product_ids: [product_id] });
    for (let tried = 1; tried < TRIES; tried += 1) {
      expect(await findImportState(db, import_id, 1)).toMatchObject({ state: 'running', reason: null });
      await runDueJobs(TEST_IMPORT_TOOLS, tried * 1_000);
    }
    return { import_id, product_id };
  }

  test('R-TRAIL-01: has a line in the log for its start, its failure and its end, with the upload and the counts', async () => {
    const { import_id, product_id } = await failImport();
    await db.execute('drop function refuse_poison cascade');
    await retryJobs(
      db,
      { kind: 'import', reason: 'out of ink' },
      { now: new Date(), actor: 'staff@example.org' },
    );
    await runDueJobs(TEST_IMPORT_TOOLS, 1);
    const { rows } = await db.query<{ success: number }>(
      `select action, actor, product_id, batch_id is not null as has_batch, detail->'reason' as reason,
         (detail->'success')::int as success, detail->'kind' as kind
       from audit where detail->>'import_id' = $1 and action like 'import.%' order by id`,
      [import_id],
    );
    const line = { actor: 'staff@example.org', product_id, has_batch: true, kind: 'coupons', reason: null };
    expect(rows).toEqual([
      { ...line, action: 'import.start', success: null },
      { ...line, action: 'import.fail', reason: 'out of ink', success: expect.any(Number) },
      { ...line, action: 'import.done', success: 6_001 },
    ]);
    expect(rows[1]?.success).toBeLessThan(6_001);
  });

  test('has failed after its last try, with the reason; its imported rows stay, and a retry continues after them', async () => {
    const { import_id, product_id } = await failImport();
    const failed = await findImportState(db, import_id, 1);
    expect(failed).toMatchObject({ state: 'failed', reason: 'out of ink', rows_total: 6_001 });
    expect(failed?.results?.success).toBe(failed?.rows_done);
    expect(await listCodes(product_id)).toHaveLength(failed?.rows_done ?? 0);
    const [{ reason = '' } = {}] = await listFailedJobs(db, 1);

    await db.execute('drop function refuse_poison cascade');
    const by = { now: new Date(), actor: 'staff@example.org' };
    expect(await retryJobs(db, { kind: 'import', reason }, by)).toBe(1);
    await runDueJobs(TEST_IMPORT_TOOLS, 1);
    expect(await findImportState(db, import_id, 1)).toMatchObject({
      state: 'done',
      reason: null,
      rows_done: 6_001,
    });
    expect(await listCodes(product_id)).toHaveLength(6_001);
  });

  test('C-7: is tried again alone by its id, and another import that failed for the same reason stays failed', async () => {
    const [{ import_id }, other] = [await failImport(), await failImport()];
    await db.execute('drop function refuse_poison cascade');
    const by = { now: new Date(), actor: 'staff@example.org' };
    const stateOf = async (id: string) => (await findImportState(db, id, 0))?.state;
    expect(await retryJobs(db, { kind: 'import', key: import_id }, by)).toBe(1);
    expect(await retryJobs(db, { kind: 'import', key: import_id }, by)).toBe(0);
    expect(await retryJobs(db, { kind: 'stock-mail', key: other.import_id }, by)).toBe(0);
    await runDueJobs(TEST_IMPORT_TOOLS, 1);
    expect([await stateOf(import_id), await stateOf(other.import_id)]).toEqual(['done', 'failed']);
    expect(await listFailedJobs(db, 10)).toMatchObject([{ kind: 'import', reason: 'out of ink', count: 1 }]);
    expect(await retryJobs(db, { kind: 'import', reason: 'out of ink' }, by)).toBe(1);
    await runDueJobs(TEST_IMPORT_TOOLS, 1);
    expect(await stateOf(other.import_id)).toBe('done');
  });

  test('can be cancelled: its rows stay, its file is deleted, and its job never runs again', async () => {
    const { import_id } = await failImport();
    await db.execute('drop function refuse_poison cascade');
    const by = { now: () => new Date(), actor: 'staff@example.org' };
    await cancelImport(db, import_id, by);
    await runDueJobs(TEST_IMPORT_TOOLS, 100_000);
    expect(await findImportState(db, import_id, 1)).toMatchObject({ state: 'cancelled', reason: null });
    expect((await findImport(db, import_id))?.source).toBeNull();
    expect(await listFailedJobs(db, 1)).toEqual([]);
  });

  test('because it was cancelled stops after its current batch', async () => {
    const { product_id } = await addProduct(db);
    const import_id = randomUUID();
    const csv = `coupon_code\n${Array.from({ length: 20_000 }, (_, index) => `STOP-${index}`).join('\n')}\n`;
    const pause = () => cancelImport(db, import_id, { now: () => new Date(), actor: 'staff@example.org' });
    const tools = createUploadTools(db, { ...TEST_IMPORT_TOOLS, pause });
    const state = await importCsv(
      db,
      upload('coupons', csv, { import_id, product_ids: [product_id] }),
      tools,
    );
    expect(state.state).toBe('cancelled');
    expect(state.rows_done).toBe(db.engine === 'embedded' ? 1_000 : 5_000);
    expect(await listCodes(product_id)).toHaveLength(state.rows_done);
  });

  test('because an older version left it without a job gets a job once it has been idle', async () => {
    const id = randomUUID();
    await db.query(
      `insert into bulk_job (id, kind, created_by, rows_total, source, worked_at)
       values ($1, 'products', 'staff@example.org', 1, $2, now() - interval '61 seconds')`,
      [id, `name,description,url\nTool,Text,${id}.example\n`],
    );
    await recoverImports(db, placeOf('import'), { idleSeconds: 62, now: new Date() });
    await runDueJobs(TEST_IMPORT_TOOLS, 0);
    expect(await findImportState(db, id, 1)).toMatchObject({ state: 'running' });
    await recoverImports(db, placeOf('import'), { idleSeconds: 61, now: new Date() });
    await runDueJobs(TEST_IMPORT_TOOLS, 0);
    expect(await findImportState(db, id, 1)).toMatchObject({ state: 'done', results: { success: 1 } });
  });
});

test('an import pauses after each batch while calls are served, and not at all without calls', async () => {
  const { product_id } = await addProduct(db);
  const csv = `coupon_code\n${Array.from({ length: 6_000 }, (_, index) => `PAUSE-${index}`).join('\n')}\n`;
  const countPauses = async (callsABatch: number | null, callsAPause = 0) => {
    let [pauses, calls] = [0, 0];
    const tools = {
      ...TEST_IMPORT_TOOLS,
      countCalls:
        callsABatch === null
          ? null
          : () => {
              calls += callsABatch;
              return calls;
            },
      pause: async (ms: number) => {
        if (ms > 0) pauses += 1;
        calls += callsAPause;
      },
    };
    await importCsv(db, upload('coupons', csv, { product_ids: [product_id] }), createUploadTools(db, tools));
    return pauses;
  };
  const batches = db.engine === 'embedded' ? 6 : 2;
  expect(await countPauses(0)).toBe(0);
  expect(await countPauses(1e6)).toBe(batches);
  // In this test, all calls come during the pauses, as on the embedded engine, which serves no call while a chunk is
  // written. The import does not pause after the first chunk, because no call came before.
  expect(await countPauses(0, 1e6)).toBe(batches - 1);
  // Without `countCalls`, the import assumes that other processes serve calls, and pauses after every chunk.
  expect(await countPauses(null)).toBe(batches);
});

test('the statistics of the tables are updated by a job, only for imports of more than 10,000 rows, and never in a call', async () => {
  const spies = [vi.spyOn(db, 'query'), vi.spyOn(db, 'execute')];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  const countAnalyses = () =>
    spies.flatMap(({ mock }) => mock.calls).filter(([sql]) => /^\s*analy[sz]e/.test(sql));
  const runAnalyses = async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
    };
    const jobs = createTestJobs(db, { 'analyse-tables': { run } });
    jobs.wake('upkeep');
    await jobs.close();
    return runs;
  };
  await runAnalyses();
  const { product_id } = await addProduct(db);
  const codes = (count: number) =>
    `coupon_code\n${Array.from({ length: count }, (_, at) => `ANALYSE-${count}-${at}`).join('\n')}\n`;
  const { batch_id } = await run('coupons', codes(10_000), { product_ids: [product_id] });
  const order = { id: batch_id ?? '', actor: 'staff@example.org', expected: 10_000, use_by: null };
  await setBatchUseBy(db, order, createUploadTools(db));
  await runDueJobs(TEST_IMPORT_TOOLS, 60);
  expect(await runAnalyses()).toBe(0);
  let during = 0;
  const pause = async () => {
    during += await runAnalyses();
  };
  const tools = createUploadTools(db, { ...TEST_IMPORT_TOOLS, pause });
  await importCsv(db, upload('coupons', codes(10_001), { product_ids: [product_id] }), tools);
  expect(during).toBe(1);
  expect(await runAnalyses()).toBe(1);
  expect(countAnalyses()).toEqual([]);
  await analyseTables(db);
  expect(countAnalyses()).toHaveLength(5);
});
