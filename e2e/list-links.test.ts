// Tests that tables lead to the people, products and uploads that they name, and that whole codes are easily copied.
import type { Product } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { chooseProductOfFile, csv, fileInput, openCard } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, openPerson, see, takeToast } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { openMember } from './harness/team.ts';

const LEARNER = 'lena@learner.example';
const HELD = 'TQWL-3V9R-LQ27';
const FREE = 'TQWL-7K4M-92XF';
/** A code that is longer than the width of a phone. */
const LONG = `MRRW-${'6CB2-N0YD-'.repeat(6)}END`;
const FILE = 'tarnquill.csv';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

let product: Product;
beforeAll(async () => {
  product = await fixture.admin.addProduct({ name: 'Tarnquill' });
  await fixture.admin.importFile(product, FILE, 'coupon_code', HELD, FREE, LONG);
  await fixture.admin.addLearner(LEARNER, product);
  await fixture.admin.giveCode(LEARNER, product);
});

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const readSelection = (page: Page) => page.evaluate(() => getSelection()?.toString());
const heightOf = async (element: Locator) => (await element.boundingBox())?.height;

/** Follows the link with the text `name` in `within` and waits until the title of the page is `title`. */
async function follow(within: Locator, name: string, title: string): Promise<void> {
  await within.getByRole('link', { name, exact: true }).click();
  await within.page().getByRole('heading', { level: 1, name: title }).waitFor();
}

test('R-FIND-02: a code of the list is copied by its button, and a double click selects all of it', async () => {
  const { page } = staff;
  await page.goto('/admin/coupons');
  await page.getByRole('button', { name: `Copy ${FREE}`, exact: true }).click();
  await takeToast(page, 'default', 'Code copied!');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(FREE);
  await page.getByText(HELD, { exact: true }).dblclick();
  expect(await readSelection(page)).toBe(HELD);
  // A row has 44 px and a border of 1 px.
  expect(await heightOf(row(page, FREE))).toBeLessThanOrEqual(45);

  await page.goto('/admin/users');
  await openCard(page, 'User Access Management');
  await page.getByLabel('User email').fill(LEARNER);
  await page.getByRole('button', { name: 'View Products' }).click();
  await page.getByText(HELD, { exact: true }).dblclick();
  expect(await readSelection(page)).toBe(HELD);
});

test('R-DAY-38: a code of the list opens its page by a click, and by the keyboard', async () => {
  const { page } = staff;
  for (const press of [
    () => page.getByText(HELD, { exact: true }).click(),
    () => page.keyboard.press('Enter'),
  ]) {
    await page.goto('/admin/coupons');
    await page.getByRole('link', { name: HELD, exact: true }).focus();
    await press();
    await page.waitForURL(/\/admin\/coupons\/\d+$/);
    await page.getByRole('heading', { level: 1, name: /^Code ending in/ }).waitFor();
  }
});

test('R-FIND-02: a phone shows the button beside a code that is too long for it', async () => {
  const person = await openPerson(fixture, { viewport: { width: 320, height: 640 } });
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/coupons');
  const head = row(page, LONG).getByRole('rowheader');
  const box = await head.boundingBox();
  const copy = await page.getByRole('button', { name: `Copy ${LONG}`, exact: true }).boundingBox();
  if (!box || !copy) throw new Error('the code has no button');
  expect(copy.x + copy.width).toBeLessThanOrEqual(box.x + box.width);
  expect(box.height, 'one line').toBeLessThan(32);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
});

test('R-FIND-02: products in tables lead to the page of the product', async () => {
  const { page } = staff;
  await page.goto('/admin/coupons');
  await follow(row(page, FREE), 'Tarnquill', 'Tarnquill');
  expect(new URL(page.url()).pathname).toBe(`/admin/products/${product.product_id}`);
  await page.goto('/admin/coupons/uploads');
  await follow(row(page, FILE), 'Tarnquill', 'Tarnquill');
  await page.goto('/admin');
  await follow(page.getByRole('table', { name: 'Codes left per product' }), 'Tarnquill', 'Tarnquill');

  const support = await openMember(fixture, 'support', 'ravi@team.example', '/admin/coupons/uploads');
  await follow(row(support.page, FILE), 'Tarnquill', 'Tarnquill');
  const viewer = await openMember(fixture, 'viewer', 'hanne@team.example', '/admin/coupons');
  await follow(viewer.page.getByRole('table', { name: 'Coupons per product' }), 'Tarnquill', 'Tarnquill');
});

test('R-FIND-02: addresses in tables lead to the record of the person, also those of the staff', async () => {
  const { page } = staff;
  const seeRecord = async (email: string) => {
    await page.waitForURL('**/admin/users/*');
    await see(page.getByRole('main'), email, 'Codes');
  };
  await page.goto('/admin/coupons');
  await row(page, HELD).getByRole('link', { name: LEARNER }).click();
  await seeRecord(LEARNER);
  await page.goto('/admin/coupons/uploads');
  await row(page, FILE).getByRole('link', { name: ADMIN_EMAIL }).click();
  await seeRecord(ADMIN_EMAIL);
  await page.goto(`/admin/products/${product.product_id}`);
  await row(page, FILE).getByRole('link', { name: ADMIN_EMAIL }).click();
  await seeRecord(ADMIN_EMAIL);
  await page.goto('/admin/users/team');
  await page.getByRole('table', { name: 'Team' }).getByRole('link', { name: ADMIN_EMAIL }).click();
  await seeRecord(ADMIN_EMAIL);
});

test('R-FIND-02: the address of a refused mail leads to the record of the person', async () => {
  const { page } = staff;
  await page.route('**/api/admin/imports/*', async (route) => {
    const response = await route.fetch();
    const mails = {
      queued: 0,
      sent: 0,
      failed: 1,
      cancelled: 0,
      refused: [{ email: LEARNER, words: '550' }],
    };
    await route.fulfill({ response, json: { ...(await response.json()), mails } });
  });
  await page.goto('/admin/users');
  await chooseProductOfFile(page, 'Users', 'Tarnquill');
  await fileInput(page).setInputFiles(csv('again.csv', 'email,name', `${LEARNER},Lena`));
  await page.getByRole('table', { name: 'Email refused' }).getByRole('link', { name: LEARNER }).click();
  await page.waitForURL('**/admin/users/*');
  await see(page.getByRole('main'), LEARNER, HELD);
  await page.unroute('**/api/admin/imports/*');
});
