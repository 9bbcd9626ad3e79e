// Tests lost or slow connections and errors in a page: the page shows the true state and offers a next step.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';

const REDEEM = '/api/redeem-secure';
const OFFLINE = /ERR_INTERNET_DISCONNECTED|AuthRetryable/;
const MINUTE_MS = 60_000;

const fixture = setFixture();

const main = (page: Page) => page.getByRole('main');

test('without a connection a code stays on the page and can be copied: when the tab is left and looked at again, when the session should be renewed, when the connection is back', async () => {
  const email = 'funkloch@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['STAY-1', 'STAY-2'] });
  const person = await openPerson(fixture);
  person.allowComplaint(OFFLINE);
  const { page, context } = person;
  await page.clock.install();
  await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
  await page.clock.runFor(MINUTE_MS);
  await see(page, 'STAY-1');
  await context.setOffline(true);
  await leaveAndReturn(page);
  await page.clock.fastForward('02:00:00');
  await page.clock.runFor(MINUTE_MS);
  await leaveAndReturn(page);
  await see(page, 'STAY-1');
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await see(page, 'Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('STAY-1');

  await context.setOffline(false);
  await leaveAndReturn(page);
  await page.clock.runFor(MINUTE_MS);
  await see(page, 'STAY-1');
  await page.getByRole('banner').getByText(email).waitFor();
  expect(person.countCalls(REDEEM)).toBe(1);
});

test('a lost response costs no second code: the same button shows the issued one', async () => {
  const email = 'verloren@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['LOST-1', 'LOST-2'] });
  const person = await openPerson(fixture);
  person.allowComplaint(/ERR_FAILED/);
  const { page } = person;
  await page.route(
    `**${REDEEM}`,
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
  await see(page, 'Error');
  await page.getByRole('button', { name: 'Redeem Now' }).click();
  await see(page, 'LOST-1');
  expect(await fixture.admin.listAssignedCodes(product)).toEqual([`LOST-1 ${email}`]);
});

test('while a response is pending, however long, the page shows that it is loading, and clicks redeem nothing', async () => {
  const email = 'langsam@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['SLOW-1', 'SLOW-2'] });
  const person = await openPerson(fixture);
  const { page } = person;
  await page.clock.install();
  const letThrough = await holdCalls(page, `**${REDEEM}`);
  await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
  await page.clock.runFor(MINUTE_MS);
  const button = main(page).getByRole('button', { name: 'Loading...' });
  for (let press = 0; press < 3; press += 1) {
    await button.click({ force: true });
    await page.keyboard.press('Enter');
    await page.clock.runFor(MINUTE_MS);
  }
  await button.waitFor();
  expect(await main(page).getByRole('alert').count()).toBe(0);
  letThrough();
  await see(page, 'SLOW-1');
  expect(person.countCalls(REDEEM)).toBe(1);
});

test('a page whose files cannot be loaded says so, and Reload shows the page when the connection is back', async () => {
  const email = 'kein-netz@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['FILE-1'] });
  const person = await openPerson(fixture);
  person.allowComplaint(OFFLINE);
  const { page, context } = person;
  await arriveSignedIn(person, fixture, email);
  const redeem = page.getByRole('link', { name: 'Redeem Now' });
  await redeem.waitFor();
  await context.setOffline(true);
  await redeem.click();
  await page.getByRole('heading', { level: 1, name: 'This page did not load' }).waitFor();
  await page.getByRole('banner').getByText(email).waitFor();
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Reload' }).click();
  await see(page, product.name, 'FILE-1');
});

test('without a connection each try to load a product shows an error, and the product loads when the connection is back', async () => {
  const email = 'zweimal@learner.example';
  const [known, unknown] = [
    await offerProduct(fixture, { learners: [email], codes: ['SEEN-1'] }),
    await fixture.admin.addProduct({ name: 'Not seen before' }),
  ];
  await fixture.admin.addCodes(unknown, 'UNSEEN-1');
  await fixture.admin.addLearner(email, known, unknown);
  const person = await openPerson(fixture);
  person.allowComplaint(OFFLINE);
  const { page, context } = person;
  await arriveSignedIn(person, fixture, email, `/product/${known.product_id}`);
  await see(page, 'SEEN-1');
  await page.getByRole('link', { name: 'Your Partner Benefits' }).click();
  const card = page.getByRole('article').filter({ hasText: unknown.name });
  await card.waitFor();
  await context.setOffline(true);
  await card.getByRole('link', { name: 'Redeem Now' }).click();
  const retry = page.getByRole('button', { name: 'Try again' });
  await retry.click();
  await retry.and(page.locator(':not([aria-busy])')).waitFor();
  await page.getByText('Please check your connection').waitFor();
  await context.setOffline(false);
  await retry.click();
  await see(page, 'UNSEEN-1');
});

test('a failed sign-in mail shows an error and keeps the typed address, and a double click sends one mail', async () => {
  const person = await openPerson(fixture);
  person.allowComplaint(OFFLINE);
  const { page, context } = person;
  await page.goto('/');
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
  const dialog = page.getByRole('dialog');
  const field = dialog.getByRole('textbox');
  await field.fill('knapp@learner.example');
  const send = dialog.getByRole('button', { name: /Send Magic Link|Sending/ });
  // Goes offline before the sign-in client is loaded: the page loads this client when the form is first sent.
  await context.setOffline(true);
  await send.click();
  await dialog.getByRole('alert').filter({ hasText: 'Please check your email and try again' }).waitFor();
  expect(await field.inputValue()).toBe('knapp@learner.example');
  await context.setOffline(false);
  const letThrough = await holdCalls(page, '**/auth/v1/otp*');
  await send.dblclick({ force: true });
  await see(dialog, 'Sending...');
  letThrough();
  await see(page, 'Magic Link Sent!');
  expect(person.countCalls('/auth/v1/otp', 'POST')).toBe(1);
});

test('a sign-in client that failed to load with the page is loaded when it is needed', async () => {
  const email = 'spaet@learner.example';
  const person = await openPerson(fixture);
  person.allowComplaint(/ERR_FAILED/);
  const { page } = person;
  await arriveSignedIn(person, fixture, email);
  const client = /\/assets\/module-/;
  await page.route(client, (route) => route.abort());
  const missed = page.waitForEvent('requestfailed', (request) => client.test(request.url()));
  await page.reload();
  await missed;
  await see(page.getByRole('banner'), email);
  await page.unroute(client);
  const ended = page.waitForRequest('**/auth/v1/logout*');
  await page.getByRole('button', { name: 'Logout' }).click();
  await ended;
});

test('Logout without a connection signs out in this browser', async () => {
  const email = 'abgang@learner.example';
  const person = await openPerson(fixture);
  person.allowComplaint(OFFLINE);
  const { page, context } = person;
  await arriveSignedIn(person, fixture, email);
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Logout' }).click();
  const login = page.getByRole('banner').getByRole('button', { name: 'Login' });
  await login.waitFor();
  await context.setOffline(false);
  await page.goto('/');
  await login.waitFor();
});

test('R-HDR-06: Logout reloads the page if the portal responds although the browser reports to be offline', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'onLine', { get: () => false });
  });
  await arriveSignedIn(person, fixture, 'allein@learner.example');
  const reloaded = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Logout' }).click();
  await reloaded;
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).waitFor();
});

test('an error in a screen is shown between header and footer, and the next screen works', async () => {
  const email = 'bruch@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['WHOLE-1'] });
  const person = await openPerson(fixture);
  person.allowComplaint(/TypeError/);
  const { page } = person;
  await arriveSignedIn(person, fixture, email);
  // Fakes a product without a description, which the real server never sends. The page fails to render this product.
  await page.route('**/api/products/*', (route) =>
    route.fulfill({ json: { ...product, description: null } }),
  );
  await page.getByRole('link', { name: 'Redeem Now' }).click();
  await page.getByRole('heading', { level: 1, name: 'Something went wrong' }).waitFor();
  await page.getByRole('contentinfo').waitFor();
  await page.getByRole('banner').getByText(email).waitFor();
  await page.getByRole('banner').getByRole('link').first().click();
  await page.getByRole('heading', { level: 1, name: 'Your Partner Benefits' }).waitFor();
  await page.unroute('**/api/products/*');
  await page.goBack();
  await page.getByRole('button', { name: 'Reload' }).click();
  await see(page, 'WHOLE-1');
});

/** Simulates switching to another window and back, with the events to which auth-js and the query cache listen. */
async function leaveAndReturn(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const state of ['hidden', 'visible']) {
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
      window.dispatchEvent(new Event(state === 'hidden' ? 'blur' : 'focus'));
    }
  });
}
