// Tests sessions: when a page renews the session, how a page notices that another tab ended it, and how often pages
// call the server.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, endSessionRemotely, navigateInApp, openPerson, see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';

const TOKEN_CALL = '/auth/v1/token';
const USER_CALL = '/api/auth/user';
const MY_PRODUCTS = '/api/my/products';
const REDEEM = '/api/redeem-secure';
const WELL_AFTER_ANY_RETRY_MS = 120_000;

const fixture = setFixture();

type Stored = { access_token: string; [field: string]: unknown };

function readStored(page: Page): Promise<Stored> {
  return page.evaluate(() => JSON.parse(localStorage.getItem('portal-auth') ?? '{}'));
}

test('R-SESS-01, R-ENT-02: a session is stored with its five fields, and remains after a reload and after the tab is closed', async () => {
  const email = 'tess@learner.example';
  await offerProduct(fixture, { learners: [email] });
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, email);
  expect(await readStored(page)).toMatchObject({
    access_token: expect.any(String),
    refresh_token: expect.any(String),
    expires_in: expect.any(Number),
    expires_at: expect.any(Number),
    user: { id: expect.any(String), email },
  });
  await page.reload();
  await see(page.getByRole('banner'), email);
  await page.close();
  const tab = await person.openTab();
  await tab.goto('/');
  await see(tab.getByRole('banner'), email);
  await see(tab, 'Your Partner Benefits');
});

test('R-SESS-02, R-SESS-04, R-HTTP-02: a token is renewed automatically shortly before it expires after an hour, not earlier, and calls use the new one', async () => {
  const email = 'neu@learner.example';
  const product = await offerProduct(fixture, { learners: [email] });
  const person = await openPerson(fixture);
  person.allowComplaint(/409/);
  const { page } = person;
  await page.clock.install();
  await arriveSignedIn(person, fixture, email);
  // Waits until no request is pending. The test advances the page's clock below, which would trigger time-outs of
  // pending requests.
  const redeem = page.getByRole('link', { name: 'See Details' });
  await redeem.waitFor();
  const { access_token: old } = await readStored(page);
  await page.clock.fastForward('50:00');
  await page.clock.runFor(60_000);
  expect(person.countCalls(TOKEN_CALL)).toBe(0);
  await page.clock.fastForward('08:30');
  await expect.poll(async () => (await readStored(page)).access_token).not.toBe(old);
  expect(person.countCalls(TOKEN_CALL)).toBeGreaterThan(0);
  const asked = page.waitForRequest(`**${REDEEM}`);
  await redeem.click();
  await page.waitForURL(`**/product/${product.product_id}`);
  await page.clock.runFor(1000);
  const { authorization } = await (await asked).allHeaders();
  expect(authorization).toMatch(/^Bearer .+/);
  expect(authorization).not.toBe(`Bearer ${old}`);
});

test('R-SESS-03: a mailed link returns the tokens in the URL fragment, which no server sees', async () => {
  const email = 'implizit@learner.example';
  const person = await openPerson(fixture);
  const { page } = person;
  await page.goto('/');
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill(email);
  await page.getByRole('button', { name: 'Send Magic Link' }).click();
  const tab = await person.openTab();
  const addresses: string[] = [];
  tab.on('framenavigated', (frame) => addresses.push(frame.url()));
  await tab.goto((await fixture.mailbox.takeMail(email)).link);
  await see(tab.getByRole('banner'), email);
  const { access_token } = await readStored(tab);
  const arrival = addresses.find((address) => address.includes('/auth/callback'));
  expect(new URLSearchParams(new URL(arrival ?? '').hash.slice(1)).get('access_token')).toBe(access_token);
  expect(addresses.some((address) => new URL(address).search.includes('access_token'))).toBe(false);
});

test('R-HDR-05, R-SESS-04: Logout in one tab signs out the other tabs and removes the code from their screens', async () => {
  const email = 'beide@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['BOTH-1'] });
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
  await see(page, 'BOTH-1');
  const tab = await person.openTab();
  await tab.goto('/');
  await tab.getByRole('button', { name: 'Logout' }).click();
  await tab.getByRole('banner').getByRole('button', { name: 'Login' }).waitFor();
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).waitFor();
  await page.getByRole('button', { name: 'Redeem Now' }).waitFor();
  expect(await page.getByText('BOTH-1').count()).toBe(0);
  expect(await page.getByText(/^You were signed out/).count()).toBe(0);
});

test('a learner whose session ends gets one message, and the sign-in leads back to the page', async () => {
  const email = 'ende@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['ENDED-1'] });
  const person = await openPerson(fixture);
  person.allowComplaint(/40[0-9]/);
  const { page } = person;
  const path = `/product/${product.product_id}`;
  await arriveSignedIn(person, fixture, email, path);
  await see(page, 'ENDED-1');
  await endSessionRemotely(page);
  await page.getByRole('main').getByRole('link', { name: 'Partner benefits' }).click();
  await see(page, 'You were signed out. Login to go on where you were.');
  await page.goBack();
  await page.getByRole('main').getByRole('button', { name: 'Login' }).click();
  expect(page.url()).toBe(fixture.portal.url + path);
  await page.getByRole('dialog').getByRole('textbox').fill(email);
  await page.getByRole('button', { name: 'Send Magic Link' }).click();
  await page
    .getByLabel('Or enter the code from the email')
    .fill((await fixture.mailbox.takeMail(email)).code);
  await page.keyboard.press('Enter');
  await see(page, 'ENDED-1');
  expect(await page.getByText(/^You were signed out/).count()).toBe(0);
});

test('in a browser without storage and broadcast channels, a sign-in lasts until the page is closed', async () => {
  const email = 'privat@learner.example';
  await offerProduct(fixture, { learners: [email] });
  const person = await openPerson(fixture);
  person.allowComplaint(/BroadcastChannel/);
  const { page } = person;
  await page.addInitScript(() => {
    const refuse = () => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    };
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get: refuse });
    Object.defineProperty(window, 'BroadcastChannel', { value: refuse });
  });
  await page.goto('/');
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill(email);
  await page.getByRole('button', { name: 'Send Magic Link' }).click();
  await page
    .getByLabel('Or enter the code from the email')
    .fill((await fixture.mailbox.takeMail(email)).code);
  await page.keyboard.press('Enter');
  await see(page, 'Your Partner Benefits');
});

test('R-SESS-04: the page loads the user again after USER_UPDATED from another tab, and ignores PASSWORD_RECOVERY', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, 'ereignis@learner.example');
  const tab = await person.openTab();
  // Opens a file of the same origin, so that this tab runs none of the application's scripts.
  await tab.goto('/brand.css');
  const announce = (event: string) =>
    tab.evaluate((name) => {
      const session = JSON.parse(localStorage.getItem('portal-auth') ?? 'null');
      new BroadcastChannel('portal-auth').postMessage({ event: name, session });
    }, event);
  const before = person.countCalls(USER_CALL);
  await announce('PASSWORD_RECOVERY');
  await announce('USER_UPDATED');
  await expect.poll(() => person.countCalls(USER_CALL)).toBe(before + 1);
  await see(page.getByRole('banner'), 'ereignis@learner.example');
});

test('R-HTTP-01, R-HTTP-02, R-HTTP-03, R-HTTP-04: calls with a body are JSON, and all calls send cookies, and the access token if there is a session', async () => {
  const email = 'kopf@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['HEAD-1'] });
  const person = await openPerson(fixture);
  const { page, context } = person;
  await context.addCookies([{ name: 'balance', value: 'b', url: fixture.portal.url }]);
  await page.addInitScript(() => {
    const send = window.fetch;
    const modes: unknown[] = [];
    const note: typeof fetch = (input, init) => {
      if (String(input).startsWith('/api/')) modes.push(init?.credentials);
      return send(input, init);
    };
    Object.assign(window, { fetch: note, modes });
  });
  const asked = page.waitForRequest('**/api/products/*');
  await page.goto('/');
  await navigateInApp(page, `/product/${product.product_id}`);
  const visitorHeaders = await (await asked).allHeaders();
  expect(visitorHeaders.authorization).toBeUndefined();
  expect(visitorHeaders.cookie).toBe('balance=b');

  const redeemed = page.waitForRequest(`**${REDEEM}`);
  await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
  const headers = await (await redeemed).allHeaders();
  expect(headers['content-type']).toBe('application/json');
  expect(headers.authorization).toBe(`Bearer ${(await readStored(page)).access_token}`);
  expect(headers.cookie).toBe('balance=b');
  await see(page, 'HEAD-1');
  const modes: string[] = await page.evaluate('modes');
  expect(modes.length).toBeGreaterThan(0);
  expect(new Set(modes)).toEqual(new Set(['include']));
});

test('R-CACHE-01, R-CACHE-02, R-CACHE-03, R-CACHE-04: loaded data is not loaded again by navigating back, after some time or when the window gets the focus', async () => {
  const email = 'ruhe@learner.example';
  const product = await offerProduct(fixture, { learners: [email] });
  const person = await openPerson(fixture);
  person.allowComplaint(/409/);
  const { page } = person;
  await page.clock.install();
  await arriveSignedIn(person, fixture, email);
  for (let visit = 0; visit < 2; visit += 1) {
    await page.getByRole('link', { name: 'See Details' }).click();
    await see(page, 'No codes left');
    // Advances the clock by less than five minutes, because the query cache removes unused data after five minutes.
    await page.clock.fastForward('04:00');
    await page.evaluate(() => {
      for (const type of ['visibilitychange', 'focus', 'online']) window.dispatchEvent(new Event(type));
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    });
    await page.getByRole('link', { name: 'Your Partner Benefits' }).click();
    await see(page, product.name);
  }
  for (const path of [MY_PRODUCTS, `/api/products/${product.product_id}`, USER_CALL]) {
    expect(person.countCalls(path), path).toBe(1);
  }
});

test('R-CACHE-05, R-CACHE-06, R-CACHE-07, R-CACHE-08: a failed call is not retried, except the call for the current user, once', async () => {
  const email = 'einmal@learner.example';
  const product = await offerProduct(fixture, { learners: [email] });
  const person = await openPerson(fixture);
  person.allowComplaint(/500/);
  const { page } = person;
  await arriveSignedIn(person, fixture, email, '/admin/access-denied');
  await page.clock.install();
  const made: string[] = [];
  await page.route('**/api/**', (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname.startsWith('/api/products/')) return route.continue();
    made.push(pathname);
    return route.fulfill({ status: 500, body: '' });
  });
  /** Waits for all retries. Returns the paths of the page's API requests since the previous `takeCalls`. */
  const takeCalls = async () => {
    // Advances the page's clock by one second and returns the number of calls to `USER_CALL`. The steps are small: after a
    // long step the page would abort its retry as timed out, before the browser has sent the retry.
    const countCalls = async () => {
      await page.clock.runFor(1_000);
      return made.filter((path) => path === USER_CALL).length;
    };
    await expect.poll(countCalls).toBe(2);
    await page.clock.runFor(WELL_AFTER_ANY_RETRY_MS);
    return made.splice(0).sort();
  };
  await page.goto('/');
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  expect(await takeCalls()).toEqual([USER_CALL, USER_CALL, MY_PRODUCTS]);
  await page.goto(`/product/${product.product_id}`);
  await see(page, 'Error');
  expect(await takeCalls()).toEqual([USER_CALL, USER_CALL, REDEEM]);
  await page.goto('/admin');
  await page.waitForURL('**/admin-access-restricted');
  expect(await takeCalls()).toEqual(['/api/admin/check', USER_CALL, USER_CALL]);
});
