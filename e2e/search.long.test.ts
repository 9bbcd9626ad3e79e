// Tests the search of staff in the header: keyboard, mouse, phone, what each role finds, and what stays on the screen
// while a search is under way.
import { type Product, saveUser } from '@portal/contract';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { recordAnnouncements } from './harness/announcements.ts';
import { arriveSignedIn, keepPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { holdCalls, holdTimers } from './harness/hold.ts';
import { hasFocus, tabTo } from './harness/keyboard.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { openMember } from './harness/team.ts';

const HOLDER = 'lindqvist@learner.example';
const OTHER = 'lina@learner.example';
const HELD = 'TQWL-3V9R-LQ27';
const FREE = 'TQWL-7K4M-92XF';
const PHONE = { width: 390, height: 844 };
const PATH = '/api/admin/find';
const EVERYTHING = 'Search people, codes, products';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));
let product: Product;
let holder: string;

beforeAll(async () => {
  product = await fixture.admin.addProduct({ name: 'Lindentool', url: 'linden.example/offer' });
  await fixture.admin.importCodes(product, [HELD, FREE]);
  for (const [email, name] of [
    [HOLDER, 'Jonas Lindqvist'],
    [OTHER, 'Lina Adeyemi'],
  ] as const)
    await fixture.admin.call(saveUser, {
      body: { email, name, phone_number: null, product_ids: [product.product_id] },
    });
  await fixture.admin.giveCode(HOLDER, product);
  const user = (await fixture.admin.listUsers()).find(({ email }) => email === HOLDER);
  holder = `/admin/users/${user?.user_id}`;
});

beforeEach(async () => {
  await staff.page.setViewportSize({ width: 1280, height: 720 });
  await staff.page.goto('/admin');
  await fieldOf(staff.page).waitFor();
});

const fieldOf = (page: Page, name = EVERYTHING) => page.getByRole('combobox', { name, exact: true });
const listOf = (page: Page) => page.getByRole('listbox', { name: 'Results' });
const optionsOf = (page: Page) => listOf(page).getByRole('option');
/** Returns the text of the result that `aria-activedescendant` names. */
const activeOf = (page: Page) =>
  page.evaluate(() => {
    const id = document.activeElement?.getAttribute('aria-activedescendant');
    const active = id ? document.getElementById(id) : null;
    return active?.getAttribute('aria-selected') === 'true' ? active.textContent : null;
  });
const waitForPath = (page: Page, path: string) =>
  page.waitForURL((url) => url.pathname + url.search === path);

test('R-FIND-03: with the keyboard alone: `/`, text, arrows that wrap, Home and End in the text, Enter', async () => {
  const { page } = staff;
  const listAnnouncements = await recordAnnouncements(page);
  await page.keyboard.press('/');
  expect(await hasFocus(fieldOf(page))).toBe(true);
  expect(await fieldOf(page).inputValue()).toBe('');
  await page.keyboard.type('lin');
  await optionsOf(page).nth(2).waitFor();
  // People whose address begins with the text come before the product. The first result is active at once.
  expect(
    await listOf(page)
      .getByRole('group')
      .evaluateAll((groups) => groups.map((each) => each.ariaLabel)),
  ).toEqual(['People', 'Products']);
  await expect.poll(() => activeOf(page)).toContain(OTHER);
  expect(await fieldOf(page).getAttribute('aria-expanded')).toBe('true');
  await expect.poll(listAnnouncements).toContain('polite: 3 results');
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => activeOf(page)).toContain('Lindentool');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => activeOf(page)).toContain(OTHER);
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => activeOf(page)).toContain(HOLDER);
  await page.keyboard.press('Home');
  expect(await fieldOf(page).evaluate((field: HTMLInputElement) => field.selectionStart)).toBe(0);
  await page.keyboard.press('End');
  expect(await fieldOf(page).evaluate((field: HTMLInputElement) => field.selectionStart)).toBe(3);
  expect(await activeOf(page)).toContain(HOLDER);
  await page.keyboard.press('Enter');
  await waitForPath(page, holder);
  await listOf(page).waitFor({ state: 'detached' });
});

test('R-FIND-03: a product opens its page, which then has the focus; with Ctrl+Enter in a new tab', async () => {
  const { page } = staff;
  await page.keyboard.press('/');
  await page.keyboard.type('lindent');
  await optionsOf(page).waitFor();
  await see(listOf(page), 'linden.example/offer');
  const [tab] = await Promise.all([staff.context.waitForEvent('page'), page.keyboard.press('Control+Enter')]);
  await waitForPath(tab, `/admin/products/${product.product_id}`);
  await tab.close();
  expect(await hasFocus(fieldOf(page))).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Lindentool', level: 1 }).waitFor();
  expect(await fieldOf(page).inputValue()).toBe('');
  expect(await hasFocus(page.getByRole('main'))).toBe(true);
});

test('R-FIND-03: two clicks and one paste lead from any staff page to the page of a code', async () => {
  const { page } = staff;
  for (const path of ['/admin/products', '/admin/users', `/admin/products/${product.product_id}`]) {
    await page.goto(path);
    await page.evaluate((text) => navigator.clipboard.writeText(text), ` ${HELD.toLowerCase()} `);
    await fieldOf(page).click();
    await page.keyboard.press('Control+V');
    await see(listOf(page), 'Lindentool, held by Jonas Lindqvist', '••••LQ27', 'Code ending in LQ27');
    await optionsOf(page).click();
    await page.getByRole('heading', { name: 'Code ending in LQ27', level: 1 }).waitFor();
  }
});

test('R-DAY-34: Enter on a free code opens its page, also from the list of codes; a part of a code finds nothing', async () => {
  const { page } = staff;
  const nav = page.getByRole('navigation', { name: 'Admin' });
  await nav.getByRole('link', { name: 'Coupons', exact: true }).click();
  await page.getByRole('heading', { name: 'Existing Coupons' }).waitFor();
  await fieldOf(page).fill(FREE.slice(0, -1));
  await see(
    page,
    `Nothing found for ‘${FREE.slice(0, -1)}’`,
    /A code is found only when it is typed whole\.$/,
  );
  expect(await fieldOf(page).getAttribute('aria-expanded')).toBe('false');
  await fieldOf(page).fill(FREE);
  await see(listOf(page), 'Lindentool, available');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Code ending in 92XF', level: 1 }).waitFor();
  await listOf(page).waitFor({ state: 'detached' });
  expect(await hasFocus(page.getByRole('main'))).toBe(true);
});

test('R-FIND-03: Enter before the results have arrived opens the first result of the typed text, not an old one', async () => {
  const { page } = staff;
  await fieldOf(page).fill('lina');
  await see(listOf(page), OTHER);
  const release = await holdCalls(page, `**${PATH}?*`);
  await fieldOf(page).fill('lindqvist@');
  await page.keyboard.press('Enter');
  // The old result stays until the new one arrives, with a spinner.
  await expect.poll(() => staff.countCalls(PATH)).toBeGreaterThan(0);
  await page.locator('search .spinner').waitFor();
  await see(listOf(page), OTHER);
  expect(new URL(page.url()).pathname).toBe('/admin');
  release();
  await waitForPath(page, holder);
});

test('R-FIND-03: a late reply to an earlier text never replaces the results of the typed text', async () => {
  const { page } = staff;
  const release = await holdCalls(page, `**${PATH}?q=lina`);
  const asked = page.waitForRequest(`**${PATH}?q=lina`);
  await fieldOf(page).fill('lina');
  await asked;
  await fieldOf(page).fill('lindq');
  await see(listOf(page), HOLDER);
  const late = page.waitForResponse(`**${PATH}?q=lina`);
  release();
  await (await late).finished();
  expect(await optionsOf(page).allTextContents()).toEqual([expect.stringContaining(HOLDER)]);
});

test('R-FIND-03: the field searches only after a pause of 150 ms, from two characters, once a text', async () => {
  const person = await openMember(fixture, 'owner', 'noor@provider.example', '/admin');
  const { page } = person;
  const timers = await holdTimers(page, 150);
  await page.reload();
  await fieldOf(page).click();
  await page.keyboard.type('lindqvist');
  await timers.waitForOne();
  expect(person.countCalls(PATH)).toBe(0);
  await timers.release();
  await see(listOf(page), HOLDER);
  expect(person.countCalls(PATH)).toBe(1);
  await fieldOf(page).fill('l');
  await listOf(page).waitFor({ state: 'detached' });
  await timers.release();
  expect(person.countCalls(PATH)).toBe(1);
});

test('R-FIND-03: Escape empties the field, then leaves it and gives the focus back; a click elsewhere closes the results', async () => {
  const { page } = staff;
  const refresh = page.getByRole('button', { name: 'Refresh' });
  await refresh.focus();
  await page.keyboard.press('/');
  await page.keyboard.type('lin');
  await listOf(page).waitFor();
  await page.keyboard.press('Escape');
  await listOf(page).waitFor({ state: 'detached' });
  expect([await fieldOf(page).inputValue(), await hasFocus(fieldOf(page))]).toEqual(['', true]);
  await page.keyboard.press('Escape');
  expect(await hasFocus(refresh)).toBe(true);
  await fieldOf(page).fill('lin');
  await listOf(page).waitFor();
  await page.getByRole('heading', { level: 1 }).click();
  await listOf(page).waitFor({ state: 'detached' });
  expect(await fieldOf(page).inputValue()).toBe('lin');
  await fieldOf(page).click();
  await listOf(page).waitFor();
});

test('R-FIND-03: `/` is a character where the user types, and does nothing while a dialog is open', async () => {
  const { page } = staff;
  await page.goto('/admin/products?open=add');
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.click();
  await page.keyboard.type('a/b');
  expect(await name.inputValue()).toBe('a/b');
  await page.goto(`/admin/products/${product.product_id}`);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByRole('alertdialog').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).focus();
  await page.keyboard.press('/');
  expect(await hasFocus(page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }))).toBe(true);
});

test('R-FIND-03, R-DAY-60: Tab goes along the row: the entries, the field, Logout, the menu of the account', async () => {
  const { page } = staff;
  await page.reload();
  await fieldOf(page).waitFor();
  await tabTo(page, page.getByRole('link', { name: 'Back to Website' }));
  for (const next of [
    fieldOf(page),
    page.getByRole('button', { name: 'Logout' }),
    page.getByRole('button', { name: 'Account' }),
  ]) {
    await page.keyboard.press('Tab');
    expect(await hasFocus(next)).toBe(true);
  }
});

test('R-FIND-03: on a phone a button opens the field over the page; Cancel closes it and gives the focus back', async () => {
  const { page } = staff;
  await page.setViewportSize(PHONE);
  const opener = page.getByRole('button', { name: 'Search', exact: true });
  expect(await fieldOf(page).isVisible()).toBe(false);
  await opener.click();
  expect(await hasFocus(fieldOf(page))).toBe(true);
  await page.keyboard.type('lin');
  await optionsOf(page).nth(2).waitFor();
  expect(await page.locator('search').boundingBox()).toEqual({ x: 0, y: 0, ...PHONE });
  await page.getByRole('button', { name: 'Cancel' }).click();
  await listOf(page).waitFor({ state: 'detached' });
  expect(await fieldOf(page).isVisible()).toBe(false);
  expect(await hasFocus(opener)).toBe(true);
  await opener.click();
  await page.keyboard.type('lindentool');
  await optionsOf(page).filter({ hasText: 'Lindentool' }).click();
  await page.getByRole('heading', { name: 'Lindentool', level: 1 }).waitFor();
  await opener.waitFor();
});

test('R-FIND-03: a failed search says so, and Enter repeats it', async () => {
  const { page } = staff;
  staff.allowComplaint(/500/);
  await page.route(`**${PATH}?*`, (route) => route.fulfill({ status: 500, json: { message: 'Broken' } }));
  await fieldOf(page).fill('lindq');
  await see(page.locator('search'), 'This did not load', 'Please check your connection and try again.');
  await page.unroute(`**${PATH}?*`);
  await page.keyboard.press('Enter');
  await waitForPath(page, holder);
});

test('R-FIND-03: a viewer finds products only; no page for learners loads the search', async () => {
  const person = await openMember(fixture, 'viewer', 'hanne@provider.example', '/admin');
  const { page } = person;
  await fieldOf(page, 'Search products').fill('lin');
  await optionsOf(page).waitFor();
  expect(await listOf(page).getByRole('group').count()).toBe(1);
  await fieldOf(page, 'Search products').fill(HELD);
  await see(page, 'Type the beginning of a product’s name, or of a word in it.');
  await page.getByRole('link', { name: 'Back to Website' }).click();
  await page.getByRole('navigation', { name: 'Admin' }).waitFor({ state: 'detached' });
  expect(await page.getByRole('combobox').count()).toBe(0);
});

test('the search with results, without results and after a failure: no axe violation, nothing cut off, covered, too small or moving', async () => {
  const { page } = staff;
  staff.allowComplaint(/500/);
  await expectNoDefect(page);
  await page.keyboard.press('/');
  for (const [text, words] of [
    ['lin', HOLDER],
    [HELD, '••••LQ27'],
    ['nobody', 'Nothing found for ‘nobody’'],
  ] as const) {
    await fieldOf(page).fill(text);
    await see(page.locator('search'), words);
    await expectNoDefect(page, { isInBothThemes: true });
  }
  await page.route(`**${PATH}?*`, (route) => route.fulfill({ status: 500, json: { message: 'Broken' } }));
  await fieldOf(page).fill('broken');
  await see(page.locator('search'), 'This did not load');
  await expectNoDefect(page);
});
