// Tests View as learner: it shows what the learner sees, its controls change nothing for the learner, and nothing of the
// learner remains when staff leave it.
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Product } from '@portal/contract';
import type { Locator, Page, Request } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { readBackupFile } from '../server/src/backup/backup-file.ts';
import { arriveSignedIn, keepPerson, type Person, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus, tabTo } from './harness/keyboard.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { setStatus } from './harness/products.ts';
import { dayIn } from './harness/states.ts';
import { joinTeam, openMember } from './harness/team.ts';
import { wordsIn } from './harness/words.ts';

const SUPPORT = 'vera@provider.example';
const LEARNER = 'jonas@learner.example';
const NAMELESS = 'nameless@learner.example';
const EMPTY = 'empty@learner.example';
const CODE = 'TQWL-3V9R-LQ27';
const ONLY = 'Only Lea Lerner can do this';
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };

const fixture = setOwnFixture();
const products = {} as Record<'held' | 'ready' | 'soldOut' | 'paused' | 'later', Product>;
const ids: Record<string, string> = {};
beforeAll(async () => {
  const { admin } = fixture;
  const url = 'https://partner.example/redeem';
  products.held = await admin.addProduct({ name: 'Tarnquill', url });
  products.ready = await admin.addProduct({ name: 'Lumifern' });
  products.soldOut = await admin.addProduct({ name: 'Quernbase' });
  products.paused = await admin.addProduct({ name: 'Velloquy' });
  products.later = await admin.addProduct({ name: 'Fathomleaf' });
  const { held, ready, soldOut, paused, later } = products;
  await admin.addCodes(held, CODE);
  for (const product of [ready, paused, later]) await admin.addCodes(product, 'FREE-CODE-0001');
  await admin.addLearner(LEARNER, held, ready, soldOut, paused);
  await admin.giveAccess(LEARNER, later, { starts_on: dayIn(9) });
  await admin.giveCode(LEARNER, held);
  await setStatus(fixture, paused, 'paused');
  // Only members of the team can exist without a name, or without products.
  for (const email of [NAMELESS, EMPTY]) await joinTeam(fixture, email, 'viewer');
  await admin.giveAccess(NAMELESS, ready, {});
  for (const { email, user_id } of await admin.listUsers()) ids[email] = user_id;
});

const support = keepPerson(fixture, async (person) => {
  await joinTeam(fixture, SUPPORT, 'support');
  await arriveSignedIn(person, fixture, SUPPORT, '/admin/users');
});

const viewOf = (email: string) => `/admin/view-as/${ids[email]}`;
const pageOf = ({ product_id }: Product, email = LEARNER) => `${viewOf(email)}/product/${product_id}`;
const bar = (page: Page) => page.getByRole('region', { name: 'View as learner' });
const ticket = (page: Page) => page.getByRole('region', { name: 'Their code' });
const button = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true });
const showButton = (page: Page) => button(page, 'Show the code ending in LQ27');

/** Opens a page of the view, and waits for its bar and its heading. */
async function open(page: Page, path: string, email = LEARNER): Promise<void> {
  await page.goto(path);
  await see(bar(page), email);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

// The portal writes these tables by itself: jobs, mails about low stock, the places of free codes, and counters.
// view-as.engines.test.ts of the server compares them too.
const OWN_WORK = ['stock_forecast', 'job', 'stock_notice', 'claim_day', 'tally', 'tally_change'];

/** Returns the rows of all tables but the log and OWN_WORK, from a backup. */
async function readTables(): Promise<Record<string, string[]>> {
  const file = join(tmpdir(), `view-as-${process.pid}-${performance.now()}.backup`);
  await fixture.portal.operate('backup', file);
  const tables: Record<string, string[]> = {};
  let name = '';
  for await (const part of readBackupFile(file)) {
    if (part.kind === 'table') name = part.value.name;
    if (part.kind === 'rows') tables[name] = [...(tables[name] ?? []), ...part.value];
  }
  await rm(file);
  for (const each of ['audit', ...OWN_WORK]) delete tables[each];
  return tables;
}

/** Returns the requests other than GET that the pages of the person make while `act` runs. */
async function listOtherThanGet({ context }: Person, act: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  const note = (request: Request) => {
    if (request.method() !== 'GET') seen.push(`${request.method()} ${request.url()}`);
  };
  context.on('request', note);
  await act().finally(() => context.off('request', note));
  return seen;
}

const readClipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/**
 * Presses each control of the page at `path` with the mouse and with Enter, except those whose name matches `without`.
 * Opens the page again before each press. Returns the names of the controls.
 */
async function pressAll({ page, context }: Person, path: string, without: RegExp): Promise<string[]> {
  const pressed: string[] = [];
  // Tests must not reach other sites.
  await context.route(/^https:/, (route) => route.abort());
  await open(page, path);
  const controls = () => page.locator('a[href], button, [role=button], input, select, textarea');
  const count = await controls().count();
  for (let index = 0; index < count; index += 1) {
    for (const by of ['mouse', 'Enter'] as const) {
      if (page.url() !== new URL(path, fixture.portal.url).href) await open(page, path);
      const control = controls().nth(index);
      const name = (await control.getAttribute('aria-label')) ?? (await control.textContent()) ?? '';
      if (without.test(name)) continue;
      // This link is outside of the window until it has the focus.
      if (by === 'mouse' && name === 'Skip to content') continue;
      if (by === 'mouse') pressed.push(name.trim());
      const opensTab = (await control.getAttribute('target')) === '_blank';
      const tab = opensTab ? context.waitForEvent('page') : undefined;
      // `force` also clicks a disabled button, as a person can.
      if (by === 'mouse') await control.click({ force: true });
      else await control.press('Enter');
      await (await tab)?.close();
    }
  }
  await page.waitForLoadState('networkidle');
  await context.unroute(/^https:/);
  return pressed;
}

describe('R-TRAIL-43: pressing every control makes no request other than GET and changes no table but the log', () => {
  // `Show` is a POST, and writes the table that counts the shown codes (R-IMP-42). Its test is below. The link to the
  // other language would change the names of all other controls.
  const EXCEPT = /^Show the code|^Deutsch$/;

  test.each([
    ['home', () => viewOf(LEARNER), ['Leave', 'Redeem Now']],
    [
      'the page of a code',
      () => pageOf(products.held),
      ['Copy', 'Visit Site To Redeem', 'Your Partner Benefits'],
    ],
    ['a page to redeem', () => pageOf(products.ready), ['Redeem Now']],
    ['a page without codes left', () => pageOf(products.soldOut), ['Redeem Now']],
    ['the page of a paused product', () => pageOf(products.paused), ['Your Partner Benefits']],
  ])('%s', async (_what, path, expected) => {
    const { page } = support;
    // The admin pages may make requests of their own, so the view begins before the tables are read.
    await open(page, path());
    await page.evaluate(() => navigator.clipboard.writeText('untouched'));
    const before = await readTables();
    expect(before.coupon?.length).toBeGreaterThan(3);
    let pressed: string[] = [];
    const sent = await listOtherThanGet(support, async () => {
      pressed = await pressAll(support, path(), EXCEPT);
    });
    expect(sent).toEqual([]);
    expect(pressed).toEqual(expect.arrayContaining(expected));
    expect(await readTables()).toEqual(before);
    expect(await readClipboard(page)).toBe('untouched');
  });
});

test('R-TRAIL-42: home shows the learner’s cards in the learner’s order, as links within the view', async () => {
  const { page } = support;
  await open(page, viewOf(LEARNER));
  await see(page, 'Your Partner Benefits', '1 of 5 redeemed');
  await expect
    .poll(() => page.getByRole('article').getByRole('heading').allInnerTexts())
    .toEqual(['Lumifern', 'Tarnquill', 'Fathomleaf', 'Quernbase', 'Velloquy']);
  await see(page, 'Paused', 'Sold out');
  expect(await page.title()).toMatch(/^View as learner · /);
  expect(await page.getByRole('banner').count()).toBe(0);
  await page.getByRole('article').filter({ hasText: 'Tarnquill' }).getByRole('link').click();
  await page.waitForURL(`**${pageOf(products.held)}`);
  await see(ticket(page), `Issued to ${LEARNER}`, '••••LQ27');
  await page.getByRole('link', { name: 'Your Partner Benefits' }).click();
  await see(page, '1 of 5 redeemed');
});

test('R-TRAIL-41, R-TRAIL-42, N-75: the ticket of a code has a hint, and says by whom the buttons can be pressed', async () => {
  const { page } = support;
  await open(page, pageOf(products.held));
  await see(ticket(page), '••••LQ27', ONLY);
  expect(await page.content()).not.toContain(CODE);
  for (const name of ['Copy', 'Visit Site To Redeem']) {
    const off = button(ticket(page), name);
    expect(await off.getAttribute('aria-disabled')).toBe('true');
    await expectDescription(off, ONLY);
  }
  expect(await page.getByRole('button', { name: 'View code' }).count()).toBe(0);
});

/** Expects that the elements that describe the control contain the words, and that these words are visible. */
async function expectDescription(control: Locator, words: string): Promise<void> {
  const described = await control.evaluate((element) =>
    (element.getAttribute('aria-describedby') ?? '').split(' ').map((id) => {
      const by = document.getElementById(id);
      return by?.checkVisibility() ? by.textContent : '';
    }),
  );
  expect(described.join(' ')).toContain(words);
}

test('R-TRAIL-41: `Show` reveals the code as anywhere else; Copy stays off; the code is gone when the page is left', async () => {
  const { page } = support;
  await open(page, pageOf(products.held));
  await page.evaluate(() => navigator.clipboard.writeText('untouched'));
  const sent = await listOtherThanGet(support, async () => {
    await showButton(page).focus();
    await page.keyboard.press('Enter');
    await see(ticket(page), CODE);
  });
  expect(sent).toEqual([expect.stringMatching(/^POST .*\/api\/admin\/coupons\/\d+\/reveal$/)]);
  const copy = button(ticket(page), 'Copy');
  expect(await hasFocus(copy)).toBe(true);
  await expectDescription(copy, CODE);
  await copy.click({ force: true });
  expect(await copy.getAttribute('aria-disabled')).toBe('true');
  expect(await readClipboard(page)).toBe('untouched');
  await page.getByRole('link', { name: 'Your Partner Benefits' }).click();
  await page.goBack();
  await showButton(page).waitFor();
  expect(await page.content()).not.toContain(CODE);
});

test('R-TRAIL-42: nothing is redeemed automatically, and `Redeem Now` is off', async () => {
  const { page } = support;
  await open(page, pageOf(products.ready));
  await see(ticket(page), ONLY, 'One code, reserved for you. It appears here when you redeem.');
  const redeem = button(ticket(page), 'Redeem Now');
  expect(await redeem.getAttribute('aria-disabled')).toBe('true');
  await expectDescription(redeem, ONLY);
  expect(support.countCalls('/api/redeem-secure')).toBe(0);
  expect(await fixture.admin.listAssignedCodes(products.ready)).toEqual([]);
});

test.each([
  ['soldOut', 'No codes left', 'All codes of this benefit have been handed out.'],
  ['paused', 'Paused', 'This benefit is paused for the moment. Please try again later.'],
  ['later', 'Not yet yours', 'Your access to this benefit begins on'],
] as const)(
  'R-TRAIL-42: the ticket of a product that is %s says what the learner reads',
  async (which, title, message) => {
    const { page } = support;
    await open(page, pageOf(products[which]));
    await ticket(page).getByRole('heading', { name: title, exact: true }).waitFor();
    await ticket(page).getByText(message).waitFor();
  },
);

test('R-TRAIL-42: without a name, the line has the address; without products, the learner’s empty page', async () => {
  const { page } = support;
  await open(page, pageOf(products.ready, NAMELESS), NAMELESS);
  await see(ticket(page), `Only ${NAMELESS} can do this`);
  await open(page, viewOf(EMPTY), EMPTY);
  await see(page, 'No tools on this account yet');
  // The learner could change the account here. In the view, that would sign out the member of the team.
  expect(await page.getByText('Use another address').count()).toBe(0);
});

test('R-TRAIL-42: the bar stays in view, above the focus, on desktop and on phones', async () => {
  const { page } = support;
  for (const size of [DESKTOP, { width: 390, height: 500 }]) {
    await page.setViewportSize(size);
    await open(page, pageOf(products.held));
    await page.mouse.wheel(0, 5000);
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(50);
    const box = await bar(page).boundingBox();
    expect(box?.y).toBe(0);
    expect(box?.width).toBe(size.width);
    await bar(page).getByRole('link', { name: 'Leave' }).waitFor();
  }
  await page.setViewportSize(DESKTOP);
});

test('R-TRAIL-42: Tab reaches Leave first, and then each button of the ticket, with a visible focus', async () => {
  const { page } = support;
  await open(page, pageOf(products.held));
  await page.keyboard.press('Tab');
  expect(await hasFocus(page.getByRole('link', { name: 'Skip to content' }))).toBe(true);
  await page.keyboard.press('Tab');
  expect(await hasFocus(bar(page).getByRole('link', { name: 'Leave' }))).toBe(true);
  await tabTo(page, showButton(page));
  for (const name of ['Copy', 'Visit Site To Redeem']) await tabTo(page, button(ticket(page), name));
});

test('R-TRAIL-41: Leave goes to the record of the person, and nothing of the learner remains', async () => {
  const { page } = support;
  const stored = () =>
    page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
  await open(page, viewOf(LEARNER));
  const before = await stored();
  await page.getByRole('article').filter({ hasText: 'Tarnquill' }).getByRole('link').click();
  await see(ticket(page), '••••LQ27');
  await bar(page).getByRole('link', { name: 'Leave' }).click();
  await page.waitForURL(`**/admin/users/${ids[LEARNER]}`);
  expect(await stored()).toBe(before);
  expect(await bar(page).count()).toBe(0);
  // The caller's own home has none of the learner's products.
  await page.evaluate(() => history.pushState(null, '', '/'));
  await see(page, 'You are a member of the team.');
  // The page requests the next view again.
  const requests = support.countCalls(`/api${viewOf(LEARNER)}`, 'GET');
  await page.evaluate((to) => history.pushState(null, '', to), viewOf(LEARNER));
  await see(page, '1 of 5 redeemed');
  expect(support.countCalls(`/api${viewOf(LEARNER)}`, 'GET')).toBe(requests + 1);
});

test('a product that the learner does not see, and a person whom nobody knows', async () => {
  const { page } = support;
  support.allowComplaint(/404/);
  const other = await fixture.admin.addProduct({ name: 'Unrelated' });
  await open(page, pageOf(other));
  await see(page, 'This product is not among the benefits of this person.');
  await page.goto(`/admin/view-as/${crypto.randomUUID()}`);
  await see(page, '404 Page Not Found');
});

test('R-TEAM-32: a viewer sees nothing of the learner', async () => {
  const { page, countCalls } = await openMember(fixture, 'viewer', 'victor@provider.example', '/admin/users');
  await page.goto(viewOf(LEARNER));
  await see(page, 'Nothing here for your role.');
  expect(countCalls(`/api${viewOf(LEARNER)}`)).toBe(0);
});

test('a visitor is sent to the sign-in of the team', async () => {
  const context = await fixture.browser.newContext({ baseURL: fixture.portal.url });
  const page = await context.newPage();
  await page.goto(viewOf(LEARNER));
  await page.waitForURL('**/admin-login');
  await context.close();
});

test('R-TRAIL-42: the view is in the language of the caller’s browser', async () => {
  const t = wordsIn('de');
  const { page } = await openMember(fixture, 'support', 'greta@provider.example', '/admin/users', 'de-DE');
  await page.goto(pageOf(products.held));
  await see(page, t('Only {name} can do this', { name: 'Lea Lerner' }));
  const [before = '', after = ''] = t('You see what {email} sees. Read-only.').split('{email}');
  await page.getByText(before.trim()).getByText(LEARNER).waitFor();
  await page.getByText(after.trim()).waitFor();
  await see(page, t('Leave'), t('Copy'), t('Visit Site To Redeem'));
});

describe('A-11Y', () => {
  test.each([
    ['home', () => viewOf(LEARNER)],
    ['the page of a code', () => pageOf(products.held)],
    ['a page to redeem', () => pageOf(products.ready)],
  ])('%s has no defect at any size, in either theme', async (_what, path) => {
    const { page } = support;
    await page.setViewportSize(PHONE);
    await open(page, path());
    await expectNoDefect(page, { isInBothThemes: true });
    await page.setViewportSize(DESKTOP);
  });
});
