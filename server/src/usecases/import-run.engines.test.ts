// How an import runs: cut off, cancelled, failing for good, and beside others.
import { randomUUID } from 'node:crypto';
import type { CsvKind } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { addProduct } from '../../test/factories.ts';

import { openTestDatabase } from '../../test/open-test-database.ts';
import { createTestJobs, createUploadTools, TEST_IMPORT_TOOLS } from '../../test/test-jobs.ts';
import type { Database } from '../db/database.ts';
import { createImportHandler } from '../job-handlers.ts';
import { JOB_KINDS } from '../jobs/job-kinds.ts';
import { listFailedJobs } from '../jobs/stores/job-lists.ts';
import { placeOf } from '../jobs/stores/jobs.ts';
import { adoptImports, findImport, findImportState, listImportErrors } from '../stores/imports.ts';
import { retryJobs } from './change-jobs.ts';
import { cancelImport, type ImportTools, importCsv, type Upload } from './import-csv.ts';

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

/** As another process does that looks for jobs so many seconds later. */
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

describe('an import that is cut off', () => {
  test('goes on where it stood, loses nothing and doubles nothing, and is done once when asked for twice', async () => {
    const { product_id } = await addProduct(db);
    const count = 12_000;
    const lines = Array.from({ length: count }, (_, index) =>
      index % 100 === 7 ? 'bad\u0007' : `CUT-${index}`,
    );
    const csv = `coupon_code\n${lines.join('\n')}\n`;
    const import_id = randomUUID();
    let batches = 0;
    const dying = {
      ...TEST_IMPORT_TOOLS,
      isStopping: () => {
        batches += 1;
        return batches > 2;
      },
    };
    const cut = await importCsv(
      db,
      upload('coupons', csv, { import_id, product_ids: [product_id] }),
      createUploadTools(db, dying),
    );
    expect(cut).toMatchObject({ state: 'running', results: null });
    expect(cut.rows_done).toBeGreaterThan(0);
    expect(cut.rows_done).toBeLessThan(count);

    // A process that is told to stop lets go of it, and ends.
    const state = () => findImport(db, import_id).then((job) => job?.state);
    await runDueJobs(dying, 31);
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
    expect(await listImportErrors(db, import_id, 0, 1000)).toHaveLength(120);
    expect((await findImport(db, import_id))?.source).toBeNull();
  });
});

describe('an import that cannot go on', () => {
  const TRIES = JOB_KINDS.import.retrySeconds.length + 1;

  /** Imports 6,000 codes into a product whose table refuses the last of them, until its tries are over. */
  async function failImport() {
    const { product_id } = await addProduct(db);
    const codes = [...Array.from({ length: 6_000 }, (_, index) => `GOOD-${index}`), 'POISON'];
    const import_id = randomUUID();
    await db.execute(`
      create function refuse_poison() returns trigger language plpgsql as $$
      begin raise exception 'out of ink'; end $$;
      create trigger refuse_poison before insert on coupon for each row when (new.coupon_code = 'POISON')
        execute function refuse_poison();`);
    onTestFinished(() => db.execute('drop function if exists refuse_poison cascade'));
    await run('coupons', `coupon_code\n${codes.join('\n')}\n`, { import_id, product_ids: [product_id] });
    for (let tried = 1; tried < TRIES; tried += 1) {
      expect(await findImportState(db, import_id, 1)).toMatchObject({ state: 'running', reason: null });
      await runDueJobs(TEST_IMPORT_TOOLS, tried * 1_000);
    }
    return { import_id, product_id };
  }

  test('has failed after its tries, with the reason and the rows that are in; tried again, it goes on there', async () => {
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

  test('can be cancelled: its rows stay, its file is let go, and it never runs again', async () => {
    const { import_id } = await failImport();
    await db.execute('drop function refuse_poison cascade');
    const by = { now: () => new Date(), actor: 'staff@example.org' };
    await cancelImport(db, import_id, by);
    await runDueJobs(TEST_IMPORT_TOOLS, 100_000);
    expect(await findImportState(db, import_id, 1)).toMatchObject({ state: 'cancelled', reason: null });
    expect((await findImport(db, import_id))?.source).toBeNull();
    expect(await listFailedJobs(db, 1)).toEqual([]);
  });

  test('and was cancelled under way stops after the batch that it is in', async () => {
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

  test('because a process of the version before left it, without a job, is adopted when nobody got on with it', async () => {
    const id = randomUUID();
    await db.query(
      `insert into import_job (id, kind, created_by, rows_total, source, worked_at)
       values ($1, 'products', 'staff@example.org', 1, $2, now() - interval '61 seconds')`,
      [id, `name,description,url\nTool,Text,${id}.example\n`],
    );
    await adoptImports(db, placeOf('import'), { idleSeconds: 62, now: new Date() });
    await runDueJobs(TEST_IMPORT_TOOLS, 0);
    expect(await findImportState(db, id, 1)).toMatchObject({ state: 'running' });
    await adoptImports(db, placeOf('import'), { idleSeconds: 61, now: new Date() });
    await runDueJobs(TEST_IMPORT_TOOLS, 0);
    expect(await findImportState(db, id, 1)).toMatchObject({ state: 'done', results: { success: 1 } });
  });
});

test('an import pauses after each batch while others are served, and not at all when it is alone', async () => {
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
  // On the embedded engine nobody is answered while a batch is written, but after it those who waited.
  expect(await countPauses(0, 1e6)).toBe(batches - 1);
  // Whoever cannot see the others supposes that they are there.
  expect(await countPauses(null)).toBe(batches);
});
