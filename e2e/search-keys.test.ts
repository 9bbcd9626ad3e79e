// Tests the keys of the search in the header: `g` and `v` for a person, and `?` for the dialog with all keys.
import { type Product, saveUser } from '@portal/contract';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { arriveSignedIn, keepPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { openMember } from './harness/team.ts';

const DESKTOP = { width: 1280, height: 720 };
const PEOPLE = ['gvenda@keys.example', 'gvido@keys.example'];

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));
let product: Product;
const ids: string[] = [];

beforeAll(async () => {
  product = await fixture.admin.addProduct({ name: 'Gvtool' });
  for (const email of PEOPLE) {
    await fixture.admin.call(saveUser, {
      body: { email, name: `Ada ${email}`, phone_number: null, product_ids: [product.product_id] },
    });
    ids.push((await fixture.admin.listUsers()).find((user) => user.email === email)?.user_id ?? '');
  }
});

beforeEach(async () => {
  await staff.page.setViewportSize(DESKTOP);
  await staff.page.goto('/admin/users');
  await fieldOf(staff.page).waitFor();
});

const fieldOf = (page: Page) => page.getByRole('combobox', { name: /^Search people/ });
const optionsOf = (page: Page) => page.getByRole('listbox', { name: 'Results' }).getByRole('option');
const footOf = (page: Page) => page.locator('search p[aria-hidden]').last();

const expectFoot = (page: Page, words: string) =>
  expect.poll(() => footOf(page).textContent()).toContain(words);

async function search(page: Page, text: string, count: number): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type(text);
  await expect.poll(() => optionsOf(page).count()).toBe(count);
}

test('R-DAY-34: `g` and `v` are letters until an arrow key has moved to a person, and again after typing', async () => {
  const { page } = staff;
  await search(page, 'g', 0);
  await page.keyboard.type('v');
  await expect.poll(() => optionsOf(page).count()).toBe(3);
  expect(await fieldOf(page).inputValue()).toBe('gv');
  expect(await footOf(page).textContent()).not.toContain('give products');
  // The second arrow key reaches the product, where the keys do nothing.
  await page.keyboard.press('ArrowDown');
  await expectFoot(page, 'give products');
  await expectFoot(page, 'view as learner');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.type('i');
  expect(await fieldOf(page).inputValue()).toBe('gvi');
  await expect.poll(() => optionsOf(page).count()).toBe(1);
  // The result is chosen by itself, not with an arrow key.
  await page.keyboard.type('g');
  expect(await fieldOf(page).inputValue()).toBe('gvig');
});

test('R-DAY-34: `g` opens Give products on the page of the person; after closing, a reload keeps it closed', async () => {
  const { page } = staff;
  await search(page, 'gv', 3);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('g');
  const dialog = page.getByRole('dialog', { name: `Give products to Ada ${PEOPLE[1]}` });
  await dialog.waitFor();
  expect(new URL(page.url()).pathname).toBe(`/admin/users/${ids[1]}`);
  expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  expect(await fieldOf(page).inputValue()).toBe('');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('');
  await page.reload();
  await page.getByRole('button', { name: 'Give products' }).waitFor();
  expect(await dialog.count()).toBe(0);
  // Also for the person whose page is open already, with a single result.
  await search(page, PEOPLE[1] ?? '', 1);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('g');
  await dialog.waitFor();
  await page.goBack();
  await dialog.waitFor({ state: 'detached' });
});

test('R-DAY-34: `v` opens View as learner; with Ctrl, or for a role that may not, the keys do nothing', async () => {
  const { page } = staff;
  await search(page, 'gv', 3);
  await page.keyboard.press('ArrowDown');
  // Not `v`: with Ctrl it pastes what another test has copied.
  await page.keyboard.press('Control+g');
  expect(new URL(page.url()).pathname).toBe('/admin/users');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('v');
  await see(page, `You see what ${PEOPLE[0]} sees. Read-only.`);
  expect(new URL(page.url()).pathname).toBe(`/admin/view-as/${ids[0]}`);
  const { page: support } = await openMember(fixture, 'support', 'keys-support@provider.example', '/admin');
  await fieldOf(support).waitFor();
  await search(support, 'gv', 3);
  await support.keyboard.press('ArrowDown');
  await expectFoot(support, 'view as learner');
  expect(await footOf(support).textContent()).not.toContain('give products');
  await support.keyboard.press('g');
  expect(await fieldOf(support).inputValue()).toBe('gvg');
});

test('R-DAY-34: `?` shows all keys in a dialog, except where the user types', async () => {
  const { page } = staff;
  const dialog = page.getByRole('dialog', { name: 'Keys' });
  const refresh = page.getByRole('button', { name: 'Refresh' }).first();
  await refresh.focus();
  await page.keyboard.press('?');
  await see(dialog, 'Search', 'Give products to a person chosen with the arrow keys', 'Show all keys');
  await expectNoDefect(page, { isInBothThemes: true });
  await page.setViewportSize(DESKTOP);
  await page.keyboard.press('?');
  expect(await dialog.count()).toBe(1);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await hasFocus(refresh)).toBe(true);
  await fieldOf(page).focus();
  await page.keyboard.type('?');
  expect([await fieldOf(page).inputValue(), await dialog.count()]).toEqual(['?', 0]);
  const viewer = (await openMember(fixture, 'viewer', 'keys-viewer@provider.example', '/admin')).page;
  await viewer.getByRole('combobox', { name: 'Search products' }).waitFor();
  await viewer.keyboard.press('?');
  await see(viewer.getByRole('dialog', { name: 'Keys' }), 'Show all keys');
  expect(await viewer.getByRole('dialog', { name: 'Keys' }).textContent()).not.toContain('person');
});
