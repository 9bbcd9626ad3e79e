// Notifications: what they say and to whom, how they leave, and where the focus goes.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, type Person, see } from './harness/browser.ts';
import { offerProduct, setScene } from './harness/scene.ts';

const scene = setScene();

async function showCode(person: Person, code: string): Promise<void> {
  const email = `${code.toLowerCase()}@learner.example`;
  const product = await offerProduct(scene, { learners: [email], codes: [code] });
  await arriveSignedIn(person, scene, email, `/product/${product.product_id}`);
  await see(person.page, code);
}

async function openCode(page: Page) {
  await page.getByRole('button', { name: 'View code' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  return dialog;
}

/** The clipboard as a browser has it that refuses. */
async function refuseClipboard(page: Page): Promise<void> {
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
  });
}

test('a notification is announced in its own words, politely, and a failure at once', async () => {
  const person = await openPerson(scene);
  const { page } = person;
  await showCode(person, 'SAY-1');
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  const polite = page.locator('[aria-live=polite]', { hasText: 'Success! Coupon code copied to clipboard' });
  await polite.waitFor({ state: 'attached' });
  expect(await page.locator('[role=status], [role=alert]', { hasText: 'Success!' }).count()).toBe(1);

  await refuseClipboard(page);
  const dialog = await openCode(page);
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  // Within the dialog: the rest of the page is not heard while it is open.
  await dialog.locator('[aria-live=assertive]', { hasText: 'Failed to copy' }).waitFor({ state: 'attached' });
});

test('copying in the dialog of a code says so, and so does a clipboard that refuses', async () => {
  const person = await openPerson(scene);
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
});

test('the confirmation of a copy resets after two seconds, not before', async () => {
  const person = await openPerson(scene);
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

test('Escape in a notification leads back into the dialog and closes neither', async () => {
  const person = await openPerson(scene);
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
  [40, false],
  [60, true],
])('a notification pulled %d px to the right leaves: %s', async (distance, leaves) => {
  const person = await openPerson(scene);
  const { page } = person;
  await showCode(person, `SWIPE-${distance}`);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  const title = page.getByText('Success!', { exact: true });
  const box = await title.boundingBox();
  const [x, y] = [(box?.x ?? 0) + 5, (box?.y ?? 0) + 5];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let at = 0; at <= distance; at += 5) await page.mouse.move(x + at, y);
  await page.mouse.up();
  await page.mouse.move(5, 5);
  if (leaves) await title.waitFor({ state: 'detached', timeout: 2000 });
  else await expect(title.waitFor({ state: 'detached', timeout: 1500 })).rejects.toThrow();
});
