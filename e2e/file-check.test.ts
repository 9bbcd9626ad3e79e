// Tests the check of a file before its import, the questions about its columns and blank codes, the list of recent
// uploads, and undo of an upload.
import { createCohort } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  choose,
  chooseFile,
  chooseProductOfFile,
  csv,
  fileInput,
  openAdminPage,
  openCard,
} from './harness/admin-pages.ts';
import { callApi, signIn } from './harness/api.ts';
import { arriveSignedIn, keepPerson, openPerson, see, takeToast } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

const button = (within: Page | Locator, name: string | RegExp) =>
  within.getByRole('button', { name, exact: true });
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const dialog = (page: Page) => page.getByRole('alertdialog');

/** Returns the counts of a list of counts, by their labels. */
async function readCounts(within: Locator): Promise<Record<string, string>> {
  const cells = within.locator('dl').first().locator('div');
  const pairs = await cells.evaluateAll((divs) =>
    divs.map((div) => [div.querySelector('dt')?.textContent, div.querySelector('dd')?.textContent]),
  );
  return Object.fromEntries(pairs);
}

async function openCodes(page: Page, product: string): Promise<void> {
  await page.goto('/admin/coupons?open=upload');
  await choose(page.getByLabel('Select Product for Bulk Upload*'), product);
}

const row = (page: Page, file: string) => page.getByRole('row').filter({ hasText: file }).first();

test('R-IMP-04, R-IMP-06, R-IMP-10: a file of codes is checked, imported, taken back, and imported again as new', async () => {
  const { page } = staff;
  const other = await fixture.admin.addProduct({ name: 'Quernbase' });
  await fixture.admin.addCodes(other, 'TB-2');
  const product = await fixture.admin.addProduct({ name: 'Fathomleaf' });
  await fixture.admin.addCodes(product, 'TB-OLD');
  const file = csv(
    'dec.csv',
    'code,notes,use_by',
    'TB-1,n,',
    'TB-2,n,2099-06-30',
    'TB-OLD,n,',
    'TB-1,n,',
    'TB-3,n,never',
  );
  await openCodes(page, 'Fathomleaf');
  await chooseFile(page, 'Check File First', file);
  const checked = card(page, 'Nothing was imported yet.');
  await checked.waitFor();
  expect(await hasFocus(checked.getByRole('heading', { level: 2 }))).toBe(true);
  expect(await readCounts(checked)).toEqual({
    New: '2',
    Duplicates: '1',
    'Twice in this file': '1',
    Failed: '1',
    Rows: '5',
  });
  await see(checked, 'Ignored: notes', 'Kept for 24 hours under Uploads.');
  await see(checked, 'Of the first 1,000 codes, 1 is already in Quernbase. Is this the right product?');
  await see(checked, 'code (coupon_code)', 'TB-1', 'Failed rows');
  await button(checked, 'Import 2 codes for Fathomleaf').click();
  await takeToast(page, 'default', 'Import Complete', '2 created, 2 duplicates skipped, 1 failed');
  const summary = card(page, 'dec.csv');
  await see(summary, 'Created', 'Duplicates skipped');
  await button(summary, 'Download duplicates').waitFor();

  await button(summary, 'Take back this upload').click();
  await see(dialog(page), '2 codes of this upload are unused. 0 were handed out and stay.');
  expect(await hasFocus(button(dialog(page), 'Cancel'))).toBe(true);
  await button(dialog(page), 'Void 2 codes').click();
  await page.waitForURL('**/admin/coupons/uploads/*');
  await see(page, /2 codes voided/);
  await page.goto('/admin/coupons/uploads');
  await see(row(page, 'dec.csv'), 'Taken back');

  await openCodes(page, 'Fathomleaf');
  await chooseFile(page, 'Check File First', file);
  await see(checked, 'of these void before, free again');
  expect(await readCounts(checked)).toMatchObject({ New: '2' });
  await button(checked, 'Import 2 codes for Fathomleaf').click();
  await takeToast(page, 'default', 'Import Complete', '2 created, 2 duplicates skipped, 1 failed');
});

test('R-IMP-04, R-IMP-16: a file without new codes cannot be imported; after a reload the list of uploads opens it again, and it is discarded', async () => {
  const { page } = staff;
  const product = await fixture.admin.addProduct({ name: 'Nothing New' });
  await fixture.admin.addCodes(product, 'NN-1');
  await openCodes(page, 'Nothing New');
  await chooseFile(page, 'Check File First', csv('known.csv', 'coupon_code', 'NN-1'));
  const checked = card(page, 'Nothing was imported yet.');
  await see(checked, 'Every code of this file is here already or failed.');
  expect(await button(checked, 'Import 0 codes for Nothing New').isDisabled()).toBe(true);

  await page.goto('/admin/coupons/uploads');
  await see(row(page, 'known.csv'), 'Nothing New', 'Checked', '0 new');
  await button(row(page, 'known.csv'), 'known.csv').click();
  await see(checked, 'Every code of this file is here already or failed.', 'NN-1');
  await checked.getByText('NN-1', { exact: true }).dblclick();
  expect(await page.evaluate(() => getSelection()?.toString()), 'R-FIND-02').toBe('NN-1');
  await button(checked, 'Discard').click();
  await takeToast(page, 'default', 'Success', 'The file was discarded. Nothing was imported.');
  await checked.waitFor({ state: 'detached' });
  await page.goto('/admin/coupons/uploads');
  await page.getByRole('heading', { level: 2, name: 'Uploads' }).waitFor();
  await see(row(page, 'dec.csv'), 'Fathomleaf');
  expect(await row(page, 'known.csv').count()).toBe(0);
});

test('R-IMP-04, R-COHORT-14: a file that was checked on the page of a cohort says where it is kept', async () => {
  const { page } = staff;
  const { access_token: token } = await signIn(fixture.portal, ADMIN_EMAIL);
  const body = { name: 'Checked here', note: null, product_ids: [] };
  const { cohort_id } = await callApi(fixture.portal.url, createCohort, { token, body });
  await page.goto(`/admin/users/cohorts/${cohort_id}?open=upload`);
  await chooseFile(page, 'Check File First', csv('members.csv', 'email', 'member@learner.example'));
  const checked = card(page, 'Nothing was imported yet.');
  await see(checked, 'Kept for 24 hours under Recent uploads on the Users page.');
  await button(checked, 'Discard').click();
  await checked.waitFor({ state: 'detached' });
});

test('R-IMP-14, R-IMP-15: a partner file with other column names is imported with at most five clicks; rows without a code are left out', async () => {
  const { page } = staff;
  await fixture.admin.addProduct({ name: 'Lieferung' });
  const lines = ['12.11.;LF-1;Fathomleaf', '12.11.;LF-2;Fathomleaf', '12.11.;;Fathomleaf'];
  const file = csv('lieferung.csv', 'Lieferdatum;Gutschein-Nr;Partner', ...lines);
  await openCodes(page, 'Lieferung'); // click 1
  await chooseFile(page, 'Select CSV File', file); // click 2
  const question = card(page, 'Which column holds the codes?');
  await see(question, 'Lieferdatum', 'LF-2', 'Nothing was imported yet.');
  expect(await hasFocus(question.getByRole('heading', { level: 2 }))).toBe(true);
  expect(await button(question, 'Choose a column').isDisabled()).toBe(true);
  await question.getByLabel('Meaning of column 2').selectOption('Code'); // click 3
  await button(question, 'Use these columns').click(); // click 4
  await see(dialog(page), '1 row has no code.', /lieferung\.csv.* also holds 2 codes/);
  expect(await hasFocus(button(dialog(page), 'Leave them out'))).toBe(true);
  await page.keyboard.press('Enter'); // click 5
  await takeToast(page, 'default', 'Import Complete', '2 created, 0 duplicates skipped, 0 failed');
});

test('R-IMP-14: a shop’s list, of which only some columns are known, is imported with five clicks', async () => {
  const { page } = staff;
  await fixture.admin.addProduct({ name: 'Shoplist' });
  const head = 'Order ID,Billing Email,Name,Phone';
  const file = csv('shop.csv', head, '#1,Buyer@Shop.Example,Bo Buyer,+44 1', '#2,none,Nobody,');
  await page.goto('/admin/users?open=upload');
  await chooseProductOfFile(page, 'Users', 'Shoplist'); // clicks 1 and 2
  await chooseFile(page, 'Select CSV File', file); // click 3
  const question = card(page, 'Which column holds the email addresses?');
  await see(question, 'Billing Email', 'Bo Buyer');
  await question.getByLabel('Meaning of column 2').selectOption('Email'); // click 4
  await button(question, 'Use these columns').click(); // click 5
  await see(page, /Import Complete$/);
  await see(row(page, 'buyer@shop.example'), 'Bo Buyer', '+44 1');
});

test('R-IMP-15: codes for blank rows are generated, counted apart and can be downloaded; Cancel sends nothing', async () => {
  const { page } = staff;
  await fixture.admin.addProduct({ name: 'Blank Rows' });
  await openCodes(page, 'Blank Rows');
  const file = csv('blanks.csv', 'coupon_code,use_by', 'BR-1,', ',2099-06-30');
  const before = staff.countCalls('/api/admin/coupons/bulk');
  await chooseFile(page, 'Select CSV File', file);
  await button(dialog(page), 'Cancel').click();
  await dialog(page).waitFor({ state: 'detached' });
  expect(staff.countCalls('/api/admin/coupons/bulk')).toBe(before);
  await chooseFile(page, 'Select CSV File', file);
  await button(dialog(page), 'Generate 1 code').click();
  const summary = card(page, 'blanks.csv');
  await see(summary, '1 code was generated by the portal. The partner does not know it yet.');
  const download = page.waitForEvent('download');
  await button(summary, 'Download generated codes').click();
  expect((await download).suggestedFilename()).toBe('coupons_generated.csv');
});

test('N-37: the only unknown first line of a file is shown and asked about', async () => {
  const { page } = staff;
  await fixture.admin.addProduct({ name: 'One Column' });
  await openCodes(page, 'One Column');
  await chooseFile(page, 'Select CSV File', csv('one.csv', 'Gutscheine', 'OC-1'));
  const question = card(page, 'Is the first line a code?');
  await see(question, 'Gutscheine', 'OC-1');
  await button(question, 'It is the name of the column').click();
  await takeToast(page, 'default', 'Import Complete', '1 created, 0 duplicates skipped, 0 failed');
  await chooseFile(page, 'Select CSV File', csv('two.csv', 'OC-2', 'OC-3'));
  await button(question, 'It is a code').click();
  await takeToast(page, 'default', 'Import Complete', '2 created, 0 duplicates skipped, 0 failed');
  await see(card(page, 'two.csv'), 'No column names found: the first line was taken as a code.');
});

test('R-IMP-05, R-IMP-16: a file of another kind is refused by name, and stays in the list with its reason', async () => {
  const { page } = staff;
  staff.allowComplaint(/400/);
  await openAdminPage(page, 'Products');
  await openCard(page, 'Bulk Upload Products');
  await chooseFile(page, 'Check File First', csv('people.csv', 'email,name', 'a@b.example,A'));
  const words = 'This looks like a file of users (email, name). You are uploading products.';
  await takeToast(page, 'destructive', 'Error', words);
  const recent = card(page, 'Recent uploads');
  await see(recent.getByRole('row').filter({ hasText: 'people.csv' }), 'Refused', words);
});

test('R-IMP-11, R-INV-01, R-INV-03: people are told by mail, and an upload of people is taken back with its mails', async () => {
  const { page } = staff;
  const product = await fixture.admin.addProduct({ name: 'Told' });
  await fixture.admin.addLearner('kept@learner.example', product);
  await page.goto('/admin/users');
  await chooseProductOfFile(page, 'Users', 'Told');
  const upload = card(page, 'Bulk Upload Users');
  const tick = upload.getByRole('checkbox', { name: 'Tell them by email' });
  expect(await tick.isChecked()).toBe(false);
  await tick.check();
  const lines = ['kept@learner.example,Kept', 'new1@learner.example,N One', 'new2@learner.example,N Two'];
  await chooseFile(page, 'Check File First', csv('late.csv', 'e-mail,name', ...lines));
  const checked = card(page, 'Nothing was imported yet.');
  await see(checked, 'Access granted', 'Kept for 24 hours under Recent uploads.');
  await button(checked, 'Import 2 people').click();
  const summary = card(page, 'late.csv');
  const mails = summary.getByRole('region', { name: '‘Your benefits are ready’' });
  await mails.waitFor();
  expect(await readCounts(mails)).toEqual({ Queued: '2', Sent: '0', Failed: '0' });
  await see(mails, /^Queued emails go out from /);

  // The choice is kept in this browser.
  await page.reload();
  await upload.getByRole('checkbox', { name: 'Tell them by email' }).waitFor();
  expect(await tick.isChecked()).toBe(true);
  const recent = card(page, 'Recent uploads');
  await button(recent, 'late.csv').click();
  await button(summary, 'Take back this upload').click();
  await see(
    dialog(page),
    /2 people lose access they got by this upload\. 1 had access before and keeps it\./,
  );
  await see(dialog(page), /2 emails that were not sent yet are not sent\. The 2 people it created stay\./);
  await button(dialog(page), 'Take back').click();
  await takeToast(page, 'default', 'Success', '2 people lost access.');
  await see(summary, 'This upload was taken back.');
  await see(recent.getByRole('row').filter({ hasText: 'late.csv' }), 'Taken back');
  expect(await readCounts(mails)).toMatchObject({ Queued: '0', Cancelled: '2' });
  await tick.uncheck();
});

test('R-IMP-12, R-IMP-28: an upload of products is taken back by archiving them, but for one that a later file names', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Products');
  await openCard(page, 'Bulk Upload Products');
  const lines = ['Archived One,d,https://one.example', 'Archived Two,d,https://two.example'];
  await chooseFile(page, 'Select CSV File', csv('tools.csv', 'name,description,url', ...lines));
  await card(page, 'tools.csv').waitFor();
  await chooseFile(page, 'Select CSV File', csv('more.csv', 'name,description,url', ...lines.slice(1)));
  await card(page, 'more.csv').waitFor();
  await button(card(page, 'Recent uploads'), 'tools.csv').click();
  await button(card(page, 'tools.csv'), 'Take back this upload').click();
  await see(
    dialog(page),
    /1 product of this upload is archived\. 1 stands in a later upload too and stays\. Also in: .?more\.csv.? \(1\)\./,
  );
  await button(dialog(page), 'Archive 1 product of this upload').click();
  await takeToast(page, 'default', 'Success', '1 product was archived.');
});

test('R-IMP-02, R-DAY-38: the difference to the check is said, two tabs import one checked file once, and a check that is opened again names its product', async () => {
  const { page } = staff;
  const product = await fixture.admin.addProduct({ name: 'Two Tabs' });
  await openCodes(page, 'Two Tabs');
  await chooseFile(page, 'Check File First', csv('tabs.csv', 'coupon_code', 'TT-1', 'TT-2'));
  const checked = card(page, 'Nothing was imported yet.');
  await checked.waitFor();
  const second = await openPerson(fixture);
  await arriveSignedIn(second, fixture, ADMIN_EMAIL, '/admin/coupons/uploads');
  await button(row(second.page, 'tabs.csv'), 'tabs.csv').click();
  await card(second.page, 'Nothing was imported yet.').waitFor();
  await fixture.admin.addCodes(product, 'TT-2');
  await button(checked, 'Import 2 codes for Two Tabs').click();
  await see(card(page, 'tabs.csv'), 'The check said 2 new; 1 were, because the data changed in between.');
  await button(card(second.page, 'Nothing was imported yet.'), 'Import 2 codes for Two Tabs').click();
  await see(card(second.page, 'tabs.csv'), 'Created');
  expect(await readCounts(card(second.page, 'tabs.csv'))).toMatchObject({
    Created: '1',
    'Duplicates skipped': '1',
  });
});

test('R-IMP-16: after a reload in the middle of a check, the page finds the check again and shows its result', async () => {
  const { page } = staff;
  await fixture.admin.addProduct({ name: 'Reloaded' });
  await openCodes(page, 'Reloaded');
  const codes = Array.from({ length: 20_000 }, (_code, at) => `RL-${at}`);
  await chooseFile(page, 'Check File First', csv('many.csv', 'coupon_code', ...codes));
  await button(page, 'Checking...').waitFor();
  // A reload before the server has the whole file would cancel the upload.
  await expect
    .poll(async () => (await fixture.admin.listImports()).map(({ file_name }) => file_name))
    .toContain('many.csv');
  await page.reload();
  await page.goto('/admin/coupons/uploads');
  await see(row(page, 'many.csv'), 'Reloaded');
  await button(row(page, 'many.csv'), 'many.csv').click();
  await button(card(page, 'Nothing was imported yet.'), 'Import 20,000 codes for Reloaded').waitFor();
  expect(await fileInput(page).count()).toBe(1);
});

test('R-IMP-16: a running check is cancelled, and the list says so', async () => {
  const { page } = staff;
  // The cancelled upload gets a 409.
  staff.allowComplaint(/409/);
  await fixture.admin.addProduct({ name: 'Stopped' });
  await openCodes(page, 'Stopped');
  const codes = Array.from({ length: 300_000 }, (_code, at) => `ST-${at}`);
  await chooseFile(page, 'Check File First', csv('stopped.csv', 'coupon_code', codes.join('\r\n')));
  await see(page, 'You can leave this page. The check continues.');
  await button(page, 'Cancel check').click();
  await takeToast(page, 'default', 'Check Cancelled', 'Nothing was imported.');
  await button(page, 'Check File First').waitFor();
  await page.goto('/admin/coupons/uploads');
  await see(row(page, 'stopped.csv'), 'Cancelled');
});
