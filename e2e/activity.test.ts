// Tests the log on the pages: the page 'Activity', and the timelines of a product and of an upload.
import { addNote, editProduct, importUsers, type Product, setProductStatus } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { choose } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { tabTo } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { openMember } from './harness/team.ts';

const PATH = '/admin/activity';
const JONAS = 'jonas@learner.example';
const PRIYA = 'priya@learner.example';
const LOOKED_AT = 5_000;

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));
let product: Product;
let upload: string;

const button = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true }).filter({ visible: true });
const lines = (page: Page) => page.getByRole('main').locator('ol > li');
const line = (page: Page, text: string | RegExp) => lines(page).filter({ hasText: text });
const filters = (page: Page) => page.getByRole('search', { name: 'Filter the activity' });
const details = (of: Locator) => of.getByRole('button', { name: /^Details/ });

beforeAll(async () => {
  const { admin } = fixture;
  product = await admin.addProduct({ name: 'Tarnquill' });
  const other = await admin.addProduct({ name: 'Lumifern' });
  upload = await admin.importFile(product, 'autumn.csv', 'coupon_code', 'TARN-AAAA-K5M7', 'TARN-BBBB-92XF');
  await admin.addLearner(JONAS, product, other);
  await admin.addLearner(PRIYA, product);
  await admin.giveCode(JONAS, product);
  const { product_id: id, status: _status, ...fields } = product;
  const body = { ...fields, use_by_default: null, description: 'Another description', version: 1 };
  await admin.call(editProduct, { params: { id }, body });
});

/** Waits until the list shows the lines of the current filters. */
async function settle(page: Page): Promise<void> {
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
}

test('R-TRAIL-52, R-TRAIL-51: Activity is a tab of the dashboard and shows everything, with what each line is about', async () => {
  const { page } = staff;
  await page.goto('/admin');
  await page.getByRole('navigation', { name: 'Section' }).getByRole('link', { name: 'Activity' }).click();
  await page.waitForURL(`**${PATH}`);
  await page.getByRole('heading', { level: 3, name: /^Today, / }).waitFor();

  const given = line(page, 'was given a code of Tarnquill (…K5M7)');
  await see(given, 'Lea Lerner', ADMIN_EMAIL);
  expect(await given.locator('time').getAttribute('title')).toMatch(/\d:\d\d:\d\d/);
  await see(page, /^As of /, /^Back to /);
  expect(await page.title()).toContain('Activity');
  const dashboard = page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name: 'Dashboard' });
  expect(await dashboard.getAttribute('aria-current')).toBe('page');
});

test('R-TRAIL-51: Details shows old and new values, the way and the number of the line; several can be open', async () => {
  const { page } = staff;
  await page.goto(PATH);
  const edited = line(page, 'product changed');
  await details(edited).click();
  const row = edited.getByRole('row', { name: /^Description/ });
  await see(row, /Drafts, edits and summarises for you\.$/, /Another description$/);
  await see(edited, /^Way/, /^From/, /^At/, /^Line/);
  expect(await details(edited).getAttribute('aria-expanded')).toBe('true');
  await details(line(page, 'was given a code of Tarnquill')).click();
  await see(line(page, 'was given a code of Tarnquill'), /^Way/);
  await row.waitFor();
  await details(edited).click();
  await row.waitFor({ state: 'hidden' });

  await page.goto(`${PATH}?person=${JONAS}`);
  const given = line(page, 'was given access to 2 products');
  await see(given, 'Lea Lerner');
  await details(given).click();
  await see(given, /Tarnquill, Lumifern|Lumifern, Tarnquill/);
});

test('R-TRAIL-52, N-73: filters are in the address, apply at once and exclude one another; reload, Back and Clear work', async () => {
  const { page } = staff;
  await page.goto(PATH);
  await line(page, 'product changed').waitFor();
  await choose(filters(page).getByLabel('What'), 'Codes');
  await page.waitForURL(`**${PATH}?what=codes`);
  await line(page, 'product changed').waitFor({ state: 'detached' });
  await line(page, 'was given a code').waitFor();

  await filters(page).getByLabel('Person').fill(PRIYA);
  await page.waitForURL((url) => url.searchParams.get('person') === PRIYA);
  await see(page, 'Nothing in the log matches.');
  await choose(filters(page).getByLabel('What'), 'Everything');
  await line(page, 'was given access to Tarnquill').waitFor();

  await choose(filters(page).getByLabel('Product'), 'Tarnquill');
  await page.waitForURL(`**${PATH}?product=${product.product_id}`);
  expect(await filters(page).getByLabel('Person').inputValue()).toBe('');
  await line(page, 'product changed').waitFor();
  await page.reload();
  await line(page, 'product changed').waitFor();
  expect(await filters(page).getByLabel('Product').inputValue()).toBe(product.product_id);

  await choose(filters(page).getByLabel('Who'), ADMIN_EMAIL);
  await page.waitForURL((url) => !url.searchParams.has('product'));
  await page.goBack();
  await page.waitForURL(`**${PATH}?product=${product.product_id}`);
  expect(await filters(page).getByLabel('Who').inputValue()).toBe('');

  await filters(page).getByLabel('From').fill('2030-01-01');
  await see(page, 'Nothing in the log matches.');
  await button(filters(page), 'Clear').click();
  await page.waitForURL(`**${PATH}`);
  await line(page, 'product changed').waitFor();
  expect(await button(filters(page), 'Clear').count()).toBe(0);
});

test('an address that is not whole or that nobody has is never an error', async () => {
  const { page } = staff;
  staff.allowComplaint(/404/);
  await page.goto(PATH);
  await line(page, 'product changed').waitFor();
  const person = filters(page).getByLabel('Person');
  await person.fill('jonas');
  await person.press('Enter');
  await see(filters(page), 'Enter a whole email address');
  expect(new URL(page.url()).search).toBe('');
  await person.fill('nobody@learner.example');
  await see(page, 'Nothing in the log matches.');
  await button(page.getByRole('main'), 'Clear').last().click();
  await line(page, 'product changed').waitFor();
});

test('R-TRAIL-05: a manager downloads what matches as CSV; the download is in the log itself', async () => {
  const { page } = staff;
  await page.goto(`${PATH}?product=${product.product_id}`);
  await line(page, 'product changed').waitFor();
  const download = page.waitForEvent('download');
  await button(page, 'Download CSV').click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('activity.csv');
  const text = Buffer.concat(await (await file.createReadStream()).toArray()).toString('utf8');
  const [head = '', ...rows] = text.replace('\uFEFF', '').trim().split('\r\n');
  expect(head).toBe('id,at,actor,action,via,ip,person,product,coupon,cohort,batch,detail');
  expect(rows.length).toBeGreaterThan(2);
  expect(rows.filter((row) => !row.includes('Tarnquill'))).toEqual([]);
  await page.goto(PATH);
  await line(page, 'log downloaded as CSV').waitFor();
});

test('R-TRAIL-03, R-TEAM-32: support has no download and sees no address of the net; a viewer has no tab', async () => {
  const support = await openMember(fixture, 'support', 'ravi@team.example', PATH);
  const edited = line(support.page, 'product changed');
  await details(edited).click();
  await see(edited, /^Way/);
  expect(await edited.getByText(/^From/).count()).toBe(0);
  expect(await button(support.page, 'Download CSV').count()).toBe(0);

  const viewer = await openMember(fixture, 'viewer', 'hanne@team.example', '/admin');
  await see(viewer.page, 'Stock left');
  expect(await viewer.page.getByRole('navigation', { name: 'Section' }).count()).toBe(0);
  await viewer.page.goto(PATH);
  await see(viewer.page, 'Nothing here for your role.');
  await viewer.page.goto(`/admin/products/${product.product_id}`);
  await see(viewer.page, 'Open product page');
  expect(await viewer.page.getByRole('heading', { name: 'Timeline' }).count()).toBe(0);
});

test('R-TRAIL-52, R-TRAIL-51: the page of a product has its timeline; a chip filters it and stays in the address', async () => {
  const { page } = staff;
  await page.goto(`/admin/products/${product.product_id}`);
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await see(timeline, 'was given a code (…K5M7)', 'product changed');
  // A short timeline has nothing to filter.
  expect(await timeline.getByRole('group', { name: 'Show' }).count()).toBe(0);
  await addNotes(10);
  await button(timeline, 'Refresh').click();
  await button(timeline, 'Codes').click();
  await page.waitForURL('**?show=codes');
  await line(page, 'product changed').waitFor({ state: 'detached' });
  await see(timeline, 'was given a code (…K5M7)');
  await page.reload();
  expect(await button(timeline, 'Codes').getAttribute('aria-pressed')).toBe('true');
  await button(timeline, 'Notes').click();
  await see(timeline, 'Note 10');
  await page.goBack();
  await see(timeline, 'was given a code (…K5M7)');
  await button(timeline, 'All').click();
  await line(page, 'product changed').waitFor();

  // A change on the page is in its timeline at once.
  await button(page, 'Pause').click();
  await page
    .getByRole('dialog')
    .or(page.getByRole('alertdialog'))
    .getByRole('button', { name: /^Pause/ })
    .click();
  await line(page, 'product paused').waitFor();
  await fixture.admin.call(setProductStatus, {
    params: { id: product.product_id },
    body: { status: 'live', note: null },
  });
  await button(timeline, 'Refresh').click();
  await line(page, 'product resumed').waitFor();
});

test('R-TRAIL-52: the page of an upload has its timeline, without the column About', async () => {
  const { page } = staff;
  await page.goto(`/admin/coupons/uploads/${upload}`);
  const timeline = page.getByRole('region', { name: 'Timeline' });
  const finished = line(page, '2 codes added by file autumn.csv');
  await details(finished).waitFor();
  expect(await finished.getByText('autumn.csv', { exact: true }).count()).toBe(0);
  await page.goto(`/admin/coupons/uploads/${upload}?show=notes`);
  await see(timeline, 'Nothing has happened yet.');
});

test('R-TRAIL-51: three placeholders while loading; an error can be tried again', async () => {
  const { page } = staff;
  const release = await holdCalls(page, '**/api/admin/audit?*');
  await page.goto(`/admin/products/${product.product_id}`);
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await see(timeline, 'Loading...');
  expect(await timeline.locator('ol > li').count()).toBe(3);
  release();
  await line(page, 'product changed').waitFor();

  staff.allowComplaint(/500/);
  await page.route(
    '**/api/admin/audit?*',
    (route) => route.fulfill({ status: 500, json: { message: 'x' } }),
    {
      times: 1,
    },
  );
  await page.reload();
  await see(timeline, /^We could not load the timeline\./);
  await button(timeline, 'Try again').click();
  await line(page, 'product changed').waitFor();
});

test('the page works with the keyboard', async () => {
  const { page } = staff;
  await page.goto(PATH);
  await line(page, 'product changed').waitFor();
  await tabTo(page, filters(page).getByLabel('Who'));
  const first = details(lines(page).first());
  await tabTo(page, first);
  await page.keyboard.press('Enter');
  await see(lines(page).first(), /^Way/);
  await page.keyboard.press('Space');
  expect(await first.getAttribute('aria-expanded')).toBe('false');
});

async function addNotes(count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1)
    await fixture.admin.call(addNote, { body: { product_id: product.product_id, text: `Note ${number}` } });
}

/** Imports as many people as a page of lines looks at. */
async function importMany(): Promise<void> {
  const people = Array.from({ length: LOOKED_AT }, (_person, index) => `p${index}@many.example,Name`);
  const csvData = `email,name\n${people.join('\n')}\n`;
  const { product_id } = product;
  await fixture.admin.call(importUsers, {
    body: { csvData, file_name: 'shop.csv', product_ids: [product_id] },
  });
}

test('R-DAY-40, R-DAY-41: an import is one line with its number, and its lines come page by page, also with the keyboard', async () => {
  const { page } = staff;
  await importMany();
  await page.goto(PATH);
  const added = line(page, '5,000 people added by file shop.csv');
  await added.waitFor();
  // The event before the import is on the same page.
  await line(page, 'product changed').waitFor();
  await tabTo(page, details(added));
  await page.keyboard.press('Enter');
  const group = added.getByRole('list', { name: 'Lines' }).getByRole('listitem');
  await see(group.first(), 'was given access to Tarnquill', 'Name');
  await expect.poll(() => group.count()).toBe(50);
  await tabTo(page, button(added, 'Show older'));
  await page.keyboard.press('Enter');
  await expect.poll(() => group.count()).toBe(100);
  await group.first().getByRole('link').click();
  await page.waitForURL('**/admin/users/*');
  await line(page, 'person added with 4,999 others').waitFor();
});

test('R-TRAIL-04, R-TRAIL-52: pages go on with Older and Newer; a page that was cut short says how far it looked', async () => {
  const { page } = staff;
  const ofProduct = `${PATH}?product=${product.product_id}`;
  await addNotes(50);
  await page.goto(ofProduct);
  await button(page, 'Older').click();
  await page.waitForURL((url) => url.searchParams.has('at'));
  await settle(page);
  await button(page, 'Newer').click();
  await page.waitForURL(`**${ofProduct}`);

  // A product with so many entries takes too long to make, so the first reply is that of a server that stopped early.
  await page.route('**/api/admin/audit?*', (route) => {
    const { searchParams } = new URL(route.request().url());
    if (searchParams.has('cursor')) return route.continue();
    const headers = { 'x-next-cursor': '999999999', 'x-looked-until': '2026-01-01T00:00:00.000Z' };
    return route.fulfill({ json: [], headers });
  });
  await page.goto(`${ofProduct}&what=products`);
  await see(page, /^Looked back to /);
  expect(await button(page, 'Older').count()).toBe(0);
  await button(page, 'Look further').click();
  await settle(page);
  await line(page, 'product changed').waitFor();
  await page.goBack();
  await see(page, /^Looked back to /);
  await page.unroute('**/api/admin/audit?*');
});
