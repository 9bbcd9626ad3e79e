// Tests the exact texts of the product page in every state. The tests cause each failure that the page can show.
import { randomUUID } from 'node:crypto';
import type { Page, Request, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  arriveSignedIn,
  navigateInApp,
  openPerson,
  see,
  seeToast,
  WELL_AFTER_ANY_DELAY_MS,
} from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';

const SUPPORT = 'support@example.org';
const NOT_REGISTERED =
  'Seems like your email is not registered. Please ensure you login with the same email you made the purchase with.';
const RESTRICTED = 'Sorry, access is restricted!';
const NO_ACCESS = `Oops! Seems like you do not have access! Please write to us at ${SUPPORT} if you think this is an error.`;

const APOLOGY = `We apologise, there seems to be an error. Please write to us at ${SUPPORT}`;
const REDEEM = '/api/redeem-secure';

const fixture = setFixture();

test('R-GEN-05, R-GEN-06, R-AUTO-04, R-PROD-06, R-PROD-09, R-PROD-10, R-PROD-11, R-PROD-12, R-PROD-25, R-PROD-28, R-PROD-29, R-PROD-31: a visitor can read the offer, and Redeem Now opens the sign-in without a call', async () => {
  const product = await offerProduct(fixture, {});
  const person = await openPerson(fixture);
  const { page } = person;
  await page.clock.install();
  await page.goto(`/product/${product.product_id}`);
  await page.getByRole('heading', { level: 1, name: product.name, exact: true }).waitFor();
  await see(page, product.description);
  await see(page, 'Priority access at peak times', '5x more messages than the free tier');
  await see(page, 'Early access to new features', 'How To Redeem Your Offer');
  await see(page, 'Login & Verify', 'Get Your Code', 'Activate Your Access');
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
  await page.clock.runFor(WELL_AFTER_ANY_DELAY_MS);
  await page.getByRole('button', { name: 'Redeem Now', exact: true }).click();
  await page.getByRole('dialog', { name: 'Sign In to Redeem' }).waitFor();
  expect(person.countCalls(REDEEM)).toBe(0);
});

test('R-PROD-01, R-AUTO-05: while the product loads, the page says so and redeems nothing', async () => {
  const email = 'lade@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['LOAD-1'] });
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, email);
  await page.clock.install();
  const letThrough = await holdCalls(page, '**/api/products/*');
  await navigateInApp(page, `/product/${product.product_id}`);
  await see(page, 'Loading product details...');
  await page.getByRole('banner').getByText(email).waitFor();
  await page.clock.runFor(WELL_AFTER_ANY_DELAY_MS);
  expect(person.countCalls(REDEEM)).toBe(0);
  letThrough();
  await see(page, 'LOAD-1');
});

test('R-PROD-02, R-PROD-03, R-PROD-04, R-PROD-05, R-AUTO-05: an unknown product shows Product Not Found, redeems nothing, and redirects to home with a notification', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, 'leer@stranger.example');
  for (const id of [randomUUID(), 'no-such-product', '%E0%A4%A']) {
    person.allowComplaint(/404/);
    await page.goto(`/product/${id}`);
    await see(page, 'Product Not Found', 'Redirecting to home page...');
    await page.waitForURL((url) => url.pathname === '/');
    // A-81 requires that the notification stays after the redirect.
    await seeToast(page, 'destructive', 'Product Not Found', 'The product does not exist or was removed.');
  }
  expect(person.countCalls(REDEEM)).toBe(0);
});

test('R-PROD-07, R-PROD-08, R-PROD-26, R-PROD-27: a long name and description are shortened, and instructions are a numbered list of their non-empty lines with clickable links', async () => {
  const product = await fixture.admin.addProduct({
    name: 'n'.repeat(51),
    description: 'd'.repeat(201),
    instructions: 'Open https://partner.example/start.\n\n   \nEnter <b>the code</b>',
  });
  const { page } = await openPerson(fixture);
  await page.goto(`/product/${product.product_id}`);
  await see(page, `${'n'.repeat(50)}…`, `${'d'.repeat(200)}…`);
  const steps = page.getByRole('region', { name: 'How To Redeem Your Offer' }).locator('ol > li');
  expect(await steps.allTextContents()).toEqual([
    expect.stringMatching(/^Open https:\/\/partner\.example\/start/),
    'Enter <b>the code</b>',
  ]);
  const link = page.getByRole('link', { name: 'https://partner.example/start' });
  expect(await link.getAttribute('href')).toBe('https://partner.example/start');
});

test('a failure to load a product is not shown as a missing product, and can be tried again', async () => {
  const product = await offerProduct(fixture, {});
  const person = await openPerson(fixture);
  person.allowComplaint(/ERR_FAILED|500/);
  const { page } = person;
  await page.route('**/api/products/*', (route) => route.abort(), { times: 1 });
  await page.goto('/');
  await navigateInApp(page, `/product/${product.product_id}`);
  await page.getByRole('main').getByRole('button', { name: 'Try again' }).waitFor();
  expect(await page.getByText('Product Not Found').count()).toBe(0);
  await page.getByRole('main').getByRole('button').click();
  await see(page, product.name);
});

test('R-GEN-16, R-ERR-01, R-ERR-07: a user with an unknown address reads that it is not registered', async () => {
  const product = await offerProduct(fixture, { codes: ['UNK-1'] });
  const person = await openPerson(fixture);
  person.allowComplaint(/403/);
  await arriveSignedIn(person, fixture, 'uwe@stranger.example', `/product/${product.product_id}`);
  await see(person.page, 'Email not registered', NOT_REGISTERED);
  expect(await fixture.admin.listAssignedCodes(product)).toEqual([]);
});

test('R-GEN-16, R-PROD-24, R-ERR-01, R-ERR-03, R-ERR-05: a learner without this product reads that access is restricted', async () => {
  const product = await offerProduct(fixture, { codes: ['DENY-1'] });
  await offerProduct(fixture, { learners: ['udo@learner.example'] });
  const person = await openPerson(fixture);
  person.allowComplaint(/403/);
  await arriveSignedIn(person, fixture, 'udo@learner.example', `/product/${product.product_id}`);
  await see(person.page, RESTRICTED, NO_ACCESS);
  expect(await fixture.admin.listAssignedCodes(product)).toEqual([]);
});

test('R-PROD-24, R-ERR-01: a learner who redeems after the last code reads that no codes are left, and nothing about missing access', async () => {
  const learners = ['erst@learner.example', 'letzt@learner.example'];
  const product = await offerProduct(fixture, { learners, codes: ['LAST-1'] });
  const [first, second] = [await openPerson(fixture), await openPerson(fixture)];
  await arriveSignedIn(first, fixture, 'erst@learner.example', `/product/${product.product_id}`);
  await see(first.page, 'LAST-1');
  second.allowComplaint(/409/);
  await arriveSignedIn(second, fixture, 'letzt@learner.example', `/product/${product.product_id}`);
  await see(second.page, 'No codes left');
  expect(await second.page.getByText(/access is restricted|Oops!/).count()).toBe(0);
});

const NOT_OURS = '<html>busy</html>';
const failures: [string, Parameters<Route['fulfill']>[0] | null, string, string][] = [
  ['R-ERR-04: a lost connection', null, 'Error', APOLOGY],
  [
    'R-ERR-04: a database that is away',
    { status: 503, json: { code: 'connection_lost', message: 'M' } },
    'Error',
    APOLOGY,
  ],
  ['R-ERR-04: a fault of the server', { status: 500, json: { title: 'T', message: 'M' } }, 'Error', APOLOGY],
  ['R-ERR-04: a refusal that is not ours', { status: 403, body: NOT_OURS }, 'Error', APOLOGY],
  ['R-ERR-04: a success that cannot be read', { status: 200, body: NOT_OURS }, 'Error', APOLOGY],
  [
    'R-ERR-02, R-ERR-08: a refusal without a title',
    { status: 400, json: { message: 'M' } },
    RESTRICTED,
    NO_ACCESS,
  ],
  [
    'R-ERR-06: not authorized',
    { status: 403, json: { title: 'T', message: 'You are not authorized' } },
    'T',
    NOT_REGISTERED,
  ],
  ['R-ERR-08: any other refusal', { status: 404, json: { title: 'T', message: 'M' } }, 'T', NO_ACCESS],
];

test('R-PROD-24, R-PROD-30, R-ERR-02, R-ERR-04, R-ERR-06, R-ERR-08: each failure has its title and message, and the button then redeems the code', async () => {
  const email = 'pech@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['LUCK-1'] });
  const person = await openPerson(fixture);
  person.allowComplaint(/ERR_FAILED|40[034]|50[03]/);
  const { page } = person;
  let answer: Parameters<Route['fulfill']>[0] | null = null;
  await page.route(`**${REDEEM}`, (route) => (answer ? route.fulfill(answer) : route.abort()));
  await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
  const box = page.getByRole('main').getByRole('alert');
  for (const [name, reply, title, message] of failures) {
    answer = reply;
    const answered = page.waitForEvent('requestfinished', isRedeem).catch(() => null);
    if (reply) {
      await page.getByRole('button', { name: 'Redeem Now' }).click();
      await answered;
    }
    await expect
      .poll(() => box.locator('h2, p').allTextContents(), { message: name })
      .toEqual([title, message]);
  }
  await page.unroute(`**${REDEEM}`);
  await page.getByRole('button', { name: 'Redeem Now' }).click();
  await see(page, 'LUCK-1');
  expect(await box.count()).toBe(0);
});

test('R-VAL-08: a learner who redeems after the session has ended is asked to log in, and can', async () => {
  const email = 'ende@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['END-1'] });
  const person = await openPerson(fixture);
  person.allowComplaint(/ERR_FAILED|400|401/);
  const { page } = person;
  await page.route(`**${REDEEM}`, (route) => route.abort(), { times: 1 });
  await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
  await see(page, 'Error');
  await endSessionElsewhere(page);
  await page.getByRole('button', { name: 'Redeem Now' }).click();
  await seeToast(page, 'destructive', 'Authentication Required', 'Please log in to redeem coupons.');
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).waitFor();
  await page.getByRole('button', { name: 'Redeem Now' }).click();
  await page.getByRole('dialog', { name: 'Sign In to Redeem' }).waitFor();
  expect(await fixture.admin.listAssignedCodes(product)).toEqual([]);
});

test('R-VAL-09: a product without an id is not redeemed, and the learner gets a message', async () => {
  const product = await offerProduct(fixture, {});
  const person = await openPerson(fixture);
  const { page } = person;
  await page.route('**/api/products/*', async (route) => {
    const { product_id: _gone, ...rest } = (await (await route.fetch()).json()) as typeof product;
    await route.fulfill({ json: rest });
  });
  await arriveSignedIn(person, fixture, 'ohne@learner.example');
  // Navigates inside the application, so that the page requests the product through the API. A page loaded from the
  // server already contains the product.
  await navigateInApp(page, `/product/${product.product_id}`);
  await page.getByRole('button', { name: 'Redeem Now' }).click();
  await seeToast(page, 'destructive', 'Error', 'Product information not available');
  expect(person.countCalls(REDEEM)).toBe(0);
});

function isRedeem(request: Request): boolean {
  return new URL(request.url()).pathname === REDEEM;
}

async function endSessionElsewhere(page: Page): Promise<void> {
  const token = await page.evaluate(
    () => JSON.parse(localStorage.getItem('portal-auth') ?? '{}').access_token,
  );
  await fetch(`${fixture.portal.url}/auth/v1/logout?scope=global`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
}
