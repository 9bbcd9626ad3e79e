// Tests that an administrator can work with the keyboard alone and that the focus is always visible.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { cardHeading, csv, fileInput } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus, tabTo } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { edit } from './harness/products.ts';

const LEARNER = 'lea@learner.example';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

async function goByKeys(page: Page, name: string): Promise<void> {
  await tabTo(page, page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name, exact: true }));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Opens a card above a list, which moves the focus to its first field. An empty list has opened its cards already. */
async function openByKeys(page: Page, title: string, first: Locator): Promise<void> {
  const heading = cardHeading(page, title);
  await page
    .getByText(/^Loading /)
    .first()
    .waitFor({ state: 'detached' });
  if ((await heading.getAttribute('aria-expanded')) === 'true') return tabTo(page, first);
  await press(page, heading);
  await expect.poll(() => hasFocus(first)).toBe(true);
}

async function typeInto(page: Page, field: Locator, words: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.type(words);
}

async function press(page: Page, button: Locator): Promise<void> {
  await tabTo(page, button);
  await page.keyboard.press('Enter');
}

/** Types a day into a date field. The three parts of a day have no separators, as in mm/dd/yyyy. */
async function typeDay(page: Page, field: Locator, parts: string, day: string): Promise<void> {
  await typeInto(page, field, parts);
  expect(await field.inputValue()).toBe(day);
}

const dialogOf = (page: Page) => page.getByRole('alertdialog');

/** Opens the dialog with the button and checks that its button `first` has the focus, so that Enter changes nothing. */
async function openDialog(page: Page, opener: Locator, first = 'Cancel'): Promise<Locator> {
  await press(page, opener);
  const dialog = dialogOf(page);
  await expect.poll(() => hasFocus(dialog.getByRole('button', { name: first }))).toBe(true);
  return dialog;
}

/** Waits until the dialog is closed and the element has the focus. */
async function expectBack(page: Page, target: Locator): Promise<void> {
  await dialogOf(page).waitFor({ state: 'detached' });
  await expect.poll(() => hasFocus(target), { message: `the focus returns to ${target}` }).toBe(true);
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
  const name = page.getByRole('textbox', { name: 'Name' });
  await openByKeys(page, 'Add New Product', name);
  await press(page, page.getByRole('button', { name: 'Save Product' }));
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
  await openByKeys(page, 'Bulk Upload Coupons', page.getByLabel('Select Product for Bulk Upload*'));
  await page.keyboard.type('Tarn');
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
  await openByKeys(page, 'Add New User', page.getByRole('textbox', { name: 'Email', exact: true }));
  await page.keyboard.type(LEARNER);
  await typeInto(page, page.getByRole('textbox', { name: 'Name' }), 'Lea Lerner');
  const opener = page.getByRole('button', { name: /^Products(?! for)/ });
  await press(page, opener);
  await tabTo(page, page.getByRole('checkbox', { name: 'Tarnquill' }));
  await page.keyboard.press('Space');
  await page.keyboard.press('Escape');
  await expect.poll(() => hasFocus(opener), { message: 'the focus returns to the field' }).toBe(true);
  await press(page, page.getByRole('button', { name: 'Save User' }));
  const notification = page.getByText('User created/updated successfully').first();
  await notification.waitFor();
  // The page has scrolled to the new row, so the notification may be in front of the headings of the cards.
  await notification.waitFor({ state: 'detached' });

  await openByKeys(page, 'User Access Management', page.getByLabel('User email'));
  await page.keyboard.type(LEARNER);
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

test('R-LIFE-32: the dates of an access are changed, its code is replaced, and the access is removed with the code', async () => {
  const { page } = staff;
  const opener = page.getByRole('button', { name: 'More for Tarnquill' });
  const choose = async (name: string) => {
    if (!(await hasFocus(opener))) await tabTo(page, opener);
    await page.keyboard.press('ArrowDown');
    const item = page.getByRole('menuitem', { name });
    for (let step = 0; step < 4 && !(await hasFocus(item)); step += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    if (name === 'Replace code') {
      // No reason is chosen yet.
      await expect.poll(() => hasFocus(page.getByRole('dialog').getByRole('radio').first())).toBe(true);
      return page.getByRole('dialog');
    }
    const cancel = dialogOf(page).getByRole('button', { name: 'Cancel' });
    await expect.poll(() => hasFocus(cancel)).toBe(true);
    return dialogOf(page);
  };
  const dates = await choose('Change dates');
  await typeDay(page, dates.getByLabel('Until'), '12312099', '2099-12-31');
  await press(page, dates.getByRole('button', { name: 'Save Dates' }));
  // The first click is refused, because an earlier end needs a reason. The first invalid field gets the focus.
  const reason = dialogOf(page).getByLabel('Reason');
  await expect.poll(() => hasFocus(reason)).toBe(true);
  await page.keyboard.type('Course ends');
  await page.keyboard.press('Enter');
  await expectBack(page, opener);
  await see(page, /^Valid .* to Dec\s31,\s2099$/);

  const replace = await choose('Replace code');
  await page.keyboard.press('ArrowDown');
  await press(page, replace.getByRole('button', { name: 'Replace code' }));
  await see(page, 'Code replaced: KEYS-2');
  await expectBack(page, opener);

  const remove = await choose('Remove access');
  await tabTo(page, remove.getByRole('checkbox', { name: 'Also revoke the code' }));
  await page.keyboard.press('Space');
  await typeInto(page, remove.getByLabel('Reason'), 'Left the course');
  await press(page, remove.getByRole('button', { name: 'Remove access' }));
  await see(page, 'Access removed');
  // The learner got KEYS-0 before, and this code was not revoked.
  await see(page.getByRole('listitem').filter({ hasText: 'Tarnquill' }), 'KEYS-0');
  // The product is now in the list of products without access. The focus is on the product's button in that list.
  await expectBack(page, opener);
});

test('R-LIFE-31: a product is edited, paused, resumed, archived and brought back', async () => {
  const { page } = staff;
  await goByKeys(page, 'Products');
  await press(page, page.getByRole('link', { name: 'Tarnquill' }));
  await page.getByRole('heading', { level: 1, name: 'Tarnquill' }).waitFor();
  await press(page, page.getByRole('button', { name: 'Edit' }));
  await typeInto(page, page.getByLabel('Header Text'), 'Sign in first');
  await typeDay(page, page.getByLabel('Redeeming closes'), '12312990', '2990-12-31');
  await press(page, page.getByRole('button', { name: 'Save Changes' }));
  await see(page, 'Product saved', 'People with access can redeem until Dec 31, 2990.');

  const pause = page.getByRole('button', { name: 'Pause' });
  await openDialog(page, pause);
  await page.keyboard.press('Escape');
  await expectBack(page, pause);
  const pausing = await openDialog(page, pause);
  await typeInto(page, pausing.getByLabel('Note'), 'Servers move');
  await press(page, pausing.getByRole('button', { name: 'Pause' }));
  await see(page, 'Product paused', 'Servers move');
  await expectBack(page, page.getByRole('heading', { level: 2, name: 'Paused' }));
  await press(page, page.getByRole('button', { name: 'Resume' }));
  await see(page, 'Product resumed');

  await press(page, page.getByRole('button', { name: 'More for Tarnquill' }));
  await expect.poll(() => hasFocus(page.getByRole('menuitem', { name: 'Archive' }))).toBe(true);
  await page.keyboard.press('Enter');
  const archiving = dialogOf(page);
  await expect.poll(() => hasFocus(archiving.getByRole('button', { name: 'Cancel' }))).toBe(true);
  await press(page, archiving.getByRole('button', { name: 'Archive' }));
  await see(page, 'Product archived');
  await goByKeys(page, 'Products');
  await press(page, page.getByRole('button', { name: /^Archived/ }));
  await press(page, page.getByRole('link', { name: 'Tarnquill' }));
  await press(page, page.getByRole('button', { name: 'Bring back' }));
  await see(page, 'Product brought back');
});

test('R-LIFE-31, N-109: an edit conflict is resolved, and a page with unsaved changes is left', async () => {
  const { page } = staff;
  const [product] = await fixture.admin.listProducts();
  const save = page.getByRole('button', { name: 'Save Changes' });
  if (!product) throw new Error('there is no product');
  await page.goto(`/admin/products/${product.product_id}?open=edit`);
  await see(page, 'Uploads of this product');
  await edit(fixture, product, { description: 'Their description' });
  staff.allowComplaint(/409/);
  await typeInto(page, page.getByLabel('Description'), 'Mine. ');
  await press(page, save);
  await expect.poll(() => hasFocus(page.getByRole('button', { name: 'Show their version' }))).toBe(true);
  await page.keyboard.press('Enter');
  const theirs = page.getByRole('button', { name: 'Use theirs: Description' });
  await expect.poll(() => hasFocus(theirs)).toBe(true);
  await page.keyboard.press('Enter');
  await expect.poll(() => hasFocus(page.getByLabel('Description'))).toBe(true);
  expect(await page.getByLabel('Description').inputValue()).toBe('Their description');
  await typeInto(page, page.getByLabel('Header Text'), 'Mine. ');
  await press(page, save);
  await see(page, 'Product saved');

  await typeInto(page, page.getByLabel('Page Title'), 'Half a th');
  const users = page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name: 'Users' });
  await openDialog(page, users, 'Stay');
  await page.keyboard.press('Enter');
  await expectBack(page, users);
  const leaving = await openDialog(page, users, 'Stay');
  await press(page, leaving.getByRole('button', { name: 'Leave' }));
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
});

test('R-LIFE-33: the codes of an upload get a last day, and are made void with a reason', async () => {
  const { page } = staff;
  await goByKeys(page, 'Coupons');
  await press(page, page.getByRole('navigation', { name: 'Section' }).getByRole('link', { name: 'Uploads' }));
  await press(page, page.getByRole('link', { name: 'codes.csv' }));
  await see(page, 'About this upload');

  const dating = await openDialog(page, page.getByRole('button', { name: 'Set last day' }));
  await typeDay(page, dating.getByLabel('Last day'), '06302099', '2099-06-30');
  await press(page, dating.getByRole('button', { name: 'Set last day of 21 codes' }));
  await see(page, 'Last day set for 21 codes, 0 were handed out meanwhile');
  await see(page, 'Last day of the available codes: Jun 30, 2099');

  const voiding = await openDialog(page, page.getByRole('button', { name: 'Void unused codes' }));
  const [mistake, dead] = [voiding.getByRole('radio').first(), voiding.getByRole('radio').last()];
  await tabTo(page, mistake);
  await page.keyboard.press('ArrowDown');
  expect([await dead.isChecked(), await hasFocus(dead)]).toEqual([true, true]);
  await typeInto(page, voiding.getByLabel('Note'), 'Leaked');
  await press(page, voiding.getByRole('button', { name: 'Void 21 codes' }));
  await see(page, '21 codes voided, 0 were handed out meanwhile', 'None left.');
  const result = page.getByRole('region', { name: 'Result' });
  await see(result, '21 codes voided, 0 were handed out meanwhile');
  await press(page, result.getByRole('button', { name: 'Dismiss' }));
  await result.waitFor({ state: 'detached' });

  await press(page, page.getByRole('link', { name: 'Uploads', exact: true }));
  await page.getByRole('heading', { level: 2, name: 'Uploads' }).waitFor();
  await press(page, page.getByRole('navigation', { name: 'Section' }).getByRole('link', { name: 'Codes' }));
  await press(page, page.getByRole('button', { name: /^Void/ }));
  await seeRows(page, '1–20 of 21');
  await press(page, page.getByRole('button', { name: /^Revoked/ }));
  await seeRows(page, '1–2 of 2');
});
