// Tests that the embedded engine stores the text of a large file in pieces.
import { setImmediate } from 'node:timers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addProduct } from '../../test/factories.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { createTestJobs, createUploadTools, TEST_IMPORT_TOOLS } from '../../test/test-jobs.ts';
import type { Database, Db } from '../db/database.ts';
import { createImportHandler } from '../jobs/job-handlers.ts';
import { deleteOldChecks, deleteSourcesWithoutJob, findImport, setImportState } from './bulk-jobs.sql.ts';
import { deleteLostSources, readSource, withSource } from './import-sources.sql.ts';
import { cancelImport, discardChecked, importCsv, startChecked, type Upload } from './uploads.ts';

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
});
afterEach(() => db.close());

const STATEMENT_MAX = 1_000_000;
const ROWS = 14;
const actor = 'staff@example.org';
const now = () => new Date();
const STOPPING = { ...TEST_IMPORT_TOOLS, isStopping: () => true };
const LATER = new Date('9999-01-01');

/**
 * A file of about 1,100,000 UTF-16 code units, which is stored in pieces. An emoji is two code units. At the end of the
 * first piece, one of them would be in each piece.
 */
const csvData = `coupon_code,note\n${Array.from({ length: ROWS }, (_, at) => `LONG-${at},${'x'.repeat(at % 2)}${'😀'.repeat(39_990)}`).join('\n')}\n`;

async function uploadCodes(more: Partial<Upload> = {}, { tools = TEST_IMPORT_TOOLS, on = db } = {}) {
  const { product_id } = await addProduct(db);
  const upload = { kind: 'coupons' as const, csvData, product_ids: [product_id], actor, ...more };
  return importCsv(on, upload, createUploadTools(on, tools));
}

async function countPieces(): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*)::int as count from import_source');
  return rows[0]?.count ?? 0;
}

/** Returns `db` with counters: the longest text in a statement, and how often other work ran between statements. */
function watchStatements() {
  const seen = { longest: 0, pieces: [] as number[], turns: 0, isOver: false };
  const turn = () => {
    seen.turns += 1;
    if (!seen.isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const lengthOf = (value: unknown) => (typeof value === 'string' ? value.length : 0);
  const watch = (inner: Db): Db => ({
    execute: inner.execute,
    query: async (text, params = []) => {
      if (text.includes('import_source')) seen.pieces.push(seen.turns);
      const result = await inner.query(text, params);
      const values = [...params, ...result.rows.flatMap((row) => Object.values(row))];
      seen.longest = Math.max(seen.longest, ...values.map(lengthOf));
      return result as never;
    },
  });
  const transaction = <T>(work: (tx: Db) => Promise<T>) => db.transaction((tx) => work(watch(tx)));
  return { seen, watched: { ...db, ...watch(db), transaction } };
}

test('R-IMP-27: no statement holds more than 1 MB of a file, and other calls are served between the statements', async () => {
  const { seen, watched } = watchStatements();
  const { id } = await uploadCodes({ check: true }, { on: watched });
  expect(await countPieces()).toBe(3);
  const started = await startChecked(watched, { id, actor }, createUploadTools(watched));
  seen.isOver = true;
  expect(started).toMatchObject({ state: 'done', results: { success: ROWS, total: ROWS } });
  expect(seen.longest).toBeLessThan(STATEMENT_MAX);
  // The upload stores three pieces; the check and the import read them.
  expect(seen.pieces).toHaveLength(3 + 3 + 3);
  expect(new Set(seen.pieces).size).toBe(seen.pieces.length);
  expect(await countPieces()).toBe(0);
});

test('R-IMP-27: a text is read as it was stored', async () => {
  const id = await withSource(db, csvData, async ({ source, source_id }) => {
    expect(source).toBe('');
    await db.query(
      `insert into bulk_job (id, kind, created_by, rows_total, source, source_id)
       values (gen_random_uuid(), 'coupons', $1, 1, $2, $3)`,
      [actor, source, source_id],
    );
    return source_id;
  });
  expect((await readSource(db, { source: '', source_id: id })) === csvData).toBe(true);
  expect(await readSource(db, { source: 'short', source_id: null })).toBe('short');
  await db.query('delete from import_source where source_id = $1 and piece = 2', [id]);
  await expect(readSource(db, { source: '', source_id: id })).rejects.toThrow('A part of the text');
});

test('R-IMP-27: an interrupted import continues with the pieces', async () => {
  const { id, state } = await uploadCodes({}, { tools: STOPPING });
  expect(state).toBe('running');
  const later = () => new Date(Date.now() + 33_000);
  const jobs = createTestJobs(db, { import: createImportHandler(db, TEST_IMPORT_TOOLS) }, { now: later });
  jobs.wake('import');
  await jobs.close();
  expect(await findImport(db, id)).toMatchObject({ state: 'done', source: null, rows_done: ROWS });
  expect(await countPieces()).toBe(0);
});

describe('R-IMP-27: the pieces are deleted', () => {
  test('when the import is cancelled, and when a failed one can no longer be retried', async () => {
    const { id } = await uploadCodes({}, { tools: STOPPING });
    expect(await countPieces()).toBe(3);
    await cancelImport(db, id, { now, actor });
    expect(await countPieces()).toBe(0);

    const other = await uploadCodes({}, { tools: STOPPING });
    await setImportState(db, other.id, 'failed', 'no disk');
    await deleteSourcesWithoutJob(db);
    expect(await countPieces()).toBe(3);
    await db.query('delete from job');
    await deleteSourcesWithoutJob(db);
    expect(await countPieces()).toBe(0);
  });

  test('when a checked file is discarded or too old', async () => {
    const { id } = await uploadCodes({ check: true });
    await discardChecked(db, { id, actor });
    expect(await countPieces()).toBe(0);
    await uploadCodes({ check: true });
    await deleteOldChecks(db, LATER);
    expect(await countPieces()).toBe(0);
  });

  test('when no import was added for them, also because the process ended', async () => {
    const broken = withSource(db, csvData, () => Promise.reject(new Error('no')));
    await expect(broken).rejects.toThrow('no');
    expect(await withSource(db, csvData, async () => null)).toBeNull();
    expect(await countPieces()).toBe(0);

    const { id } = await uploadCodes({}, { tools: STOPPING });
    await db.execute(
      "insert into import_source (source_id, piece, text) values (gen_random_uuid(), 0, 'lost')",
    );
    await deleteLostSources(db, new Date(0));
    expect(await countPieces()).toBe(4);
    await deleteLostSources(db, LATER);
    expect(await countPieces()).toBe(3);
    expect(await findImport(db, id)).toMatchObject({ state: 'running' });
  });
});
