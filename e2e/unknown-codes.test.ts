// Tests codes that the portal makes: the question before, their tag, how staff clear it, and the learner's ticket.
import { confirmProduct, listCoupons, type Product } from '@portal/contract';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openCard } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, openPerson, see, takeToast } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { findRecord } from './harness/person-page.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { openMember } from './harness/team.ts';

const TAG = 'Not known to the partner';
const KNOWS = 'The partner knows it';
const QUESTION =
  'No code of the partner is left. Generate a code? The partner does not know it: it works only after you give it to them.';
const MARKED = ['default', 'Success', 'Code marked as known to the partner'] as const;

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/users'));

const lineOf = (page: Page, name: string) =>
  page.getByRole('main').getByRole('listitem').filter({ hasText: name });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialogOf = (page: Page) => page.getByRole('alertdialog');

async function lookUp(page: Page, email: string): Promise<void> {
  await page.goto('/admin/users');
  await openCard(page, 'User Access Management');
  await page.getByLabel('User email').fill(email);
  await button(page, 'View Products').click();
}

/** Creates a product without codes, and learners who have access to it. */
async function offer(name: string, ...learners: string[]): Promise<Product> {
  const product = await fixture.admin.addProduct({ name });
  for (const email of learners) await fixture.admin.addLearner(email, product);
  return product;
}

async function listCodes({ product_id }: Product) {
  return (await fixture.admin.call(listCoupons, {})).filter((code) => code.product_id === product_id);
}

test('R-DAY-33: without a code of the partner, staff are asked before the portal makes one', async () => {
  const product = await offer('Askquill', 'ask@learner.example');
  const { page } = staff;
  staff.allowComplaint(/409/);
  await lookUp(page, 'ask@learner.example');
  const generate = lineOf(page, 'Askquill').getByRole('button', { name: 'Generate Coupon for User' });
  await generate.click();
  await see(dialogOf(page), QUESTION);
  await expect.poll(() => hasFocus(dialogOf(page).getByRole('button', { name: 'Cancel' }))).toBe(true);
  await dialogOf(page).getByRole('button', { name: 'Cancel' }).click();
  expect(await listCodes(product)).toEqual([]);
  await expect.poll(() => hasFocus(generate)).toBe(true);

  await generate.click();
  await dialogOf(page).getByRole('button', { name: 'Generate', exact: true }).click();
  await lineOf(page, 'Askquill').getByText(TAG).waitFor();
  const [code] = await listCodes(product);
  expect(code).toMatchObject({ state: 'held', unconfirmed: true });
  await takeToast(
    page,
    'destructive',
    'Warning',
    'No available coupon was left; a new code was generated. The partner must accept it before it works.',
  );
  await lineOf(page, 'Askquill').getByRole('button', { name: 'Regenerate Coupon' }).click();
  await see(
    dialogOf(page),
    'No code is left: the portal generates one. The partner must accept it before it works.',
  );
  await page.keyboard.press('Escape');
  await lineOf(page, 'Askquill').getByRole('button', { name: KNOWS }).press('Enter');
  await page.getByText(TAG).waitFor({ state: 'detached' });
  const menu = lineOf(page, 'Askquill').getByRole('button', { name: 'More for Askquill' });
  await expect.poll(() => hasFocus(menu)).toBe(true);
  await takeToast(page, ...MARKED);
  expect(await listCodes(product)).toMatchObject([{ unconfirmed: false }]);
});

test('R-DAY-33: the question leads to the upload of codes, for roles that may add codes', async () => {
  const product = await offer('Addquill', 'add@learner.example');
  const { page } = staff;
  staff.allowComplaint(/409/);
  await lookUp(page, 'add@learner.example');
  await button(page, 'Generate Coupon for User').click();
  await dialogOf(page).getByRole('link', { name: 'Add codes' }).click();
  const choice = page.getByLabel('Select Product for Bulk Upload*');
  await expect.poll(() => choice.inputValue()).toBe(product.product_id);

  const support = await openMember(fixture, 'support', 'asks@provider.example', '/admin/users');
  support.allowComplaint(/409/);
  await lookUp(support.page, 'add@learner.example');
  await button(support.page, 'Generate Coupon for User').click();
  await see(dialogOf(support.page), QUESTION);
  expect(await dialogOf(support.page).getByRole('link').count()).toBe(0);
  await dialogOf(support.page).getByRole('button', { name: 'Generate', exact: true }).click();
  // Support keeps reading the code that it gave, until it looks the person up again.
  const line = lineOf(support.page, 'Addquill');
  await line.getByText(TAG).waitFor();
  const [code] = await listCodes(product);
  await see(line, code?.coupon_code ?? '');
});

test('R-DAY-33: the tag is on the page of the person, in the list of codes and on the page of the code, until it is cleared', async () => {
  const product = await offer('Tagquill', 'tag@learner.example');
  await fixture.admin.giveCode('tag@learner.example', product);
  const [code] = await listCodes(product);
  const { page } = staff;
  await page.goto(await findRecord(fixture, 'tag@learner.example'));
  const card = (name: string) => page.getByRole('region', { name, exact: true });
  await card('Access').getByText(TAG).waitFor();
  await card('Codes').getByText(TAG).waitFor();
  await page.goto(`/admin/coupons?product_id=${product.product_id}`);
  await page.getByRole('row').filter({ hasText: 'tag@learner.example' }).getByText(TAG).waitFor();
  await page.goto(`/admin/coupons/${code?.id}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await see(page, TAG);
  await button(page, KNOWS).click();
  await takeToast(page, ...MARKED);
  await page.getByText(TAG).waitFor({ state: 'detached' });
  expect(await button(page, KNOWS).count()).toBe(0);
  await page.getByText(/code marked as known to the partner/i).waitFor();
  await page.goto(`/admin/coupons?product_id=${product.product_id}`);
  await page.getByRole('row').filter({ hasText: 'tag@learner.example' }).waitFor();
  expect(await page.getByText(TAG).count()).toBe(0);
});

test('R-DAY-33: Stock has the tag, and one button for all codes of the product', async () => {
  const product = await offer('Stockquill');
  await fixture.admin.addCodes(product, '', '', 'PARTNER-1');
  const { page } = staff;
  const viewer = await openMember(fixture, 'viewer', 'views@provider.example', '/admin/coupons/stock');
  const rowOf = (at: Page) => at.getByRole('row').filter({ hasText: 'Stockquill' });
  await rowOf(viewer.page).getByText(TAG).waitFor();
  expect(await rowOf(viewer.page).getByRole('button').count()).toBe(0);

  await page.goto('/admin/coupons/stock');
  const knows = rowOf(page).getByRole('button', { name: `${KNOWS}: Stockquill` });
  await knows.click();
  await see(
    dialogOf(page),
    'The portal made 2 codes of Stockquill. They work only after you gave them to the partner.',
  );
  await dialogOf(page).getByRole('button', { name: 'Cancel' }).click();
  await knows.click();
  // Somebody else adds one meanwhile.
  await fixture.admin.addCodes(product, '');
  staff.allowComplaint(/409/);
  await dialogOf(page).getByRole('button', { name: KNOWS }).click();
  await see(dialogOf(page), 'There are 3 such codes now, not 2. Please look again.');
  await dialogOf(page).getByRole('button', { name: KNOWS }).click();
  await takeToast(page, 'default', 'Success', '3 codes marked as known to the partner');
  await rowOf(page).getByText(TAG).waitFor({ state: 'detached' });
  expect((await listCodes(product)).filter(({ unconfirmed }) => unconfirmed)).toEqual([]);
});

test('R-DAY-33: the ticket and the card of such a code say that it is being set up, and later the ticket says that it is ready', async () => {
  const product = await offer('Setquill', 'set@learner.example');
  await fixture.admin.addCodes(product, '');
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, 'set@learner.example', `/product/${product.product_id}`);
  const ready = page.getByText('Your coupon code is ready');
  const words = 'This code is being set up with Setquill. If it does not work yet, try again later.';
  await see(page, words);
  expect(await ready.count()).toBe(0);
  const id = (await fixture.admin.listUsers()).find(({ email }) => email === 'set@learner.example')?.user_id;
  await staff.page.goto(`/admin/view-as/${id}/product/${product.product_id}`);
  await see(staff.page, words);
  await page.goto('/');
  await see(page.getByRole('article'), 'Being set up');
  await page.goto(`/product/${product.product_id}`);
  await see(page, words);
  await fixture.admin.call(confirmProduct, { params: { id: product.product_id } });
  await page.reload();
  await ready.waitFor({ state: 'attached' });
  expect(await page.getByText(words).count()).toBe(0);
});
