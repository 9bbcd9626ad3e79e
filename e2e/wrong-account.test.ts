// Tests the pages for users without access: they show the current account and offer to change the account.
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';

const fixture = setFixture();
const WRONG_ACCOUNT = /Wrong account\?/;

test.each(['/admin-access-restricted', '/admin/access-denied'])(
  '%s shows the current account and links to the admin sign-in for another one',
  async (path) => {
    const person = await openPerson(fixture);
    const { page } = person;
    await page.goto(path);
    await page.getByRole('link', { name: 'Back to Home' }).waitFor();
    expect(await page.getByText(WRONG_ACCOUNT).count()).toBe(0);

    await arriveSignedIn(person, fixture, 'lou@learner.example', '/');
    await page.goto(path);
    await see(page.getByRole('main'), 'Signed in as lou@learner.example. Wrong account?');
    await page.getByRole('button', { name: 'Sign in as another' }).click();
    await page.waitForURL('**/admin-login');
    await see(page.getByRole('main'), 'Access is restricted to admin users only.');
    await page.getByRole('banner').getByRole('button', { name: 'Login' }).waitFor();
    expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => /token/.test(key)))).toEqual(
      [],
    );
  },
);

test('a refused product shows the current account, and another account gets its code on the same page', async () => {
  const product = await offerProduct(fixture, { learners: ['owner@learner.example'], codes: ['OWN-1'] });
  const person = await openPerson(fixture);
  const { page } = person;
  person.allowComplaint(/403/);
  await arriveSignedIn(person, fixture, 'wrong@stranger.example', `/product/${product.product_id}`);
  await see(page, 'Email not registered');
  await see(page.getByRole('main'), 'Signed in as wrong@stranger.example. Wrong account?');
  await page.getByRole('button', { name: 'Sign in as another' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('owner@learner.example');
  await dialog.getByRole('button', { name: 'Send Magic Link' }).click();
  const { code } = await fixture.mailbox.takeMail('owner@learner.example');
  await page.getByLabel('Or enter the code from the email').fill(code);
  await page.keyboard.press('Enter');
  await see(page, 'OWN-1');
  expect(await page.getByText(WRONG_ACCOUNT).count()).toBe(0);
});

test('switching to another account works also while the sign-in service does not respond', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  person.allowComplaint(/ERR_FAILED/);
  await arriveSignedIn(person, fixture, 'lou@learner.example', '/');
  await page.goto('/admin/access-denied');
  await page.route('**/auth/v1/logout*', (route) => route.abort());
  await page.getByRole('button', { name: 'Sign in as another' }).click();
  await page.waitForURL('**/admin-login');
});
