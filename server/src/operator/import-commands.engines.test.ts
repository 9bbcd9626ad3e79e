// Tests `import … --dry-run`: it shows what the import then does, and writes nothing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCodesOfAllKinds } from '../../test/check-kit.ts';
import { addLearner, addProduct } from '../../test/factories.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { readTables } from '../../test/read-tables.ts';
import { runCommandLine } from '../../test/run-command-line.ts';
import { createUploadTools, TEST_IMPORT_TOOLS } from '../../test/test-jobs.ts';
import type { Database } from '../db/database.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const lines = (...cells: string[]) => `${cells.join('\n')}\n`;

function run(args: string[], text: string, tools = TEST_IMPORT_TOOLS): Promise<string> {
  const uploadTools = createUploadTools(db, tools);
  return runCommandLine(
    {
      db,
      uploadTools,
      rotateKeys: null,
      adminEmails: [],
      timeZone: 'UTC',
      publicUrl: 'http://localhost:3000',
    },
    ['import', ...args],
    {
      file: { name: 'rows.csv', text },
    },
  );
}

/** Runs the import with --dry-run, then without. Expects that the dry run writes nothing and has the same results. */
async function runTwice(args: string[], text: string): Promise<{ results: string[]; notes: string[] }> {
  const before = await readTables(db);
  const [title, ...shown] = (await run([...args, '--dry-run'], text)).split('\n');
  expect(await readTables(db)).toEqual(before);
  expect(title).toBe('Dry run: nothing was imported. The import would report:');
  const results = (await run(args, text)).split('\n');
  expect(shown.slice(0, results.length)).toEqual(results);
  expect(await readTables(db)).not.toEqual(before);
  return { results, notes: shown.slice(results.length) };
}

test('of products', async () => {
  const text = lines('name,description,url', 'A,B,a.example', 'A,C,a.example', 'A,,b.example');
  expect(await runTwice(['products', 'rows.csv'], text)).toEqual({
    results: ['3 rows: 1 created, 1 duplicates, 1 failed', '  line 4: description is missing'],
    notes: ['1 of the duplicates stand twice in the file.'],
  });
});

test('R-MAP-14: lines that are no data are named', async () => {
  const text = lines('Our tools,,', 'name,description,url', 'Left A,B,a.example', 'total,1,');
  expect(await runTwice(['products', 'rows.csv'], text)).toEqual({
    results: [
      '1 rows: 1 created, 0 duplicates, 0 failed',
      '  line 1: left out (title)',
      '  line 4: left out (total)',
    ],
    notes: [],
  });
});

test('R-MAP-12: a PDF document that is named rows.csv is refused', async () => {
  for (const options of [[], ['--dry-run']])
    await expect(run(['products', ...options, 'rows.csv'], '%PDF-1.7\n')).rejects.toThrow(
      'This is not a CSV file: it looks like a PDF document.',
    );
});

test('of users, with several products', async () => {
  const [one, two] = [await addProduct(db), await addProduct(db)];
  const known = await addLearner(db, [one]);
  const text = lines('email,name', `${known.email},K`, 'fresh@example.org,F', 'x,F');
  const products = ['--product', one.product_id, '--product', two.product_id];
  expect(await runTwice(['users', ...products, 'rows.csv'], text)).toEqual({
    results: [
      '3 rows: 1 created, 1 duplicates, 1 failed, 3 product access granted',
      expect.stringMatching(/^ {2}line 4: /),
    ],
    notes: [],
  });
});

test('R-MAP-24: of users without a name, and with the names of known users', async () => {
  const product = await addProduct(db);
  const known = await addLearner(db, [product]);
  const text = lines('email,name', `${known.email},New name`, 'blank@example.org,');
  const args = ['users', '--product', product.product_id, '--update-names', 'rows.csv'];
  expect((await runTwice(args, text)).results).toEqual([
    '2 rows: 1 created, 1 duplicates, 0 failed, 1 product access granted, 1 without a name, 1 names updated',
  ]);
});

test('of codes, with the warnings that staff see', async () => {
  const { product_id } = await addCodesOfAllKinds(db);
  await addProduct(db, { name: 'Other product', codes: ['NEW', 'OLD', 'ELSE'] });
  const text = lines(
    'code,use_by,note',
    'NEW,,',
    'new,,',
    'OLD,,',
    'NEW,,',
    'GONE,,',
    ',,blank',
    'BAD,2001-01-01,',
  );
  expect(await runTwice(['coupons', 'rows.csv', '--product', product_id], text)).toEqual({
    results: [
      '7 rows: 4 created, 2 duplicates, 1 failed, 1 codes generated for blank rows',
      expect.stringMatching(/^ {2}line 8: use_by must be a day after today/),
    ],
    notes: [
      '1 of the duplicates stand twice in the file.',
      '1 of the codes were void and become free again.',
      '1 of the codes differ from another code only in case.',
      'Of the first 1,000 codes, 2 are already in Other product. Is this the right product?',
    ],
  });
});

test('of a large file adds up its batches, and shows the first 100 failed rows', async () => {
  const rows = Array.from({ length: 6_000 }, (_, at) =>
    at % 2 === 0 ? `P${at},D,p${at}.example` : ',D,p.example',
  );
  const before = await readTables(db);
  const shown = await run(['products', 'rows.csv', '--dry-run'], lines('name,description,url', ...rows));
  expect(await readTables(db)).toEqual(before);
  expect(shown.split('\n')[1]).toBe('6000 rows: 3000 created, 0 duplicates, 3000 failed');
  expect(shown.split('\n').slice(2)).toEqual(
    Array.from({ length: 100 }, (_, at) => `  line ${3 + 2 * at}: name is missing`),
  );
});

test('a file or a product that is refused leaves no trace', async () => {
  const { product_id } = await addProduct(db);
  const unknown = '00000000-0000-4000-8000-000000000000';
  const before = await readTables(db);
  for (const [args, text] of [
    [['products'], lines('colour', 'red')],
    [['products'], 'name,description,url\n"never closed'],
    [['users', '--product', unknown], lines('email', 'ada@example.org')],
    [['users', '--product', 'x'], lines('email', 'ada@example.org')],
    [['coupons', '--product', unknown], lines('code', 'A')],
    [['coupons', '--product', product_id], lines('code,use_by', 'A,03/04/2026')],
  ] as [string[], string][])
    await expect(run([...args, 'rows.csv', '--dry-run'], text), args.join(' ')).rejects.toMatchObject({
      name: 'OperatorError',
    });
  expect(await readTables(db)).toEqual(before);
});

test('a portal that stops ends a dry run', async () => {
  const stopping = { ...TEST_IMPORT_TOOLS, isStopping: () => true };
  const text = lines('name,description,url', 'Z,Z,z.example');
  await expect(run(['products', 'rows.csv', '--dry-run'], text, stopping)).rejects.toMatchObject({
    name: 'OperatorError',
    message: 'The portal stops before the whole file was checked.',
  });
});
