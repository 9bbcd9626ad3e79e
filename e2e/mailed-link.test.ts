// Tests the link in a sign-in mail: in which browsers and how often it signs a user in, and that no token stays in the
// page address or history.
import type { Product } from '@portal/contract';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openPerson, see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';

const CONFIRM_PATH = '/auth/v1/confirm';
const LEARNERS = ['mia', 'noa', 'ole', 'pia', 'eve', 'ida', 'jon'].map((name) => `${name}@learner.example`);

const fixture = setFixture();
let product: Product;

beforeAll(async () => {
  const codes = LEARNERS.map((_, index) => `LINK-CODE-${index}`);
  product = await offerProduct(fixture, { learners: LEARNERS, codes });
});

/** Requests a link on the product page and returns the link. */
async function requestLink(page: Page, email: string): Promise<string> {
  await page.goto(`/product/${product.product_id}`);
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill(email);
  await dialog.getByRole('button', { name: 'Send Magic Link' }).click();
  await see(page, 'Magic Link Sent!');
  return (await fixture.mailbox.takeMail(email)).link;
}

test('in a browser that did not request it, the link asks for confirmation before it signs in', async () => {
  const requester = await openPerson(fixture);
  const link = await requestLink(requester.page, 'mia@learner.example');

  const other = await openPerson(fixture);
  await other.page.goto(link);
  const button = other.page.getByRole('button');
  await button.waitFor();
  expect(new URL(other.page.url()).pathname).toBe(CONFIRM_PATH);
  expect(other.countCalls('/auth/v1/verify')).toBe(0);
  await button.click();
  await other.page.waitForURL(`**/product/${product.product_id}`);
  await other.page
    .getByText(/^LINK-CODE-\d$/)
    .first()
    .waitFor();
  // The browser that requested the link stays signed out, so it still shows the sign-in dialog.
  await requester.page.getByRole('dialog').waitFor();
});

test.each([
  ['with a challenge (PKCE)', 'ida', { code_challenge: 'x'.repeat(43), code_challenge_method: 's256' }],
  ['without a return path', 'jon', {}],
])('a link requested by a stranger %s signs in the browser that opens it', async (_how, name, body) => {
  const email = `${name}@learner.example`;
  const asked = await fetch(`${fixture.portal.url}/auth/v1/otp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, ...body }),
  });
  expect(asked.status).toBe(200);
  const person = await openPerson(fixture);
  await person.page.goto((await fixture.mailbox.takeMail(email)).link);
  await person.page.getByRole('button').click();
  await person.page.getByRole('banner').getByText(email).waitFor();
});

test('a mail scanner that fetches the link does not use it up', async () => {
  const person = await openPerson(fixture);
  const link = await requestLink(person.page, 'noa@learner.example');
  for (const method of ['GET', 'HEAD', 'GET']) {
    const answer = await fetch(link, { method, redirect: 'manual' });
    expect([200, 405], method).toContain(answer.status);
    await answer.text();
  }
  const scanner = await openPerson(fixture);
  await scanner.page.goto(link, { waitUntil: 'networkidle' });

  const tab = await person.openTab();
  await tab.goto(link);
  await tab.waitForURL(`**/product/${product.product_id}`);
  await tab.getByRole('banner').getByText('noa@learner.example').waitFor();
});

test('R-LOGIN-13: a link signs in once: the second time it gives no session', async () => {
  const person = await openPerson(fixture);
  const link = await requestLink(person.page, 'ole@learner.example');
  const tab = await person.openTab();
  await tab.goto(link);
  await tab.getByRole('banner').getByText('ole@learner.example').waitFor();

  const thief = await openPerson(fixture);
  thief.allowComplaint(/403/);
  await thief.page.goto(link);
  await thief.page.getByRole('button').click();
  await thief.page
    .getByText(/no longer works/)
    .first()
    .waitFor();
  await thief.page.goto('/');
  await thief.page.getByRole('banner').getByRole('button', { name: 'Login' }).waitFor();
});

test('R-SESS-03: no token stays in the history, the address or the referrer', async () => {
  const person = await openPerson(fixture);
  const link = await requestLink(person.page, 'pia@learner.example');
  const tab = await person.openTab();
  await tab.goto(link);
  await tab.waitForURL(`**/product/${product.product_id}`);
  await tab
    .getByText(/^LINK-CODE-\d$/)
    .first()
    .waitFor();
  expect(await tab.evaluate(() => document.referrer)).not.toMatch(/token/);

  const client = await person.context.newCDPSession(tab);
  const { entries } = await client.send('Page.getNavigationHistory');
  for (const entry of entries) expect(entry.url).not.toMatch(/access_token|refresh_token/);
});

test('outside of the callback, a fragment with tokens signs nobody in and is removed from the address', async () => {
  const stranger = await openPerson(fixture);
  await stranger.page.goto(
    `/product/${product.product_id}#access_token=a.b.c&refresh_token=d&expires_in=3600&token_type=bearer`,
  );
  await stranger.page.getByRole('banner').getByRole('button', { name: 'Login' }).waitFor();
  await expect.poll(() => new URL(stranger.page.url()).hash).toBe('');
});

test('R-CB-07: a return path of another site is not followed', async () => {
  const person = await openPerson(fixture);
  const link = new URL(await requestLink(person.page, 'eve@learner.example'));
  await person.page.evaluate(() => localStorage.setItem('authRedirectPath', 'https://evil.example/'));
  const tab = await person.openTab();
  await tab.goto(link.href);
  await tab.getByRole('banner').getByText('eve@learner.example').waitFor();
  expect(new URL(tab.url()).origin).toBe(fixture.portal.url);
});
