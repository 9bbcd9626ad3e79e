// Tests signing in with the mailed six-digit code on the page that requested the mail.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openPerson, see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';

const fixture = setFixture();

async function requestCode(page: Page, email: string, opener = 'Redeem Now'): Promise<string> {
  await page.getByRole('button', { name: opener }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill(email);
  await dialog.getByRole('button', { name: 'Send Magic Link' }).click();
  await see(page, 'Magic Link Sent!');
  // The user types the code in this window, so the dialog must not say 'close this window'.
  expect(await dialog.getByText('close this window').count()).toBe(0);
  return (await fixture.mailbox.takeMail(email)).code;
}

test('R-KEY-03, R-AUTO-07: the mailed code signs in on the same page, which then redeems automatically', async () => {
  const email = 'typist@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['TYPED-1'] });
  const person = await openPerson(fixture);
  const { page } = person;
  await page.goto(`/product/${product.product_id}/`);
  const code = await requestCode(page, email);
  expect(await page.evaluate(() => localStorage.getItem('pendingProductId'))).toBe(product.product_id);
  await page.getByLabel('Or enter the code from the email').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await page.keyboard.press('Enter');
  await see(page, 'TYPED-1');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await page.evaluate(() => localStorage.getItem('authRedirectPath'))).toBeNull();
  // The focus moves to the button Copy, because the ticket with this button has replaced the focused button.
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Copy');
});

test('a wrong code shows an error next to the field, and the right one still signs in', async () => {
  const email = 'typo@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['TYPED-2'] });
  const person = await openPerson(fixture);
  person.allowComplaint(/403/);
  const { page } = person;
  await page.goto(`/product/${product.product_id}`);
  const code = await requestCode(page, email);
  const field = page.getByLabel('Or enter the code from the email');
  const button = page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true });
  await field.fill('12');
  await button.click();
  await see(page, 'Please enter the six digits from the email');
  await field.fill(String((Number(code) + 1) % 1_000_000).padStart(6, '0'));
  await button.click();
  await see(page, /wrong or has expired/);
  await field.fill(code);
  await button.click();
  await see(page, 'TYPED-2');
});

test.each(['Login', 'Login to redeem your coupons'])(
  'after signing in by code the focus is on the page, though its button %s is gone',
  async (opener) => {
    const email = `focus${opener.length}@learner.example`;
    const product = await offerProduct(fixture, { learners: [email] });
    const { page } = await openPerson(fixture);
    await page.goto('/');
    const code = await requestCode(page, email, opener);
    await page.getByLabel('Or enter the code from the email').fill(code);
    await page.keyboard.press('Enter');
    await see(page, product.name, email);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  },
);
