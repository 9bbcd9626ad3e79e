// Tests the dashboard's card of failed jobs: what failed, why, since when, and the retry.
import { listFailedJobs } from '@portal/contract';
import { expect, test } from 'vitest';
import { callApi, signIn } from './harness/api.ts';
import { arriveSignedIn, keepPerson } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const REFUSED = ['ada@mistyped.example', 'bob@mistyped.example'];

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

test('mails that the mail server rejects are one row with its message, and are sent when they are retried', async () => {
  const { page } = staff;
  const { portal, mailbox } = fixture;
  const { access_token: token } = await signIn(portal, ADMIN_EMAIL);
  const countFailed = async () => (await callApi(portal.url, listFailedJobs, { token }))[0]?.count ?? 0;
  const card = page.getByRole('region', { name: 'Failed jobs' });
  await page.getByRole('region', { name: 'Stock left' }).waitFor();
  expect(await card.count()).toBe(0);

  for (const email of REFUSED) {
    mailbox.refused.add(email);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ email });
    expect((await fetch(`${portal.url}/auth/v1/otp`, { method: 'POST', headers, body })).status).toBe(200);
  }
  await expect.poll(countFailed).toBe(2);
  await page.reload();
  const row = card.getByRole('listitem');
  await expect.poll(() => row.allInnerTexts()).toHaveLength(1);
  const words = await row.textContent();
  for (const part of ['2 sign-in emails', '550 5.1.1 <…> no such user here', 'since today, ']) {
    expect(words).toContain(part);
  }

  // The mail server still rejects both addresses, so the jobs fail again after the retry.
  await page.getByRole('button', { name: 'Try again: 2 sign-in emails' }).click();
  await expect.poll(() => card.count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
  await expect.poll(countFailed).toBe(2);
  await page.reload();
  mailbox.refused.clear();
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Try again: 2 sign-in emails' }).press('Enter');
  for (const email of REFUSED) expect((await mailbox.takeMail(email)).code).toMatch(/^\d{6}$/);
  await expect.poll(() => card.count()).toBe(0);
});
