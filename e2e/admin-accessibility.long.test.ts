// Checks each state of the admin pages for accessibility and layout defects and for console errors. The states of
// products, access and uploads are in lifecycle-pages.long.test.ts.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { choose, chooseProductOfFile, csv, fileInput, openCard } from './harness/admin-pages.ts';
import { redeem, signIn } from './harness/api.ts';
import {
  arriveSignedIn,
  endSessionRemotely,
  keepPerson,
  openPerson,
  see,
  takeToast,
} from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const LEARNER = 'axel@learner.example';
const REDEEMER = 'rita@learner.example';
const PRODUCT = `Tarnquill ${'Donaudampfschifffahrt'.repeat(5)}`;

const fixture = setOwnFixture();
const visitor = keepPerson(fixture, async () => undefined);
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

beforeAll(async () => {
  const product = await fixture.admin.addProduct({ name: PRODUCT, description: PRODUCT.repeat(5) });
  await fixture.admin.addCodes(product, 'AXE-1', 'AXE-2', 'AXE-'.repeat(60));
  await fixture.admin.addLearner(LEARNER, product);
  const redeemed = await fixture.admin.addProduct({ name: 'Lumifern' });
  await fixture.admin.addCodes(redeemed, 'LUMI-1');
  await fixture.admin.addLearner(REDEEMER, redeemed);
  const { access_token } = await signIn(fixture.portal, REDEEMER);
  await redeem(fixture.portal.url, redeemed.product_id, access_token);
});

type State = {
  name: string;
  path: string;
  /** Text that shows that the page has loaded. The test runs `act` only after this text has appeared. */
  words: string | RegExp;
  /** URL patterns. Requests that match `held` get no response; requests that match `failed` get a 500. */
  held?: string;
  failed?: string;
  complaint?: RegExp;
  act?: (page: Page) => Promise<unknown>;
};

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function lookUp(page: Page, email: string) {
  await openCard(page, 'User Access Management');
  await page.getByLabel('User email').fill(email);
  await press(page, 'View Products');
}

async function upload(page: Page, on: 'Products' | 'Users' | 'Coupons', ...lines: string[]) {
  await chooseProductOfFile(page, on, PRODUCT);
  await fileInput(page).setInputFiles(csv(`${'a-long-name-'.repeat(8)}.csv`, ...lines));
}

const states: State[] = [
  { name: 'the dashboard', path: '/admin', words: /^Tarnquill Donau/ },
  { name: 'the dashboard as it loads', path: '/admin', words: 'Stock left', held: '**/api/admin/stats' },
  {
    name: 'the dashboard without figures',
    path: '/admin',
    words: 'Try again',
    failed: '**/api/admin/stats',
    complaint: /500/,
  },
  {
    name: 'the dashboard with its table',
    path: '/admin',
    words: 'Stock left',
    act: (page) => press(page, 'View as table'),
  },
  { name: 'products', path: '/admin/products', words: 'Existing Products' },
  {
    name: 'products with problems',
    path: '/admin/products',
    words: 'Existing Products',
    act: async (page) => {
      await openCard(page, 'Add New Product');
      await press(page, 'Save Product');
      await see(page, 'Enter a name');
    },
  },
  {
    name: 'products that cannot be loaded',
    path: '/admin/products',
    words: 'Try again',
    failed: '**/api/products',
    complaint: /500/,
  },
  { name: 'no archived products', path: '/admin/products?show=archived', words: 'No product is archived.' },
  { name: 'users', path: '/admin/users', words: LEARNER },
  { name: 'users as they load', path: '/admin/users', words: 'Loading people...', held: '**/api/users?*' },
  {
    name: 'users with problems, and the products to choose from',
    path: '/admin/users',
    words: LEARNER,
    act: async (page) => {
      await openCard(page, 'Add New User');
      await press(page, 'Save User');
      await see(page, 'Select at least one product');
      await page.getByRole('button', { name: /^Products(?! for)/ }).click();
      await page.getByRole('checkbox').first().waitFor();
    },
  },
  {
    name: 'a user looked up',
    path: '/admin/users',
    words: LEARNER,
    act: async (page) => {
      await lookUp(page, LEARNER);
      await page.getByRole('button', { name: /^(Generate|Regenerate) Coupon/ }).waitFor();
    },
  },
  {
    name: 'a user that is not known',
    path: '/admin/users',
    words: LEARNER,
    complaint: /404/,
    act: async (page) => {
      await lookUp(page, 'nobody@stranger.example');
      await see(page, 'Nobody is known by this address.');
    },
  },
  {
    name: 'a code, the question before another, and the wait after it',
    path: '/admin/users',
    words: LEARNER,
    act: async (page) => {
      await lookUp(page, LEARNER);
      await press(page, 'Generate Coupon for User');
      await takeToast(page, 'default', 'Success', 'Coupon generated: AXE-1');
      await press(page, 'Regenerate Coupon');
      await page.getByRole('alertdialog').waitFor();
      await expectNoDefect(page);
      await page.getByRole('alertdialog').getByRole('button', { name: 'Regenerate Coupon' }).click();
      await page.getByRole('button', { name: 'Wait 3 min' }).waitFor();
    },
  },
  {
    name: 'an import of users with invalid rows',
    path: '/admin/users',
    words: LEARNER,
    act: async (page) => {
      await upload(
        page,
        'Users',
        'email,name',
        `${'no-address-'.repeat(20)},Nobody`,
        'new@learner.example,New',
      );
      await see(page, 'Dismiss');
    },
  },
  { name: 'coupons', path: '/admin/coupons', words: 'AXE-2' },
  {
    name: 'coupons as they load',
    path: '/admin/coupons',
    words: 'Loading coupons...',
    held: '**/api/coupons?*',
  },
  {
    name: 'coupons that cannot be loaded',
    path: '/admin/coupons',
    words: 'Try again',
    failed: '**/api/coupons?*',
    complaint: /500/,
  },
  { name: 'coupons of which none match', path: '/admin/coupons?q=nothing', words: 'No codes match.' },
  {
    name: 'a coupon that is being saved',
    path: '/admin/coupons',
    words: 'AXE-2',
    held: '**/api/admin/coupons/single',
    act: async (page) => {
      await openCard(page, 'Add New Coupon');
      await page.getByLabel('Coupon Code').fill('AXE-BUSY');
      await choose(page.getByRole('combobox', { name: 'Product', exact: true }), PRODUCT);
      await press(page, 'Save Coupon');
      await see(page, 'Saving...');
    },
  },
  {
    name: 'a file of coupons that is being read',
    path: '/admin/coupons',
    words: 'AXE-2',
    held: '**/api/admin/coupons/bulk',
    act: async (page) => {
      await upload(page, 'Coupons', 'coupon_code', 'AXE-3');
      await page.getByRole('progressbar').waitFor();
    },
  },
  {
    name: 'an import of coupons with invalid rows',
    path: '/admin/coupons',
    words: 'AXE-2',
    act: async (page) => {
      await upload(page, 'Coupons', 'coupon_code', 'AXE-4', ...Array(7).fill('x'.repeat(300)));
      await see(page, 'and 2 more');
    },
  },
  {
    name: 'an upload that does not exist',
    path: '/admin/coupons/uploads/999999999',
    words: 'There is no upload at this address.',
    complaint: /404/,
  },
  {
    name: 'the check of an administrator',
    path: '/admin',
    words: 'Checking access...',
    held: '**/api/admin/check',
  },
  {
    name: 'a check that nobody answers',
    path: '/admin',
    words: 'We could not check your access.',
    failed: '**/api/admin/check',
    complaint: /500/,
  },
  {
    name: 'a file that was refused',
    path: '/admin/products',
    words: 'Existing Products',
    complaint: /400/,
    act: async (page) => {
      await upload(page, 'Products', 'name,description', 'a,b');
      await page.getByRole('heading', { name: /was not imported$/ }).waitFor();
    },
  },
  {
    name: 'a user who is known',
    path: '/admin/users',
    words: LEARNER,
    act: async (page) => {
      await openCard(page, 'Add New User');
      await page.getByRole('textbox', { name: 'Email', exact: true }).fill(LEARNER);
      await page.keyboard.press('Tab');
      await see(page, /^This person exists/);
    },
  },
  {
    name: 'the sign-in of administrators as it checks',
    path: '/admin-login',
    words: 'Checking authentication status...',
    held: '**/api/admin/check',
  },
];

test.each(states)('$name: no axe violation, nothing cut off, covered, too small or moving', async (state) => {
  const { page } = staff;
  if (state.complaint) staff.allowComplaint(state.complaint);
  if (state.held) await holdCalls(page, state.held);
  if (state.failed)
    await page.route(state.failed, (route) => route.fulfill({ status: 500, json: { message: 'Broken' } }));
  await page.goto(state.path);
  await see(page, state.words);
  await state.act?.(page);
  await expectNoDefect(page);
});

test('a row that was just created is marked and comes first in the list', async () => {
  const { page } = staff;
  await page.goto('/admin/coupons?q=axe&status=available');
  await openCard(page, 'Add New Coupon');
  await page.getByLabel('Coupon Code').fill('AXE-NEW');
  await choose(page.getByRole('combobox', { name: 'Product', exact: true }), PRODUCT);
  await press(page, 'Save Coupon');
  const marked = page.getByRole('table').locator('[aria-current=true]');
  await marked.filter({ hasText: 'AXE-NEW' }).waitFor();
  expect(new URL(page.url()).search).toBe('?open=add');
  expect(await page.getByRole('row').nth(1).textContent()).toContain('AXE-NEW');
  await expectNoDefect(page);
});

test('the sign-in of administrators, before and after sending: no axe violation, nothing cut off, covered, too small or moving', async () => {
  const { page } = visitor;
  await page.goto('/admin-login');
  await see(page, 'Access is restricted to admin users only.');
  await expectNoDefect(page);
  await page.getByRole('textbox').fill(`${'a-long-name-'.repeat(5)}@stranger.example`);
  await press(page, 'Send Magic Link');
  await see(page, 'Check Your Email');
  await expectNoDefect(page);
});

test('a session that ended, on the admin sign-in and on a learner’s page: no axe violation, nothing cut off, covered, too small or moving', async () => {
  const person = await openPerson(fixture);
  person.allowComplaint(/40[0-9]/);
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/users');
  await see(page, LEARNER);
  await openCard(page, 'Add New User');
  await page.getByRole('textbox', { name: 'Phone' }).fill('+46');
  await endSessionRemotely(page);
  await press(page, 'Refresh');
  await see(page, /what you typed is kept\.$/);
  await expectNoDefect(page);
  await page.getByRole('link', { name: 'Back to Home' }).click();
  await see(page, 'You were signed out. Login to go on where you were.');
  await expectNoDefect(page);
});
