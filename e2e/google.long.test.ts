// Tests Google sign-in with the pages of a real OpenID Connect provider.
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see, seeToast } from './harness/browser.ts';
import { offerProduct } from './harness/fixture.ts';
import { allowAtProvider, refuseAtProvider, setGoogleFixture } from './harness/google.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const AUTHORIZE = '**/auth/v1/authorize*';
const SIGN_IN_LIBRARY = /\/assets\/module-/;

const fixture = setGoogleFixture();

function addAccount(email: string, email_verified = true): string {
  fixture.provider.setAccount(email, { sub: randomUUID(), email, email_verified });
  return email;
}

async function pressGoogle(page: Page) {
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Continue with Google' }).click();
  return dialog;
}

/** Blocks the next navigation to the provider: the portal's page stays open, so that the test can check this page. */
async function stayOnce(page: Page): Promise<void> {
  await page.route(AUTHORIZE, (route) => route.fulfill({ status: 204 }), { times: 1 });
}

function seeVisitor(page: Page): Promise<void> {
  return page.getByRole('banner').getByRole('button', { name: 'Login' }).waitFor();
}

test('R-LOGIN-15, R-LOGIN-18, R-LOGIN-19, R-LOGIN-21: the dialog closes, the provider asks, and the product page opens again, signed in, and redeems automatically', async () => {
  const email = addAccount('gina@learner.example');
  const product = await offerProduct(fixture, { learners: [email], codes: ['GOOGLE-1'] });
  const { page } = await openPerson(fixture);
  const address = `${fixture.portal.url}/product/${product.product_id}`;
  await page.goto(address);
  await see(page, product.name);
  await stayOnce(page);
  const left = page.waitForRequest(AUTHORIZE);
  const dialog = await pressGoogle(page);
  const query = new URL((await left).url()).searchParams;
  const back = new URL(query.get('redirect_to') ?? '');
  expect([query.get('provider'), back.origin + back.pathname, back.searchParams.get('next')]).toEqual([
    'google',
    `${fixture.portal.url}/auth/callback`,
    `/product/${product.product_id}`,
  ]);
  await dialog.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => localStorage.getItem('authRedirectPath'))).toBe(address);
  await pressGoogle(page);
  await allowAtProvider(page, email);
  await page.waitForURL(address);
  await see(page.getByRole('banner'), email);
  await see(page, 'GOOGLE-1');
});

test('a user who signs in with another account can choose the account at the provider', async () => {
  const email = addAccount('other@learner.example');
  const product = await offerProduct(fixture, { learners: [email], codes: ['OTHER-1'] });
  const person = await openPerson(fixture);
  const { page } = person;
  person.allowComplaint(/403/);
  await arriveSignedIn(person, fixture, 'wrong@learner.example', `/product/${product.product_id}`);
  await page.getByRole('button', { name: 'Sign in as another' }).click();
  const left = page.waitForRequest(AUTHORIZE);
  await page.getByRole('dialog').getByRole('button', { name: 'Continue with Google' }).click();
  expect(new URL((await left).url()).searchParams.get('prompt')).toBe('select_account');
  await allowAtProvider(page, email);
  await see(page, 'OTHER-1');
});

test('no token stays in an address that the browser remembers', async () => {
  const email = addAccount('back@learner.example');
  const { page, context } = await openPerson(fixture);
  await page.goto('/fellowship');
  await pressGoogle(page);
  await allowAtProvider(page, email);
  await page.waitForURL('**/fellowship');
  await see(page.getByRole('banner'), email);
  const devtools = await context.newCDPSession(page);
  const { entries } = await devtools.send('Page.getNavigationHistory');
  const addresses = entries.flatMap(({ url, userTypedURL }) => [url, userTypedURL]);
  expect(addresses.filter((url) => url.startsWith(fixture.portal.url)).length).toBeGreaterThan(1);
  for (const url of addresses) expect(url).not.toMatch(/access_token|refresh_token|[?&#](code|state)=/);

  await page.goBack();
  await page.goto('/fellowship');
  await see(page.getByRole('banner'), email);
});

test('a user who refuses at the provider gets a message and stays signed out', async () => {
  const { page } = await openPerson(fixture);
  await page.goto('/');
  await pressGoogle(page);
  await refuseAtProvider(page);
  await seeToast(page, 'destructive', 'Authentication Error', 'End-User aborted interaction');
  await seeVisitor(page);
  expect(page.url()).toBe(`${fixture.portal.url}/`);
});

test('a user with an unverified address at the provider gets a message and stays signed out', async () => {
  const email = addAccount('unproven@learner.example', false);
  const { page } = await openPerson(fixture);
  await page.goto('/');
  await pressGoogle(page);
  await allowAtProvider(page, email);
  await seeToast(
    page,
    'destructive',
    'Authentication Error',
    'The email address of this account is not verified at the provider.',
  );
  await seeVisitor(page);
});

test('a provider response opened in another browser signs nobody in there, and still works in the browser that started the sign-in', async () => {
  const email = addAccount('mallory@stranger.example');
  const attacker = await openPerson(fixture);
  attacker.allowComplaint(/ERR_FAILED/);
  const answered = '**/auth/v1/callback*';
  const caught = attacker.page.waitForRequest(answered);
  await attacker.page.route(answered, (route) => route.abort());
  await attacker.page.goto('/');
  await pressGoogle(attacker.page);
  await allowAtProvider(attacker.page, email);
  const answer = (await caught).url();

  const victim = await openPerson(fixture);
  await victim.page.goto('/');
  // The victim starts a sign-in too. Even then, the victim must not be signed in by the attacker's callback URL.
  await pressGoogle(victim.page);
  await victim.page.getByRole('heading', { name: 'Sign in at the provider' }).waitFor();
  await victim.page.goto(answer);
  await seeToast(victim.page, 'destructive', 'Authentication Error', 'OAuth state not found or expired');
  await seeVisitor(victim.page);
  expect(victim.page.url()).toBe(`${fixture.portal.url}/`);

  await attacker.page.unroute(answered);
  await attacker.page.goto(answer);
  await see(attacker.page.getByRole('banner'), email);
});

test('R-ALOG-15, R-ALOG-16: the admin sign-in announces that the sign-in starts, and an administrator gets to the dashboard', async () => {
  addAccount(ADMIN_EMAIL);
  const { page } = await openPerson(fixture);
  await page.goto('/admin-login');
  await stayOnce(page);
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await seeToast(page, 'default', 'Initiating login', 'Redirecting to Google authentication...');
  expect(await page.evaluate(() => localStorage.getItem('authRedirectPath'))).toBe('/admin');
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await allowAtProvider(page, ADMIN_EMAIL);
  await page.waitForURL('**/admin');
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
});

test('a user without admin rights who uses the admin sign-in is redirected to the page for missing access', async () => {
  const email = addAccount('curious@learner.example');
  const person = await openPerson(fixture);
  person.allowComplaint(/403/);
  const { page } = person;
  await page.goto('/admin-login');
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await allowAtProvider(page, email);
  await page.waitForURL('**/admin/access-denied');
});

test('R-LOGIN-02, R-LOGIN-03, R-VAL-05: the dialog offers Google or a mail, and shows an error if the sign-in cannot start', async () => {
  const person = await openPerson(fixture);
  person.allowComplaint(/ERR_FAILED/);
  const { page } = person;
  await page.goto('/');
  await page.route(SIGN_IN_LIBRARY, (route) => route.abort());
  const dialog = await pressGoogle(page);
  await see(dialog, 'Or', 'Could not initiate Google sign-in. Please try again.');
});

test('R-ALOG-02, R-ALOG-03, R-ALOG-15, R-ERR-20: the admin sign-in offers Google or a mail, saves the return path, and shows an error if the sign-in cannot start', async () => {
  const person = await openPerson(fixture);
  person.allowComplaint(/ERR_FAILED/);
  const { page } = person;
  await page.route(SIGN_IN_LIBRARY, (route) => route.abort());
  await page.goto('/admin-login');
  await see(page, 'OR');
  await page.getByRole('button', { name: 'Continue with Google', exact: true }).click();
  await seeToast(page, 'destructive', 'Login Failed', 'Failed to login with Google');
  expect(await page.evaluate(() => localStorage.getItem('authRedirectPath'))).toBe('/admin');
});
