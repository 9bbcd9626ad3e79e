// The login dialog where it is hard: on a tiny screen, at an impatient keyboard, without a connection.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openPerson, see } from './harness/browser.ts';
import { holdCalls } from './harness/hold.ts';
import { offerProduct, setScene } from './harness/scene.ts';

const scene = setScene();

async function openDialog(page: Page) {
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  return dialog;
}

test.each([
  [320, 256],
  [667, 320],
])('at %d x %d everything in the dialog can be scrolled to', async (width, height) => {
  const { page } = await openPerson(scene, { viewport: { width, height } });
  await page.goto('/');
  const dialog = await openDialog(page);
  const parts = [
    dialog.getByRole('heading', { name: 'Sign In to Redeem' }),
    dialog.getByRole('button', { name: 'Continue with Google' }),
    dialog.getByText(/email you a secure login link/),
  ];
  for (const part of parts) {
    await part.scrollIntoViewIfNeeded();
    const box = await part.boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
  }
});

test('Escape, however often, does not close the dialog while it is sending, and does afterwards', async () => {
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
  const files = /\/assets\/(login-dialog|toaster)-/;
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
