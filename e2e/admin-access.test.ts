// Tests who can open the admin pages, and how administrators sign in.
import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, keepPerson, openPerson, see, takeToast } from './harness/browser.ts';
import { setFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const GUARDED = [
  ...[
    '/admin',
    '/admin/products',
    '/admin/users',
    '/admin/users/cohorts',
    '/admin/users/team',
    '/admin/coupons',
  ],
  ...['/admin/coupons/uploads', '/admin/coupons/uploads/17'],
];
const ADMINS_ONLY = 'Sorry, this space is for admins only. Seems like you do not have access.';

const CHECK = '**/api/admin/check';
const SENT = 'A magic link has been sent to your email. Please check your inbox and click the link to login.';

const fixture = setFixture();
const visitor = keepPerson(fixture, async () => undefined);
const learner = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, 'lea@learner.example'));
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL));

test.each(GUARDED)(
  'R-GUARD-02, R-GUARD-04, R-GEN-14, R-GEN-15: %s leads visitors to the admin sign-in and learners away',
  async (path) => {
    await visitor.page.goto(path);
    await visitor.page.waitForURL('**/admin-login');
    await see(visitor.page, 'Access is restricted to admin users only.');

    learner.allowComplaint(/403/);
    await learner.page.goto(path);
    await learner.page.waitForURL('**/admin-access-restricted');
    await see(learner.page, ADMINS_ONLY);
    expect(await learner.page.getByRole('navigation', { name: 'Admin' }).count()).toBe(0);
  },
);

test.each([
  [
    'R-GUARD-01, R-GUARD-05, R-DAY-61: /admin/products',
    '/admin/products',
    'Checking access...',
    '/admin/products',
  ],
  [
    'R-ALOG-11, R-ALOG-12, R-ALOG-13: the admin sign-in',
    '/admin-login',
    'Checking authentication status...',
    '/admin',
  ],
])(
  '%s shows a spinner and nothing of the data while the server checks the session’s token, and then the page for administrators',
  async (_name, path, words, end) => {
    const { page } = staff;
    const letThrough = await holdCalls(page, CHECK);
    const asked = page.waitForRequest(CHECK);
    await page.goto(path);
    await see(page, words);
    const main = page.getByRole('main');
    await main.locator('[data-turns]').waitFor();
    expect((await asked).headers().authorization).toMatch(/^Bearer \S+$/);
    expect(await main.getByRole('button').count()).toBe(0);
    expect(await main.getByRole('table').count()).toBe(0);
    const isStaffPage = path !== '/admin-login';
    expect(await page.getByRole('navigation', { name: 'Admin' }).count()).toBe(isStaffPage ? 1 : 0);
    if (isStaffPage) await main.getByRole('heading', { level: 1, name: 'Products' }).waitFor();
    letThrough();
    await page.waitForURL((url) => url.pathname === end);
    await page.getByRole('navigation', { name: 'Admin' }).waitFor();
    await main
      .getByRole('heading', { level: 1, name: end === '/admin' ? 'Dashboard' : 'Products' })
      .waitFor();
  },
);

const NO_ANSWERS: [string, (route: Route) => Promise<void>][] = [
  ['a check that fails', (route) => route.fulfill({ status: 500, body: 'no' })],
  ['a check that cannot be made', (route) => route.abort()],
];

test.each(NO_ANSWERS)(
  'R-GUARD-03, R-ALOG-14, A-87: %s leads from the admin pages and the admin sign-in to a page that says so, and Try again leads back once the check succeeds',
  async (_name, fail) => {
    const { page } = staff;
    staff.allowComplaint(/500|ERR_FAILED/);
    for (const [path, end] of [
      ['/admin/users', '/admin/users'],
      ['/admin-login', '/admin'],
    ] as const) {
      await page.route(CHECK, fail);
      await page.goto(path);
      await page.waitForURL('**/admin-access-restricted');
      await see(page, 'We could not check your access.');
      expect(await page.getByText(/Admins only|Wrong account/).count()).toBe(0);
      const again = page.getByRole('button', { name: 'Try again' });
      const asked = page.waitForRequest(CHECK);
      await again.click();
      await asked;
      await again.waitFor();
      await page.unroute(CHECK);
      await again.click();
      await page.waitForURL((url) => url.pathname === end);
      await page.getByRole('navigation', { name: 'Admin' }).waitFor();
    }
  },
);

test('A-87: a check without a response is aborted after a time-out', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL);
  await page.route(CHECK, () => undefined);
  await page.addInitScript(() => {
    const start = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = () => start(0);
  });
  await page.goto('/admin');
  await see(page, 'We could not check your access.');
});

test('R-GUARD-06: a 200 response that does not name an administrator gives no access to the admin pages or past the admin sign-in', async () => {
  const { page } = staff;
  await page.route(CHECK, (route) =>
    route.fulfill({ json: { success: true, user: { id: '1', email: ADMIN_EMAIL, user_role: 'user' } } }),
  );
  for (const path of ['/admin', '/admin-login']) {
    await page.goto(path);
    await page.waitForURL('**/admin-access-restricted');
    await see(page, ADMINS_ONLY);
  }
});

test('R-ALOG-14: the admin sign-in redirects a signed-in learner to the page for missing access', async () => {
  learner.allowComplaint(/403/);
  await learner.page.goto('/admin-login');
  await learner.page.waitForURL('**/admin-access-restricted');
});

test('R-ALOG-01, R-ALOG-04, R-ALOG-09, R-ALOG-10, R-VAL-06, R-VAL-07: the admin sign-in asks for an address, and says so when it is empty', async () => {
  const { page } = visitor;
  await page.goto('/admin-login');
  const main = page.getByRole('main');
  await see(main, 'Access is restricted to admin users only.');
  const field = main.getByRole('textbox', { name: 'Email' });
  expect(await field.getAttribute('type')).toBe('email');
  await field.fill('  ');
  await main.getByRole('button', { name: 'Send Magic Link', exact: true }).click();
  await takeToast(page, 'destructive', 'Error', 'Please enter your email address');
  expect(visitor.countCalls('/auth/v1/otp')).toBe(0);
  await main.getByRole('link', { name: 'Back to Home' }).click();
  await page.waitForURL((url) => url.pathname === '/');
});

test('R-ERR-21: a sign-in mail that could not be sent is reported with the service’s message, or with ours if it has none', async () => {
  const { page } = visitor;
  visitor.allowComplaint(/400|422|ERR_FAILED/);
  await page.goto('/admin-login');
  const send = () => page.getByRole('button', { name: 'Send Magic Link' }).click();
  await page.getByLabel('Email').fill('no-address');
  await send();
  await takeToast(page, 'destructive', 'Error', 'Unable to validate email address: invalid format');
  await page.route('**/auth/v1/otp**', (route) => route.abort());
  await page.getByLabel('Email').fill(ADMIN_EMAIL);
  await send();
  await takeToast(page, 'destructive', 'Error', 'Failed to send magic link');
  await page.getByRole('textbox', { name: 'Email' }).waitFor();
});

test('R-ALOG-01, R-ALOG-05, R-ALOG-06, R-ALOG-07, R-ALOG-08, R-ALOG-17, R-ALOG-18, R-ANAV-01: the mailed link of the admin sign-in, also when sent again, leads to the dashboard', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await page.goto('/admin-login');
  await page.getByLabel('Email').fill(ADMIN_EMAIL);
  await page.getByRole('button', { name: 'Send Magic Link' }).click();
  await takeToast(page, 'default', 'Magic Link Sent', SENT);
  await see(page, 'Check Your Email', ADMIN_EMAIL);
  expect(await page.evaluate(() => localStorage.getItem('authRedirectPath'))).toBe('/admin');
  await page.getByRole('button', { name: 'Use a different email' }).click();
  await page.getByLabel('Email').fill(ADMIN_EMAIL);
  await fixture.mailbox.takeMail(ADMIN_EMAIL);
  await page.getByRole('button', { name: 'Send Magic Link' }).click();
  await fixture.mailbox.takeMail(ADMIN_EMAIL);
  await page.getByRole('button', { name: 'Resend magic link' }).click();

  const tab = await person.openTab();
  await tab.goto((await fixture.mailbox.takeMail(ADMIN_EMAIL)).link);
  await tab.waitForURL('**/admin');
  const nav = tab.getByRole('navigation', { name: 'Admin' });
  await nav.waitFor();
  expect(await nav.getByRole('link').allTextContents()).toEqual([
    'Dashboard',
    'Products',
    'Users',
    'Coupons',
    'Back to Website',
  ]);
  // The sign-in in the new tab also signs in the tab that requested the mail.
  await page.waitForURL('**/admin');
  await nav.getByRole('link', { name: 'Back to Website' }).click();
  await tab.waitForURL((url) => url.pathname === '/');
  expect(await tab.getByRole('navigation', { name: 'Admin' }).count()).toBe(0);
});

test('A-90: the mailed code, typed in the tab that requested it, leads to the dashboard too', async () => {
  const person = await openPerson(fixture);
  person.allowComplaint(/403/);
  const { page } = person;
  await page.goto('/admin-login');
  await page.getByLabel('Email').fill(ADMIN_EMAIL);
  await page.getByRole('button', { name: 'Send Magic Link' }).click();
  const { code } = await fixture.mailbox.takeMail(ADMIN_EMAIL);
  const field = page.getByLabel('Or enter the code from the email');
  await field.waitFor();
  expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
  await page.keyboard.type(String((Number(code) + 1) % 1_000_000).padStart(6, '0'));
  await page.keyboard.press('Enter');
  await see(page, 'This code is wrong or has expired.');
  await field.fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/admin');
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
});

test('A-08: the admin sign-in does not offer Google if Google is not configured', async () => {
  const { page } = visitor;
  await page.goto('/admin-login');
  await page.getByRole('button', { name: 'Send Magic Link' }).waitFor();
  expect(await page.getByText(/Google|^OR$/).count()).toBe(0);
});
