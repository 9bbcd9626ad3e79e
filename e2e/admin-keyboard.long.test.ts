// Tests that an administrator can work with the keyboard alone and that the focus is always visible.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { csv, fileInput } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, see } from './harness/browser.ts';
import { hasFocus, tabTo } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { setOwnScene } from './harness/scene.ts';

const LEARNER = 'lea@learner.example';

const scene = setOwnScene();
const staff = keepPerson(scene, (person) => arriveSignedIn(person, scene, ADMIN_EMAIL, '/admin'));

async function goByKeys(page: Page, name: string): Promise<void> {
  await tabTo(page, page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name, exact: true }));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

async function typeInto(page: Page, field: Locator, words: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.type(words);
}

async function press(page: Page, button: Locator): Promise<void> {
  await tabTo(page, button);
  await page.keyboard.press('Enter');
}

/** Waits until the list has loaded the requested rows. Before that, the button Next has no effect. */
async function seeRows(page: Page, position: string): Promise<void> {
  await page.locator('table[aria-busy]').waitFor({ state: 'detached' });
  await see(page, position);
}

test('a product is created: the first invalid field gets the focus and shows the error', async () => {
  const { page } = staff;
  await page.goto('/admin');
  await goByKeys(page, 'Products');
  await press(page, page.getByRole('button', { name: 'Save Product' }));
  const name = page.getByRole('textbox', { name: 'Name' });
  await expect.poll(() => hasFocus(name)).toBe(true);
  expect(
    await name.evaluate(
      (field) => document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent,
    ),
  ).toBe('Enter a name');
  await page.keyboard.type('Tarnquill');
  await typeInto(page, page.getByRole('textbox', { name: 'URL' }), 'tarnquill.example/redeem');
  await typeInto(page, page.getByRole('textbox', { name: 'Description' }), 'A writing workspace.');
  await press(page, page.getByRole('button', { name: 'Save Product' }));
  await see(page, 'Product created successfully');
});

test('codes are uploaded: the product is chosen by its first letters, the file by its button', async () => {
  const { page } = staff;
  await goByKeys(page, 'Coupons');
  await typeInto(page, page.getByLabel('Select Product for Bulk Upload*'), 'Tarn');
  const button = page.getByRole('button', { name: 'Select CSV File' });
  await tabTo(page, button);
  const opened = await fileInput(page).evaluateHandle((input) => {
    const opening = new Promise((resolve) => input.addEventListener('click', resolve, { once: true }));
    return { opening };
  });
  await page.keyboard.press('Enter');
  await opened.evaluate(({ opening }) => opening.then(() => undefined));
  const codes = Array.from({ length: 24 }, (_code, index) => `KEYS-${index}`);
  await fileInput(page).setInputFiles(csv('codes.csv', 'coupon_code', ...codes));
  await see(page, 'Import Complete', '24 created, 0 duplicates skipped, 0 failed');
  expect(await hasFocus(button), 'the focus stays where the upload began').toBe(true);
});

test('a list is filtered, searched and paged', async () => {
  const { page } = staff;
  await press(page, page.getByRole('button', { name: /^Available/ }));
  await seeRows(page, '1–20 of 24');
  await press(page, page.getByRole('button', { name: 'Next' }));
  await seeRows(page, '21–24 of 24');
  await press(page, page.getByRole('button', { name: 'Previous' }));
  await seeRows(page, '1–20 of 24');
  await typeInto(page, page.getByRole('searchbox'), 'keys-23');
  await page.keyboard.press('Enter');
  await seeRows(page, '1–1 of 1');
});

test('a learner gets products, is looked up, and gets a code and another', async () => {
  const { page } = staff;
  await goByKeys(page, 'Users');
  await typeInto(page, page.getByRole('textbox', { name: 'Email', exact: true }), LEARNER);
  await typeInto(page, page.getByRole('textbox', { name: 'Name' }), 'Lea Lerner');
  const opener = page.getByRole('button', { name: /^Products(?! for)/ });
  await press(page, opener);
  await tabTo(page, page.getByRole('checkbox', { name: 'Tarnquill' }));
  await page.keyboard.press('Space');
  await page.keyboard.press('Escape');
  expect(await hasFocus(opener), 'the focus returns to the field').toBe(true);
  await press(page, page.getByRole('button', { name: 'Save User' }));
  await see(page, 'User created/updated successfully');

  await typeInto(page, page.getByLabel('User email'), LEARNER);
  await page.keyboard.press('Enter');
  await press(page, page.getByRole('button', { name: 'Generate Coupon for User' }));
  await see(page, 'Coupon generated: KEYS-0');
  const regenerate = page.getByRole('button', { name: 'Regenerate Coupon' });
  await press(page, regenerate);
  const question = page.getByRole('alertdialog');
  expect(await hasFocus(question.getByRole('button', { name: 'Cancel' }))).toBe(true);
  await page.keyboard.press('Escape');
  await expect.poll(() => hasFocus(regenerate), { message: 'the focus returns to the opener' }).toBe(true);
  await page.keyboard.press('Enter');
  await press(page, question.getByRole('button', { name: 'Regenerate Coupon' }));
  await see(page, 'New coupon generated: KEYS-1 (assigned to admin)');
});
