// Tests the login dialog under difficult conditions: tiny screens, fast input and no connection.
import type { Page, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see, waitForHydration } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';

const fixture = setFixture();

async function openDialog(page: Page) {
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  return dialog;
}

/** Opens home, prepares the login dialog by hovering over Login, and returns the button. */
async function hoverLogin(page: Page) {
  await page.goto('/');
  await waitForHydration(page);
  const login = page.getByRole('banner').getByRole('button', { name: 'Login' });
  await login.hover();
  await page.locator('dialog').waitFor({ state: 'attached' });
  return login;
}

test('hovering over Login prepares a new, invisible dialog each time', async () => {
  const { page } = await openPerson(fixture);
  const login = await hoverLogin(page);
  const dialog = page.locator('dialog');
  expect(await page.getByRole('dialog').count()).toBe(0);
  // Marks the prepared dialog element. The test can then check that the click opens this element and creates no other.
  await dialog.evaluate((element) => element.setAttribute('data-ready', ''));
  await login.click();
  await page.locator('dialog[open][data-ready]').waitFor();
  await page.getByRole('textbox').fill('left@learner.example');
  await page.keyboard.press('Escape');
  await openDialog(page);
  expect(await page.getByRole('textbox').inputValue()).toBe('');
});

test('a prepared dialog is removed after a sign-in, also in another tab', async () => {
  const email = 'ready@learner.example';
  await offerProduct(fixture, { learners: [email] });
  const person = await openPerson(fixture);
  const { page } = person;
  await page.goto('/');
  await waitForHydration(page);
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).hover();
  const dialog = page.locator('dialog');
  await dialog.waitFor({ state: 'attached' });
  const other = { ...person, page: await page.context().newPage() };
  await arriveSignedIn(other, fixture, email);
  await dialog.waitFor({ state: 'detached' });
});

test.each([
  [320, 256],
  [667, 320],
])('at %d x %d everything in the dialog can be scrolled to', async (width, height) => {
  const { page } = await openPerson(fixture, { viewport: { width, height } });
  await page.goto('/');
  const dialog = await openDialog(page);
  const parts = [
    dialog.getByRole('heading', { name: 'Sign In to Redeem' }),
    dialog.getByRole('textbox'),
    dialog.getByText(/email you a secure login link/),
  ];
  for (const part of parts) {
    await part.scrollIntoViewIfNeeded();
    const box = await part.boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
  }
});

test('R-LOGIN-06: Escape, however often, does not close the dialog while it reads Sending..., and does afterwards', async () => {
  const { page } = await openPerson(fixture);
  const letThrough = await holdCalls(page, '**/auth/v1/otp*');
  await page.goto('/');
  const dialog = await openDialog(page);
  await dialog.getByRole('textbox').fill('esc@learner.example');
  await dialog.getByRole('button', { name: 'Send Magic Link' }).click();
  await see(dialog, 'Sending...');
  for (let press = 0; press < 4; press += 1) await page.keyboard.press('Escape');
  await see(dialog, 'Sending...');
  letThrough();
  await see(dialog, 'Magic Link Sent!');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await openDialog(page);
});

test('a double click on Login leaves the dialog open, a click outside the dialog closes it', async () => {
  const { page } = await openPerson(fixture);
  // The first click opens the prepared dialog without a delay, so the second click happens while the dialog is open.
  const login = await hoverLogin(page);
  await login.dblclick({ delay: 60 });
  await see(page.getByRole('dialog'), 'Sign In to Redeem');
  await page.mouse.click(5, 5);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('a dialog that the browser closes opens again while a request is pending, and stays closed otherwise', async () => {
  const { page } = await openPerson(fixture);
  await page.goto('/');
  const dialog = await openDialog(page);
  await page.route('**/auth/v1/otp*', () => {});
  await dialog.getByRole('textbox').fill('esc@learner.example');
  await dialog.getByRole('button', { name: 'Send Magic Link' }).click();
  await see(dialog, 'Sending...');
  await dialog.evaluate((element: HTMLDialogElement) => element.close());
  await see(dialog, 'Sending...');

  await page.reload();
  await openDialog(page);
  await dialog.evaluate((element: HTMLDialogElement) => element.close());
  await dialog.waitFor({ state: 'detached' });
  await openDialog(page);
});

test('a dialog whose files cannot be loaded shows an error, and opens when they load', async () => {
  const person = await openPerson(fixture);
  person.allowComplaint(/ERR_FAILED/);
  const { page } = person;
  await page.goto('/');
  // Matches the scripts and the style sheet of the dialog, and the script of notifications.
  const files = /\/assets\/((login-)?dialog|toaster)-/;
  await page.route(files, (route) => route.abort());
  const login = page.getByRole('banner').getByRole('button', { name: 'Login' });
  await login.click();
  await see(page, 'This did not load');
  expect(await page.getByRole('dialog').count()).toBe(0);

  await page.unroute(files);
  const dialog = await openDialog(page);
  await see(dialog, 'Sign In to Redeem');
  // Pressing F8 makes the page load the script of notifications, which adds the region that the next line waits for.
  await page.keyboard.press('F8');
  await page.getByRole('region', { name: /Notifications/ }).waitFor({ state: 'attached' });
});

test('the dialog opens without a connection if the mouse was over Login before the connection was lost', async () => {
  const { page, context } = await openPerson(fixture);
  await page.goto('/');
  await waitForHydration(page);
  const pending = new Set<Request>();
  page.on('request', (request) => pending.add(request));
  page.on('requestfinished', (request) => pending.delete(request));
  const fetched = page.waitForResponse(/login-dialog-/);
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).hover();
  await fetched;
  // The page requests the dialog's style sheets, and the script of notifications, together with the dialog.
  await expect.poll(() => pending.size).toBe(0);
  await context.setOffline(true);
  await openDialog(page);
});

test('a tab that is notified of a sign-in before it can read the session from storage still redeems', async () => {
  const email = 'early@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['EARLY-1'] });
  const person = await openPerson(fixture);
  const { page } = person;
  await page.goto(`/product/${product.product_id}`);
  const dialog = await openDialog(page);
  await dialog.getByRole('textbox').fill(email);
  await dialog.getByRole('button', { name: 'Send Magic Link' }).click();
  await see(dialog, 'Magic Link Sent!');
  // Another tab writes the session to localStorage, and this tab may read the new value only later. The replaced
  // `getItem` simulates this delay and returns no session.
  await page.evaluate(() => {
    const read = Storage.prototype.getItem;
    Storage.prototype.getItem = function getItem(key) {
      return key === 'portal-auth' ? null : read.call(this, key);
    };
  });
  const tab = await person.openTab();
  await tab.goto((await fixture.mailbox.takeMail(email)).link);
  await see(tab, 'EARLY-1');
  await see(page, 'EARLY-1');
});

test('R-LOGIN-01, R-LOGIN-04, R-LOGIN-05, R-LOGIN-07, R-LOGIN-08, R-LOGIN-09, R-LOGIN-10, R-LOGIN-21, R-VAL-01, R-VAL-02, R-VAL-03, R-VAL-04: the dialog asks for an address, shows why it cannot send, sends, and starts again for another address', async () => {
  const person = await openPerson(fixture);
  person.allowComplaint(/ERR_FAILED|429/);
  const { page } = person;
  await page.goto('/');
  const dialog = await openDialog(page);
  await see(dialog, 'Sign In to Redeem', /^We’ll email you a secure login link\./);
  const field = dialog.getByPlaceholder('Your Partner Benefits email', { exact: true });
  expect(await field.getAttribute('type')).toBe('email');
  expect(await field.getAttribute('required')).not.toBeNull();
  const send = dialog.getByRole('button', { name: 'Send Magic Link', exact: true });
  await send.click();
  await see(dialog, 'Please enter your email address');
  expect(person.countCalls('/auth/v1/otp')).toBe(0);

  await field.fill('ines@learner.example');
  await page.route('**/auth/v1/otp*', (route) => route.abort(), { times: 1 });
  await send.click();
  await see(dialog, 'Please check your email and try again');
  await page.route(
    '**/auth/v1/otp*',
    (route) =>
      route.fulfill({ status: 429, json: { code: 'over_email_send_rate_limit', msg: 'Wait 42 seconds' } }),
    { times: 1 },
  );
  await send.click();
  await see(dialog, 'Wait 42 seconds');

  await send.click();
  await see(dialog, 'Magic Link Sent!', /Click the link in that email to finish signing in\./);
  await dialog.getByRole('button', { name: 'Try with a different email', exact: true }).click();
  expect(await field.inputValue()).toBe('');
});

test('R-LOGIN-14, R-LOGIN-15, R-LOGIN-16, R-LOGIN-17, R-LOGIN-20, R-KEY-01, R-KEY-02, R-KEY-03, R-KEY-04, R-KEY-05: the return path is stored before a link is sent, and the link leads back to it, also for an unknown user', async () => {
  const email = 'neuling@stranger.example';
  const product = await offerProduct(fixture, {});
  const person = await openPerson(fixture);
  person.allowComplaint(/403/);
  const { page } = person;
  const path = `/product/${product.product_id}?from=news#offer`;
  await page.goto(path);
  await see(page, product.name);
  const dialog = await openDialog(page);
  await dialog.getByRole('textbox').fill(email);
  const sent = page.waitForRequest('**/auth/v1/otp*');
  await dialog.getByRole('button', { name: 'Send Magic Link' }).click();
  const request = await sent;
  expect(request.postDataJSON()).toMatchObject({ email, create_user: true });
  const back = new URL(new URL(request.url()).searchParams.get('redirect_to') ?? '');
  expect(back.origin + back.pathname).toBe(`${fixture.portal.url}/auth/callback`);
  const readKeys = (tab: Page) =>
    tab.evaluate(
      (names) => Object.fromEntries(names.map((name) => [name, localStorage.getItem(name)])),
      [
        'authRedirectPath',
        'authRedirectPathname',
        'pendingProductId',
        'pendingAutoRedemption',
        'lastVisitedProduct',
      ],
    );
  expect(await readKeys(page)).toEqual({
    authRedirectPath: `${fixture.portal.url}${path}`,
    authRedirectPathname: `/product/${product.product_id}`,
    pendingProductId: product.product_id,
    pendingAutoRedemption: 'true',
    lastVisitedProduct: product.product_id,
  });
  await see(dialog, 'Magic Link Sent!');
  const tab = await person.openTab();
  await tab.goto((await fixture.mailbox.takeMail(email)).link);
  await tab.waitForURL(`${fixture.portal.url}${path}`);
  await see(tab, 'Email not registered');
  expect(await readKeys(tab)).toEqual({
    authRedirectPath: null,
    authRedirectPathname: null,
    pendingProductId: null,
    pendingAutoRedemption: null,
    lastVisitedProduct: product.product_id,
  });
});

test('A-08: the dialog does not offer Google if Google is not configured', async () => {
  const { page } = await openPerson(fixture);
  await page.goto('/');
  const dialog = await openDialog(page);
  await dialog.getByRole('button', { name: 'Send Magic Link' }).waitFor();
  expect(await dialog.getByText(/Google|^Or$/).count()).toBe(0);
});

test('R-INV-01: the address of the button in a mail fills the dialog in, and signs nobody in', async () => {
  const { page } = await openPerson(fixture);
  await page.goto('/?email=ada%2Bx%40learner.example');
  await waitForHydration(page);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await openDialog(page);
  expect(await page.getByRole('textbox').inputValue()).toBe('ada+x@learner.example');
  await page.getByRole('textbox').fill('');
  await page.getByRole('textbox').pressSequentially('other@learner.example');
  await page.getByRole('button', { name: 'Send Magic Link' }).click();
  await see(page, 'other@learner.example');
});
