// Tests that a learner can redeem and copy a code with the keyboard alone, and where the focus moves.
import { expect, test } from 'vitest';
import { arriveSignedIn, navigateInApp, openPerson, see, waitForHydration } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { hasFocus, tabTo } from './harness/keyboard.ts';

const fixture = setFixture();

test('R-TOAST-06: from the product page to the copied code and its notification with the keyboard alone', async () => {
  const email = 'kim@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['KEYS-1'] });
  const person = await openPerson(fixture);
  const { page } = person;
  await page.goto(`/product/${product.product_id}`);
  const redeemButton = page.getByRole('button', { name: 'Redeem Now' });
  await redeemButton.waitFor();
  await tabTo(page, redeemButton);
  await page.keyboard.press('Enter');

  const dialog = page.getByRole('dialog', { name: 'Sign In to Redeem' });
  await dialog.waitFor();
  await tabTo(page, dialog.getByRole('textbox'));
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await see(page, 'Magic Link Sent!');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => hasFocus(redeemButton), { message: 'the focus returns to the opener' }).toBe(true);

  const tab = await person.openTab();
  await tab.goto((await fixture.mailbox.takeMail(email)).link);
  await see(tab, 'KEYS-1');
  await tab.bringToFront();
  await tabTo(tab, tab.getByRole('button', { name: 'Copy', exact: true }));
  await tab.keyboard.press('Enter');
  await see(tab, 'Success!');
  expect(await tab.evaluate(() => navigator.clipboard.readText())).toBe('KEYS-1');
  await tab.keyboard.press('F8');
  const focused = await tab.evaluate(() => document.activeElement?.closest('[role=region]')?.ariaLabel ?? '');
  expect(focused).toMatch(/Notifications/);
});

test('the focus stays in an open dialog', async () => {
  const { page } = await openPerson(fixture);
  await page.goto('/');
  await page.getByRole('button', { name: 'Login', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  for (let stop = 0; stop < 12; stop += 1) {
    await page.keyboard.press('Tab');
    const outside = await page.evaluate(() => {
      const element = document.activeElement;
      // `activeElement` is the body while the browser's toolbar has the focus. The toolbar is no part of the page, so
      // the body is allowed here.
      return element !== document.body && element?.closest('dialog') === null;
    });
    expect(outside).toBe(false);
  }
});

test('a page change moves the focus to the start of the new page', async () => {
  const product = await offerProduct(fixture, { learners: ['sam@learner.example'] });
  const { page } = await openPerson(fixture);
  await page.goto(`/product/${product.product_id}`);
  await waitForHydration(page);
  await page.getByRole('link', { name: 'Partner benefits', exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
});

test('the next page is scrolled to its top, also after use of the skip link', async () => {
  const email = 'sprung@learner.example';
  for (let count = 0; count < 4; count += 1)
    await offerProduct(fixture, { learners: [email], codes: ['SKIP'] });
  const person = await openPerson(fixture, { viewport: { width: 390, height: 500 } });
  const { page } = person;
  await arriveSignedIn(person, fixture, email);
  const last = page.getByRole('link', { name: 'Redeem Now' }).last();
  await last.waitFor();
  await page.getByRole('link', { name: 'Skip to content' }).press('Enter');
  await page.waitForURL(/#main$/);
  await last.click();
  await page.waitForURL(/\/product\//);
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
});

test('Back closes an open login dialog together with its page', async () => {
  const product = await offerProduct(fixture, {});
  const { page } = await openPerson(fixture);
  await page.goto(`/product/${product.product_id}`);
  await waitForHydration(page);
  await page.getByRole('link', { name: 'Partner benefits', exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
  await page.getByRole('dialog').waitFor();
  await page.goBack();
  await see(page, product.name);
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
});

test('an automatic redemption does not move the focus, unless it removes the focused button', async () => {
  const email = 'fokus@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['FOC-1'] });
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, email);
  const letThrough = await holdCalls(page, '**/api/redeem-secure');
  await page.goto(`/product/${product.product_id}`);
  await page.getByRole('main').getByRole('button', { name: 'Loading...' }).focus();
  letThrough();
  await see(page, 'FOC-1');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Copy');

  await page.reload();
  await see(page, 'FOC-1');
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
});

test('Try again keeps the focus, and then moves it to the loaded page', async () => {
  const product = await offerProduct(fixture, {});
  const person = await openPerson(fixture);
  person.allowComplaint(/ERR_FAILED/);
  const { page } = person;
  await page.route('**/api/products/*', (route) => route.abort(), { times: 2 });
  await page.goto('/');
  await navigateInApp(page, `/product/${product.product_id}`);
  const retry = page.getByRole('button', { name: 'Try again' });
  await retry.click();
  expect(await hasFocus(retry)).toBe(true);
  await retry.click();
  await see(page, product.name);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
});
