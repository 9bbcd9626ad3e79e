// Tests imports of each kind of CSV file: counts, duplicates, invalid rows, audit lines and file formats.
import { randomUUID } from 'node:crypto';
import { type CsvKind, csvKinds, decodeCsv } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, addProduct, utcToday } from '../../test/factories.ts';

import { openTestDatabase } from '../../test/open-test-database.ts';
import { createUploadTools } from '../../test/test-jobs.ts';
import type { Database } from '../db/database.ts';
import { listAccess } from '../features/access/grants.sql.ts';
import { findUser } from '../features/people/people.sql.ts';
import { findImport } from './bulk-jobs.sql.ts';
import { importCsv, type Upload } from './uploads.ts';

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

async function listCodes(product_id: string): Promise<string[]> {
  const { rows } = await db.query<{ coupon_code: string }>(
    'select coupon_code from coupon where product_id = $1 order by pos',
    [product_id],
  );
  return rows.map(({ coupon_code }) => coupon_code);
}

describe('coupons', () => {
  test('R-API-34, R-VAL-33: codes that are already in the product or earlier in the file are skipped, and invalid rows are returned', async () => {
    const { product_id } = await addProduct(db, { codes: ['OLD'] });
    const csv = ['coupon_code', 'NEW', 'OLD', 'NEW', `${'x'.repeat(256)}`, 'LAST', ''].join('\n');
    const { results, errors } = await run('coupons', csv, { product_ids: [product_id] });
    expect(results).toEqual({
      success: 2,
      failures: 1,
      duplicates: 2,
      productAccess: 0,
      generated: 0,
      total: 5,
    });
    const content = 'x'.repeat(200);
    expect(errors).toEqual([{ row: 5, message: 'coupon_code must be at most 255 characters', content }]);
    expect(await listCodes(product_id)).toEqual(['OLD', 'NEW', 'LAST']);
  });

  test('R-VAL-27, A-89: codes are generated for blank ones and counted separately; a row with only empty cells is no record', async () => {
    const { product_id } = await addProduct(db);
    const product_ids = [product_id];
    const csv = 'coupon_code,note\n"",x\n,\n"",""\n\n , \n,y\nGIVEN,\n';
    const { results } = await run('coupons', csv, { product_ids });
    expect(results).toMatchObject({ success: 3, generated: 2, total: 3 });
    const codes = await listCodes(product_id);
    expect(codes).toHaveLength(3);
    // Line 2 is `""`, a blank code in a file of one column. Lines 3 and 4 are empty, so they are no records.
    const alone = await run('coupons', 'coupon_code\n""\n  \n\nALSO\n', { product_ids });
    expect(alone.results).toMatchObject({ success: 2, generated: 1, total: 2 });
    const spreadsheet = await run('coupons', 'coupon_code;note\nLAST;x\n;\n;\n', { product_ids });
    expect(spreadsheet.results).toMatchObject({ success: 1, generated: 0, total: 1 });
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

describe('R-LIFE-20, N-59, N-70: the last day of a code', () => {
  const setDefault = (product_id: string, day: string) =>
    db.query('update product set use_by_default = $2 where product_id = $1', [product_id, day]);

  test('R-DAY-38: a cell that is not a day after today makes its row invalid, and one of another form says so; the other rows are imported', async () => {
    const { product_id } = await addProduct(db);
    const cells = [
      utcToday(),
      '2001-12-31',
      '2999-02-30',
      '31.12.99',
      '2999-12-31 in the evening',
      '3000-01-01',
    ];
    const invalid = cells.map((cell, at) => `BAD-${at},${cell}`);
    const csv = `coupon_code,use_by\n${invalid.join('\n')}\nGOOD,2999-12-31\n`;
    const { results, errors } = await run('coupons', csv, { product_ids: [product_id] });
    expect(results).toMatchObject({ success: 1, failures: cells.length });
    const [past, form] = ['use_by must be a day after today', 'use_by was not understood. Write the day'];
    const messages = cells.map((_cell, at) => `${at < 2 ? `${past} such` : form} as 2026-12-31`);
    expect(errors).toMatchObject(messages.map((message, at) => ({ row: at + 2, message })));
    expect(await listCodes(product_id)).toEqual(['GOOD']);
  });

  test('a default that has passed makes blank cells invalid, with the words for the last day', async () => {
    const { product_id } = await addProduct(db);
    await setDefault(product_id, '2001-01-01');
    const message = 'use_by must be a day after today such as 2026-12-31';
    for (const csv of [
      'coupon_code\nA\n',
      'coupon_code,use_by\nA,\n',
      `coupon_code,use_by\nA,${utcToday()}\n`,
    ]) {
      const { results, errors } = await run('coupons', csv, { product_ids: [product_id] });
      expect([results, errors]).toMatchObject([{ success: 0, failures: 1 }, [{ row: 2, message }]]);
    }
  });

  test('a product that is archived during its upload gets the codes all the same, as its own', async () => {
    const own = await addProduct(db);
    const shared = await addProduct(db, { shared_coupon: true });
    for (const { product_id } of [own, shared]) {
      await setDefault(product_id, '2999-12-31');
      const tools = createUploadTools(db);
      const runJob: typeof tools.runJob = async (job) => {
        await db.query('update product set archived_at = now() where product_id = $1', [product_id]);
        await tools.runJob(job);
      };
      const order = upload('coupons', 'coupon_code\nA\n', { product_ids: [product_id] });
      expect((await importCsv(db, order, { ...tools, runJob })).results).toMatchObject({ success: 1 });
    }
    const { rows } = await db.query(
      'select product_id, shared, use_by from coupon where product_id = any($1) order by shared',
      [[own.product_id, shared.product_id]],
    );
    expect(rows).toEqual([
      { product_id: own.product_id, shared: false, use_by: '2999-12-31' },
      { product_id: shared.product_id, shared: true, use_by: '2999-12-31' },
    ]);
  });
});

describe('users', () => {
  test('R-LIFE-13: a product that is named twice is given once', async () => {
    const { product_id } = await addProduct(db);
    const product_ids = [product_id, product_id, product_id.toUpperCase()];
    const { results } = await run('users', 'email,name\ntwice@example.org,Twice\n', { product_ids });
    expect(results).toMatchObject({ success: 1, productAccess: 1 });
  });

  test('R-LIFE-02: a grant that an import makes in the place of one that is over has the id of the import', async () => {
    const product = await addProduct(db);
    const { user_id, email } = await addLearner(db, [product]);
    await db.query("update access_grant set ends_on = '2001-01-01' where user_id = $1", [user_id]);
    const more = { import_id: randomUUID(), product_ids: [product.product_id] };
    const { results } = await run('users', `email,name\n${email},Known\n`, more);
    expect(results).toMatchObject({ productAccess: 1 });
    const { rows } = await db.query('select import_id, ends_on from access_grant where user_id = $1', [
      user_id,
    ]);
    expect(rows).toEqual([{ import_id: more.import_id, ends_on: null }]);
  });

  test('R-API-28, R-API-29, R-API-30, R-API-31, R-VAL-23: new users are created and get the products, existing users only get the products', async () => {
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
    expect(results).toEqual({
      ...{ success: 3, failures: 1, duplicates: 2, productAccess: 7, generated: 0, total: 6 },
      ...{ without_name: 1, renamed: 0 },
    });
    expect(errors).toEqual([
      { row: 5, message: 'email must be an address such as name@example.org', content: 'no-address, Nobody' },
    ]);
    expect(await findUser(db, 'ada@example.org')).toMatchObject({
      name: 'Ada',
      phone_number: '+44 1',
      user_role: 'user',
    });
    expect(await findUser(db, known.email)).toMatchObject({ name: 'Amara Okafor' });
    const later = await addProduct(db, { name: 'Later' });
    const pays = await findUser(db, 'pays@example.org');
    expect((await listAccess(db, pays?.id ?? '', utcToday())).map(({ product_id }) => product_id)).toContain(
      later.product_id,
    );
  });
});

test('R-TRAIL-01: each product, user and grant of an import has exactly one audit line, with the id of the import', async () => {
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
        "select actor, action, detail from audit where user_id = $1 and detail ? 'import_id' order by action, id",
        [user_id],
      )
    ).rows;
  const actor = 'staff@example.org';
  const starts_on = utcToday();
  expect(await linesOf(created?.id)).toEqual([
    { actor, action: 'grant.create', detail: { import_id, product_ids, starts_on } },
    { actor, action: 'user.create', detail: { import_id } },
  ]);
  const linesOfKnown = [
    { actor, action: 'grant.create', detail: { import_id, product_ids: 'all', starts_on } },
    { actor, action: 'grant.create', detail: { import_id, product_ids: [second.product_id], starts_on } },
  ];
  expect(await linesOf(known.user_id ?? undefined)).toEqual(linesOfKnown);
  // The second upload of the same file changes nothing, so it adds no audit line.
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
  test('R-API-32, R-API-33, R-VAL-15: products get ids, rows without a required cell are returned, and yes means true', async () => {
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

test('A-43: a product with the name and URL of another one, in the portal or the file, is a duplicate, so a file may be uploaded again', async () => {
  const csv =
    'name,description,url\nTwice,First,twice.example\nTwice,Second,twice.example\nTwice,Other,other.example\n,Broken,x.example\n';
  const first = await run('products', csv);
  expect(first.results).toMatchObject({ success: 2, duplicates: 1, failures: 1, total: 4 });
  const again = await run('products', csv);
  expect(again.results).toMatchObject({ success: 0, duplicates: 3, failures: 1, total: 4 });
  const list = () => db.query("select description from product where name = 'Twice' order by created_at");
  expect((await list()).rows).toEqual([{ description: 'First' }, { description: 'Other' }]);
  await db.query("update product set archived_at = now() where name = 'Twice'");
  expect((await run('products', csv)).results).toMatchObject({ success: 2, duplicates: 1 });
});

test.each([
  ['products', 'product'],
  ['users', 'app_user'],
] as const)('each column of a file of %s is stored', async (kind, table) => {
  const { product_id } = await addProduct(db);
  const columns = [...csvKinds[kind].required, ...csvKinds[kind].optional];
  // All cells except `url` are e-mail addresses, because an address is valid in every column.
  const cells = columns.map((column) => `${column}${column === 'url' ? '.' : '@'}column.example`);
  await run(kind, `${columns}\n${cells}\n`, { product_ids: kind === 'users' ? [product_id] : [] });
  const { rows } = await db.query(`select * from ${table} where name = 'name@column.example'`);
  const texts = Object.fromEntries(columns.map((column, index) => [column, cells[index]]));
  expect(rows).toMatchObject([kind === 'products' ? { ...texts, shared_coupon: false } : texts]);
});

describe('R-IMP-14, R-IMP-15: files as partners send them', () => {
  test('addresses without names create people without a name, and known people keep theirs', async () => {
    const product = await addProduct(db);
    const known = await addLearner(db, [product]);
    const csv = `no-header-${randomUUID()}@example.org\n${known.email}\nnone\n`;
    const { results, found, errors } = await run('users', csv, { product_ids: [product.product_id] });
    expect(results).toMatchObject({ success: 1, duplicates: 1, failures: 1 });
    expect(found).toEqual({ header: false, columns: [{ name: null, field: 'email' }] });
    expect(errors).toMatchObject([{ row: 3, message: 'email must be an address such as name@example.org' }]);
    expect(await findUser(db, csv.split('\n')[0] ?? '')).toMatchObject({ name: null });
    expect(await findUser(db, known.email)).toMatchObject({ name: 'Amara Okafor' });
  });

  test('what staff said about the columns holds for the whole import, and rows without a code are left out', async () => {
    const { product_id } = await addProduct(db);
    const csv = 'Nr\0\ud800;Kode\n1;A\n2;\n3;B\n';
    const said = { columns: { coupon_code: 2 }, header: true, blanks: 'skip' } as const;
    const { results } = await run('coupons', csv, { ...said, product_ids: [product_id] });
    expect(results).toMatchObject({ success: 2, generated: 0, total: 2 });
    expect(await listCodes(product_id)).toEqual(['A', 'B']);
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

  test('A-40: a file without a required column is refused, and the message names the column', async () => {
    await expect(run('users', 'address,name\na@b.co,A\n')).rejects.toMatchObject({
      code: 'invalid_request',
      message: "The CSV file has no column 'email'",
    });
  });

  test('A-44: a file with only a header imports nothing and is not an error', async () => {
    expect((await run('products', 'name,description,url\n')).results).toMatchObject({
      success: 0,
      failures: 0,
      total: 0,
    });
  });

  test('A-39: a file with an unclosed quote is refused before its first row, with the line number; a quote inside a cell is allowed', async () => {
    const { product_id } = await addProduct(db);
    const product_ids = [product_id];
    const refusal = (line: number) => ({
      code: 'invalid_request',
      message: `The CSV file cannot be read: a cell on line ${line} begins with a quote that is never closed`,
    });
    await expect(run('coupons', 'coupon_code\nA\n"B\nC\n', { product_ids })).rejects.toMatchObject(
      refusal(3),
    );
    // One quote is never closed, but the number of quotes is even, so a count of the quotes would not find the error.
    // The error comes after 6,000 rows, more than one chunk. If the portal checked only one chunk before it imports that
    // chunk, it would import the first chunk.
    const many = Array.from({ length: 6_000 }, (_, index) => `CODE-${index}`).join('\n');
    const import_id = randomUUID();
    const late = run('coupons', `coupon_code\n13" screen\n${many}\n"B\nC\n`, { import_id, product_ids });
    await expect(late).rejects.toMatchObject(refusal(6_003));
    // The quote at the beginning of line 2 is never closed. A wrong parser could take the quote before D as its end,
    // and read lines 2 to 4 as one cell.
    await expect(run('coupons', 'coupon_code\n"B\nC\n"D"\n', { product_ids })).rejects.toMatchObject(
      refusal(2),
    );
    expect(await findImport(db, import_id)).toMatchObject({ state: 'refused', source: null, rows_done: 0 });
    expect(await listCodes(product_id)).toEqual([]);
    await run('coupons', 'coupon_code\n5"DISK\nB\n', { product_ids });
    expect(await listCodes(product_id)).toEqual(['5"DISK', 'B']);
  });

  test.each(['products', 'users', 'coupons'] as const)(
    'the sample file for %s can be imported unchanged',
    async (kind) => {
      const { product_id } = await addProduct(db);
      const product_ids = kind === 'products' ? [] : [product_id];
      const { results } = await run(kind, csvKinds[kind].sample.text, { product_ids });
      expect(results).toMatchObject({ success: 2, failures: 0, total: 2 });
    },
  );

  test('the encodings that spreadsheets write are decoded', () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('name\nZoë', 'utf16le')]);
    expect(decodeCsv(utf16)).toBe('name\nZoë');
    expect(decodeCsv(Buffer.from('Zo\xeb', 'latin1'))).toBe('Zoë');
    expect(decodeCsv(Buffer.from('Zoë'))).toBe('Zoë');
  });
});
