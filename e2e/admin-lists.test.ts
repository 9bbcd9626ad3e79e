// Tests lists and tabs when clicks come faster than responses: the last click wins, and the focus is never lost.
import { setProductStatus } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { choose, csv, fileInput, openAdminPage } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, openPerson, see, WELL_AFTER_ANY_DELAY_MS } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { hasFocus } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

/** 1280 px at 400 % zoom are 320 px (WCAG 1.4.10). */
const NARROW = { width: 320, height: 640 };

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

const button = (page: Page, name: string) => page.getByRole('button', { name });
const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name });
const countSteps = (page: Page) => page.evaluate(() => history.length);

/** Creates a product with 65 codes and opens the first page of its codes. */
async function openCodes(name: string): Promise<Page> {
  const product = await fixture.admin.addProduct({ name });
  await fixture.admin.addCodes(product, ...Array.from({ length: 65 }, (_code, index) => `${name}-${index}`));
  const { page } = staff;
  await page.goto('/admin/coupons');
  await choose(page.getByLabel('Only codes of'), name);
  await see(page, '1–20 of 65');
  return page;
}

/** Clicks all links in one task of the event loop, so that the page cannot react between the clicks. */
async function pressAtOnce(...links: Locator[]): Promise<void> {
  const elements = await Promise.all(links.map((link) => link.elementHandle()));
  await links[0]?.page().evaluate((pressed) => {
    for (const element of pressed) (element as HTMLElement).click();
  }, elements);
}

test('two clicks on Next before the response move one page, and the position matches the rows shown', async () => {
  const page = await openCodes('Swift');
  const rows = page.getByRole('table', { name: 'Coupons' }).getByText(/^Swift-\d+$/);
  const first = await rows.allTextContents();
  const letThrough = await holdCalls(page, /\/api\/coupons\?/);
  await button(page, 'Next').click();
  await button(page, 'Next').click();
  await see(page, '1–20 of 65');
  letThrough();
  await see(page, '21–40 of 65');
  const second = await rows.allTextContents();
  await button(page, 'Next').click();
  await see(page, '41–60 of 65');
  const third = await rows.allTextContents();
  expect(new Set([...first, ...second, ...third]).size).toBe(60);
});

test('R-DAY-13: a page has 20, 50 or 100 rows, and this browser keeps the choice for all lists', async () => {
  const page = await openCodes('Sized');
  await button(page, 'Next').click();
  await see(page, '21–40 of 65');
  // The cursors of the address belong to pages of 20 rows, so the list begins again.
  await page.getByLabel('Rows a page').selectOption('50');
  await see(page, '1–50 of 65');
  await button(page, 'Next').click();
  await see(page, '51–65 of 65');
  // Back leads to an address with a place between pages of 50 rows.
  await page.getByLabel('Rows a page').selectOption('20');
  await see(page, '1–20 of 65');
  await page.goBack();
  await see(page, '1–20 of 65');
  await page.getByLabel('Rows a page').selectOption('50');
  await page.goto('/admin/coupons');
  await see(page, /^1–50 of /);
  await page.getByLabel('Rows a page').selectOption('100');
  await see(page, /^1–100 of /);
  await page.reload();
  await see(page, /^1–100 of /);
  await page.getByLabel('Rows a page').selectOption('20');
  await see(page, /^1–20 of /);
});

test('a filter chosen while a search is still being typed is kept together with the search', async () => {
  const page = await openCodes('Keen');
  await page.getByRole('searchbox').fill('keen-1');
  await button(page, 'Available').click();
  await see(page, '1–11 of 11');
  expect(new URL(page.url()).searchParams.get('status')).toBe('available');
});

test('R-FIND-01: the search field keeps what is typed, and shows another search only if the page has one', async () => {
  const product = await fixture.admin.addProduct({ name: 'Tool of Jonas' });
  await fixture.admin.addLearner('jonas.l@acme.example', product);
  const { page } = staff;
  await page.clock.install();
  await page.goto('/admin/users');
  const search = page.getByRole('searchbox', { name: 'Search people' });
  const readSearch = () => new URL(page.url()).searchParams.get('q');
  await search.pressSequentially('jonas ');
  await expect.poll(readSearch).toBe('jonas');
  await see(page, '1–1 of 1');
  await search.pressSequentially('l');
  await expect.poll(readSearch).toBe('jonas l');
  expect(await search.inputValue()).toBe('jonas l');

  // Enter searches at once and keeps the spaces too.
  await search.fill('  nobody ');
  await search.press('Enter');
  await see(page, 'No people match.');
  expect(await search.inputValue()).toBe('  nobody ');
  await button(page, 'Show all people').click();
  await expect.poll(() => search.inputValue()).toBe('');
  // The earlier search, which the Back button restores, replaces the text in the field.
  await search.pressSequentially('x');
  await page.evaluate(() => history.back());
  await expect.poll(() => search.inputValue()).toBe('nobody');
  await page.clock.runFor(WELL_AFTER_ANY_DELAY_MS);
  expect([readSearch(), await search.inputValue()]).toEqual(['nobody', 'nobody']);
});

test('the focus stays on Next and Previous after use, also on the first page, and moves to the main area after Show all', async () => {
  const page = await openCodes('Calm');
  await button(page, 'Next').press('Enter');
  await see(page, '21–40 of 65');
  await button(page, 'Previous').press('Enter');
  await see(page, '1–20 of 65');
  expect(await hasFocus(button(page, 'Previous'))).toBe(true);
  await button(page, 'Previous').press('Enter');
  await page.getByRole('searchbox').fill('nothing like it');
  await see(page, 'No codes match.');
  await button(page, 'Show all codes').press('Enter');
  await see(page, /^1–20 of/);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
});

test('Dismiss removes the summary of an import and moves the focus to the page', async () => {
  const { page } = staff;
  await page.goto('/admin/products?open=upload');
  await fileInput(page).setInputFiles(
    csv('one.csv', 'name,url,description', 'Quiet,https://quiet.example,Q'),
  );
  await button(page, 'Dismiss').press('Enter');
  await button(page, 'Dismiss').waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
});

test('when several tabs are clicked at once, the last one opens, and Back needs one step', async () => {
  const { page } = staff;
  await page.goto('/admin');
  const before = await countSteps(page);
  await pressAtOnce(tab(page, 'Products'), tab(page, 'Users'));
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
  expect(await countSteps(page)).toBe(before + 1);
  await tab(page, 'Users').click();
  await openAdminPage(page, 'Coupons');
  expect(await countSteps(page), 'the tab of this page is no step').toBe(before + 2);
  await pressAtOnce(tab(page, 'Products'), page.getByRole('link', { name: 'Back to Website' }));
  await page.waitForURL((url) => url.pathname === '/');
  await see(page, 'Your Partner Benefits');
  expect(new URL(page.url()).pathname).toBe('/');
});

test('at 320 px a list fits into its card, and a long name fits into its cell', async () => {
  const page = await openCodes('A product whose name is longer than a phone is wide');
  await page.setViewportSize(NARROW);
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  const edge = (locator: Locator) => locator.evaluate((element) => element.getBoundingClientRect().right);
  const card = page.locator('section', { has: page.getByRole('searchbox') }).last();
  await page.getByRole('button', { name: /^Filters/ }).click();
  expect(await edge(page.getByRole('main').getByRole('group'))).toBeLessThan(await edge(card));
  expect(await overflow()).toBe(0);
  await openAdminPage(page, 'Products');
  const cell = page.getByRole('rowheader', { name: /^A product whose/ });
  expect(await edge(cell.locator('span').last())).toBeLessThanOrEqual(await edge(cell));
});

test('at 320 px in German the name of a product is a link beside its whole tag', async () => {
  const product = await fixture.admin.addProduct({ name: 'Zeitplan Werkzeug für Gruppen' });
  const body = { status: 'paused', note: null } as const;
  await fixture.admin.call(setProductStatus, { params: { id: product.product_id }, body });
  const person = await openPerson(fixture, { locale: 'de-DE' });
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin');
  await page.setViewportSize(NARROW);
  await page.goto('/admin/products?q=zeitplan');
  const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: /^Zeitplan/ }) });
  const link = (await row.getByRole('rowheader').getByRole('link').boundingBox()) ?? {
    x: 0,
    width: 0,
    height: 0,
  };
  const tag = (await row.getByRole('cell').getByText('Pausiert').boundingBox()) ?? { x: 0, width: 0 };
  const card = (await page.getByRole('region', { name: 'Vorhandene Produkte' }).boundingBox()) ?? {
    x: 0,
    width: 0,
  };
  expect(link.width).toBeGreaterThan(80);
  expect(link.height).toBeGreaterThanOrEqual(24);
  expect(tag.x).toBeGreaterThanOrEqual(link.x + link.width);
  expect(tag.x + tag.width).toBeLessThanOrEqual(card.x + card.width);
});

test('on a phone the row of filters scrolls sideways to the pressed one, and the page stays', async () => {
  const person = await openPerson(fixture, { viewport: NARROW });
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin');
  await page.goto('/admin/coupons?status=void');
  await page.getByRole('button', { name: 'Filters (1)' }).click();
  const row = page.getByRole('group', { name: 'Status' });
  const isWhole = (name: RegExp) =>
    row.getByRole('button', { name, pressed: true }).evaluate((pressed) => {
      const frame = pressed.parentElement?.getBoundingClientRect();
      const { left, right } = pressed.getBoundingClientRect();
      return frame && left >= frame.left && right <= frame.right;
    });
  await row.getByRole('button', { name: /^Void \d/ }).waitFor();
  expect(await isWhole(/^Void/)).toBe(true);
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await page.getByRole('button', { name: 'Show all codes' }).click();
  await expect.poll(() => isWhole(/^All/)).toBe(true);
});

test.each(['Dashboard', 'Products', 'Users', 'Coupons'] as const)(
  'A-86: %s shows the time of its data, and Refresh loads the data again',
  async (name) => {
    const person = await openPerson(fixture);
    const { page } = person;
    await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin');
    await openAdminPage(page, name);
    const time = page.getByText(/^As of \d/).first();
    await time.waitFor();
    const before = await time.textContent();
    const added = `${name} of another`;
    const product = await fixture.admin.addProduct({ name: added });
    await fixture.admin.addLearner(`${name}@another.example`.toLowerCase(), product);
    await fixture.admin.addCodes(product, `${name}-another`);
    await page.clock.setFixedTime(Date.now() + 10 * 60_000);
    await button(page, 'Refresh').click();
    const shown = {
      Dashboard: added,
      Products: added,
      Users: 'users@another.example',
      Coupons: 'Coupons-another',
    };
    await see(page.getByRole('main'), shown[name]);
    await expect.poll(() => time.textContent()).not.toBe(before);
    // Waits until a live region announces the new time ('As of ...') to screen readers.
    await page
      .getByRole('status')
      .filter({ hasText: /^As of \d/ })
      .waitFor({ state: 'attached' });
  },
);

test('at 768 px no word of a table is broken, each row has a header, and the least needed column is left out', async () => {
  const { page } = staff;
  const product = await fixture.admin.addProduct({
    name: 'Collaborative documentation',
    description: 'Understandable recommendations throughout internationalisation and straightforward',
    url: 'partner.example/redemption/of/benefits/for-learners-of-2026/spring',
  });
  // These codes fill the first page.
  const codes = Array.from({ length: 20 }, (_code, index) => `TQWL-7K4M-92${index}`);
  const lines = codes.map((code) => `${code},2099-09-30`);
  await fixture.admin.importFile(product, 'a-list.csv', 'coupon_code,use_by', ...lines);
  await fixture.admin.addLearner('a.long.address.of.a.learner@cohort.example', product);
  await fixture.admin.giveCode('a.long.address.of.a.learner@cohort.example', product);
  await fixture.admin.call(setProductStatus, {
    params: { id: product.product_id },
    body: { status: 'paused', note: null },
  });
  await page.setViewportSize({ width: 768, height: 1024 });
  // Loads the lists again: the cached ones do not contain these rows.
  await page.goto('/admin');
  for (const name of ['Products', 'Users', 'Coupons'] as const) {
    await openAdminPage(page, name);
    const table = page.getByRole('table', { name });
    await table.waitFor();
    expect(await table.evaluate(listBrokenWords), name).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), name).toBe(0);
    const rows = await table.getByRole('row').count();
    expect(await table.getByRole('rowheader').count()).toBe(rows - 1);
  }
  const heads = (table = page.getByRole('table')) => table.getByRole('columnheader').allInnerTexts();
  await page.getByRole('link', { name: 'Uploads', exact: true }).click();
  await page.getByRole('rowheader', { name: 'a-list.csv' }).waitFor();
  expect(await heads()).toEqual(['File', 'Product', 'Result', 'Uploaded']);
  await openAdminPage(page, 'Products');
  expect(await heads(page.getByRole('table', { name: 'Products' }))).toEqual([
    'Name',
    'Codes left',
    'Last 30 days',
    'Status',
  ]);
  const row = page.getByRole('row').filter({ hasText: 'Collaborative documentation' });
  expect((await row.getByRole('link').boundingBox())?.height, 'the name is on one line').toBeLessThan(32);
});

/** Runs in the page. Returns the words of up to 20 characters that are broken across two lines. */
function listBrokenWords(table: Element): string[] {
  const broken: string[] = [];
  const texts = document.createTreeWalker(table.querySelector('tbody') ?? table, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    for (const { 0: word, index } of text.data.matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (word.length <= 20 && range.getClientRects().length > 1) broken.push(word);
    }
  }
  return broken;
}

test('the number in the selected segment has enough contrast, in dark too', async () => {
  const { page } = staff;
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto('/admin/coupons');
  const pressed = page.getByRole('main').getByRole('button', { name: /^All/, pressed: true });
  await pressed.locator('span').waitFor();
  const [words, count] = await pressed.evaluate((button) =>
    [button, button.firstElementChild].map((each) => each && getComputedStyle(each).color),
  );
  expect(count).toBe(words);
});
