// Tests the sign-in callback and the Google handler: where and when they redirect, and which stored values they remove.
import { expect, test } from 'vitest';
import {
  arriveSignedIn,
  keepPerson,
  makeCallbackPath,
  openPerson,
  type Person,
  see,
  seeToast,
} from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { holdTimers } from './harness/hold.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const CALLBACK = '/auth/callback';
const HANDLER = '/auth/google-handler';
const REDIRECT_DELAY_MS = 500;
const ADMINS_ONLY = 'Sorry, this space is for admins only. Seems like you do not have access.';

const fixture = setFixture();
const admin = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL));
const learner = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, 'back@learner.example'));

function store({ page }: Person, values: Record<string, string>): Promise<void> {
  return page.evaluate((entries) => {
    for (const [key, value] of entries) localStorage.setItem(key, value);
  }, Object.entries(values));
}

function readKey({ page }: Person, key: string): Promise<string | null> {
  return page.evaluate((name) => localStorage.getItem(name), key);
}

/**
 * Checks that the callback page does not redirect before its timer of half a second fires. `timers` delays this timer
 * until this function releases it.
 */
async function expectHalfSecond(
  { page }: Person,
  timers: Awaited<ReturnType<typeof holdTimers>>,
): Promise<void> {
  await timers.waitForOne();
  expect(new URL(page.url()).pathname).toBe(CALLBACK);
  expect(new URL(page.url()).hash).toBe('');
  await timers.release();
}

test('R-ROUTE-06, R-CB-01, R-CB-07, R-CB-12, R-CB-13, R-KEY-01, R-KEY-02: tokens in the address sign in; half a second later the stored path, which is then removed, opens rather than the last product', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  const timers = await holdTimers(page, REDIRECT_DELAY_MS);
  await page.goto('/nowhere');
  await store(person, {
    authRedirectPath: `${fixture.portal.url}/fellowship?from=mail`,
    authRedirectPathname: '/fellowship',
    lastVisitedProduct: 'some-product',
  });
  await page.goto(await makeCallbackPath(fixture, 'first@learner.example'));
  await expectHalfSecond(person, timers);
  await page.waitForURL('**/fellowship?from=mail');
  await see(page.getByRole('banner'), 'first@learner.example');
  expect(await readKey(person, 'authRedirectPath')).toBeNull();
  expect(await readKey(person, 'authRedirectPathname')).toBeNull();
  expect(await readKey(person, 'lastVisitedProduct')).toBe('some-product');
});

test('R-CB-02, R-CB-08, R-CB-09, R-CB-12, R-KEY-04: without tokens in the address the stored session is used; half a second later the last product opens, else home', async () => {
  const product = await offerProduct(fixture, {});
  const person = await openPerson(fixture);
  person.allowComplaint(/403/);
  const { page } = person;
  const answered = page.waitForResponse('**/api/redeem-secure');
  await arriveSignedIn(person, fixture, 'again@learner.example', `/product/${product.product_id}`);
  await see(page, product.name);
  await answered;
  expect(await readKey(person, 'lastVisitedProduct')).toBe(product.product_id);
  const timers = await holdTimers(page, REDIRECT_DELAY_MS);
  await page.goto(CALLBACK);
  await expectHalfSecond(person, timers);
  await page.waitForURL(`**/product/${product.product_id}`);

  // Leaves the product page before `lastVisitedProduct` is removed from the storage. An open product page could store
  // this key again.
  await page.goto('/nowhere');
  await page.evaluate(() => localStorage.removeItem('lastVisitedProduct'));
  await page.goto(CALLBACK);
  await page.waitForURL((url) => url.pathname === '/');
  await see(page.getByRole('banner'), 'again@learner.example');
});

test('R-CB-10, R-CB-11: without a session, and after an error, the callback opens home, whatever path is stored', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await page.goto('/nowhere');
  await store(person, { authRedirectPath: '/fellowship', lastVisitedProduct: 'some-product' });
  for (const fragment of [
    '',
    '#error=access_denied&error_description=Email+link+is+invalid+or+has+expired',
  ]) {
    await page.goto(`${CALLBACK}${fragment}`);
    await page.waitForURL((url) => url.pathname === '/');
    await page.getByRole('banner').getByRole('button', { name: 'Login' }).waitFor();
  }
  await seeToast(page, 'destructive', 'Authentication Error', 'Email link is invalid or has expired');
});

test.each([
  [ADMIN_EMAIL, '/admin'],
  ['came@learner.example', '/admin/access-denied'],
])(
  'R-GEN-12, R-CB-03, R-CB-04, R-CB-05, R-CB-12, R-CB-13: %s, coming from the admin sign-in, is checked and redirected to %s half a second later, whatever path is stored',
  async (email, place) => {
    const person = await openPerson(fixture);
    person.allowComplaint(/403/);
    const { page } = person;
    const timers = await holdTimers(page, REDIRECT_DELAY_MS);
    await page.goto('/admin-login');
    await page.getByLabel('Email').waitFor();
    await store(person, { authRedirectPath: '/fellowship', lastVisitedProduct: 'some-product' });
    const arrival = await makeCallbackPath(fixture, email);
    await page.evaluate((address) => location.assign(address), arrival);
    await expectHalfSecond(person, timers);
    expect(person.countCalls('/api/admin/check')).toBe(1);
    await page.waitForURL(`**${place}`);
  },
);

test('R-DAY-50: a member of the team without a saved path lands on the staff pages, whatever product they saw last; a learner causes no call of the staff pages', async () => {
  for (const [email, place] of [
    [ADMIN_EMAIL, '/admin'],
    ['plain@learner.example', '/'],
  ] as const) {
    const person = await openPerson(fixture);
    const { page } = person;
    await page.goto('/nowhere');
    if (place !== '/')
      await store(person, { authRedirectPath: `${fixture.portal.url}/`, lastVisitedProduct: 'some-product' });
    await page.goto(await makeCallbackPath(fixture, email));
    await page.waitForURL((url) => url.pathname === place);
    await see(page.getByRole('banner'), email);
    await see(page.getByRole('main'), place === '/' ? 'No tools on this account yet' : 'Dashboard');
    expect(person.countCalls('/api/auth/user')).toBe(1);
    expect(person.countCalls('/api/admin/check')).toBe(place === '/' ? 0 : 1);
    expect(person.countCalls('/api/my/products')).toBe(place === '/' ? 1 : 0);
  }
});

test('R-DAY-50: a member of the team without products finds the way from home, and a code typed there leads to the staff pages', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await page.goto('/');
  await page.getByRole('main').getByRole('button', { name: 'Login to redeem your coupons' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill(ADMIN_EMAIL);
  await page.getByRole('button', { name: 'Send Magic Link' }).click();
  const { code } = await fixture.mailbox.takeMail(ADMIN_EMAIL);
  await page.getByLabel('Or enter the code from the email').fill(code);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/admin');
  await page.getByRole('link', { name: 'Back to Website' }).click();
  await see(page.getByRole('main'), 'You are a member of the team.');
  expect(await page.getByText('No tools on this account yet').count()).toBe(0);
  await page.getByRole('main').getByRole('link', { name: 'Open the staff pages' }).click();
  await page.waitForURL('**/admin');
});

test('R-ROUTE-07, R-GH-01, R-GH-04, R-GH-05, R-GEN-12: the handler after Google welcomes an administrator', async () => {
  const { page } = admin;
  const asked = page.waitForRequest('**/api/auth/user');
  await page.goto(HANDLER);
  await asked;
  await page.waitForURL('**/admin');
  await seeToast(page, 'default', 'Welcome', 'You have successfully logged in as administrator');
});

test('R-ROUTE-07, R-GH-01, R-GH-06, R-GH-07, R-GEN-12, R-ERR-22: the handler after Google redirects others to the page for missing access', async () => {
  const { page } = learner;
  await page.goto(HANDLER);
  await page.waitForURL('**/admin/access-denied');
  await seeToast(page, 'destructive', 'Access restricted');
  await see(page, ADMINS_ONLY);
});

test('R-GH-02, R-GH-03: the handler after Google reports a failed check and opens home', async () => {
  const visitor = await openPerson(fixture);
  learner.allowComplaint(/500/);
  await learner.page.route('**/api/auth/user', (route) => route.fulfill({ status: 500, body: '' }));
  for (const { page } of [visitor, learner]) {
    await page.goto(HANDLER);
    await page.waitForURL((url) => url.pathname === '/');
    await seeToast(page, 'destructive', 'Authentication Error', 'Failed to retrieve user information');
  }
});
