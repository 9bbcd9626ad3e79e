// Tests the check of a file: its preview equals the result of the import, and the check itself imports nothing.
import { randomUUID } from 'node:crypto';
import { COHORTS_OF_PERSON_MAX, type CsvKind } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCodesOfAllKinds, comparePreview } from '../../test/check-kit.ts';
import { addLearner, addProduct } from '../../test/factories.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { readTables } from '../../test/read-tables.ts';
import { createTestJobs, createUploadTools, TEST_IMPORT_TOOLS } from '../../test/test-jobs.ts';
import type { Database } from '../db/database.ts';
import { createImportHandler } from '../jobs/job-handlers.ts';
import { claimJobs, type Job } from '../jobs/jobs.sql.ts';
import {
  deleteOldChecks,
  findImport,
  findImportState,
  recoverImports,
  setImportState,
} from './bulk-jobs.sql.ts';
import { listImportRows } from './import-rows.sql.ts';
import { cancelImport, discardChecked, importCsv, startChecked, type Upload } from './uploads.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const actor = 'staff@example.org';
const upload = (kind: CsvKind, csvData: string, more: Partial<Upload> = {}): Upload => ({
  kind,
  csvData,
  product_ids: [],
  actor,
  ...more,
});
const check = (kind: CsvKind, csv: string, more: Partial<Upload> = {}, tools = TEST_IMPORT_TOOLS) =>
  importCsv(db, upload(kind, csv, { check: true, ...more }), createUploadTools(db, tools));
const start = (id: string) => startChecked(db, { id, actor: 'other@example.org' }, createUploadTools(db));
const discard = (id: string) => discardChecked(db, { id, actor });
const lines = (...cells: string[]) => `${cells.join('\n')}\n`;

/** Runs the due jobs as another process would, with a clock that is `seconds` ahead. */
async function runDueJobs(seconds: number, tools = TEST_IMPORT_TOOLS): Promise<void> {
  const now = () => new Date(Date.now() + seconds * 1000);
  const jobs = createTestJobs(db, { import: createImportHandler(db, tools) }, { now });
  jobs.wake('import');
  await jobs.close();
}

/** The number of rows and a checksum of each table that a check must not change. */
async function sumTables(): Promise<Record<string, unknown>> {
  const { bulk_job, import_error, audit, job, ...others } = await readTables(db);
  return others;
}

describe('R-IMP-01: a check', () => {
  test('R-IMP-06: says what the import will do, with the first rows, the invalid rows and where else the codes stand', async () => {
    const { product_id } = await addCodesOfAllKinds(db);
    const other = await addProduct(db, { name: 'Other product', codes: ['NEW', 'OLD', 'ELSE'] });
    const csv = lines(
      'Code,use_by,note',
      'NEW,,a',
      'OLD,,b',
      'NEW,,',
      'GONE,,',
      'DEAD,,',
      ',,blank',
      'BAD,2001-01-01,',
    );
    const before = await sumTables();
    const state = await check('coupons', csv, { product_ids: [product_id], file_name: 'codes.csv' });
    expect(state).toMatchObject({
      state: 'checked',
      results: null,
      batch_id: null,
      checking: false,
      preview: {
        total: 7,
        new: 3,
        duplicate: 2,
        in_file_twice: 1,
        invalid: 1,
        was_void: 1,
        generated: 1,
        joined: 0,
        access_new: 0,
        elsewhere: [{ product_id: other.product_id, name: 'Other product', count: 2 }],
      },
      errors: [{ row: 8, message: 'use_by must be a day after today such as 2026-12-31' }],
      found: {
        header: true,
        columns: [
          { name: 'Code', field: 'coupon_code' },
          { name: 'use_by', field: 'use_by' },
          { name: 'note', field: null },
        ],
      },
    });
    expect(state.sample).toHaveLength(5);
    expect(state.sample_rows).toEqual([2, 3, 4, 5, 6]);
    expect(state.sample?.[0]).toEqual({ coupon_code: 'NEW', use_by: '' });
    expect(await sumTables()).toEqual(before);
    const started = await start(state.id);
    expect(started).toMatchObject({ state: 'done', created_by: 'other@example.org', sample: null });
    expect(started.batch_id).not.toBeNull();
    comparePreview(started);
    expect(await listImportRows(db, state.id, 'error', { after: 0, limit: 10 })).toHaveLength(1);
    const { rows } = await db.query(
      `select action, actor from audit where detail->>'import_id' = $1 and action like 'import.%' order by id`,
      [state.id],
    );
    expect(rows).toEqual([
      { action: 'import.check', actor },
      { action: 'import.start', actor: 'other@example.org' },
      { action: 'import.done', actor: 'other@example.org' },
    ]);
  });

  test('of users counts new people and new grants, and of products those that are new', async () => {
    const [one, two] = [await addProduct(db), await addProduct(db)];
    const known = await addLearner(db, [one]);
    const over = await addLearner(db, [one]);
    await db.query("update access_grant set ends_on = '2001-01-01' where user_id = $1", [over.user_id]);
    const csv = lines(
      'email,name',
      `${known.email},K`,
      `${over.email},O`,
      'fresh@example.org,F',
      'FRESH@example.org,F',
      'x,F',
    );
    const before = await sumTables();
    const users = await check('users', csv, { product_ids: [one.product_id, two.product_id] });
    const preview = { total: 5, new: 1, duplicate: 2, in_file_twice: 1, invalid: 1, access_new: 5 };
    expect(users.preview).toMatchObject(preview);
    const products = await check(
      'products',
      lines('name,description,url', 'A,B,a.example', 'A,C,a.example', 'A,,b.example'),
    );
    expect(products.preview).toMatchObject({ total: 3, new: 1, duplicate: 0, in_file_twice: 1, invalid: 1 });
    expect(await sumTables()).toEqual(before);
    comparePreview(await start(users.id));
    comparePreview(await start(products.id));
  });

  test('R-COHORT-14: of users counts those who would join the cohort', async () => {
    const { rows } = await db.query<{ cohort_id: string }>(
      "insert into cohort (name, created_by) values ('Checked', 'x') returning cohort_id",
    );
    const { cohort_id = '' } = rows[0] ?? {};
    const [member, full, known] = [
      await addLearner(db, []),
      await addLearner(db, []),
      await addLearner(db, []),
    ];
    await db.query("insert into cohort_member (cohort_id, user_id, joined_by) values ($1, $2, 'x')", [
      cohort_id,
      member.user_id,
    ]);
    await db.query(
      `with made as (insert into cohort (name, created_by) select 'Full ' || n, 'x' from generate_series(1, $2::int) n returning cohort_id)
       insert into cohort_member (cohort_id, user_id, joined_by) select cohort_id, $1, 'x' from made`,
      [full.user_id, COHORTS_OF_PERSON_MAX],
    );
    const { product_id } = await addProduct(db);
    const emails = [member.email, full.email, known.email, 'joins@example.org', full.email, known.email];
    const more = { cohort_id, product_ids: [product_id] };
    const before = await sumTables();
    const { id, preview } = await check('users', lines('mail', ...emails), more);
    expect(preview).toMatchObject({
      new: 1,
      duplicate: 2,
      in_file_twice: 1,
      invalid: 2,
      joined: 2,
      access_new: 3,
    });
    expect(await sumTables()).toEqual(before);
    const started = await start(id);
    comparePreview(started);
    expect(started.results).toMatchObject({ joined: 2, already: 2 });
  });

  test('is refused while 20 files wait', async () => {
    await db.query("delete from bulk_job where state = 'checked'");
    const { product_id } = await addProduct(db);
    const more = { product_ids: [product_id] };
    const states = [];
    for (let count = 0; count < 20; count += 1) states.push(await check('coupons', 'code\nA\n', more));
    const message = 'Import or discard one of these first';
    await expect(check('coupons', 'code\nA\n', more)).rejects.toMatchObject({ code: 'too_many', message });
    await discard(states[0]?.id ?? '');
    const together = await Promise.allSettled([1, 2, 3].map(() => check('coupons', 'code\nA\n', more)));
    expect(together.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await deleteOldChecks(db, new Date(Date.now() + 60_000));
    expect(await findImport(db, states[1]?.id ?? '')).toBeNull();
  });

  test('that is interrupted begins again, and a second process does not check the same rows', async () => {
    const { product_id } = await addProduct(db, { codes: ['C-7'] });
    const codes = Array.from({ length: 12_000 }, (_, at) =>
      at % 100 === 3 ? 'bad\u0007' : `C-${at % 9_000}`,
    );
    let batches = 0;
    const stopping = { ...TEST_IMPORT_TOOLS, isStopping: () => ++batches > 2 };
    const state = await check('coupons', lines('code', ...codes), { product_ids: [product_id] }, stopping);
    expect(state).toMatchObject({ state: 'running', checking: true, results: null });
    expect(state.rows_done).toBeGreaterThan(0);
    await expect(start(state.id)).rejects.toMatchObject({ code: 'import_running' });
    await expect(discard(state.id)).rejects.toMatchObject({ code: 'not_found' });
    await Promise.all([runDueJobs(33), runDueJobs(33)]);
    const checked = await findImportState(db, state.id, 0);
    expect(checked).toMatchObject({
      state: 'checked',
      rows_total: 12_000,
      preview: { total: 12_000, new: 8_909, duplicate: 1, in_file_twice: 2_970, invalid: 120 },
    });
    comparePreview(await start(state.id));
    expect(await listImportRows(db, state.id, 'error', { after: 0, limit: 1_000 })).toHaveLength(120);
  });

  test('whose process died is taken up by the next, and is never imported by itself', async () => {
    const { product_id } = await addProduct(db);
    const never = { ...TEST_IMPORT_TOOLS, isStopping: () => true };
    const state = await check('coupons', 'code\nA\n', { product_ids: [product_id] }, never);
    await db.query('delete from job where key = $1', [state.id]);
    await db.query("update bulk_job set worked_at = now() - interval '1 hour' where id = $1", [state.id]);
    await recoverImports(db, ['import', 0], { idleSeconds: 60, now: new Date() });
    await runDueJobs(1);
    expect(await findImportState(db, state.id, 0)).toMatchObject({ state: 'checked', preview: { new: 1 } });
    const { rows } = await db.query('select from coupon where product_id = $1', [product_id]);
    expect(rows).toEqual([]);
  });

  test('that failed is checked again when staff retry its job, not imported', async () => {
    const { product_id } = await addProduct(db);
    const never = { ...TEST_IMPORT_TOOLS, isStopping: () => true };
    const { id } = await check('coupons', 'code\nA\n', { product_ids: [product_id] }, never);
    await setImportState(db, id, 'failed', 'out of ink');
    expect(await start(id)).toMatchObject({ state: 'failed', reason: 'out of ink' });
    await setImportState(db, id, 'running', null);
    expect(await findImportState(db, id, 0)).toMatchObject({ state: 'running', checking: true });
    await runDueJobs(100);
    expect(await findImportState(db, id, 0)).toMatchObject({ state: 'checked', preview: { new: 1 } });
  });

  test('that runs can be cancelled', async () => {
    const { product_id } = await addProduct(db);
    const never = { ...TEST_IMPORT_TOOLS, isStopping: () => true };
    const { id } = await check('coupons', 'code\nA\n', { product_ids: [product_id] }, never);
    expect(await cancelImport(db, id, { now: () => new Date(), actor })).toBe(true);
    await runDueJobs(100);
    expect(await findImportState(db, id, 0)).toMatchObject({ state: 'cancelled', checking: false });
    await expect(start(id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('R-IMP-02, R-IMP-03: a checked file', () => {
  test('is imported once, even if two processes start it together or its products are gone', async () => {
    const { product_id } = await addProduct(db);
    const { id } = await check('coupons', lines('code', 'A', 'B'), { product_ids: [product_id] });
    await db.query('update product set archived_at = now() where product_id = $1', [product_id]);
    await expect(start(id)).rejects.toMatchObject({ code: 'product_not_found' });
    await db.query('update product set archived_at = null where product_id = $1', [product_id]);
    const states = await Promise.all([start(id), start(id)]);
    expect(states.map(({ state }) => state)).toContain('done');
    expect(await start(id)).toMatchObject({ state: 'done', results: { success: 2, duplicates: 0 } });
    const { rows } = await db.query(
      'select count(distinct batch_id)::int as n from coupon where product_id = $1',
      [product_id],
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('R-COHORT-14: people join a cohort that was archived after the check, as by an upload without a check', async () => {
    const { rows } = await db.query<{ cohort_id: string }>(
      "insert into cohort (name, created_by) values ('Archived later', 'x') returning cohort_id",
    );
    const { cohort_id = '' } = rows[0] ?? {};
    const { id } = await check('users', lines('email', 'late@example.org'), { cohort_id });
    await db.query('update cohort set archived_at = now() where cohort_id = $1', [cohort_id]);
    expect(await start(id)).toMatchObject({ state: 'done', results: { joined: 1 } });
    const file = upload('users', lines('email', 'later@example.org'), { cohort_id });
    expect(await importCsv(db, file, createUploadTools(db))).toMatchObject({ results: { joined: 1 } });
  });

  test('can be imported at once, before the process of the check has noted that its job is done', async () => {
    const { product_id } = await addProduct(db);
    const never = { ...TEST_IMPORT_TOOLS, isStopping: () => true };
    const { id } = await check('coupons', 'code\nA\n', { product_ids: [product_id] }, never);
    const later = new Date(Date.now() + 100_000);
    const jobs = await claimJobs(db, { lane: 'import', kinds: ['import'], limit: 100 }, later);
    const job = jobs.find(({ key }) => key === id) as Job;
    const tools = { signal: new AbortController().signal, renew: async () => true };
    await createImportHandler(db, TEST_IMPORT_TOOLS).run(job, tools);
    expect(await start(id)).toMatchObject({ state: 'done', results: { success: 1 } });
  });

  test('discard against start: one wins', async () => {
    const { product_id } = await addProduct(db);
    for (let round = 0; round < 5; round += 1) {
      const { id } = await check('coupons', lines('code', `R-${round}`), { product_ids: [product_id] });
      const [started, discarded] = await Promise.allSettled([start(id), discard(id)]);
      const won = [started, discarded].filter(({ status }) => status === 'fulfilled');
      expect(won).toHaveLength(1);
      const lost = started.status === 'rejected' ? started : discarded;
      expect(lost).toMatchObject({ reason: { code: 'not_found' } });
    }
  });
});

describe('R-IMP-16: what became of each upload', () => {
  test('a refused file is kept with its reason, and its id can be used again', async () => {
    const { product_id } = await addProduct(db);
    const more = { import_id: randomUUID(), product_ids: [product_id], file_name: 'x.csv' };
    const message = "The CSV file has no column 'coupon_code'. Its columns are 'foo', 'bar'";
    await expect(check('coupons', 'foo,bar\n', more)).rejects.toMatchObject({ message });
    expect(await findImportState(db, more.import_id, 1)).toMatchObject({
      state: 'refused',
      reason: message,
      file_name: 'x.csv',
      results: null,
    });
    const again = await check('coupons', 'code\nA\n', more);
    expect(again).toMatchObject({ state: 'checked', reason: null });
  });

  test('duplicates and generated codes are listed with their rows', async () => {
    const { product_id } = await addCodesOfAllKinds(db);
    const csv = lines('code,use_by', 'A,', 'OLD,2999-01-01', ',2999-02-02', 'A,', 'bad\u0007,', 'GONE,');
    const { id } = await importCsv(
      db,
      upload('coupons', csv, { product_ids: [product_id] }),
      createUploadTools(db),
    );
    const page = { after: 0, limit: 10 };
    expect(await listImportRows(db, id, 'duplicate', page)).toMatchObject([
      { row: 3, cells: ['OLD', '2999-01-01'] },
      { row: 5, cells: ['A', ''] },
    ]);
    const [generated, ...others] = await listImportRows(db, id, 'generated', page);
    expect([generated?.row, generated?.cells[1], others]).toEqual([4, '2999-02-02', []]);
    const { rows } = await db.query('select from coupon where product_id = $1 and coupon_code = $2', [
      product_id,
      generated?.cells[0],
    ]);
    expect(rows).toHaveLength(1);
    const known = await addLearner(db, []);
    const users = lines(
      'email,name',
      `${known.email},K`,
      `new-${randomUUID()}@example.org,N`,
      `${known.email},K`,
    );
    const people = await importCsv(
      db,
      upload('users', users, { product_ids: [product_id] }),
      createUploadTools(db),
    );
    expect(people.results).toMatchObject({ duplicates: 2 });
    const listed = await listImportRows(db, people.id, 'duplicate', page);
    expect(listed.map(({ row }) => row)).toEqual([2, 4]);
    const products = lines('name,description,url', `P ${id},x,p.example`, `P ${id},y,p.example`);
    const added = await importCsv(db, upload('products', products), createUploadTools(db));
    expect(await listImportRows(db, added.id, 'duplicate', page)).toMatchObject([{ row: 3 }]);
  });
});
