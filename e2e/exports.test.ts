// Tests the buttons that download lists as CSV files and as Excel files (R-IMP-20 to R-IMP-23).
import { createCoupon, type Product } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { choose, chooseFile } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { openMember } from './harness/team.ts';

const JONAS = 'jonas@learner.example';
const CODES = ['TARN-AAAA-K5M7', 'TARN-BBBB-92XF', 'TARN-CCCC-Q8R9'];

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/coupons'));
let product: Product;
beforeAll(async () => {
  const { admin } = fixture;
  product = await admin.addProduct({ name: 'Tarnquill' });
  const other = await admin.addProduct({ name: 'Lumifern' });
  await admin.addCodes(product, ...CODES);
  await admin.addCodes(other, 'LUMI-AAAA-0001');
  await admin.addLearner(JONAS, product);
  await admin.giveCode(JONAS, product);
});

const csvButton = (page: Page) => page.getByRole('button', { name: /^Download CSV/ });
const choices = (page: Page) => page.getByRole('menuitem').allInnerTexts();

async function readFileOf(
  page: Page,
  press: Locator,
): Promise<{ name: string; head: string; rows: string[] }> {
  const download = page.waitForEvent('download');
  await press.click();
  const file = await download;
  const text = Buffer.concat(await (await file.createReadStream()).toArray()).toString('utf8');
  expect(text.startsWith('\uFEFF')).toBe(true);
  const [head = '', ...rows] = text.slice(1).trim().split('\r\n');
  return { name: file.suggestedFilename(), head, rows };
}

test('R-IMP-23: codes are downloaded all, or as filtered; each choice says how many it holds', async () => {
  const { page } = staff;
  await page.goto('/admin/coupons');
  await see(page, 'TARN-AAAA-K5M7');
  const all = await readFileOf(page, page.getByRole('button', { name: 'Download CSV: Download 4 codes' }));
  expect(all.name).toBe('codes.csv');
  expect(all.head).toBe('code,product,status,use_by,email,assigned_at,revoked_at,reason,file_name');
  expect(all.rows).toHaveLength(4);
  expect(all.rows.join()).toContain(`${CODES[0]},Tarnquill,assigned,,${JONAS}`);

  await page.goto(`/admin/coupons?product_id=${product.product_id}&status=available`);
  await csvButton(page).click();
  await expect
    .poll(() => choices(page))
    .toEqual([
      ...['Download 2 codes\nTarnquill, Available', 'Download 4 codes\nAll products, every status'],
      ...['Download 2 codes\nTarnquill, Available', 'Download 4 codes\nAll products, every status'],
    ]);
  await see(page, 'CSV for Excel and others. Noted in the log with the number of rows.');
  const some = await readFileOf(page, page.getByRole('menuitem').first());
  expect(some.rows.map((row) => row.split(',')[0]).sort()).toEqual(CODES.slice(1));
  await expect
    .poll(() => csvButton(page).evaluate((element) => element === document.activeElement))
    .toBe(true);
});

test('N-305: codes are downloaded as an Excel file, which the check reads again as duplicates', async () => {
  const { page } = staff;
  await page.goto('/admin/coupons');
  await see(page, 'TARN-AAAA-K5M7');
  await page.getByRole('button', { name: 'Download as an Excel file' }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Download 4 codes' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe('codes.xlsx');
  const buffer = Buffer.concat(await (await download.createReadStream()).toArray());
  await page.goto('/admin/activity');
  await see(page, /4 codes downloaded as an Excel file/);

  await page.goto('/admin/coupons?open=upload');
  await choose(page.getByLabel('Select Product for Bulk Upload*'), 'Tarnquill');
  const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  await chooseFile(page, 'Check File First', { name: 'codes.xlsx', mimeType, buffer });
  const checked = page.getByRole('region', { name: 'Nothing was imported yet.' });
  await see(checked, 'LUMI-AAAA-0001', 'Import 1 code for Tarnquill');
  expect(await checked.locator('dl').first().textContent()).toContain('Duplicates3');
  await checked.getByRole('button', { name: 'Discard' }).click();
});

test('R-IMP-23: people are downloaded as searched; by keyboard', async () => {
  const { page } = staff;
  await page.goto('/admin/users?q=jonas+learner');
  await see(page, JONAS);
  await csvButton(page).focus();
  await page.keyboard.press('ArrowDown');
  await expect
    .poll(() => choices(page))
    .toEqual([
      expect.stringMatching(/^Download 1 person\n‘jonas learner’$/),
      expect.stringMatching(/^Download 2 people\nEverybody$/),
      expect.stringMatching(/^Download 1 person\n‘jonas learner’$/),
      expect.stringMatching(/^Download 2 people\nEverybody$/),
    ]);
  const download = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  expect((await download).suggestedFilename()).toBe('people.csv');
});

test('R-IMP-23: a number of people that was not counted to its end is written as other numbers are', async () => {
  const { page } = staff;
  await page.route('**/api/users?*q=*', async (route) => {
    const response = await route.fetch();
    const many = { 'X-Total-Count': '10000', 'X-Total-Count-Relation': 'gte' };
    await route.fulfill({ response, headers: { ...response.headers(), ...many } });
  });
  await page.goto('/admin/users?q=jonas');
  await see(page, JONAS);
  await csvButton(page).click();
  await expect
    .poll(() => choices(page))
    .toContainEqual(expect.stringMatching(/^Download more than 10,000 people\n/));
  await page.keyboard.press('Escape');
  await page.unroute('**/api/users?*q=*');
});

test('R-IMP-23, N-04: redemptions from the dashboard; a viewer’s file names nobody', async () => {
  const { page } = staff;
  await page.goto('/admin');
  const file = await readFileOf(page, csvButton(page));
  expect(file.name).toBe('redemptions.csv');
  expect(file.head).toContain('assigned_at,email,name,product,code');
  expect(file.rows.join()).toContain(`${JONAS},Lea Lerner,Tarnquill,${CODES[0]}`);

  const viewer = await openMember(fixture, 'viewer', 'hanne@team.example', '/admin');
  const theirs = await readFileOf(viewer.page, csvButton(viewer.page));
  expect(theirs.head).toBe('assigned_at,product,code,cohorts,visited_at,outcome,state');
  expect(theirs.rows).toHaveLength(1);
  expect(theirs.rows.join()).toMatch(/^[^@]*Tarnquill,••••K5M7,,,,held$/);
});

test('R-IMP-20: support has no download of codes and people', async () => {
  const { page } = await openMember(fixture, 'support', 'ravi@team.example', '/admin/coupons');
  await see(page, 'Existing Coupons');
  await see(page, 'Tarnquill');
  expect(await csvButton(page).count()).toBe(0);
  await page.goto('/admin/users');
  await see(page, JONAS);
  expect(await csvButton(page).count()).toBe(0);
});

test('R-IMP-21: a file that does not arrive whole is not saved, and the page says so', async () => {
  const { page } = staff;
  await page.goto('/admin/coupons');
  await see(page, 'TARN-AAAA-K5M7');
  staff.allowComplaint(/codes\.csv|ERR_CONNECTION_RESET/);
  await page.route('**/codes.csv', (route) => route.abort('connectionreset'));
  let saved = 0;
  page.on('download', () => {
    saved += 1;
  });
  await csvButton(page).click();
  await see(page, 'The file did not arrive whole. Try again.');
  await page.unrouteAll({ behavior: 'wait' });
  expect(saved).toBe(0);
  expect((await readFileOf(page, csvButton(page))).rows).toHaveLength(4);
});

test('R-IMP-15: staff list and download the codes that the portal generated', async () => {
  const { admin } = fixture;
  const { product_id } = await admin.addProduct({ name: 'Fernlight' });
  const blank = { product_id, coupon_code: null, usage_limit: null };
  const { coupon_code } = await admin.call(createCoupon, { body: blank });
  const { page } = staff;
  await page.goto('/admin/coupons');
  await see(page, 'TARN-AAAA-K5M7');
  await page.getByLabel('Origin of codes').selectOption('Generated by the portal');
  await see(page, '1–1 of 1');
  await see(page, coupon_code);
  await csvButton(page).click();
  await expect.poll(() => choices(page)).toContain('Download 1 code\nGenerated by the portal');
  const file = await readFileOf(page, page.getByRole('menuitem').first());
  expect(file.rows).toEqual([`${coupon_code},Fernlight,available,,,,,,`]);
});
