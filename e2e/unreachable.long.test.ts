// Tests a sign-in service that does not respond: nobody is signed out, and every step can be tried again.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signIn } from './harness/api.ts';
import { arriveSignedIn, openPerson } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { holdCalls, holdTimers } from './harness/hold.ts';

const USER = '**/auth/v1/user';
/** Time-out of a page's request that renews the session (web/src/auth.ts). */
const CLIENT_TIMEOUT_MS = 3000;

const fixture = setFixture();

async function openCallback(page: Page, email: string): Promise<void> {
  const { access_token, refresh_token } = await signIn(fixture.portal, email);
  const fragment = new URLSearchParams({ access_token, refresh_token, token_type: 'bearer' });
  await page.goto(`/auth/callback?next=/fellowship#${fragment}`);
}

test('a short connection failure does not interrupt the sign-in', async () => {
  const person = await openPerson(fixture);
  person.allowComplaint(/ERR_FAILED|503/);
  const { page } = person;
  await page.route(USER, (route) => route.abort(), { times: 1 });
  await openCallback(page, 'blink@learner.example');
  await page.waitForURL('**/fellowship');
  await page.getByRole('banner').getByText('blink@learner.example').waitFor();
});

test('after a longer outage the sign-in can be tried again, and the page does not call the link invalid', async () => {
  const person = await openPerson(fixture);
  person.allowComplaint(/ERR_FAILED|503/);
  const { page } = person;
  await page.route(USER, (route) => route.fulfill({ status: 503, body: 'busy' }));
  await openCallback(page, 'outage@learner.example');
  const retry = page.getByRole('button', { name: 'Try again' });
  await retry.waitFor();
  expect(await page.getByText(/no longer valid/).count()).toBe(0);
  await page.unroute(USER);
  await retry.click();
  await page.waitForURL('**/fellowship');
  await page.getByRole('banner').getByText('outage@learner.example').waitFor();
});

test('R-CB-11: tokens that the service rejects are reported as no longer valid', async () => {
  const person = await openPerson(fixture);
  person.allowComplaint(/401|403/);
  await person.page.goto('/auth/callback#access_token=a.b.c&refresh_token=d&token_type=bearer');
  await person.page
    .getByText(/no longer valid/)
    .first()
    .waitFor();
});

test('with an expired token and an unresponsive service the learner stays signed in and can try again', async () => {
  const email = 'silent@learner.example';
  const product = await offerProduct(fixture, { learners: [email] });
  const person = await openPerson(fixture);
  person.allowComplaint(/ERR_FAILED|AuthRetryable/);
  const { page } = person;
  await arriveSignedIn(person, fixture, email);
  await page.evaluate(() => {
    const session = JSON.parse(localStorage.getItem('portal-auth') ?? '{}');
    localStorage.setItem('portal-auth', JSON.stringify({ ...session, expires_at: 1 }));
  });
  const letTokens = await holdCalls(page, '**/auth/v1/token*');
  const timers = await holdTimers(page, CLIENT_TIMEOUT_MS);
  await page.reload();
  await timers.waitForOne();
  expect(await page.getByText(email).count()).toBe(0);
  await timers.release();
  // The header shows the user's e-mail address although the sign-in service has not responded.
  await page.getByRole('banner').getByText(email).waitFor();
  const retry = page.getByRole('button', { name: 'Try again' });
  await retry.waitFor();
  letTokens();
  await expect
    .poll(async () => {
      // The button can disappear before the click. Without this limit, the click would wait until the test ends.
      if (await retry.isVisible()) await retry.click({ timeout: 1000 }).catch(() => null);
      return page.getByText(product.name).count();
    })
    .toBe(1);
});

test('R-SESS-05: a session that was ended in another browser ends here at the next call, without another call to the service', async () => {
  const email = 'ended@learner.example';
  await offerProduct(fixture, { learners: [email] });
  const person = await openPerson(fixture);
  person.allowComplaint(/400|401/);
  const { page } = person;
  await arriveSignedIn(person, fixture, email);
  const token = await page.evaluate(
    () => JSON.parse(localStorage.getItem('portal-auth') ?? '{}').access_token as string,
  );
  await fetch(`${fixture.portal.url}/auth/v1/logout?scope=global`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  await page.reload();
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).waitFor();
  expect(person.countCalls('/auth/v1/logout')).toBe(0);
  expect(await page.evaluate(() => localStorage.getItem('portal-auth'))).toBeNull();
});
