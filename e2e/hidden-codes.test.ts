// Tests hidden codes on the staff pages: `Show` and `Copy`, the limit, the search, and what support and owners see.
import { listCoupons, type Product, revealCoupon, revokeCoupon } from '@portal/contract';
import { beforeAll, expect, test } from 'vitest';
import { openCard } from './harness/admin-pages.ts';
import { callApi, signIn } from './harness/api.ts';
import {
  arriveSignedIn,
  keepPerson,
  openPerson,
  type Person,
  see,
  seeToast,
  takeToast,
} from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const SUPPORT = 'sue@provider.example';
const LIMITED = 'lim@provider.example';
const LEARNER = 'hilda@learner.example';
const HELD = 'TQWL-3V9R-LQ27';
const FREE = 'TQWL-7K4M-92XF';
const SHORT = 'ABC-12';

// Codes are hidden from the owner too, so that every kind of button can be seen.
const fixture = setOwnFixture({ CODES_MASKED: 'on' });
let product: Product;
beforeAll(async () => {
  product = await fixture.admin.addProduct({ name: 'Tarnquill' });
  await fixture.admin.importCodes(product, [HELD, SHORT, FREE]);
  for (const email of [LEARNER, 'second@learner.example']) {
    await fixture.admin.addLearner(email, product);
    await fixture.admin.giveCode(email, product);
  }
});

const support = keepPerson(fixture, async (person) => {
  await fixture.portal.operate('admin', 'add', SUPPORT, '--role', 'support');
  await fixture.portal.operate('admin', 'add', LIMITED, '--role', 'support');
  await arriveSignedIn(person, fixture, SUPPORT, '/admin/coupons');
});

const row = ({ page }: Pick<Person, 'page'>, hint: string) =>
  page.getByRole('row').filter({ hasText: `••••${hint}` });
const showOf = (person: Pick<Person, 'page'>, hint: string) =>
  person.page.getByRole('button', { name: `Show the code ending in ${hint}`, exact: true });
const copyOf = ({ page }: Pick<Person, 'page'>, code: string) =>
  page.getByRole('button', { name: `Copy ${code}`, exact: true });
const readClipboard = ({ page }: Pick<Person, 'page'>) => page.evaluate(() => navigator.clipboard.readText());

async function openPage({ page }: Pick<Person, 'page'>, name: 'Users' | 'Coupons'): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

async function lookUp({ page }: Pick<Person, 'page'>, email: string): Promise<void> {
  await openCard(page, 'User Access Management');
  await page.getByLabel('User email').fill(email);
  await page.getByRole('button', { name: 'View Products' }).click();
  await see(page.getByRole('main'), email);
}

const LIMIT_WORDS =
  'You showed 30 codes in the last 10 minutes. Please wait 10 min. The owners were told by mail.';

test('R-IMP-40, R-IMP-42: the list has hints; `Show` shows one code until the page is left, with `Copy` beside it', async () => {
  const { page } = support;
  await row(support, 'LQ27').waitFor();
  await see(row(support, 'LQ27'), 'Code ending in LQ27');
  // Support sees a free code as a hint only. A short code has no hint.
  expect(await row(support, '92XF').getByRole('button').count()).toBe(0);
  await see(page, 'Hidden code');
  await page.getByRole('button', { name: 'Show the hidden code', exact: true }).waitFor();
  expect(await page.getByText(HELD).count()).toBe(0);

  await showOf(support, 'LQ27').focus();
  await page.keyboard.press('Enter');
  await see(page, HELD);
  expect(await hasFocus(copyOf(support, HELD))).toBe(true);
  await page.keyboard.press('Enter');
  await takeToast(page, 'default', 'Code copied!');
  expect(await readClipboard(support)).toBe(HELD);

  // Loading the list again does not hide shown codes. Leaving the page hides them.
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page
    .getByRole('group', { name: 'Status' })
    .getByRole('button', { name: /^Available/ })
    .click();
  await row(support, '92XF').waitFor();
  await page.getByRole('group', { name: 'Status' }).getByRole('button', { name: /^All/ }).click();
  await see(page, HELD);
  await openPage(support, 'Users');
  await openPage(support, 'Coupons');
  await showOf(support, 'LQ27').waitFor();
  expect(await page.getByText(HELD).count()).toBe(0);
});

test('R-IMP-43: the search of hidden codes finds a whole code only, and says so', async () => {
  const { page } = support;
  const search = page.getByRole('searchbox', { name: 'Search codes' });
  expect(await search.getAttribute('placeholder')).toBe('Filter by whole code, product or email');
  await search.fill('TQWL-3V9R-LQ2');
  await see(page, 'No codes match.');
  await search.fill(HELD.toLowerCase());
  await row(support, 'LQ27').waitFor();
  await search.fill('');
  await row(support, '92XF').waitFor();
});

test('R-IMP-42: the access card shows a hidden code in the same way, also a revoked one', async () => {
  const { page } = support;
  await openPage(support, 'Users');
  await lookUp(support, LEARNER);
  await showOf(support, 'LQ27').click();
  await see(page, HELD);
  expect(await hasFocus(copyOf(support, HELD))).toBe(true);
  // Another look-up is on the same page, so the code stays shown.
  await lookUp(support, 'second@learner.example');
  await page.getByRole('button', { name: 'Show the hidden code', exact: true }).waitFor();
  await lookUp(support, LEARNER);
  await see(page, HELD);

  await page.getByRole('button', { name: 'Regenerate Coupon' }).click();
  await see(page.getByRole('alertdialog'), '••••LQ27');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();

  const coupons = await fixture.admin.call(listCoupons, {});
  const params = { id: coupons.find(({ email }) => email === 'second@learner.example')?.id ?? '' };
  await fixture.admin.call(revokeCoupon, { params, body: { reason: 'Used up', replace: false } });
  await lookUp(support, 'second@learner.example');
  const withdrawn = page.getByRole('deletion');
  await see(withdrawn, '••••');
  await page.getByRole('button', { name: 'Show the hidden code', exact: true }).click();
  await see(page, SHORT);
  expect(await withdrawn.textContent()).toBe(SHORT);
});

test('R-IMP-44: whoever issues a code sees it in full', async () => {
  const { page } = support;
  const other = await fixture.admin.addProduct({ name: 'Merrowcode' });
  await fixture.admin.addCodes(other, 'MRRW-6CB2-N0YD');
  await fixture.admin.addLearner('third@learner.example', other);
  await lookUp(support, 'third@learner.example');
  await page.getByRole('button', { name: 'Generate Coupon for User' }).click();
  await takeToast(page, 'default', 'Success', 'Coupon generated: MRRW-6CB2-N0YD');
  await see(page.getByRole('listitem').filter({ hasText: 'Merrowcode' }), 'MRRW-6CB2-N0YD');
});

test('R-IMP-42: after 30 codes every `Show` is off and says how long, and codes that are shown stay', async () => {
  const person = await openPerson(fixture);
  person.allowComplaint(/429/);
  const { page } = person;
  await arriveSignedIn(person, fixture, LIMITED, '/admin/coupons');
  await showOf(person, 'LQ27').click();
  await see(page, HELD);
  const { access_token: token } = await signIn(fixture.portal, LIMITED);
  const [held] = await callApi(fixture.portal.url, listCoupons, { token }).then((rows) =>
    rows.filter(({ hint }) => hint === 'LQ27'),
  );
  const params = { id: held?.id ?? '' };
  for (let turn = 1; turn < 30; turn += 1) await callApi(fixture.portal.url, revealCoupon, { token, params });
  const hidden = page.getByRole('button', { name: 'Show the hidden code', exact: true });
  await hidden.focus();
  await page.keyboard.press('Enter');
  await seeToast(page, 'destructive', 'Error', LIMIT_WORDS);
  await see(page, HELD);
  expect(await hidden.getAttribute('aria-disabled')).toBe('true');
  expect(await hasFocus(hidden)).toBe(true);
  await takeToast(page, 'destructive', 'Error', LIMIT_WORDS);
  await hidden.press('Enter');
  await takeToast(page, 'destructive', 'Error', LIMIT_WORDS);
  const calls = await page.evaluate(
    () => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/reveal')).length,
  );
  expect(calls).toBe(2);
});

test('R-IMP-41: with CODES_MASKED=on an owner sees hints too, and may have free codes shown', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/coupons');
  await showOf(person, '92XF').click();
  await see(page, FREE);
  await copyOf(person, FREE).click();
  await takeToast(page, 'default', 'Code copied!');
  expect(await readClipboard(person)).toBe(FREE);
  const search = page.getByRole('searchbox', { name: 'Search codes' });
  expect(await search.getAttribute('placeholder')).toBe('Filter by whole code, product or email');
});

test('N-82: with CODES_MASKED=on a filtered list without rows says that codes are hidden', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin');
  await page.goto('/admin/coupons?status=void');
  await see(page, 'No codes match.');
  await page.getByRole('button', { name: /^Download CSV: Download \d+ codes \(hints\)$/ }).waitFor();
  const search = page.getByRole('searchbox', { name: 'Search codes' });
  expect(await search.getAttribute('placeholder')).toBe('Filter by whole code, product or email');
});

test('R-IMP-41: a browser of support receives no code but those that it asked for', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  const bodies: Promise<string>[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/api/')) bodies.push(response.text().catch(() => ''));
  });
  await arriveSignedIn(person, fixture, SUPPORT, '/admin/coupons');
  await row(person, 'LQ27').waitFor();
  await page.getByRole('link', { name: 'Uploads', exact: true }).click();
  await page.getByRole('cell').first().waitFor();
  await openPage(person, 'Users');
  await lookUp(person, LEARNER);
  await showOf(person, 'LQ27').waitFor();
  const text = (await Promise.all(bodies)).join('\n');
  expect(text).toContain('"hint":"LQ27"');
  for (const code of [HELD, FREE, SHORT]) expect(text).not.toContain(code);
});
