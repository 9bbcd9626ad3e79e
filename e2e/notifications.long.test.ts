// Tests notifications: their texts and announcements, how they close, and where the focus moves.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { recordAnnouncements } from './harness/announcements.ts';
import { arriveSignedIn, openPerson, type Person, see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';

const fixture = setFixture();

async function showCode(person: Person, code: string): Promise<void> {
  const email = `${code.toLowerCase()}@learner.example`;
  const product = await offerProduct(fixture, { learners: [email], codes: [code] });
  await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
  await see(person.page, code);
}

async function openCode(page: Page) {
  await page.getByRole('button', { name: 'View code' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  return dialog;
}

/** Makes the clipboard reject every write, as a browser without permission does. */
async function refuseClipboard(page: Page): Promise<void> {
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
  });
}

test('R-PROD-17: a notification is announced politely with its text, a failure assertively', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await showCode(person, 'SAY-1');
  const listAnnouncements = await recordAnnouncements(page);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  const success = expect.stringMatching(/^polite: .*Success! Coupon code copied to clipboard/);
  await expect.poll(listAnnouncements).toContainEqual(success);
  expect((await listAnnouncements()).filter((line) => line.includes('Success!'))).toHaveLength(1);

  await refuseClipboard(page);
  const dialog = await openCode(page);
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  // The page announces the error in the live region of the dialog. Screen readers ignore the rest of the page while a
  // modal dialog is open.
  const failure = expect.stringMatching(/^assertive in the dialog: .*Failed to copy/);
  await expect.poll(listAnnouncements).toContainEqual(failure);
});

test('R-CDLG-01, R-CDLG-02, R-CDLG-03, R-CDLG-04: the code dialog copies the code, confirms, reports a refusing clipboard, and links to the partner', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await showCode(person, 'CDLG-1');
  const dialog = await openCode(page);
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await see(dialog, 'Code copied!', 'Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('CDLG-1');
  await refuseClipboard(page);
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await see(dialog, 'Failed to copy');
  expect(await page.evaluate(() => getSelection()?.toString().trim())).toBe('CDLG-1');
  const link = dialog.getByRole('link', { name: 'Visit Site To Redeem' });
  expect(await link.getAttribute('href')).toBe('https://partner.example/redeem');
  expect(await link.getAttribute('target')).toBe('_blank');
});

test('R-TOAST-01, R-TOAST-02: a newer notification replaces the older, and a failure does not look like a success', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await showCode(person, 'ONE-1');
  const copy = page.getByRole('button', { name: 'Copy', exact: true });
  const readColour = (words: string) =>
    page
      .getByRole('listitem')
      .filter({ hasText: words })
      .evaluate((card) => getComputedStyle(card).backgroundColor);
  await copy.click();
  await see(page, 'Success!');
  const usual = await readColour('Success!');
  await page.getByText('Copied', { exact: true }).waitFor({ state: 'detached' });
  await refuseClipboard(page);
  await copy.click();
  await see(page, 'Failed to copy');
  expect(await page.getByText('Success!', { exact: true }).filter({ visible: true }).count()).toBe(0);
  expect(await readColour('Failed to copy')).not.toBe(usual);
});

test('R-TOAST-03: a notification closes automatically after five seconds, not before', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await showCode(person, 'FIVE-1');
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1000);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await see(page, 'Success!');
  const toast = page.getByRole('listitem').filter({ hasText: 'Success!' });
  await page.clock.runFor(4900);
  expect(await toast.getAttribute('data-state')).toBe('open');
  await page.clock.runFor(200);
  await toast.waitFor({ state: 'detached' });
});

test('R-PROD-18: the confirmation of a copy resets after two seconds, not before', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await showCode(person, 'RESET-1');
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1000);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await see(page, 'Copied');
  await page.clock.runFor(1990);
  await see(page, 'Copied');
  await page.clock.runFor(20);
  await page.getByRole('button', { name: 'Copy', exact: true }).waitFor();
});

test('Escape in a notification moves the focus back into the dialog and closes neither', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await showCode(person, 'BACK-1');
  const dialog = await openCode(page);
  const copy = dialog.getByRole('button', { name: 'Copy', exact: true });
  await copy.click();
  await see(dialog, 'Code copied!');
  await page.keyboard.press('F8');
  await page.keyboard.press('Tab');
  const isInArea = () => page.evaluate(() => document.activeElement?.closest('[role=region]') !== null);
  expect(await isInArea()).toBe(true);
  await page.keyboard.press('Escape');
  expect(await isInArea()).toBe(false);
  await see(dialog, 'Code copied!');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test.each([
  [49, false],
  [50, true],
])('R-TOAST-05: a notification swiped %d px to the right closes: %s', async (distance, leaves) => {
  const person = await openPerson(fixture);
  const { page } = person;
  await showCode(person, `SWIPE-${distance}`);
  // Stops the clock, so that the notification does not close by itself.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1000);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  const title = page.getByText('Success!', { exact: true });
  const box = await title.boundingBox();
  const [x, y] = [(box?.x ?? 0) + 5, (box?.y ?? 0) + 5];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + distance, y, { steps: 10 });
  await page.mouse.up();
  await page.clock.runFor(1000);
  if (leaves) return title.waitFor({ state: 'detached' });
  await page.locator('[data-swipe=cancel]').waitFor();
  await see(page, 'Success!');
});
