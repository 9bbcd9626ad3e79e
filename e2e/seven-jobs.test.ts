// Walks the daily jobs of staff from the dashboard, and counts their pointer actions (the table of R-DAY, N-255).
import { readFileSync } from 'node:fs';
import { getCohort, getCoupon, listCohorts, listCoupons, listTeam, type Product } from '@portal/contract';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { choose, chooseFile, csv } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, see, seeToast } from './harness/browser.ts';
import { addCohort } from './harness/cohorts.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus, tabTo } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { dayIn } from './harness/states.ts';

const MISSING = 'ina@learner.example';
const HOLDERS = ['kai@learner.example', 'kim@learner.example', 'kay@learner.example'];
const NEXT_FEBRUARY = `${new Date().getUTCFullYear() + 1}-02-28`;

const fixture = setOwnFixture();
const staff = keepPerson(fixture, async (person) => {
  await person.page.addInitScript(countActions);
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin');
});
let first: Product;
let second: Product;

beforeAll(async () => {
  const { admin } = fixture;
  const products: Product[] = [];
  for (let number = 1; number <= 10; number += 1)
    products.push(await admin.addProduct({ name: `Tool ${String(number).padStart(2, '0')}` }));
  [first, second] = products as [Product, Product];
  await admin.addCodes(second, ...[1, 2, 3, 4, 5, 6].map((number) => `FAILS-${number}`));
  await admin.addLearner(MISSING, second);
  for (const email of HOLDERS) {
    await admin.addLearner(email, second);
    await admin.giveCode(email, second);
  }
  await addCohort(fixture, 'Summer', { members: [MISSING] });
});

/**
 * Runs in the page, before its own scripts. Counts presses of the pointer since the page was loaded, and choices in a
 * select, which are one action each. Keys and the file dialog do not count (N-255).
 */
function countActions(): void {
  let actions = 0;
  const count = () => {
    actions += 1;
  };
  Object.assign(window, { readActions: () => actions });
  addEventListener('pointerdown', count, { capture: true });
  addEventListener('change', ({ target }) => target instanceof HTMLSelectElement && count(), {
    capture: true,
  });
}

const readActions = (page: Page): Promise<number> => page.evaluate('readActions()');

async function expectActions(page: Page, most: number): Promise<void> {
  const actions = await readActions(page);
  expect(actions).toBeGreaterThan(0);
  expect(actions).toBeLessThanOrEqual(most);
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const entry = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name, exact: true });
const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Section' }).getByRole('link', { name, exact: true });
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

async function start(): Promise<Page> {
  const { page } = staff;
  await page.goto('/admin');
  await page.getByRole('table', { name: 'Codes left per product' }).waitFor();
  return page;
}

/** Finds something with the keys of the search, and opens it. */
async function find(page: Page, text: string): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await page.waitForURL(({ pathname }) => pathname !== '/admin');
}

test('job 1: 5,000 codes of a German file are imported with their last day, in 5 actions', async () => {
  const page = await start();
  const day = dayIn(200);
  const lines = Array.from({ length: 5000 }, (_line, at) => `JOB-${10_000 + at};${formatGerman(day)}`);
  await entry(page, 'Coupons').click();
  await button(page, 'Bulk Upload Coupons').click();
  await choose(page.getByLabel('Select Product for Bulk Upload*'), 'Tool 01');
  await chooseFile(page, 'Select CSV File', csv('partner.csv', 'Gutscheincode;Gültig bis', ...lines));
  await tab(page, 'Uploads').click();
  await see(page.getByRole('row').filter({ hasText: 'partner.csv' }), '5,000 added');
  await expectActions(page, 5);
  const rows = await fixture.admin.call(listCoupons, {});
  const imported = rows.filter(({ product_id }) => product_id === first.product_id);
  expect(new Set(imported.map(({ use_by }) => use_by))).toEqual(new Set([day]));
  expect((await fixture.admin.readStats()).stock.find(({ name }) => name === 'Tool 01')?.left).toBe(5000);
});

test('job 2: somebody did not get a code: the reason and a sign-in email, in 3 actions', async () => {
  const page = await start();
  await page.getByRole('combobox', { name: /^Search people/ }).click();
  await page.keyboard.type(MISSING);
  await page.getByRole('option').filter({ hasText: MISSING }).click();
  await see(card(page, 'Access'), /^Can redeem now, /);
  await button(page, 'Send sign-in email').click();
  await seeToast(page, 'default', 'Success', 'Sign-in mail queued');
  await expectActions(page, 3);
  expect((await fixture.mailbox.takeMail(MISSING)).code).toBeTruthy();
});

test('job 3: 300 people of a German file get nine products until February and are told, in 9 actions', async () => {
  const page = await start();
  const lines = Array.from({ length: 300 }, (_line, at) => `neu-${at}@learner.example;Vera;Neu ${at}`);
  await entry(page, 'Users').click();
  await tab(page, 'Cohorts').click();
  await button(page, 'Add New Cohort').click();
  await page.keyboard.type('Winter');
  await page.getByRole('button', { name: /^Products/ }).click();
  await button(page, 'Select all').click();
  await page.getByRole('checkbox', { name: 'Tool 10', exact: true }).click();
  await page.keyboard.press('Escape');
  await page.getByLabel('Access until').fill(NEXT_FEBRUARY);
  await button(page, 'Create Cohort').click();
  await page.getByRole('heading', { level: 1, name: 'Winter' }).waitFor();
  await page.getByRole('checkbox', { name: 'Tell them by email' }).click();
  await chooseFile(page, 'Select CSV File', csv('aufnahme.csv', 'E-Mail;Vorname;Nachname', ...lines));
  const result = card(page, 'aufnahme.csv');
  await see(result, '‘Your benefits are ready’');
  const queued = card(page, '‘Your benefits are ready’').locator('dd').first();
  await expect.poll(() => queued.textContent()).toBe('300');
  await expectActions(page, 9);
  const cohorts = await fixture.admin.call(listCohorts, {});
  const { cohort_id: id = '' } = cohorts.find(({ name }) => name === 'Winter') ?? {};
  const { members, grants } = await fixture.admin.call(getCohort, { params: { id } });
  expect(members).toBe(300);
  expect(grants.map(({ ends_on }) => ends_on)).toEqual(Array(9).fill(NEXT_FEBRUARY));
});

test('job 4: a code that does not work is replaced, from the code and from its holder, in 3 actions each', async () => {
  for (const [holder, from] of [
    [HOLDERS[0] ?? '', 'the code'],
    [HOLDERS[1] ?? '', 'the person'],
  ] as const) {
    const code = await codeOf(holder);
    const page = await start();
    await find(page, from === 'the code' ? code : holder);
    await button(page, 'Replace code').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Does not work', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Replace code' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expectActions(page, 3);
    await expectReplaced(holder, code);
  }
});

test('job 5: the dashboard says of each product how many codes are left and how long they last, in no action', async () => {
  // A job of the portal works it out.
  const readShort = async () => (await fixture.admin.readStats()).stock.map(({ short }) => short);
  await expect.poll(readShort, { timeout: 80_000, interval: 500 }).not.toContain(null);
  const page = await start();
  // The products whose codes end first; a button shows the others.
  const rows = page.getByRole('table', { name: 'Codes left per product' }).locator('tbody tr');
  const texts = await rows.allTextContents();
  expect(texts).toHaveLength(8);
  for (const text of texts) {
    expect(text).toMatch(/\d+ of \d+/);
    expect(text).toMatch(/short if everybody claims|enough for all who have access|Too few redemptions/i);
  }
  expect(await readActions(page)).toBe(0);
}, 100_000);

test('job 6: a colleague joins as support, in 4 actions', async () => {
  const page = await start();
  await entry(page, 'Users').click();
  await tab(page, 'Team').click();
  await button(page, 'Invite').click();
  // The first field has the focus, and Enter sends the form.
  await page.keyboard.type('cora@team.example');
  await page.getByRole('radio', { name: /^Support:/ }).click();
  await page.keyboard.press('Enter');
  await seeToast(page, 'default', 'Success', 'Invitation sent');
  await expectActions(page, 4);
  await expectSupport('cora@team.example');
});

test('job 2 works with the keyboard alone', async () => {
  const page = await start();
  await find(page, MISSING);
  await see(card(page, 'Access'), /^Can redeem now, /);
  await tabTo(page, button(page, 'Send sign-in email'));
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Notifications (F8)' }).locator('[data-variant]').waitFor();
  expect(await readActions(page)).toBe(0);
});

test('job 4 works with the keyboard alone', async () => {
  const holder = HOLDERS[2] ?? '';
  const code = await codeOf(holder);
  const page = await start();
  await find(page, code);
  await tabTo(page, button(page, 'Replace code'));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expect.poll(() => hasFocus(dialog.getByRole('radio').first())).toBe(true);
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await readActions(page)).toBe(0);
  await expectReplaced(holder, code);
});

test('job 6 works with the keyboard alone', async () => {
  const page = await start();
  await tabTo(page, entry(page, 'Users'));
  await page.keyboard.press('Enter');
  await tab(page, 'Team').waitFor();
  await tabTo(page, tab(page, 'Team'));
  await page.keyboard.press('Enter');
  await tabTo(page, button(page, 'Invite'));
  await page.keyboard.press('Enter');
  await expect.poll(() => hasFocus(page.getByRole('textbox', { name: 'Email' }))).toBe(true);
  await page.keyboard.type('dora@team.example');
  // The lowest role is chosen; the arrow key chooses the next one.
  await tabTo(page, page.getByRole('radio', { name: /^Viewer:/ }));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await seeToast(page, 'default', 'Success', 'Invitation sent');
  expect(await readActions(page)).toBe(0);
  await expectSupport('dora@team.example');
});

test('job 7, R-PRIV-02: somebody writes ‘delete me’: the data is downloaded, and the person erased, in 4 actions', async () => {
  const email = 'gone@learner.example';
  const { admin } = fixture;
  await admin.addLearner(email, second);
  await admin.giveCode(email, second);
  const code = await codeOf(email);
  const page = await start();
  await find(page, email);
  const download = page.waitForEvent('download');
  await button(page, 'More for this person').click();
  await page.getByRole('menuitem', { name: /^Download data/ }).click();
  expect(readFileSync(await (await download).path(), 'utf8')).toContain(code);
  await button(page, 'More for this person').click();
  await page.getByRole('menuitem', { name: 'Erase', exact: true }).click();
  const dialog = page.getByRole('alertdialog', { name: /^Erase / });
  await dialog.getByLabel(/^Reason/).fill('Asked by letter');
  await dialog.getByLabel(/^Type the address/).fill('other@learner.example');
  await page.keyboard.press('Enter');
  await see(dialog, 'This is not the address');
  await dialog.getByLabel(/^Type the address/).fill(email);
  await page.keyboard.press('Enter');
  await seeToast(page, 'default', 'Success', 'Person erased. 1 code stays assigned');
  await page.waitForURL('**/admin/users');
  await expectActions(page, 4);
  const erased = (await listOwn()).find(({ coupon_code }) => coupon_code === code);
  expect(erased?.email).toMatch(/^erased-.*@erased\.invalid$/);
  await page.goto(`/admin/users/${erased?.email?.slice('erased-'.length).replace('@erased.invalid', '')}`);
  await see(page.locator('main'), 'Erased person', /1 code stays assigned\.$/);
});

/** `day` is YYYY-MM-DD. */
const formatGerman = (day: string) => day.split('-').toReversed().join('.');

const listOwn = async () =>
  (await fixture.admin.call(listCoupons, {})).filter(({ product_id }) => product_id === second.product_id);

/** Returns the code that the person has now. */
async function codeOf(email: string): Promise<string> {
  const held = (await listOwn()).find((coupon) => coupon.email === email && coupon.state === 'held');
  return held?.coupon_code ?? '';
}

async function expectReplaced(email: string, code: string): Promise<void> {
  const id = (await listOwn()).find(({ coupon_code }) => coupon_code === code)?.id ?? '';
  expect(await fixture.admin.call(getCoupon, { params: { id } })).toMatchObject({
    state: 'revoked',
    revoke_reason: 'Does not work',
  });
  expect(await codeOf(email)).toMatch(/^FAILS-\d$/);
  expect(await codeOf(email)).not.toBe(code);
}

async function expectSupport(email: string): Promise<void> {
  const team = await fixture.admin.call(listTeam, {});
  expect(team.find((member) => member.email === email)?.team_role).toBe('support');
}
