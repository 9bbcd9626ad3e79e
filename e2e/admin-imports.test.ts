// Tests uploads of products, users and coupons: accepted files, requests, notifications and where the result is shown.
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Product } from '@portal/contract';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import {
  type CsvFile,
  chooseProductOfFile,
  csv,
  dropFile,
  fileInput,
  openAdminPage,
  openCard,
} from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, openPerson, see, seeToast, takeToast } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const BULK = {
  Products: '/api/admin/products/bulk',
  Users: '/api/admin/users/bulk',
  Coupons: '/api/admin/coupons/bulk',
};
type Kind = keyof typeof BULK;

const NO_PRODUCT = ['Missing required field', 'Please select a product before uploading coupons'];
const NO_PRODUCTS = ['Missing required field', 'Please select at least one product before uploading users'];

const fixture = setOwnFixture();
let target: Product;
const staff = keepPerson(fixture, async (person) => {
  target = await fixture.admin.addProduct({ name: 'Target' });
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin');
});

function lines(count: number, line: (at: number) => string): string[] {
  return Array.from({ length: count }, (_line, at) => line(at));
}

/** Opens the card of the upload, uploads a file and returns the JSON body of the request. */
async function upload(page: Page, kind: Kind, file: CsvFile): Promise<unknown> {
  await openCard(page, `Bulk Upload ${kind}`);
  const sent = page.waitForRequest((request) => request.url().endsWith(BULK[kind]));
  await fileInput(page).setInputFiles(file);
  return (await sent).postDataJSON();
}

/** Writes a temporary file and returns its path; the file is removed after the test. */
async function save(name: string, ...rows: string[]): Promise<string> {
  const path = join(tmpdir(), `${process.pid}-${name}`);
  await writeFile(path, rows.join('\n'));
  onTestFinished(() => rm(path, { force: true }));
  return path;
}

test.each<[string, Kind]>([
  ['R-VAL-12, R-VAL-14', 'Products'],
  ['R-VAL-19, R-VAL-20', 'Users'],
  ['R-VAL-28, R-VAL-29', 'Coupons'],
])(
  '%s: %s: a file of another type and an empty one are refused, and nothing is sent',
  async (_numbers, kind) => {
    const { page } = staff;
    await openAdminPage(page, kind);
    await chooseProductOfFile(page, kind, 'Target');
    const before = staff.countCalls(BULK[kind]);
    await fileInput(page).setInputFiles({ ...csv('picture.png', 'x'), mimeType: 'image/png' });
    await takeToast(page, 'destructive', 'Invalid file type', 'Please upload a CSV file');
    await fileInput(page).setInputFiles(csv('empty.csv', ' ', ''));
    await takeToast(page, 'destructive', 'Empty file', 'The CSV file appears to be empty');
    await fileInput(page).setInputFiles(csv('nothing.csv'));
    await takeToast(page, 'destructive', 'Empty file', 'The CSV file appears to be empty');
    expect(staff.countCalls(BULK[kind])).toBe(before);
  },
);

test('the name of a refused file and the reason remain until another file is chosen or Dismiss, also after a page change', async () => {
  const { page } = staff;
  staff.allowComplaint(/400/);
  const named = (name: string) => page.getByRole('heading', { name: `${name} was not imported` });
  await openAdminPage(page, 'Products');
  await openCard(page, 'Bulk Upload Products');
  await fileInput(page).setInputFiles({ ...csv('list.xlsx', 'x'), mimeType: 'application/vnd.ms-excel' });
  await takeToast(page, 'destructive', 'Invalid file type', 'Please upload a CSV file');
  await see(page, /^This is not a CSV file\. Save it as CSV/);
  await page
    .getByRole('alert')
    .filter({ has: named('list.xlsx') })
    .waitFor();
  await upload(page, 'Products', csv('wrong.csv', 'name,description', 'a,b'));
  await takeToast(page, 'destructive', 'Error', "The CSV file has no column 'url'");
  expect(await named('list.xlsx').count()).toBe(0);
  await openAdminPage(page, 'Users');
  expect(await named('wrong.csv').count()).toBe(0);
  await openAdminPage(page, 'Products');
  await named('wrong.csv').waitFor();
  await see(page.getByRole('main'), "The CSV file has no column 'url'");
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await named('wrong.csv').waitFor({ state: 'detached' });
  expect(await fileInput(page).evaluate((input) => input === document.activeElement)).toBe(true);
});

test('R-VAL-21, R-VAL-30, R-ACPN-21: without a product no file can be chosen or dropped, and nothing is sent', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Users');
  await openCard(page, 'Bulk Upload Users');
  await fileInput(page).setInputFiles(csv('people.csv', 'email,name', 'a@b.example,A'));
  await takeToast(page, 'destructive', ...NO_PRODUCTS);

  await openAdminPage(page, 'Coupons');
  await openCard(page, 'Bulk Upload Coupons');
  const button = page.getByRole('button', { name: 'Select CSV File' }).last();
  expect(await button.isDisabled()).toBe(true);
  const path = await save('codes.csv', 'coupon_code', 'DROPPED-1');
  await dropFile(page, page.getByText('Select a product first'), path);
  await takeToast(page, 'destructive', ...NO_PRODUCT);
  expect(staff.countCalls(BULK.Users) + staff.countCalls(BULK.Coupons)).toBe(0);
  await chooseProductOfFile(page, 'Coupons', 'Target');
  expect(await button.isEnabled()).toBe(true);
});

test('R-ACPN-17, R-VAL-32: a CSV file dropped on the area is imported, another type is not, and the file chooser offers .csv only', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Coupons');
  await openCard(page, 'Bulk Upload Coupons');
  expect(await fileInput(page).getAttribute('accept')).toBe('.csv');
  await chooseProductOfFile(page, 'Coupons', 'Target');
  const area = page.getByText('Drop a CSV file here');
  await dropFile(page, area, await save('codes.txt', 'coupon_code', 'TXT-1'));
  await takeToast(page, 'destructive', 'Invalid file type', 'Please upload a CSV file');
  await dropFile(page, area, await save('codes.csv', 'coupon_code', 'DROPPED-1'));
  await takeToast(page, 'default', 'Import Complete', '1 created, 0 duplicates skipped, 0 failed');
  await page.getByRole('row').filter({ hasText: 'DROPPED-1' }).getByText('Available').waitFor();
});

test('a file dropped outside the area does not replace the page', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Coupons');
  const prevented = page.getByRole('heading', { name: 'Existing Coupons' }).evaluate((beside) =>
    ['dragover', 'drop'].map((type) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['coupon_code'], 'codes.csv'));
      return !beside.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
    }),
  );
  expect(await prevented).toEqual([true, true]);
});

test('R-ERR-09, A-40, A-44: a file without a required column is refused with the server’s message, and a file with only a header creates nothing', async () => {
  const { page } = staff;
  staff.allowComplaint(/400/);
  await openAdminPage(page, 'Products');
  await upload(page, 'Products', csv('wrong.csv', 'name,description', 'a,b'));
  await takeToast(page, 'destructive', 'Error', "The CSV file has no column 'url'");
  await upload(page, 'Products', csv('none.csv', 'name,description,url'));
  const none = 'Successfully created 0 products. Failed to create 0 products.';
  await takeToast(page, 'destructive', 'Import Complete', none);
});

test.each<[string, Kind, string, string]>([
  [
    'R-APROD-06',
    'Products',
    'products_template.csv',
    'name,description,url,page_title,header_text,instructions,shared_coupon',
  ],
  ['R-AUSER-06', 'Users', 'users_template.csv', 'email,name,phone_number,payment_id'],
  ['R-ACPN-12, R-ACPN-13', 'Coupons', 'coupons_template.csv', 'coupon_code'],
])(
  '%s: %s: the sample is %s with the columns %s and two rows, and can be uploaded as it is',
  async (_numbers, kind, name, header) => {
    const { page } = staff;
    await openAdminPage(page, kind);
    await openCard(page, `Bulk Upload ${kind}`);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download Sample CSV' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(name);
    const text = Buffer.concat(await (await file.createReadStream()).toArray()).toString('utf8');
    expect(text.split('\r\n')[0]).toBe(header);
    if (kind === 'Coupons') expect(text).toBe('coupon_code\r\nSAMPLE-CODE-1\r\nSAMPLE-CODE-2\r\n');

    await chooseProductOfFile(page, kind, 'Target');
    expect(await upload(page, kind, csv(name, text))).toMatchObject({ csvData: text });
    const result = {
      Products: 'Successfully created 2 products. Failed to create 0 products.',
      // `\d` matches the number of products, which depends on other tests.
      Users:
        /^Processed 2 records: 2 users created, 0 duplicates found, \d product access granted, 0 failed$/,
      Coupons: '2 created, 0 duplicates skipped, 0 failed',
    }[kind];
    await see(page, result);
  },
);

test('R-APROD-05, R-APROD-07, R-VAL-13, R-VAL-15, R-ERR-23, R-ERR-29, R-GEN-07, R-CACHE-10: a file recognised by type or by name creates products with all columns, and the result is counted', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Products');
  await see(page, 'Bulk Upload Products');
  const header = 'name,description,url,page_title,header_text,instructions,shared_coupon';
  const file = csv(
    'list.csv',
    header,
    'Of a file,Its words,file.example,Its title,Its head,"One\nTwo",yes',
    'Bare,Words,bare.example,,,,',
    'Without address,Words,,,,,',
  );
  const byName = { ...file, mimeType: 'application/vnd.ms-excel' };
  expect(await upload(page, 'Products', byName)).toMatchObject({ csvData: file.buffer.toString() });
  await takeToast(
    page,
    'default',
    'Import Complete',
    'Successfully created 2 products. Failed to create 1 products.',
  );
  await page.getByRole('row').filter({ hasText: 'Of a file' }).getByText('Yes', { exact: true }).waitFor();
  const { 0: made } = (await fixture.admin.listProducts()).filter(({ name }) => name === 'Of a file');
  expect(made).toMatchObject({
    description: 'Its words',
    url: 'file.example',
    page_title: 'Its title',
    header_text: 'Its head',
    instructions: 'One\nTwo',
    shared_coupon: true,
  });

  await upload(page, 'Products', {
    ...csv('list.txt', header, 'By type,W,type.example,,,,'),
    mimeType: 'text/csv',
  });
  await takeToast(
    page,
    'default',
    'Import Complete',
    'Successfully created 1 products. Failed to create 0 products.',
  );
  await upload(page, 'Products', csv('none.csv', header, 'No address,W,,,,,'));
  await takeToast(
    page,
    'destructive',
    'Import Complete',
    'Successfully created 0 products. Failed to create 1 products.',
  );
});

test('R-AUSER-05, R-AUSER-07, R-AUSER-08, R-ERR-24, R-ERR-25, R-ERR-29, R-CONST-07, R-GEN-08: users of a file get the chosen products, and the result is counted; more than 50 users are called a bulk import', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Users');
  await see(page, 'Bulk Upload Users');
  await chooseProductOfFile(page, 'Users', 'Target');
  const people = (count: number, who: string) =>
    csv(`${who}.csv`, 'email,name', ...lines(count, (at) => `${who}${at}@many.example,Person ${at}`));
  const fifty = people(50, 'a');
  expect(await upload(page, 'Users', fifty)).toMatchObject({
    csvData: fifty.buffer.toString(),
    product_ids: [target.product_id],
  });
  const describeResult = (total: number, made: number, known: number, granted: number, failed: number) =>
    `Processed ${total} records: ${made} users created, ${known} duplicates found, ${granted} product access granted, ${failed} failed`;
  await takeToast(page, 'default', 'Import Complete', describeResult(50, 50, 0, 50, 0));
  await page.getByRole('row').filter({ hasText: 'a49@many.example' }).waitFor();

  const mixed = csv('mixed.csv', fifty.buffer.toString(), 'new@many.example,New', 'no address,Nobody');
  await upload(page, 'Users', mixed);
  await takeToast(page, 'default', 'Bulk User Import Complete', describeResult(52, 1, 50, 1, 1));
  await upload(page, 'Users', people(50, 'a'));
  await takeToast(page, 'destructive', 'Import Complete', describeResult(50, 0, 50, 0, 0));
});

test('R-ACPN-11, R-ACPN-29, R-ACPN-30, R-ACPN-31, R-ERR-26, R-ERR-27, R-ERR-28, R-ERR-29, R-CONST-07, R-GEN-09: codes of a file are counted and listed, the same file can be chosen again, and more than 100 codes are called a bulk import', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Coupons');
  await see(page, 'Bulk Upload Coupons');
  await chooseProductOfFile(page, 'Coupons', 'Target');
  const hundred = csv('hundred.csv', 'coupon_code', ...lines(100, (at) => `HUNDRED-${at}`));
  expect(await upload(page, 'Coupons', hundred)).toMatchObject({
    csvData: hundred.buffer.toString(),
    productId: target.product_id,
  });
  await takeToast(page, 'default', 'Import Complete', '100 created, 0 duplicates skipped, 0 failed');
  await page.getByRole('row').filter({ hasText: 'HUNDRED-99' }).waitFor();
  expect(await fileInput(page).evaluate((input) => (input as HTMLInputElement).files?.length)).toBe(0);
  await upload(page, 'Coupons', hundred);
  await takeToast(page, 'destructive', 'Import Complete', '0 created, 100 duplicates skipped, 0 failed');
  const more = csv('more.csv', hundred.buffer.toString(), 'MORE-1', 'x'.repeat(256));
  await upload(page, 'Coupons', more);
  await takeToast(page, 'default', 'Bulk Import Complete', '1 created, 100 duplicates skipped, 1 failed');
});

type Notice = [string, Kind, number, string, (at: number) => string, string, (count: number) => string];

test.each<Notice>([
  [
    'R-CONST-01, R-CONST-02, R-CONST-05, R-CONST-06',
    'Users',
    100,
    'email,name',
    (at) => `${at}@notice.example,N`,
    'Bulk User Import Complete',
    (count) =>
      `Processed ${count} records: ${count} users created, 0 duplicates found, ${count} product access granted, 0 failed`,
  ],
  [
    'R-CONST-03, R-CONST-04, R-CONST-05, R-CONST-06, R-ACPN-19, R-ACPN-20',
    'Coupons',
    1000,
    'coupon_code',
    (at) => `-${at}`,
    'Bulk Import Complete',
    (count) => `${count} created, 0 duplicates skipped, 0 failed`,
  ],
])(
  '%s: %s: more than %d records, without header and blank lines, are announced for 8 seconds, and the result is shown for 8 seconds',
  async (_numbers, kind, most, header, line, title, describeResult) => {
    const person = await openPerson(fixture);
    const { page } = person;
    await page.clock.install();
    await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin');
    await openAdminPage(page, kind);
    await chooseProductOfFile(page, kind, 'Target');
    await page.clock.pauseAt(Date.now() + 5000);
    const large = (name: string, count: number) =>
      csv(name, header, '', ...lines(count, (at) => `${name}${line(at)}\r\n`));

    let letThrough = await holdCalls(page, `**${BULK[kind]}`);
    await upload(page, kind, large('small', most));
    await page.getByRole('button', { name: 'Uploading...' }).waitFor();
    expect(await page.getByText('Processing Large Upload').count()).toBe(0);
    letThrough();
    await seeForEightSeconds(page, title, describeResult(most));

    letThrough = await holdCalls(page, `**${BULK[kind]}`);
    await upload(page, kind, large('large', most + 1));
    const records = (most + 1).toLocaleString('en-US');
    const notice = `Your file has ${records} records. This can take a minute.`;
    await seeForEightSeconds(page, 'Processing Large Upload', notice);
    letThrough();
    await seeForEightSeconds(page, title, describeResult(most + 1));
  },
);

async function seeForEightSeconds(page: Page, title: string, description: string): Promise<void> {
  await seeToast(page, 'default', title, description);
  await page.clock.runFor(7900);
  await seeToast(page, 'default', title, description);
  await page.clock.runFor(200);
  await page.getByText(description, { exact: true }).waitFor({ state: 'detached' });
}
