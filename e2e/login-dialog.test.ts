// The login dialog where it is hard: on a tiny screen, at an impatient keyboard, without a connection.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see, waitForHydration } from './harness/browser.ts';
import { holdCalls } from './harness/hold.ts';
import { offerProduct, setScene } from './harness/scene.ts';

const scene = setScene();

async function openDialog(page: Page) {
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  return dialog;
}

/** Goes for Login without pressing it, until the dialog is made ready; answers the button. */
async function goForLogin(page: Page) {
  await page.goto('/');
  await waitForHydration(page);
  const login = page.getByRole('banner').getByRole('button', { name: 'Login' });
  await login.hover();
  await page.locator('dialog').waitFor({ state: 'attached' });
  return login;
}

test('for whoever goes for Login the dialog is made ready, out of sight, and each time anew', async () => {
  const { page } = await openPerson(scene);
  const login = await goForLogin(page);
  const dialog = page.locator('dialog');
  expect(await page.getByRole('dialog').count()).toBe(0);
  // The same element opens: nothing is left to be made when the button is pressed.
  await dialog.evaluate((element) => element.setAttribute('data-ready', ''));
  await login.click();
  await page.locator('dialog[open][data-ready]').waitFor();
  await page.getByRole('textbox').fill('left@learner.example');
  await page.keyboard.press('Escape');
  await openDialog(page);
  expect(await page.getByRole('textbox').inputValue()).toBe('');
});

test('a dialog that was made ready is gone when somebody has signed in, in another tab too', async () => {
  const email = 'ready@learner.example';
  await offerProduct(scene, { learners: [email] });
  const person = await openPerson(scene);
  const { page } = person;
  await page.goto('/');
  await waitForHydration(page);
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).hover();
  const dialog = page.locator('dialog');
  await dialog.waitFor({ state: 'attached' });
  const other = { ...person, page: await page.context().newPage() };
  await arriveSignedIn(other, scene, email);
  await dialog.waitFor({ state: 'detached' });
});

test.each([
  [320, 256],
  [667, 320],
])('at %d x %d everything in the dialog can be scrolled to', async (width, height) => {
  const { page } = await openPerson(scene, { viewport: { width, height } });
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
  const { page } = await openPerson(scene);
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

test('a double press on Login leaves the dialog open, a press beside the dialog closes it', async () => {
  const { page } = await openPerson(scene);
  // Ready before it is pressed, so that the second press finds it open.
  const login = await goForLogin(page);
  await login.dblclick({ delay: 60 });
  await see(page.getByRole('dialog'), 'Sign In to Redeem');
  await page.mouse.click(5, 5);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('a dialog that the browser closes by itself opens again while it must stay, and is gone otherwise', async () => {
  const { page } = await openPerson(scene);
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

test('a dialog whose files do not come says so, and opens when they do', async () => {
  const person = await openPerson(scene);
  person.allowComplaint(/ERR_FAILED/);
  const { page } = person;
  await page.goto('/');
  // The dialog's own, one that it imports, its style sheet, and the notifications'.
  const files = /\/assets\/((login-)?dialog|toaster)-/;
  await page.route(files, (route) => route.abort());
  const login = page.getByRole('banner').getByRole('button', { name: 'Login' });
  await login.click();
  await see(page, 'This did not load');
  expect(await page.getByRole('dialog').count()).toBe(0);

  await page.unroute(files);
  const dialog = await openDialog(page);
  await see(dialog, 'Sign In to Redeem');
  // The notifications are back as well.
  await page.keyboard.press('F8');
  await page.getByRole('region', { name: /Notifications/ }).waitFor({ state: 'attached' });
});

test('who was at the Login button before the connection was lost gets the dialog', async () => {
  const { page, context } = await openPerson(scene);
  await page.goto('/');
  await waitForHydration(page);
  const fetched = page.waitForResponse(/login-dialog-/);
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).hover();
  await (await fetched).finished();
  await context.setOffline(true);
  await openDialog(page);
});

test('a tab hears of a sign-in before it can read it from the storage, and still redeems', async () => {
  const email = 'early@learner.example';
  const product = await offerProduct(scene, { learners: [email], codes: ['EARLY-1'] });
  const person = await openPerson(scene);
  const { page } = person;
  await page.goto(`/product/${product.product_id}`);
  const dialog = await openDialog(page);
  await dialog.getByRole('textbox').fill(email);
  await dialog.getByRole('button', { name: 'Send Magic Link' }).click();
  await see(dialog, 'Magic Link Sent!');
  // What other processes store reaches a page late; here never.
  await page.evaluate(() => {
    const read = Storage.prototype.getItem;
    Storage.prototype.getItem = function getItem(key) {
      return key === 'portal-auth' ? null : read.call(this, key);
    };
  });
  const tab = await person.openTab();
  await tab.goto((await scene.mailbox.takeMail(email)).link);
  await see(tab, 'EARLY-1');
  await see(page, 'EARLY-1');
});

test('R-LOGIN-01, R-LOGIN-04, R-LOGIN-05, R-LOGIN-07, R-LOGIN-08, R-LOGIN-09, R-LOGIN-10, R-LOGIN-21, R-VAL-01, R-VAL-02, R-VAL-03, R-VAL-04: the dialog asks for an address, says why it cannot send, sends, and starts afresh with another one', async () => {
  const person = await openPerson(scene);
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

test('R-LOGIN-14, R-LOGIN-15, R-LOGIN-16, R-LOGIN-17, R-LOGIN-20, R-KEY-01, R-KEY-02, R-KEY-03, R-KEY-04, R-KEY-05: before a link is sent the way back is stored, and the link leads back to it, also somebody never seen before', async () => {
  const email = 'neuling@stranger.example';
  const product = await offerProduct(scene, {});
  const person = await openPerson(scene);
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
  expect(back.origin + back.pathname).toBe(`${scene.portal.url}/auth/callback`);
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
    authRedirectPath: `${scene.portal.url}${path}`,
    authRedirectPathname: `/product/${product.product_id}`,
    pendingProductId: product.product_id,
    pendingAutoRedemption: 'true',
    lastVisitedProduct: product.product_id,
  });
  await see(dialog, 'Magic Link Sent!');
  const tab = await person.openTab();
  await tab.goto((await scene.mailbox.takeMail(email)).link);
  await tab.waitForURL(`${scene.portal.url}${path}`);
  await see(tab, 'Email not registered');
  expect(await readKeys(tab)).toEqual({
    authRedirectPath: null,
    authRedirectPathname: null,
    pendingProductId: null,
    pendingAutoRedemption: null,
    lastVisitedProduct: product.product_id,
  });
});

test('A-08: where Google cannot be used, the dialog does not offer it', async () => {
  const { page } = await openPerson(scene);
  await page.goto('/');
  const dialog = await openDialog(page);
  await dialog.getByRole('button', { name: 'Send Magic Link' }).waitFor();
  expect(await dialog.getByText(/Google|^Or$/).count()).toBe(0);
});
