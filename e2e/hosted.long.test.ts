// Tests a portal with a hosted sign-in service (AUTH_URL). The service is a second portal behind a proxy that acts as
// Supabase.
import { getSessionUser } from '@portal/contract';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Admin, callApi, openAdmin, signIn } from './harness/api.ts';
import { openBrowser, openPerson, see } from './harness/browser.ts';
import { offerProduct } from './harness/fixture.ts';
import { type HostedService, startHostedService } from './harness/hosted-service.ts';
import { type Mailbox, openMailbox } from './harness/mailbox.ts';
import { type Portal, startPortal } from './harness/portal.ts';

const ANON_KEY = 'sb_publishable_test';
// Time limit of tests that start one more portal, which takes long on a busy machine.
const LONG_ENOUGH_MS = 120_000;

const fixture = {} as { mailbox: Mailbox; portal: Portal; browser: Browser; admin: Admin };
let service: HostedService;
let env: Record<string, string>;

beforeAll(async () => {
  fixture.mailbox = await openMailbox();
  service = await startHostedService(fixture.mailbox);
  env = { AUTH_URL: `${service.url}/auth/v1/`, AUTH_ANON_KEY: ANON_KEY };
  fixture.portal = await startPortal({ mailbox: fixture.mailbox, env });
  service.portalOrigin = fixture.portal.url;
  fixture.browser = await openBrowser();
  fixture.admin = await openAdmin(fixture.portal, service);
});

afterAll(async () => {
  await fixture.browser?.close();
  const status = await fixture.portal?.stop();
  await service?.close();
  await fixture.mailbox?.close();
  expect(status, fixture.portal?.output()).toBe(0);
});

async function readSignIn(portal: Portal): Promise<unknown> {
  const page = await (await fetch(portal.url)).text();
  const [, json = ''] = /id="page-settings">(.*?)<\/script>/.exec(page) ?? [];
  return JSON.parse(json).sign_in;
}

test('A-08: a learner signs in at the hosted service by the mailed link, redeems, and Logout ends the session at the service', async () => {
  const email = 'gast@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['GUEST-1'] });
  const { page } = await openPerson(fixture);
  await page.goto(`/product/${product.product_id}`);
  await page.getByRole('button', { name: 'Redeem Now' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign In to Redeem' });
  await dialog.getByRole('textbox').fill(email);
  await dialog.getByRole('button', { name: 'Send Magic Link' }).click();
  await see(page, 'Magic Link Sent!');
  expect([...service.apiKeys]).toEqual([ANON_KEY]);

  await page.goto((await fixture.mailbox.takeMail(email)).link);
  expect(new URL(page.url()).origin).toBe(service.url);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(`${fixture.portal.url}/product/${product.product_id}`);
  await see(page, 'GUEST-1');
  expect(await fixture.admin.listAssignedCodes(product)).toEqual([`GUEST-1 ${email}`]);

  const stored = await page.evaluate(() => JSON.parse(localStorage.getItem('portal-auth') ?? '{}'));
  const askThere = () =>
    fetch(`${service.url}/auth/v1/user`, { headers: { authorization: `Bearer ${stored.access_token}` } });
  expect((await askThere()).status).toBe(200);
  await page.getByRole('button', { name: 'Logout' }).click();
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).waitFor();
  expect((await askThere()).status).toBe(403);
});

test('a learner signs in by the code of the mail without leaving the page', async () => {
  const email = 'ziffer@learner.example';
  const { page } = await openPerson(fixture);
  await page.goto('/');
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill(email);
  await page.getByRole('button', { name: 'Send Magic Link' }).click();
  const { code } = await fixture.mailbox.takeMail(email);
  await page.getByLabel('Or enter the code from the email').fill(code);
  await page.keyboard.press('Enter');
  await see(page.getByRole('banner'), email);
});

test('the page may call only the hosted service, and the portal offers no sign-in service itself', async () => {
  expect(await readSignIn(fixture.portal)).toEqual({
    url: `${service.url}/auth/v1`,
    anon_key: ANON_KEY,
    google: false,
  });
  const policy = (await fetch(fixture.portal.url)).headers.get('content-security-policy');
  expect(policy).toMatch(new RegExp(`;connect-src 'self' ${service.url};`));
  const own = await fetch(`${fixture.portal.url}/auth/v1/settings`);
  expect([own.status, own.headers.get('content-type')]).toEqual([404, expect.stringContaining('json')]);
});

test('the pages work while the hosted service is down, and the sign-in works when it is back', {
  timeout: LONG_ENOUGH_MS,
}, async () => {
  service.isUp = false;
  const portal = await startPortal({ mailbox: fixture.mailbox, env });
  expect(portal.output()).toContain('nobody can sign in until it does');
  expect(await readSignIn(portal)).toMatchObject({ google: false });
  await expect(callApi(portal.url, getSessionUser, { token: 'a.b.c' })).rejects.toThrow(/ 503 .*try again/);
  service.isUp = true;
  service.settings = { external: { google: true } };
  const { access_token: token } = await signIn(service, 'spaet@learner.example');
  expect(await callApi(portal.url, getSessionUser, { token })).toMatchObject({
    email: 'spaet@learner.example',
    identities: [{ provider: 'email' }],
  });
  expect(await readSignIn(portal)).toMatchObject({ google: true });
  expect(await portal.stop()).toBe(0);
});

test('the start fails with one line if the service confirms addresses automatically', {
  timeout: LONG_ENOUGH_MS,
}, async () => {
  service.settings = { mailer_autoconfirm: true };
  // Logs only errors. On a busy machine the portal may log warnings, which the expected output does not contain.
  const start = startPortal({ mailbox: fixture.mailbox, env: { ...env, LOG_LEVEL: 'error' } });
  await expect(start).rejects.toThrow(/start:\nAUTH_URL \S+ confirms addresses without asking [^\n]+\n$/);
});
