// Tests the cards above the staff lists: when they are open, and the keyboard. Also orders, and the stock.
import { type Product, setBatchUseBy } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { cardHeading, choose, chooseInMenu, openAdminPage, openCard } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, see, takeToast } from './harness/browser.ts';
import { addCohort, cohortPath } from './harness/cohorts.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { edit, setStatus } from './harness/products.ts';
import { dayIn } from './harness/states.ts';
import { openMember } from './harness/team.ts';

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

const box = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const openParameter = (page: Page) => new URL(page.url()).searchParams.get('open');

/** The cards of each page, and the first field of each card. */
const PAGES = {
  Products: {
    add: ['Add New Product', (page: Page) => box(page, 'Name')],
    upload: ['Bulk Upload Products', (page: Page) => button(page, 'Download Sample CSV')],
  },
  Users: {
    add: ['Add New User', (page: Page) => box(page, 'Email')],
    upload: ['Bulk Upload Users', (page: Page) => button(page, /^Products for all users/)],
    access: ['User Access Management', (page: Page) => page.getByLabel('User email')],
  },
  Coupons: {
    add: ['Add New Coupon', (page: Page) => box(page, 'Coupon Code')],
    upload: ['Bulk Upload Coupons', (page: Page) => page.getByLabel('Select Product for Bulk Upload*')],
  },
} as const;
const NAMES = ['Products', 'Users', 'Coupons'] as const;

/** Checks that the cards with these titles are open, and no others. */
const expectOpen = (page: Page, ...titles: string[]) =>
  expect.poll(() => page.locator('h2 > button[aria-expanded=true]').allInnerTexts()).toEqual(titles);

/** Checks that the whole element is in the window. */
async function expectInView(page: Page, element: Locator): Promise<void> {
  const isInView = async () => {
    const { y = -1, height = 0 } = (await element.boundingBox()) ?? {};
    return y >= 0 && y + height <= (page.viewportSize()?.height ?? 0);
  };
  await expect.poll(isInView).toBe(true);
}

test('R-DAY-01, N-207: above a list without rows the cards that add rows are open, and stay closed once somebody closes them', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Products');
  await see(page, 'No products found. Create your first product above.');
  await expectOpen(page, 'Add New Product', 'Bulk Upload Products');
  for (const name of ['Save Product', 'Select CSV File']) await button(page, name).waitFor();
  expect(openParameter(page)).toBeNull();
  await openAdminPage(page, 'Coupons');
  await see(page, 'No coupons found. Create your first coupon above.');
  await expectOpen(page, 'Add New Coupon', 'Bulk Upload Coupons');
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByRole('link', { name: 'Cohorts', exact: true }).click();
  await see(page, 'No cohorts found. Create your first cohort above.');
  await expectOpen(page, 'Add New Cohort');

  await openAdminPage(page, 'Products');
  await cardHeading(page, 'Add New Product').click();
  await expectOpen(page, 'Bulk Upload Products');
  await cardHeading(page, 'Bulk Upload Products').click();
  await expectOpen(page);
  await page.reload();
  await see(page, 'No products found. Create your first product above.');
  await expectOpen(page);
});

test('R-DAY-03: a new cohort opens its page, where an empty cohort has both cards open, and the members stand before the products', async () => {
  const { page } = staff;
  await page.goto('/admin/users/cohorts');
  await box(page, 'Name').fill('Opened');
  await button(page, 'Create Cohort').click();
  await takeToast(page, 'default', 'Success', 'Cohort created');
  await page.getByRole('heading', { level: 1, name: 'Opened' }).waitFor();
  expect(new URL(page.url()).pathname).toMatch(/^\/admin\/users\/cohorts\/[\da-f-]{36}$/);
  await see(page, 'Nobody is in this cohort yet.');
  await expectOpen(page, 'Add Members', 'Bulk Upload Users');
  const headings = page.getByRole('main').getByRole('heading', { level: 2 });
  const titles = ['Add Members', 'Bulk Upload Users', 'Members', 'Products', 'Timeline'];
  expect((await headings.allInnerTexts()).slice(0, 5)).toEqual(titles);
  const full = await addCohort(fixture, 'With a member', { members: ['member@list.example'] });
  await page.goto(cohortPath(full));
  await see(page, '1–1 of 1');
  await expectOpen(page);
});

test.each(NAMES)(
  'R-DAY-01: with closed cards, the heading of the list is in view without scrolling on %s',
  async (name) => {
    const { page } = staff;
    await fillLists();
    const cards = PAGES[name];
    for (const size of [DESKTOP, PHONE]) {
      await page.setViewportSize(size);
      await page.goto('/admin');
      await openAdminPage(page, name);
      await page.getByRole('table', { name }).waitFor();
      await expectOpen(page);
      for (const [title] of Object.values(cards)) await expectInView(page, cardHeading(page, title));
      await expectInView(page, page.getByRole('heading', { level: 2, name: `Existing ${name}` }));
      expect(await page.evaluate(() => scrollY)).toBe(0);
      const tops = await Promise.all(
        Object.values(cards).map(async ([title]) => (await cardHeading(page, title).boundingBox())?.y),
      );
      const rows = size === DESKTOP ? 1 : tops.length;
      expect(new Set(tops).size, 'one row, or one column on a phone').toBe(rows);
    }
    await page.setViewportSize(DESKTOP);
  },
);

/** Adds rows to each of the lists, so that their cards are closed. */
async function fillLists(): Promise<void> {
  const product = await fixture.admin.addProduct({ name: 'Filler' });
  await fixture.admin.addCodes(product, 'FILL-1', 'FILL-2');
}

test.each(NAMES)(
  'R-DAY-01, N-207: on %s a press opens a card, moves the focus to its first field and closes the card before; a reload and Back keep it',
  async (name) => {
    const { page } = staff;
    await page.goto('/admin');
    await openAdminPage(page, name);
    await page.getByRole('table', { name }).waitFor();
    for (const [parameter, [title, findFirst]] of Object.entries(PAGES[name])) {
      await cardHeading(page, title).click();
      await expectOpen(page, title);
      await expect.poll(() => hasFocus(findFirst(page)), title).toBe(true);
      expect(openParameter(page)).toBe(parameter);
      await page.reload();
      await findFirst(page).waitFor();
      await expectOpen(page, title);
      expect(await hasFocus(findFirst(page)), 'only a press moves the focus').toBe(false);
    }
    for (const [parameter, [title]] of Object.entries(PAGES[name]).slice(0, -1).reverse()) {
      await page.goBack();
      await expectOpen(page, title);
      expect(openParameter(page)).toBe(parameter);
    }
    await page.goBack();
    await expectOpen(page);
    expect(openParameter(page)).toBeNull();
    await page.goForward();
    const [first] = Object.values(PAGES[name]);
    await expectOpen(page, first[0]);
    await cardHeading(page, first[0]).click();
    await expectOpen(page);
    expect(await hasFocus(cardHeading(page, first[0]))).toBe(true);
  },
);

test.each(NAMES)(
  'R-DAY-02: on %s Escape closes a card whose form is untouched, and leaves a form that is not',
  async (name) => {
    const { page } = staff;
    await page.goto('/admin');
    await openAdminPage(page, name);
    await page.getByRole('table', { name }).waitFor();
    for (const [parameter, [title, findFirst]] of Object.entries(PAGES[name])) {
      // The card of an upload has no form.
      if (parameter === 'upload') continue;
      const heading = cardHeading(page, title);
      await heading.focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => hasFocus(findFirst(page))).toBe(true);
      await page.keyboard.press('Escape');
      await expectOpen(page);
      expect(await hasFocus(heading)).toBe(true);
      expect(openParameter(page)).toBeNull();

      await page.keyboard.press('Enter');
      await expect.poll(() => hasFocus(findFirst(page))).toBe(true);
      await page.keyboard.type('Half a word');
      await page.keyboard.press('Escape');
      await expectOpen(page, title);
      await heading.dblclick();
      expect(await findFirst(page).inputValue()).toBe('Half a word');
      await findFirst(page).fill('');
      await page.keyboard.press('Escape');
      await expectOpen(page);
    }
  },
);

test('R-DAY-02: Escape in the open menu of an untouched form closes the menu only', async () => {
  const { page } = staff;
  await page.goto('/admin/users?open=add');
  await button(page, /^Products(?! for)/).click();
  const choices = page.getByRole('checkbox', { name: 'Filler' });
  await choices.first().waitFor();
  await page.keyboard.press('Escape');
  await choices.first().waitFor({ state: 'detached' });
  await expectOpen(page, 'Add New User');
});

const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);

test.each(['viewer', 'support', 'owner'] as const)(
  'R-DAY-14: the tab Stock shows %s numbers of codes that add up in every row and in the total row',
  async (role) => {
    if (role === 'viewer') await addEachState();
    const email = `stock-${role}@provider.example`;
    const { page } = await openMember(fixture, role, email, '/admin/coupons');
    const table = page.getByRole('table', { name: 'Coupons per product' });
    // For a viewer, the section has only the stock.
    if (role === 'viewer') await table.waitFor();
    else await page.getByRole('link', { name: 'Stock', exact: true }).click();
    await page.waitForURL(role === 'viewer' ? '**/admin/coupons' : '**/admin/coupons/stock');
    const heads = ['Product', 'Codes', 'Free', 'Held', 'Revoked', 'Void', 'Expired', 'Stock'];
    await expect.poll(() => table.getByRole('columnheader').allInnerTexts()).toEqual(heads);
    const rows = await Promise.all(
      (await table.getByRole('row').all()).slice(1).map(async (row) => ({
        name: (await row.getByRole('rowheader').allInnerTexts())[0]?.split('\n')[0] ?? '',
        counts: (await row.getByRole('cell').allInnerTexts()).slice(0, 6).map(Number),
      })),
    );
    expect(rows).toContainEqual({ name: 'Each State', counts: [6, 1, 1, 1, 1, 2] });
    expect(rows.map(({ name }) => name)).not.toContain('Past State');
    for (const { name, counts } of rows) expect(sum(counts.slice(1)), name).toBe(counts[0]);
    const total = rows.pop();
    const sums = [0, 1, 2, 3, 4, 5].map((at) => sum(rows.map(({ counts }) => counts[at] ?? 0)));
    expect(total).toEqual({ name: 'All products', counts: sums });
  },
);

/** Creates a product that has codes in each state, and an archived product with codes. */
async function addEachState(): Promise<void> {
  const { admin } = fixture;
  const product = await admin.addProduct({ name: 'Each State' });
  await admin.addCodes(product, 'EACH-VOID');
  await admin.undo(product, 'EACH-VOID');
  for (const code of ['EACH-REVOKED', 'EACH-HELD']) {
    const email = `${code.toLowerCase()}@list.example`;
    await admin.addCodes(product, code);
    await admin.addLearner(email, product);
    await admin.giveCode(email, product);
    if (code === 'EACH-REVOKED') await admin.undo(product, code);
  }
  const id = await admin.importFile(product, 'each.csv', 'coupon_code', 'EACH-LATE-1', 'EACH-LATE-2');
  await admin.call(setBatchUseBy, { params: { id }, body: { use_by: '2020-01-31', expected: 2 } });
  await admin.addCodes(product, 'EACH-FREE');
  const archived = await admin.addProduct({ name: 'Past State' });
  await admin.importCodes(archived, ['PAST-1', 'PAST-2']);
  await setStatus(fixture, archived, 'archived');
}

const SAVES: [(typeof NAMES)[number], string, (page: Page, mark: string) => Promise<void>][] = [
  [
    'Products',
    'Save Product',
    async (page, mark) => {
      await box(page, 'Name').fill(`Saved ${mark}`);
      await box(page, 'URL').fill('saved.example');
      await box(page, 'Description').fill('Is saved.');
    },
  ],
  [
    'Users',
    'Save User',
    async (page, mark) => {
      await box(page, 'Email').fill(`saved-${mark}@list.example`);
      await box(page, 'Name').fill('Saved');
      await chooseInMenu(page, /^Products(?! for)/, 'Many 1');
    },
  ],
  [
    'Coupons',
    'Save Coupon',
    async (page, mark) => {
      await box(page, 'Coupon Code').fill(`SAVED-${mark}`);
      await choose(page.getByRole('combobox', { name: 'Product', exact: true }), 'Many 1');
    },
  ],
];

test.each(SAVES)(
  'R-DAY-02: after saving on %s, the form is open and empty, and the new row is marked and in view',
  async (name, save, fill) => {
    const { page } = staff;
    // More products than a page of the list has, all of which need attention.
    if (name === 'Products')
      for (let at = 0; at < 22; at += 1) await fixture.admin.addProduct({ name: `Many ${at}` });
    for (const size of [DESKTOP, PHONE]) {
      await page.setViewportSize(size);
      await page.goto('/admin');
      await openAdminPage(page, name);
      await page.getByRole('table', { name }).waitFor();
      const mark = String(size.width);
      const { add } = PAGES[name];
      await openCard(page, add[0]);
      await fill(page, mark);
      await button(page, save).click();
      const marked = page.getByRole('table', { name }).locator('[aria-current=true]');
      await marked.filter({ hasText: new RegExp(`saved.${mark}`, 'i') }).waitFor();
      await expectInView(page, marked);
      await expectOpen(page, add[0]);
      expect(openParameter(page)).toBe('add');
      for (const field of await page.locator('form').getByRole('textbox').all())
        expect(await field.inputValue()).toBe('');
    }
    await page.setViewportSize(DESKTOP);
  },
);

const rowNames = (page: Page) =>
  page.getByRole('table', { name: 'Products' }).getByRole('rowheader').allInnerTexts();

/** Creates a product of which `left` of `count` codes are free. The codes of the others are held. */
async function addOrdered(name: string, left: number, count: number): Promise<Product> {
  const product = await fixture.admin.addProduct({ name: `Order ${name}` });
  const codes = Array.from({ length: count }, (_code, at) => `${name}-${at}`);
  if (count > 0) await fixture.admin.importCodes(product, codes);
  for (let at = left; at < count; at += 1) {
    const email = `order-${at}@list.example`;
    await fixture.admin.addLearner(email, product);
    await fixture.admin.giveCode(email, product);
  }
  return product;
}

test('R-DAY-10, R-DAY-12: products come in the order of attention; a press on a heading sorts them, a second reverses the order, and the address keeps it', async () => {
  const { page } = staff;
  await addOrdered('Alpha', 3, 3);
  await addOrdered('Zulu', 2, 2);
  await edit(fixture, await addOrdered('Yankee', 4, 4), { closes_on: dayIn(13) });
  await edit(fixture, await addOrdered('Bravo', 5, 5), { closes_on: dayIn(40) });
  await addOrdered('Xray', 1, 12);
  await addOrdered('Whisky', 0, 0);
  await addOrdered('Victor', 0, 1);
  await fixture.admin.addProduct({ name: 'Order Shared', shared_coupon: true });
  const words = (...names: string[]) => names.map((name) => `Order ${name}`);
  const expectRows = (...names: string[]) => expect.poll(() => rowNames(page)).toEqual(words(...names));
  const usual = ['Victor', 'Whisky', 'Xray', 'Yankee', 'Alpha', 'Bravo', 'Shared', 'Zulu'];

  await page.goto('/admin/products?q=order');
  await expectRows(...usual);
  const heads = page.getByRole('table', { name: 'Products' }).getByRole('columnheader');
  expect(await heads.allInnerTexts()).toEqual([
    ...['Name', 'URL', 'Description', 'Shared Coupon', 'Codes left', 'Held', 'Last 30 days', 'Status'],
  ]);
  const readSorts = () => heads.evaluateAll((all) => all.map((head) => head.getAttribute('aria-sort')));
  expect(await readSorts()).toEqual(Array(8).fill('none'));
  const row = (name: string) => page.getByRole('row').filter({ hasText: `Order ${name}` });
  await see(row('Whisky'), 'None left', 'Add codes');
  await see(row('Xray'), 'Low');
  await see(row('Shared'), 'Shared');
  await see(row('Yankee'), /^until /);
  const meter = row('Xray').getByRole('meter', { name: 'Order Xray: codes left' });
  expect(await meter.getAttribute('aria-valuenow')).toBe('1');
  expect((await row('Xray').getByRole('cell').allInnerTexts()).slice(-3)).toEqual(['11', '0', 'Live']);

  const sortBy = (name: string) => heads.getByRole('button', { name, exact: true }).click();
  await sortBy('Codes left');
  const byLeft = ['Victor', 'Whisky', 'Xray', 'Zulu', 'Alpha', 'Yankee', 'Bravo', 'Shared'];
  await expectRows(...byLeft);
  expect((await readSorts())[4]).toBe('ascending');
  await sortBy('Codes left');
  // A shared code has no number, so it stays last.
  await expectRows('Bravo', 'Yankee', 'Alpha', 'Zulu', 'Xray', 'Victor', 'Whisky', 'Shared');
  expect((await readSorts())[4]).toBe('descending');
  expect(new URL(page.url()).search).toBe('?q=order&sort=-left');
  await page.reload();
  await expectRows('Bravo', 'Yankee', 'Alpha', 'Zulu', 'Xray', 'Victor', 'Whisky', 'Shared');
  expect((await readSorts())[4]).toBe('descending');
  await sortBy('Held');
  expect((await readSorts())[5], 'numbers of use begin with the largest').toBe('descending');
  expect((await rowNames(page)).slice(0, 2)).toEqual(words('Xray', 'Victor'));
  await page.goBack();
  await expectRows('Bravo', 'Yankee', 'Alpha', 'Zulu', 'Xray', 'Victor', 'Whisky', 'Shared');
  await sortBy('Codes left');
  await expectRows(...usual);

  for (const name of await heads.allInnerTexts()) {
    await sortBy(name);
    await expect.poll(async () => (await readSorts()).filter((sort) => sort !== 'none').length).toBe(1);
  }
});

test('R-DAY-12: a phone sorts the products with a select, because it shows no headings', async () => {
  const { page } = staff;
  await page.setViewportSize(PHONE);
  await page.goto('/admin/products?q=order');
  await button(page, 'Filters').click();
  await page.getByRole('combobox', { name: 'Sort by' }).selectOption({ label: 'Name, reversed' });
  await expect.poll(async () => (await rowNames(page))[0]).toBe('Order Zulu');
  expect(new URL(page.url()).searchParams.get('sort')).toBe('-name');
});
