import { randomUUID } from 'node:crypto';
import { type CsvKind, csvKinds, decodeCsv } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { addLearner, addProduct } from '../../test/factories.ts';

import { openTestDatabase } from '../../test/open-test-database.ts';
import { createTestJobs, createUploadTools, TEST_IMPORT_TOOLS } from '../../test/test-jobs.ts';
import type { Database } from '../db/database.ts';
import { createImportHandler } from '../job-handlers.ts';
import { JOB_KINDS } from '../jobs/job-kinds.ts';
import { listFailedJobs, placeOf } from '../jobs/stores/jobs.ts';
import { listAccess } from '../stores/access.ts';
import {
  enqueueImportsWithoutJob,
  findImport,
  findImportState,
  listImportErrors,
} from '../stores/imports.ts';
import { findUser } from '../stores/users.ts';
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

describe('coupons', () => {
  test('R-API-34, R-VAL-33: codes that are there, in the table or the file, are skipped, and rows at fault are named', async () => {
    const { product_id } = await addProduct(db, { codes: ['OLD'] });
    const csv = ['coupon_code', 'NEW', 'OLD', 'NEW', `${'x'.repeat(256)}`, 'LAST', ''].join('\n');
    const { results, errors } = await run('coupons', csv, { product_ids: [product_id] });
    expect(results).toEqual({ success: 2, failures: 1, duplicates: 2, productAccess: 0, total: 5 });
    const content = 'x'.repeat(200);
    expect(errors).toEqual([{ row: 5, message: 'coupon_code must be at most 255 characters', content }]);
    expect(await listCodes(product_id)).toEqual(['OLD', 'NEW', 'LAST']);
  });

  test('R-VAL-27: blank codes are made up; a wholly empty line is no record', async () => {
    const { product_id } = await addProduct(db);
    const { results } = await run('coupons', 'coupon_code,note\n"",x\n,\n\nGIVEN,\n', {
      product_ids: [product_id],
    });
    expect(results).toMatchObject({ success: 3, total: 3 });
    const codes = await listCodes(product_id);
    expect(codes).toHaveLength(3);
    expect(codes).toContain('GIVEN');
    expect(codes).not.toContain('');
  });

  test('R-API-35: a product that shares codes takes the same code again', async () => {
    const { product_id } = await addProduct(db, { shared_coupon: true });
    const { results } = await run('coupons', 'coupon_code\nSAME\nSAME\n', { product_ids: [product_id] });
    expect(results).toMatchObject({ success: 2, duplicates: 0 });
  });

  test('an unknown product is refused before the first row, and nothing of the import stays', async () => {
    const import_id = randomUUID();
    await expect(
      run('coupons', 'coupon_code\nX\n', { import_id, product_ids: ['nope'] }),
    ).rejects.toMatchObject({
      code: 'product_not_found',
    });
    expect(await findImport(db, import_id)).toBeNull();
  });
});

describe('users', () => {
  test('R-API-28, R-API-29, R-API-30, R-API-31, R-VAL-23: new ones are created and given the products, known ones only given them', async () => {
    const [first, second] = [await addProduct(db), await addProduct(db)];
    const known = await addLearner(db, [first]);
    const csv = [
      'Name, EMAIL ,payment_id,phone_number',
      'Ada,Ada@Example.org,,+44 1',
      `Renamed,${known.email},,`,
      'Ada Again,ada@example.org,,',
      'Nobody,no-address,,',
      'Pays,pays@example.org,PAY-1,',
      ',blank-name@example.org,,',
    ].join('\r\n');
    const product_ids = [first.product_id, second.product_id];
    const { results, errors } = await run('users', csv, { product_ids });
    expect(results).toEqual({ success: 2, failures: 2, duplicates: 2, productAccess: 5, total: 6 });
    expect(errors).toEqual([
      { row: 5, message: 'email must be an address such as name@example.org', content: 'no-address, Nobody' },
      { row: 7, message: 'name is missing', content: 'blank-name@example.org' },
    ]);
    expect(await findUser(db, 'ada@example.org')).toMatchObject({
      name: 'Ada',
      phone_number: '+44 1',
      user_role: 'user',
    });
    expect(await findUser(db, known.email)).toMatchObject({ name: 'Amara Okafor' });
    const later = await addProduct(db, { name: 'Later' });
    const pays = await findUser(db, 'pays@example.org');
    expect((await listAccess(db, pays?.id ?? '')).map(({ product_id }) => product_id)).toContain(
      later.product_id,
    );
  });
});

test('R-TRAIL-01: each product, person and grant of an import has an audit line that names the import, and nothing has two', async () => {
  const import_id = randomUUID();
  const [first, second] = [await addProduct(db), await addProduct(db)];
  const known = await addLearner(db, [first]);
  const csv = `email,name,payment_id\n${known.email},Known,PAY-1\naudit@example.org,New,\n`;
  const product_ids = [first.product_id, second.product_id].sort();
  const more = { import_id, product_ids };
  await run('users', csv, more);
  const created = await findUser(db, 'audit@example.org');
  const linesOf = async (user_id: string | undefined) =>
    (
      await db.query(
        "select actor, action, detail from audit where user_id = $1 and detail ? 'import_id' order by action",
        [user_id],
      )
    ).rows;
  const actor = 'staff@example.org';
  expect(await linesOf(created?.id)).toEqual([
    { actor, action: 'grant.create', detail: { import_id, product_ids } },
    { actor, action: 'user.create', detail: { import_id } },
  ]);
  const linesOfKnown = [
    { actor, action: 'grant.create', detail: { import_id, product_ids: [second.product_id] } },
    { actor, action: 'user.grant_all', detail: { import_id } },
  ];
  expect(await linesOf(known.user_id ?? undefined)).toEqual(linesOfKnown);
  // A second upload of the file changes nothing, so it adds no line.
  await run('users', csv, { product_ids });
  expect(await linesOf(known.user_id ?? undefined)).toEqual(linesOfKnown);
  expect(await linesOf(created?.id)).toHaveLength(2);

  const products_id = randomUUID();
  await run('products', 'name,description,url\nAudited,Text,audited.example\n', { import_id: products_id });
  const { rows } = await db.query(
    "select p.name, a.actor, a.detail from product p join audit a using (product_id) where a.action = 'product.create' and p.name = 'Audited'",
  );
  expect(rows).toEqual([{ name: 'Audited', actor, detail: { import_id: products_id } }]);
});

describe('products', () => {
  test('R-API-32, R-API-33, R-VAL-15: ids are made, rows without a required cell are named, yes is read as people write it', async () => {
    const csv =
      'url,name,description,shared_coupon,instructions\n' +
      'tool.example,Quoted,"One, two\n""three""",Yes,"a\nb"\n' +
      ',No address,Text,,\n' +
      'javascript:alert(1),Bad address,Text,,\n';
    const { results, errors } = await run('products', csv);
    expect(results).toMatchObject({ success: 1, failures: 2, total: 3 });
    expect(errors).toEqual([
      { row: 5, message: 'url is missing', content: 'No address, Text' },
      { row: 6, message: 'url must be a web address', content: 'Bad address, Text, javascript:alert(1)' },
    ]);
    const { rows } = await db.query(
      'select description, instructions, shared_coupon from product where name = $1',
      ['Quoted'],
    );
    expect(rows).toEqual([{ description: 'One, two\n"three"', instructions: 'a\nb', shared_coupon: true }]);
  });
});

describe('files', () => {
  test.each([
    ['semicolons', 'coupon_code;note\nA;1\n'],
    ['tabs', 'note\tcoupon_code\n1\tA\n'],
    ['a byte-order mark', '\uFEFFcoupon_code\nA\n'],
    ['carriage returns alone', 'coupon_code\rA\r'],
    ['capitals and quotes', '"COUPON_CODE"\n"A"\n'],
    ['no line break at the end', 'coupon_code\nA'],
  ])('are read with %s', async (_what, csv) => {
    const { product_id } = await addProduct(db);
    expect((await run('coupons', csv, { product_ids: [product_id] })).results).toMatchObject({
      success: 1,
      total: 1,
    });
    expect(await listCodes(product_id)).toEqual(['A']);
  });

  test('A-40: a missing column is refused by its name', async () => {
    await expect(run('users', 'e-mail,name\na@b.co,A\n')).rejects.toMatchObject({
      code: 'invalid_request',
      message: "The CSV file has no column 'email'",
    });
  });

  test('A-44: a file of a header alone imports nothing, without a fault', async () => {
    expect((await run('products', 'name,description,url\n')).results).toMatchObject({
      success: 0,
      failures: 0,
      total: 0,
    });
  });

  test('A-39: a quote that is never closed refuses the file before its first row and names its line; an odd one inside a cell does not', async () => {
    const { product_id } = await addProduct(db);
    const product_ids = [product_id];
    const refusal = (line: number) => ({
      code: 'invalid_request',
      message: `The CSV file cannot be read: a cell on line ${line} begins with a quote that is never closed`,
    });
    await expect(run('coupons', 'coupon_code\nA\n"B\nC\n', { product_ids })).rejects.toMatchObject(
      refusal(3),
    );
    // As many quotes as if all were closed, and more rows before the open one than a batch has.
    const many = Array.from({ length: 6_000 }, (_, index) => `CODE-${index}`).join('\n');
    const import_id = randomUUID();
    const late = run('coupons', `coupon_code\n13" screen\n${many}\n"B\nC\n`, { import_id, product_ids });
    await expect(late).rejects.toMatchObject(refusal(6_003));
    // Closed by the quote of a later row, it would swallow the rows between.
    await expect(run('coupons', 'coupon_code\n"B\nC\n"D"\n', { product_ids })).rejects.toMatchObject(
      refusal(2),
    );
    expect(await findImport(db, import_id)).toBeNull();
    expect(await listCodes(product_id)).toEqual([]);
    await run('coupons', 'coupon_code\n5"DISK\nB\n', { product_ids });
    expect(await listCodes(product_id)).toEqual(['5"DISK', 'B']);
  });

  test.each(['products', 'users', 'coupons'] as const)(
    'the sample offered for %s imports as it is',
    async (kind) => {
      const { product_id } = await addProduct(db);
      const product_ids = kind === 'products' ? [] : [product_id];
      const { results } = await run(kind, csvKinds[kind].sample.text, { product_ids });
      expect(results).toMatchObject({ success: 2, failures: 0, total: 2 });
    },
  );

  test('bytes become text as spreadsheets write them', () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('name\nZoë', 'utf16le')]);
    expect(decodeCsv(utf16)).toBe('name\nZoë');
    expect(decodeCsv(Buffer.from('Zo\xeb', 'latin1'))).toBe('Zoë');
    expect(decodeCsv(Buffer.from('Zoë'))).toBe('Zoë');
  });
});

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

  test('because a process of the version before left it, without a job, is enqueued by the purge', async () => {
    const id = randomUUID();
    await db.query(
      `insert into import_job (id, kind, created_by, rows_total, source, worked_at)
       values ($1, 'products', 'staff@example.org', 1, $2, now() - interval '61 seconds')`,
      [id, `name,description,url\nTool,Text,${id}.example\n`],
    );
    await enqueueImportsWithoutJob(db, placeOf('import'), new Date());
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
