// Tests how the check reads files: workbooks of Excel (R-MAP-12), and the encoding of CSV (R-MAP-13).
import { listCoupons } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { choose, chooseFile, chooseProductOfFile, csv, fileInput } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, see, takeToast } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { xlsx } from './harness/xlsx.ts';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true });
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

async function openCodes(product: string): Promise<Page> {
  const { page } = staff;
  await page.goto('/admin/coupons?open=upload');
  await choose(page.getByLabel('Select Product for Bulk Upload*'), product);
  return page;
}

const file = xlsx('partner.xlsx', {
  Dezember: [
    ['Gutscheincode', 'Gültig bis'],
    [123, '2099-12-31'],
    ['XL;2', '31.12.2099'],
    ['=XL-3', ''],
  ],
  Januar: [['code'], ['XL-4']],
});

test('R-MAP-12: a workbook is checked with its first sheet, another sheet is chosen, and it is imported', async () => {
  await fixture.admin.addProduct({ name: 'Spreadleaf' });
  const page = await openCodes('Spreadleaf');
  await chooseFile(page, 'Check File First', file);
  const checked = card(page, 'Nothing was imported yet.');
  await see(checked, '00123', 'XL;2', '=XL-3', '2099-12-31');
  await checked.getByLabel('Sheet').selectOption('Januar');
  await see(checked, 'XL-4', 'Import 1 code for Spreadleaf');
  await checked.getByLabel('Sheet').selectOption('Dezember');
  await button(checked, 'Import 3 codes for Spreadleaf').click();
  await takeToast(page, 'default', 'Import Complete', '3 created, 0 duplicates skipped, 0 failed');
  const codes = (await fixture.admin.call(listCoupons, {})).map(({ coupon_code }) => coupon_code);
  expect(codes).toEqual(expect.arrayContaining(['00123', 'XL;2', '=XL-3']));
  expect(codes).not.toContain('XL-4');
  await page.goto('/admin/coupons/uploads');
  const rows = page.getByRole('row').filter({ hasText: 'partner.xlsx' });
  await see(rows.first(), '3 added');
  expect(await rows.count(), 'the other checks are discarded').toBe(1);
});

test('R-MAP-12: Select CSV File refuses a workbook and offers to check it', async () => {
  await fixture.admin.addProduct({ name: 'Sheetfern' });
  const page = await openCodes('Sheetfern');
  expect(await fileInput(page).getAttribute('accept')).toBe('.csv');
  await chooseFile(page, 'Select CSV File', file);
  await takeToast(page, 'destructive', 'Invalid file type', 'Please upload a CSV file');
  await button(page, 'Check this Excel file').click();
  const checked = card(page, 'Nothing was imported yet.');
  await see(checked, '00123', 'Import 3 codes for Sheetfern');
  await button(checked, 'Discard').click();
});

test('R-MAP-12: a file that is no workbook is refused with its reason', async () => {
  await fixture.admin.addProduct({ name: 'Cellmoss' });
  const page = await openCodes('Cellmoss');
  const { buffer } = csv('x', 'code', 'A');
  await chooseFile(page, 'Check File First', { ...file, name: 'fake.xlsx', buffer });
  await takeToast(page, 'destructive', 'Invalid file type', 'This is not an Excel file (.xlsx).');
  await see(page, 'fake.xlsx was not imported');
  await chooseFile(page, 'Check File First', { name: 'a.pdf', mimeType: 'application/pdf', buffer });
  await takeToast(page, 'destructive', 'Invalid file type', 'Please choose a CSV or Excel file (.xlsx)');
});

test('R-MAP-13: the check names the encoding; another one is chosen, and the first rows are shown again', async () => {
  const { page } = staff;
  await fixture.admin.addProduct({ name: 'Codepage' });
  await page.goto('/admin/users?open=upload');
  await chooseProductOfFile(page, 'Users', 'Codepage');
  // Windows-1250.
  const buffer = Buffer.from(
    'email;name\r\nj@b.cz;Ji\xf8\xed Dvo\xf8\xe1k\r\nt@b.cz;Tom\xe1\x9a N\xecmec',
    'latin1',
  );
  await chooseFile(page, 'Check File First', { name: 'lide.csv', mimeType: 'text/csv', buffer });
  const checked = card(page, 'Nothing was imported yet.');
  await see(checked, 'Jiří Dvořák');
  const encoding = checked.getByLabel('Read as');
  expect(await encoding.inputValue()).toBe('windows-1250');
  await encoding.selectOption('Windows-1252');
  await see(checked, 'Jiøí Dvoøák');
  expect(await checked.getByLabel('Read as').inputValue()).toBe('windows-1252');
  await checked.getByLabel('Read as').selectOption('Windows-1250');
  await see(checked, 'Jiří Dvořák');
  await button(checked, 'Import 2 people').click();
  await see(card(page, 'lide.csv'), 'Created');
});
