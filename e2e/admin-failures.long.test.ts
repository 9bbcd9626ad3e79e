// Tests error messages for staff: the server's message if there is one, otherwise a message about the failed action.
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Product } from '@portal/contract';
import type { Page, Request, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  choose,
  chooseInMenu,
  chooseProductOfFile,
  csv,
  fileInput,
  openAdminPage,
  openCard,
} from './harness/admin-pages.ts';
import {
  arriveSignedIn,
  endSessionRemotely,
  keepPerson,
  openPerson,
  see,
  takeToast,
} from './harness/browser.ts';
import { setFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const LEARNER = 'fay@learner.example';

const fixture = setFixture();
const products: Product[] = [];
const staff = keepPerson(fixture, async (person) => {
  const assigned = await fixture.admin.addProduct({ name: 'Held' });
  const open = await fixture.admin.addProduct({ name: 'Open' });
  products.push(assigned, open);
  await fixture.admin.addCodes(assigned, 'HELD-1', 'HELD-2');
  await fixture.admin.addLearner(LEARNER, assigned, open);
  await fixture.admin.giveCode(LEARNER, assigned);
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin');
});

type Attempt = {
  number: string;
  what: string;
  on: 'Products' | 'Users' | 'Coupons';
  method?: 'GET';
  path: string;
  fallback: string;
  prepare?: (page: Page) => Promise<unknown>;
  act: (page: Page) => Promise<unknown>;
};

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function lookUp(page: Page): Promise<void> {
  await openCard(page, 'User Access Management');
  await page.getByLabel('User email').fill(LEARNER);
  await press(page, 'View Products');
}

const attempts: Attempt[] = [
  {
    number: 'R-ERR-10',
    what: 'a product',
    on: 'Products',
    path: '/api/products',
    fallback: 'Failed to create product',
    prepare: async (page) => {
      await openCard(page, 'Add New Product');
      await page.getByRole('textbox', { name: 'Name' }).fill('Failing');
      await page.getByRole('textbox', { name: 'URL' }).fill('failing.example');
      await page.getByRole('textbox', { name: 'Description' }).fill('Fails.');
    },
    act: (page) => press(page, 'Save Product'),
  },
  {
    number: 'R-ERR-12',
    what: 'a file of products',
    on: 'Products',
    path: '/api/admin/products/bulk',
    fallback: 'Failed to import products',
    prepare: (page) => openCard(page, 'Bulk Upload Products'),
    act: (page) => fileInput(page).setInputFiles(csv('p.csv', 'name,description,url', 'A,b,c.example')),
  },
  {
    number: 'R-ERR-13',
    what: 'a user',
    on: 'Users',
    path: '/api/admin/users/single',
    fallback: 'Failed to create/update user',
    prepare: async (page) => {
      await openCard(page, 'Add New User');
      await page.getByRole('textbox', { name: 'Email', exact: true }).fill('x@y.example');
      await page.getByRole('textbox', { name: 'Name' }).fill('Failing');
      await chooseInMenu(page, /^Products(?! for)/, 'Open');
    },
    act: (page) => press(page, 'Save User'),
  },
  {
    number: 'R-ERR-14',
    what: 'a file of users',
    on: 'Users',
    path: '/api/admin/users/bulk',
    fallback: 'Failed to import users',
    prepare: (page) => chooseProductOfFile(page, 'Users', 'Open'),
    act: (page) => fileInput(page).setInputFiles(csv('u.csv', 'email,name', 'f@y.example,F')),
  },
  {
    number: 'R-ERR-15',
    what: 'a look-up',
    on: 'Users',
    method: 'GET',
    path: '/api/admin/user-access/*',
    fallback: 'Failed to fetch user access',
    act: lookUp,
  },
  {
    number: 'R-ERR-16',
    what: 'giving a code',
    on: 'Users',
    path: '/api/admin/generate-coupon',
    fallback: 'Failed to generate coupon',
    prepare: lookUp,
    act: (page) => press(page, 'Generate Coupon for User'),
  },
  {
    number: 'R-ERR-17',
    what: 'replacing a code',
    on: 'Users',
    path: '/api/admin/regenerate-coupon',
    fallback: 'Failed to regenerate coupon',
    prepare: lookUp,
    act: async (page) => {
      await press(page, 'Regenerate Coupon');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Regenerate Coupon' }).click();
    },
  },
  {
    number: 'R-ERR-18',
    what: 'a coupon',
    on: 'Coupons',
    path: '/api/admin/coupons/single',
    fallback: 'Failed to create coupon',
    prepare: async (page) => {
      await openCard(page, 'Add New Coupon');
      await page.getByRole('textbox', { name: 'Coupon Code' }).fill('FAILING');
      await choose(page.getByRole('combobox', { name: 'Product', exact: true }), 'Open');
    },
    act: (page) => press(page, 'Save Coupon'),
  },
  {
    number: 'R-ERR-19',
    what: 'a file of coupons',
    on: 'Coupons',
    path: '/api/admin/coupons/bulk',
    fallback: 'Failed to import coupons',
    prepare: (page) => chooseProductOfFile(page, 'Coupons', 'Open'),
    act: (page) => fileInput(page).setInputFiles(csv('c.csv', 'coupon_code', 'F-1')),
  },
];

test.each(attempts)(
  '$number, R-ERR-09: $what that fails is reported with the server’s message, or as "$fallback" if it has none',
  async ({ on, method = 'POST', path, fallback, prepare, act }) => {
    const { page } = staff;
    staff.allowComplaint(/ERR_FAILED|500|409|404/);
    await openAdminPage(page, on);
    await prepare?.(page);
    const failing = async (fail: (route: Route) => Promise<void>, words: string) => {
      await page.route(`**${path}`, (route) =>
        route.request().method() === method ? fail(route) : route.fallback(),
      );
      await act(page);
      await takeToast(page, 'destructive', 'Error', words);
      await page.unroute(`**${path}`);
    };
    await failing((route) => route.fulfill({ status: 500, body: '<h1>Oh no</h1>' }), fallback);
    await failing((route) => route.abort(), fallback);
    const message = 'Words of the server.';
    await failing((route) => route.fulfill({ status: 409, json: { code: 'conflict', message } }), message);
  },
);

test('R-ERR-11: a file that cannot be read is reported, and nothing is sent', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Products');
  await openCard(page, 'Bulk Upload Products');
  const path = join(tmpdir(), `unreadable-${process.pid}.csv`);
  await writeFile(path, 'name,description,url');
  await page.evaluate(() => {
    const chooser = document.createElement('input');
    chooser.type = 'file';
    chooser.id = 'chosen-before';
    document.body.append(chooser);
  });
  await page.locator('#chosen-before').setInputFiles(path);
  await rm(path);
  const before = staff.countCalls('/api/admin/products/bulk');
  const dropped = await page.evaluateHandle(() => {
    const chooser = document.getElementById('chosen-before') as HTMLInputElement;
    const data = new DataTransfer();
    data.items.add(chooser.files?.[0] as File);
    chooser.remove();
    return data;
  });
  await page.getByText('Drop a CSV file here').dispatchEvent('drop', { dataTransfer: dropped });
  await takeToast(page, 'destructive', 'Error', 'Failed to process CSV upload');
  expect(staff.countCalls('/api/admin/products/bulk')).toBe(before);
});

const SESSION_ENDS: [string, string, Attempt['on'], string, (page: Page) => Promise<unknown>, string[]][] = [
  [
    'R-VAL-22',
    'users to upload',
    'Users',
    'Bulk Upload Users',
    async (page) => {
      await chooseProductOfFile(page, 'Users', 'Open');
      await fileInput(page).setInputFiles(csv('u.csv', 'email,name', 'f@y.example,F'));
    },
    ['Authentication Required', 'Please log in again to upload users'],
  ],
  [
    'R-VAL-31',
    'coupons to upload',
    'Coupons',
    'Bulk Upload Coupons',
    async (page) => {
      await chooseProductOfFile(page, 'Coupons', 'Open');
      await fileInput(page).setInputFiles(csv('c.csv', 'coupon_code', 'F-1'));
    },
    ['Authentication Required', 'Please log in again to upload coupons'],
  ],
  [
    'R-ERR-09',
    'a user to look up',
    'Users',
    'User Access Management',
    lookUp,
    ['Error', 'Authentication required'],
  ],
];

test.each(SESSION_ENDS)(
  '%s, R-GUARD-02: a user with %s whose session has ended gets a message and is redirected to the sign-in',
  async (_number, _what, on, card, act, words) => {
    const person = await openPerson(fixture);
    person.allowComplaint(/40[0-9]/);
    const { page } = person;
    await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin');
    await see(page, 'Stock left');
    // Collects the page's pending requests. The test ends the session only when no request is pending. Otherwise a
    // pending request would fail and show the message about the ended session before `act` causes this message.
    const underWay = new Set<Request>();
    page.on('request', (request) => underWay.add(request));
    page.on('requestfinished', (request) => underWay.delete(request));
    page.on('requestfailed', (request) => underWay.delete(request));
    await openAdminPage(page, on);
    await see(page, on === 'Coupons' ? 'HELD-1' : LEARNER);
    await openCard(page, card);
    await expect.poll(() => underWay.size).toBe(0);
    await endSessionRemotely(page);
    await act(page);
    await takeToast(page, 'destructive', ...words);
    await page.waitForURL('**/admin-login');
    await see(page, `You were signed out. Sign in again and you are back on ${on}.`);
    expect(await page.getByLabel('Email').inputValue()).toBe(ADMIN_EMAIL);
  },
);

test('input typed before the session ended is restored in the form after the sign-in, not saved, and can be cleared', async () => {
  const person = await openPerson(fixture);
  person.allowComplaint(/40[0-9]/);
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/users');
  await see(page, LEARNER);
  const box = (name: string) => page.getByRole('textbox', { name, exact: true });
  await openCard(page, 'Add New User');
  await box('Email').fill('ida@typed.example');
  await box('Name').fill('Ida Nyström');
  await chooseInMenu(page, /^Products(?! for)/, 'Open');
  await endSessionRemotely(page);
  await press(page, 'Save User');
  await page.waitForURL('**/admin-login');
  await see(page, 'You were signed out. Sign in again and you are back on Users; what you typed is kept.');
  await press(page, 'Send Magic Link');
  const { code } = await fixture.mailbox.takeMail(ADMIN_EMAIL);
  await page.getByLabel('Or enter the code from the email').fill(code);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/admin/users?open=add');
  await see(page, 'What you typed before you were signed out is here again. It was not saved yet.');
  expect(await box('Email').inputValue()).toBe('ida@typed.example');
  expect(await box('Name').inputValue()).toBe('Ida Nyström');
  await page.getByRole('button', { name: /^Products\W* Open$/ }).waitFor();
  await press(page, 'Clear');
  expect(await box('Name').inputValue()).toBe('');
  expect(await page.getByText(/^What you typed/).count()).toBe(0);
});

test('a choice made before the session ended is restored once its options have loaded, in the tab opened by a mailed link', async () => {
  const person = await openPerson(fixture);
  person.allowComplaint(/40[0-9]/);
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/coupons');
  await see(page, 'HELD-1');
  await openCard(page, 'Add New Coupon');
  await page.getByRole('textbox', { name: 'Coupon Code' }).fill('TYPED-1');
  const product = page.getByRole('combobox', { name: 'Product', exact: true });
  await choose(product, 'Open');
  const chosen = await product.inputValue();
  await endSessionRemotely(page);
  await press(page, 'Save Coupon');
  await see(page, /^You were signed out/);
  await press(page, 'Send Magic Link');
  await page.goto((await fixture.mailbox.takeMail(ADMIN_EMAIL)).link);
  await page.waitForURL('**/admin/coupons?open=add');
  await see(page, /^What you typed/);
  await expect.poll(() => product.inputValue()).toBe(chosen);
  await press(page, 'Save Coupon');
  await takeToast(page, 'default', 'Success', 'Coupon created successfully');
  expect(await page.getByText(/^What you typed/).count()).toBe(0);
});

test('R-GEN-19: the server refuses every call of a learner who forces the admin pages to appear', async () => {
  const person = await openPerson(fixture);
  person.allowComplaint(/403/);
  const { page } = person;
  await arriveSignedIn(person, fixture, LEARNER);
  await page.route('**/api/admin/check', (route) =>
    route.fulfill({
      json: { success: true, user: { id: '1', email: LEARNER, user_role: 'admin', team_role: 'owner' } },
    }),
  );
  await page.goto('/admin');
  await see(page, /We could not load the figures/);
  // Fakes the list of products, so that the forms have options to choose. The server sends the real list only to
  // administrators, and the signed-in user is a learner.
  const json = products.map((product) => ({ ...product, left: 0, held: 0, redeemed_30: 0 }));
  await page.route('**/api/products', (route) =>
    route.request().method() === 'GET' ? route.fulfill({ json }) : route.continue(),
  );
  for (const { on, path, method = 'POST', prepare, act } of attempts.filter(({ number }) =>
    ['R-ERR-10', 'R-ERR-15', 'R-ERR-19'].includes(number),
  )) {
    await openAdminPage(page, on);
    const answer = page.waitForResponse(
      (response) => response.request().method() === method && response.url().includes(path.replace('*', '')),
    );
    await prepare?.(page);
    await act(page);
    expect((await answer).status()).toBe(403);
    await takeToast(page, 'destructive', 'Error', 'Access restricted');
  }
});
