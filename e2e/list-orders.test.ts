// Tests the orders of the lists of codes and people, and the links to pages by number.
import type { Product } from '@portal/contract';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { choose } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));
let product: Product;
beforeAll(async () => {
  product = await fixture.admin.addProduct({ name: 'Ordered' });
  const days = Array.from(
    { length: 65 },
    (_, at) => `OR-${at},${at % 5 === 0 ? '' : `2999-01-${10 + (at % 5)}`}`,
  );
  await fixture.admin.importFile(product, 'ordered.csv', 'coupon_code,use_by', ...days);
  for (const email of ['first@orders.example', 'second@orders.example']) {
    await fixture.admin.addLearner(email, product);
    await fixture.admin.giveCode(email, product);
  }
});

const headsOf = (page: Page) => page.getByRole('table', { name: 'Coupons' }).getByRole('columnheader');
const pageLink = (page: Page, number: number) =>
  page.getByRole('link', { name: `Page ${number}`, exact: true });
/** Returns the texts of a column, from the first row on. */
const columnOf = (page: Page, at: number) =>
  page
    .getByRole('table')
    .locator('tbody tr')
    .evaluateAll((rows, index) => rows.map((row) => row.children[index]?.textContent), at);

test('R-DAY-11, R-DAY-12: codes have Use by and Assigned, which sort them within a product', async () => {
  const { page } = staff;
  await page.goto('/admin/coupons');
  await see(page, '1–20 of 65');
  expect(await headsOf(page).allInnerTexts()).toEqual([
    ...['Coupon Code', 'Product', 'User Email', 'Status', 'Use by', 'Assigned'],
  ]);
  expect(await headsOf(page).getByRole('button').count()).toBe(0);
  await choose(page.getByLabel('Only codes of'), 'Ordered');
  const sortBy = (name: string) => headsOf(page).getByRole('button', { name, exact: true }).click();
  await sortBy('Assigned');
  const held = ['second@orders.example', 'first@orders.example', '-'];
  await expect.poll(async () => (await columnOf(page, 2)).slice(0, 3)).toEqual(held);
  expect(await headsOf(page).last().getAttribute('aria-sort')).toBe('descending');
  // Only free codes can be sorted by their last day.
  expect(await headsOf(page).getByRole('button', { name: 'Use by' }).count()).toBe(0);
  await page.getByRole('button', { name: /^Available/ }).click();
  await sortBy('Use by');
  await expect
    .poll(async () => new Set(await columnOf(page, 4)))
    .toEqual(new Set(['Jan 11, 2999', 'Jan 12, 2999']));
  await sortBy('Use by');
  await expect.poll(async () => (await columnOf(page, 4))[0]).toBe('Jan 14, 2999');
  expect(new URL(page.url()).searchParams.get('sort')).toBe('-use_by');
  await page.reload();
  await expect.poll(async () => (await columnOf(page, 4))[0]).toBe('Jan 14, 2999');
  // The last page has the codes without a last day.
  await pageLink(page, 4).click();
  await see(page, '61–63 of 63');
  expect(new Set(await columnOf(page, 4))).toEqual(new Set(['']));
  // A search has its own order.
  await page.getByRole('searchbox', { name: 'Search codes' }).fill('OR-1');
  await see(page, '1–10 of 10');
  expect(await headsOf(page).getByRole('button').count()).toBe(0);
});

test('R-DAY-13, N-206: a list of at most 20 pages has a link to each page, which the address keeps', async () => {
  const { page } = staff;
  await page.goto(`/admin/coupons?product_id=${product.product_id}`);
  await see(page, '1–20 of 65');
  const pages = page.getByRole('navigation', { name: 'Pages' });
  expect(await pages.getByRole('link').allTextContents()).toEqual(['1', '2', '3', '4']);
  expect(await pageLink(page, 1).getAttribute('aria-current')).toBe('page');
  const first = await columnOf(page, 0);
  await pageLink(page, 3).click();
  await see(page, '41–60 of 65');
  expect(new URL(page.url()).searchParams.get('page')).toBe('3');
  expect(await pageLink(page, 3).getAttribute('aria-current')).toBe('page');
  const third = await columnOf(page, 0);
  await page.reload();
  await see(page, '41–60 of 65');
  expect(await columnOf(page, 0)).toEqual(third);
  await page.getByRole('button', { name: 'Next' }).click();
  await see(page, '61–65 of 65');
  expect(await pageLink(page, 4).getAttribute('aria-current')).toBe('page');
  await page.getByRole('button', { name: 'Previous' }).click();
  await see(page, '41–60 of 65');
  await page.getByRole('button', { name: 'Previous' }).click();
  await see(page, '21–40 of 65');
  expect(new Set([...first, ...third, ...(await columnOf(page, 0))]).size).toBe(60);
  await pageLink(page, 1).click();
  await see(page, '1–20 of 65');
  expect(new URL(page.url()).search).toBe(`?product_id=${product.product_id}`);
  await page.goBack();
  await see(page, '21–40 of 65');
  await expectNoDefect(page, { isInBothThemes: true });
  await page.setViewportSize({ width: 1280, height: 720 });
  // Other rows a page begin the list again.
  await page.getByLabel('Rows a page').selectOption('50');
  await see(page, '1–50 of 65');
  await page.getByLabel('Rows a page').selectOption('20');
});

test('R-DAY-12: people are sorted by the last sign-in, those who never signed in last', async () => {
  const { page } = staff;
  await page.goto('/admin/users?sort=last_sign_in');
  const table = page.getByRole('table', { name: 'Users' });
  await see(table, 'first@orders.example');
  expect((await columnOf(page, 1))[0]).toContain(ADMIN_EMAIL);
  const head = table.getByRole('columnheader', { name: 'Last sign-in' });
  expect(await head.getAttribute('aria-sort')).toBe('descending');
});
