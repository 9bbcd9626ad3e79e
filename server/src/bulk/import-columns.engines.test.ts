// Tests what responses and lists of uploads contain about the columns and days of the files.
import type { ImportState } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProduct } from '../../test/factories.ts';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';

let portal: TestApp;
let manager: string;
let product_id: string;
beforeAll(async () => {
  portal = await openTestApp();
  manager = await portal.signInAdmin('manager@example.org', 'manager');
  ({ product_id } = await addProduct(portal.db, { codes: ['OLD'] }));
});
afterAll(() => portal.close());

const get = (url: string) => portal.call('GET', url, { token: manager });
const post = (url: string, body: object = {}) => portal.call('POST', url, { token: manager, body });
const uploadCodes = (csvData: string, more: object = {}) =>
  post('/api/admin/coupons/bulk', { csvData, productId: product_id, ...more });
const uploadUsers = (csvData: string) =>
  post('/api/admin/users/bulk', { csvData, product_ids: [product_id] });
const idOf = ({ body }: { body: unknown }) => (body as { import_id: string }).import_id;
const stateOf = async (id: string) => (await get(`/api/admin/imports/${id}`)).body as ImportState;

test('R-MAP-22: the columns that are ignored are named in the replies of check, start and import, and in the state', async () => {
  const csvData = 'Code;Wert;\nIGNORED-1;10;x\n';
  const ignored = ['Wert', 'column 3'];
  const checked = await uploadCodes(csvData, { check: true });
  expect(checked.body).toMatchObject({ ignored });
  expect((await post(`/api/admin/imports/${idOf(checked)}/start`)).body).toMatchObject({ ignored });
  expect((await uploadCodes(csvData)).body).toMatchObject({ ignored });
  expect(await stateOf(idOf(checked))).toMatchObject({ state: 'done', ignored });
  expect((await get('/api/admin/imports?limit=1')).body).toMatchObject([{ ignored }]);
  expect((await uploadUsers('email,Kurs\nignored@b.co,K\n')).body).toMatchObject({ ignored: ['Kurs'] });
  const products = { csvData: 'name,description,url,Preis\nIgnored,Text,tool.example,1\n' };
  expect((await post('/api/admin/products/bulk', products)).body).toMatchObject({ ignored: ['Preis'] });
  expect((await uploadCodes('code\nIGNORED-2\n')).body).toMatchObject({ ignored: [] });
});

test('R-MAP-25: separator and skip_lines hold for check and import; wrong ones are 400', async () => {
  const csvData = 'A|B\n\nlist\ncode|use_by,x\nSKIP;1|,\n';
  const left_out = [
    { line: 1, why: 'title' },
    { line: 3, why: 'title' },
  ];
  const choices = { separator: '|', skip_lines: 3 };
  const checked = await uploadCodes(csvData, { ...choices, check: true });
  expect(checked.body).toMatchObject({ left_out, ignored: ['use_by,x'], preview: { total: 1, new: 1 } });
  const started = await post(`/api/admin/imports/${idOf(checked)}/start`);
  expect(started.body).toMatchObject({ left_out, results: { success: 1 } });
  const { rows } = await portal.db.query("select from coupon where coupon_code = 'SKIP;1'");
  expect(rows).toHaveLength(1);
  expect(await uploadCodes(csvData, { separator: 'x' })).toMatchObject({ status: 400 });
  for (const skip_lines of [-1, 1.5, 101, '1'])
    expect(await uploadCodes(csvData, { skip_lines })).toMatchObject({ status: 400 });
  expect(await uploadCodes('code\nA\n', { skip_lines: 100 })).toMatchObject({ status: 200 });
});

test('R-MAP-25, N-308: columns may name first and last names, and 0 is no column', async () => {
  const csvData = 'email,Rufname,Sippe,phone\nmap-25@b.co,Ann,Lee,1\n';
  const columns = { first_name: 2, last_name: 3, phone_number: 0 };
  const body = { csvData, product_ids: [product_id], columns };
  expect((await post('/api/admin/users/bulk', body)).body).toMatchObject({ ignored: ['phone'] });
  const { rows } = await portal.db.query(
    "select name, phone_number from app_user where email = 'map-25@b.co'",
  );
  expect(rows).toEqual([{ name: 'Ann Lee', phone_number: null }]);
});

test('R-MAP-12: an error of Excel is no code', async () => {
  const csvData = 'x,code\n1,#N/A\n2,#BEZUG!\n3,#FINE\n';
  const errors = [{ message: 'This is an error of Excel. Correct the cell.' }, {}];
  expect((await uploadCodes(csvData)).body).toMatchObject({ results: { success: 1, failures: 2 }, errors });
});

test('R-MAP-14: the lines that are no data are named in the replies and in the state, and are in no count', async () => {
  const csvData = 'Codes,,\ncode,x,y\nLEFT-1,1,1\n#LEFT-2,1,1\ncode,x,y\nLEFT-3,1,1\nTotal,2,2\n';
  const left_out = [
    { line: 1, why: 'title' },
    { line: 4, why: 'comment' },
    { line: 5, why: 'header' },
    { line: 7, why: 'total' },
  ];
  const checked = await uploadCodes(csvData, { check: true });
  expect(checked.body).toMatchObject({ left_out, preview: { total: 2, new: 2, invalid: 0 } });
  const started = await post(`/api/admin/imports/${idOf(checked)}/start`);
  expect(started.body).toMatchObject({ left_out, results: { success: 2, total: 2 } });
  expect((await uploadCodes(csvData)).body).toMatchObject({ left_out, results: { duplicates: 2, total: 2 } });
  expect(await stateOf(idOf(checked))).toMatchObject({ left_out, rows_total: 2, errors_count: 0 });
  const { rows } = await portal.db.query("select from coupon where coupon_code like '%LEFT-2%'");
  expect(rows).toHaveLength(0);
  expect((await uploadCodes('code\nLEFT-4\n')).body).toMatchObject({ left_out: [] });
  const comments = `code\n${'#A\n'.repeat(1_001)}${'B\n'.repeat(1_100)}`;
  expect(await uploadCodes(comments)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('more than 1,000 of its lines look like titles') },
  });
});

test('R-MAP-12: a workbook that is named codes.csv is refused and listed as refused', async () => {
  const reason =
    'This is not a CSV file: it looks like an Excel workbook (.xlsx). Save it as CSV and upload that file.';
  const csvData = 'PK\u0003\u0004\0\0xl/workbook.xml\0\u0001\u0002';
  for (const more of [{}, { check: true }])
    expect(await uploadCodes(csvData, { file_name: 'codes.csv', ...more })).toMatchObject({
      status: 400,
      body: { message: reason },
    });
  expect((await get('/api/admin/imports?limit=1')).body).toMatchObject([{ state: 'refused', reason }]);
});

test('R-MAP-23, R-MAP-25: days that can be read in two ways are 400, and are read as `dates` says', async () => {
  const csvData = 'Code;Ablaufdatum\nDAY-1;03/04/2999\n';
  expect(await uploadCodes(csvData)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining("Send dates: 'dmy' for the day, or 'mdy' for the month") },
  });
  expect((await uploadCodes(csvData, { dates: 'ymd' })).status).toBe(400);
  const checked = await uploadCodes(csvData, { dates: 'mdy', check: true });
  expect(checked.body).toMatchObject({ sample: [{ use_by: '2999-03-04' }] });
  await post(`/api/admin/imports/${idOf(checked)}/start`);
  await uploadCodes('Code;Ablaufdatum\nDAY-2;03/04/2999\nDAY-3;13/04/2999 23:59\n');
  const { rows } = await portal.db.query(
    "select coupon_code, use_by::text from coupon where product_id = $1 and coupon_code like 'DAY-%' order by coupon_code",
    [product_id],
  );
  expect(rows).toMatchObject([
    { coupon_code: 'DAY-1', use_by: '2999-03-04' },
    { coupon_code: 'DAY-2', use_by: '2999-04-03' },
    { coupon_code: 'DAY-3', use_by: '2999-04-13' },
  ]);
});
