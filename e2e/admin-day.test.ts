// Tests an administrator's workflow from creating a product, codes and users to issuing and replacing a code.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { choose, chooseInMenu, csv, fileInput, openCard } from './harness/admin-pages.ts';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const fixture = setOwnFixture();

/** Returns the table rows that contain these words. */
function row(page: Page, words: string) {
  return page.getByRole('row').filter({ hasText: words });
}

async function openAdminAt(path: string) {
  const person = await openPerson(fixture);
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, path);
  return person;
}

test('R-GEN-07, R-GEN-08, R-GEN-09, R-GEN-10, R-GEN-11, R-UAC-09, R-CACHE-10: a product, codes and users are created, a code is issued and replaced, and the learner sees the newest', async () => {
  const admin = await openAdminAt('/admin/products');
  const { page } = admin;

  await page.getByRole('textbox', { name: 'Name' }).fill('Tarnquill');
  await page.getByRole('textbox', { name: 'URL' }).fill('tarnquill.example/redeem');
  await page.getByRole('textbox', { name: 'Description' }).fill('A writing workspace.');
  await page.getByRole('button', { name: 'Save Product' }).click();
  await see(page, 'Product created successfully');
  await row(page, 'Tarnquill').getByText('No', { exact: true }).waitFor();

  await page.getByRole('link', { name: 'Coupons' }).click();
  await see(page, 'Existing Coupons');
  await see(page, 'No coupons found. Create your first coupon above.');
  const button = page.getByRole('button', { name: 'Select CSV File' });
  expect(await button.isDisabled()).toBe(true);
  await choose(page.getByLabel('Select Product for Bulk Upload*'), 'Tarnquill');
  const codes = csv('codes.csv', 'coupon_code', 'CODE-1', 'CODE-2', 'CODE-1', `LONG-${'x'.repeat(300)}`);
  await fileInput(page).setInputFiles(codes);
  await see(page, 'Import Complete', '2 created, 1 duplicates skipped, 1 failed');
  await page.getByRole('heading', { name: 'codes.csv' }).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download failed rows (CSV)' }).click();
  expect((await download).suggestedFilename()).toBe('coupons_failed_rows.csv');
  await row(page, 'CODE-2').getByText('Available').waitFor();

  await page.getByRole('link', { name: 'Users' }).click();
  await openCard(page, 'Bulk Upload Users');
  await chooseInMenu(page, /^Products for all users/, 'Tarnquill');
  const people = csv('people.csv', 'email,name', 'Lea@learner.example,Lea Lerner', 'not an address,Nobody');
  await fileInput(page).setInputFiles(people);
  await see(
    page,
    'Processed 2 records: 1 users created, 0 duplicates found, 1 product access granted, 1 failed',
  );
  await row(page, 'lea@learner.example').getByText('N/A').waitFor();

  await openCard(page, 'User Access Management');

  await page.getByLabel('User email').fill(' Lea@Learner.example ');
  await page.getByRole('button', { name: 'View Products' }).click();
  await page.getByRole('button', { name: 'Generate Coupon for User' }).click();
  await see(page, 'Coupon generated: CODE-1', 'CODE-1');

  await page.getByRole('button', { name: 'Regenerate Coupon' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByText(/multiple coupons for the product/).waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(admin.countCalls('/api/admin/regenerate-coupon')).toBe(0);
  await page.getByRole('button', { name: 'Regenerate Coupon' }).click();
  await question.getByRole('button', { name: 'Regenerate Coupon' }).click();
  await see(page, 'New coupon generated: CODE-2 (assigned to admin)', 'CODE-2');
  // The button has aria-disabled but still responds to clicks. Playwright does not click such a button without
  // `force`.
  await page.getByRole('button', { name: 'Wait 3 min' }).click({ force: true });
  await see(page, 'Please wait', 'You can regenerate this coupon in 3 minute(s)');
  expect(admin.countCalls('/api/admin/regenerate-coupon')).toBe(1);

  const learner = await openPerson(fixture);
  await arriveSignedIn(learner, fixture, 'lea@learner.example');
  await learner.page.getByRole('link', { name: 'Redeem Now' }).click();
  await see(learner.page, 'CODE-2');

  await page.getByRole('link', { name: 'Coupons' }).click();
  await row(page, 'CODE-2').getByText('lea@learner.example').waitFor();
  await row(page, 'CODE-1').getByText('Assigned').waitFor();
});

test('search, filter and page are kept in the address, and Back returns to them', async () => {
  const product = await fixture.admin.addProduct({ name: 'Many Codes' });
  await fixture.admin.addCodes(product, ...Array.from({ length: 23 }, (_code, i) => `MANY-${i}`));
  const { page } = await openAdminAt('/admin/coupons');
  await choose(page.getByLabel('Only codes of'), 'Many Codes');
  await see(page, '1–20 of 23');
  await page.getByRole('button', { name: 'Next' }).click();
  await see(page, '21–23 of 23', 'MANY-0');
  await page.reload();
  await see(page, '21–23 of 23', 'MANY-0');
  await page.getByRole('button', { name: 'Previous' }).click();
  await see(page, '1–20 of 23');
  await page.goBack();
  await see(page, '21–23 of 23');

  await page.getByRole('searchbox').fill('many-1');
  await see(page, '1–11 of 11');
  await page.getByRole('button', { name: 'Assigned' }).click();
  await see(page, 'No codes match.');
  await page.getByRole('button', { name: 'Show all codes' }).click();
  await row(page, 'MANY-22').waitFor();
});
