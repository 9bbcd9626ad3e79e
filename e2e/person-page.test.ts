import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { openAdminPage, openCard } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, openPerson, see, takeToast } from './harness/browser.ts';
import { addCohort } from './harness/cohorts.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { hasFocus, tabTo } from './harness/keyboard.ts';
import { recordShifts } from './harness/layout-shift.ts';
import { addHolder, button, card, findRecord, HELD, linesOf, openRecord } from './harness/person-page.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { dayIn } from './harness/states.ts';
import { joinTeam } from './harness/team.ts';

const SUPPORT = 'vera@provider.example';
const VIEWER = 'wim@provider.example';
const LEARNER = 'jonas@learner.example';
const NAME = 'Lea Lerner';
const PHONE = { width: 390, height: 844 };

const fixture = setOwnFixture();
let record: string;

beforeAll(async () => {
  const { admin } = fixture;
  const later = await admin.addProduct({ name: 'Fathomleaf' });
  record = await addHolder(fixture, LEARNER);
  await admin.giveAccess(LEARNER, later, { starts_on: dayIn(9) });
  await joinTeam(fixture, VIEWER, 'viewer');
});

const support = keepPerson(fixture, async (person) => {
  await joinTeam(fixture, SUPPORT, 'support');
  await arriveSignedIn(person, fixture, SUPPORT, '/admin/users');
});
const owner = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/users'));

const idOf = (path: string) => path.split('/').at(-1) ?? '';

/** Waits until the page has painted and reported its layout shifts. */
const settle = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

describe('R-TRAIL-50: the record', () => {
  test('answers ‘I did not get my code’ after one paste into the search field and two clicks, from any page', async () => {
    const { page } = support;
    for (const from of ['/admin', '/admin/products', '/admin/coupons']) {
      await page.goto(from);
      await page.evaluate((text) => navigator.clipboard.writeText(text), LEARNER);
      await page.getByRole('combobox', { name: 'Search people, codes, products' }).click();
      await page.keyboard.press('ControlOrMeta+V');
      await page.getByRole('option', { name: LEARNER }).click();
      await page.waitForURL(`**${record}`);
      // The access, the codes and the mails.
      const access = card(page, 'Access');
      await see(access, HELD, '1 product now, 1 scheduled', /^Valid from /, /^Assigned /);
      await see(access, /^Access begins on /);
      for (const name of ['Codes', 'Emails', 'Timeline']) await card(page, name).waitFor();
    }
  });

  test('names the person with address, last sign-in and phone number; Copy copies the address', async () => {
    const { page } = support;
    await openRecord(page, record);
    await page.getByRole('heading', { level: 1, name: NAME }).waitFor();
    expect(await page.title()).toMatch(`${NAME} · Admin · `);
    await see(page, 'Last sign-in: Never');
    expect(await page.getByText('Phone:').count(), 'no number, no fact').toBe(0);
    // Support does not edit people.
    expect(await button(page, 'More for this person').count()).toBe(0);
    await button(page, 'Copy the address').click();
    await takeToast(page, 'default', 'Address copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(LEARNER);
    const nav = page.getByRole('navigation', { name: 'Admin' });
    expect(await nav.locator('[aria-current]').allTextContents()).toEqual(['Users']);
    await page.getByRole('link', { name: 'View as learner' }).click();
    await page.waitForURL(`**/admin/view-as/${idOf(record)}`);
    await page.getByRole('link', { name: 'Leave' }).click();
    await page.waitForURL(`**${record}`);
    // The timeline is loaded again, although the page loaded it a moment ago.
    await linesOf(page, /^was viewed as this person$/i)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Users', exact: true }).first().click();
    await see(page, 'Existing Users');
  });

  test('of somebody who never had a product keeps its cards, and says so', async () => {
    const { page } = owner;
    await page.goto(await findRecord(fixture, VIEWER));
    await page.getByRole('heading', { level: 1, name: VIEWER }).waitFor();
    await see(card(page, 'Access'), 'No products', 'This person has no products, and never had any.');
    for (const name of ['Codes', 'Emails', 'Timeline']) await card(page, name).waitFor();
  });

  test.each(['00000000-0000-4000-8000-000000000000', 'nobody'])(
    'of an unknown id is the page for unknown addresses: %s',
    async (id) => {
      const { page } = support;
      support.allowComplaint(/404/);
      await page.goto(`/admin/users/${id}`);
      await page.getByRole('heading', { name: '404 Page Not Found' }).waitFor();
    },
  );

  test('shows placeholders until it is loaded, and an error with a button if it is not', async () => {
    const { page } = support;
    support.allowComplaint(/500/);
    const address = `**/api/admin/people/${idOf(record)}`;
    const release = await holdCalls(page, address);
    await page.goto(record);
    await page.getByRole('heading', { level: 1, name: 'Person' }).waitFor();
    for (const name of ['Access', 'Codes', 'Emails']) await card(page, name).waitFor();
    release();
    await page.getByRole('heading', { level: 1, name: NAME }).waitFor();
    await page.unroute(address);
    await page.route(address, (route) => route.fulfill({ status: 500, json: { message: 'x' } }));
    await page.goto(record);
    await see(page, /^We could not load this person\./);
    await page.unroute(address);
    await button(page, 'Try again').click();
    await page.getByRole('heading', { level: 1, name: NAME }).waitFor();
  });

  test.each([PHONE, { width: 1440, height: 900 }])(
    'does not shift while its parts arrive one after the other, at $width px',
    async (size) => {
      const person = await openPerson(fixture);
      const { page } = person;
      await arriveSignedIn(person, fixture, SUPPORT, '/admin/users');
      await page.setViewportSize(size);
      const readShifts = await recordShifts(page);
      for (const path of [record, await findRecord(fixture, VIEWER)]) {
        const id = idOf(path);
        const releaseRecord = await holdCalls(page, `**/api/admin/people/${id}`);
        const releaseAccess = await holdCalls(page, '**/api/admin/user-access/*');
        const releaseTimeline = await holdCalls(page, '**/api/admin/audit?*');
        await page.goto(path);
        await card(page, 'Access').getByText('Loading...').waitFor();
        await settle(page);
        releaseRecord();
        await button(page, 'Copy the address').waitFor();
        await settle(page);
        releaseAccess();
        await see(card(page, 'Access'), /product/i);
        await settle(page);
        releaseTimeline();
        await card(page, 'Timeline').getByRole('listitem').first().waitFor();
        await settle(page);
        await page.unrouteAll();
        const shifts = await readShifts();
        const sum = shifts.reduce((total, line) => total + Number.parseFloat(line), 0);
        expect(sum, shifts.join('\n')).toBeLessThanOrEqual(0.02);
      }
    },
  );

  test('whose access could not be loaded shows the rest', async () => {
    const { page } = support;
    support.allowComplaint(/500/);
    const address = '**/api/admin/user-access/*';
    await page.route(address, (route) => route.fulfill({ status: 500, json: { message: 'x' } }));
    await page.goto(record);
    await see(card(page, 'Access'), /^We could not load the access of this person\./);
    await card(page, 'Timeline').getByRole('listitem').first().waitFor();
    await page.unroute(address);
    await card(page, 'Access').getByRole('button', { name: 'Try again' }).click();
    await see(card(page, 'Access'), HELD);
  });

  test('R-TEAM-32: a viewer sees that nothing is here, and requests nothing about the person', async () => {
    const person = await openPerson(fixture);
    const { page } = person;
    await arriveSignedIn(person, fixture, VIEWER, record);
    await see(page, 'Nothing here for your role.');
    expect(person.countCalls(`/api/admin/people/${idOf(record)}`)).toBe(0);
    expect(await page.content()).not.toContain(LEARNER);
  });

  test('works with the keyboard alone, on a phone', async () => {
    const { page } = owner;
    await page.setViewportSize(PHONE);
    await openRecord(page, record);
    await tabTo(page, button(page, 'Give products'));
    const menu = button(page, 'More for this person');
    await tabTo(page, menu);
    await page.keyboard.press('Enter');
    const items = page.getByRole('menuitem');
    await items.first().waitFor();
    const labels = (await items.allInnerTexts()).map((text) => text.split('\n')[0]);
    expect(labels).toEqual(['Send sign-in email', 'View as learner', 'Edit', 'Download data', 'Erase']);
    await page.keyboard.press('e');
    await page.keyboard.press('Enter');
    // A form starts at its first field; Escape leaves it.
    await expect.poll(() => hasFocus(page.getByRole('textbox', { name: 'Email' }))).toBe(true);
    await page.keyboard.press('Escape');
    expect(await hasFocus(menu)).toBe(true);
    await tabTo(page, button(page, `More for ${HELD}`));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('e');
    await expect
      .poll(() => hasFocus(page.getByRole('menuitem', { name: 'Email the link to the code' })))
      .toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => hasFocus(button(page, `More for ${HELD}`))).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

describe('R-TRAIL-50: the links to the record', () => {
  const arrives = (page: Page) => page.waitForURL(`**${record}`);

  test('stand in the list of users, and in the list of coupons', async () => {
    const { page } = support;
    for (const name of ['Users', 'Coupons'] as const) {
      await page.goto('/admin');
      await openAdminPage(page, name);
      await page.getByRole('table', { name }).getByRole('link', { name: LEARNER, exact: true }).click();
      await arrives(page);
    }
  });

  test('stand on the access card, and beside the words that a person exists', async () => {
    const { page } = owner;
    await page.goto('/admin/users');
    await openCard(page, 'User Access Management');
    await page.getByLabel('User email').fill(LEARNER);
    await button(page, 'View Products').click();
    await page.getByRole('link', { name: 'Open full record' }).click();
    await arrives(page);
    await page.goto('/admin/users?open=add');
    const email = page.getByRole('textbox', { name: 'Email', exact: true });
    await email.fill(LEARNER);
    await email.blur();
    await page.getByRole('link', { name: 'Open full record' }).click();
    await arrives(page);
  });

  test('stand in the column of what a line of the log is about', async () => {
    const { page } = support;
    await page.goto(`/admin/activity?person=${LEARNER}`);
    await card(page, 'Activity').or(page.locator('main')).getByRole('link', { name: NAME }).first().click();
    await arrives(page);
  });
});

test('R-DAY-30: products and a cohort are given from the page of the person', async () => {
  const { admin } = fixture;
  const product = await admin.addProduct({ name: 'Giverly' });
  await addCohort(fixture, 'Autumn given');
  const { page } = owner;
  await page.goto(record);
  await page.getByRole('button', { name: 'Give products' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Give products' }).click();
  await see(dialog, 'Select at least one product');
  await dialog.getByRole('button', { name: /^Products/ }).click();
  await dialog.getByRole('checkbox', { name: 'Giverly' }).check();
  await page.keyboard.press('Escape');
  await dialog.getByLabel('Access until').fill('2099-02-28');
  await dialog.getByRole('button', { name: /^Cohorts/ }).click();
  await dialog.getByRole('checkbox', { name: 'Autumn given' }).check();
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Give products' }).click();
  await takeToast(page, 'default', 'Success', 'Access given');
  const item = card(page, 'Access').locator(`[data-product="${product.product_id}"]`);
  await see(item, /^Valid .* to Feb 28, 2099$/);
  await page.getByRole('link', { name: 'Autumn given' }).waitFor();
  // The name stays.
  await see(page, NAME);
});
