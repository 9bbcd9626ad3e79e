// Tests what staff are asked and told about the columns, days, lines and names of a file.
import { listCoupons } from '@portal/contract';
import { expect, test } from 'vitest';
import { choose, chooseFile, chooseProductOfFile, csv } from './harness/admin-pages.ts';
import { callApi, signIn } from './harness/api.ts';
import { arriveSignedIn, keepPerson, see, takeToast } from './harness/browser.ts';
import { setFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const fixture = setFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

test('R-MAP-22: a column that looks like last days is not dropped without a word: the page asks, and names it in the result', async () => {
  const { page } = staff;
  await fixture.admin.addProduct({ name: 'Lastday' });
  await page.goto('/admin/coupons?open=upload');
  await choose(page.getByLabel('Select Product for Bulk Upload*'), 'Lastday');
  const file = csv('ende.csv', 'Code;Ende;Wert', 'LD-1;31.12.2999;10', 'LD-2;31.12.2999;20');
  const question = page.getByRole('region', { name: 'Import without these columns?' });
  const before = staff.countCalls('/api/admin/coupons/bulk');
  await chooseFile(page, 'Select CSV File', file);
  await see(
    question,
    /ende\.csv.* has columns that the portal does not know: .*Ende, Wert.*\. They would be ignored\./,
  );
  expect(await hasFocus(question.getByRole('heading'))).toBe(true);
  await question.getByRole('button', { name: 'Discard' }).click();
  await question.waitFor({ state: 'detached' });
  expect(staff.countCalls('/api/admin/coupons/bulk')).toBe(before);
  await chooseFile(page, 'Select CSV File', file);
  await question.getByRole('button', { name: 'Import without them' }).click();
  await takeToast(page, 'default', 'Import Complete', '2 created, 0 duplicates skipped, 0 failed');
  await see(page.getByRole('region', { name: 'ende.csv', exact: true }), /Ignored: .*Ende, Wert/);
});

test('R-MAP-20: the last day is suggested by its content, and used', async () => {
  const { page } = staff;
  const product = await fixture.admin.addProduct({ name: 'Suggested' });
  await page.goto('/admin/coupons?open=upload');
  await choose(page.getByLabel('Select Product for Bulk Upload*'), 'Suggested');
  await chooseFile(page, 'Select CSV File', csv('bis.csv', 'Code;Ende;Wert', 'SG-1;31.12.2999;10'));
  const question = page.getByRole('region', { name: 'Import without these columns?' });
  expect(await question.getByLabel('Meaning of column 2').inputValue()).toBe('use_by');
  await question.getByRole('button', { name: 'Use these columns' }).click();
  await takeToast(page, 'default', 'Import Complete', '1 created, 0 duplicates skipped, 0 failed');
  const { access_token: token } = await signIn(fixture.portal, ADMIN_EMAIL);
  const codes = await callApi(fixture.portal.url, listCoupons, { token });
  expect(codes.filter(({ product_id }) => product_id === product.product_id)).toMatchObject([
    { coupon_code: 'SG-1', use_by: '2999-12-31' },
  ]);
});

test('R-MAP-20: from a check, columns, separator and skipped lines are changed, and the file is checked again', async () => {
  const { page } = staff;
  await fixture.admin.addProduct({ name: 'Remapped' });
  await page.goto('/admin/coupons?open=upload');
  await choose(page.getByLabel('Select Product for Bulk Upload*'), 'Remapped');
  const lines = ['code;Nr|Bis', 'old;x|', 'RM-1;x|31.12.2999', 'RM-2;x|31.12.2999'];
  await chooseFile(page, 'Check File First', csv('remap.csv', ...lines));
  const checked = page.getByRole('region', { name: 'Nothing was imported yet.' });
  await see(checked, 'old', 'RM-1');
  await checked.getByRole('button', { name: 'Change columns' }).click();
  const question = page.getByRole('region', { name: 'What do the columns hold?' });
  expect(await question.getByLabel('Meaning of column 1').inputValue()).toBe('coupon_code');
  await question.getByLabel('Lines above').selectOption('Skip the first 2 lines');
  const unknown = page.getByRole('region', { name: 'Which column holds the codes?' });
  await unknown.getByLabel('Separator').selectOption('Vertical bar');
  await unknown.getByRole('cell', { name: 'RM-1;x', exact: true }).waitFor();
  expect(await unknown.getByLabel('Lines above').inputValue()).toBe('2');
  expect(await unknown.getByRole('button', { name: 'Choose a column' }).isDisabled()).toBe(true);
  await unknown.getByLabel('Meaning of column 1').selectOption('Code');
  await unknown.getByLabel('Meaning of column 2').selectOption('Code');
  expect(await unknown.getByRole('button', { name: 'Two columns are Code' }).isDisabled()).toBe(true);
  await unknown.getByLabel('Meaning of column 2').selectOption('Last day');
  await unknown.getByRole('checkbox', { name: 'The first line is column names' }).uncheck();
  await unknown.getByRole('button', { name: 'Use these columns' }).click();
  await see(checked, 'RM-1;x', 'RM-2;x', 'Lines left out: titles: 1–2');
  await checked.getByRole('button', { name: 'Import 2 codes for Remapped' }).click();
  await takeToast(page, 'default', 'Import Complete', '2 created, 0 duplicates skipped, 0 failed');
});

test('R-MAP-20: a table below a title whose columns are unknown is found by separator and skipped lines', async () => {
  const { page } = staff;
  await fixture.admin.addProduct({ name: 'Titled' });
  await page.goto('/admin/coupons?open=upload');
  await choose(page.getByLabel('Select Product for Bulk Upload*'), 'Titled');
  await chooseFile(
    page,
    'Select CSV File',
    csv('titel.csv', 'Lieferung Dezember', 'Datum;Nr', '1.12.2020;TI-1'),
  );
  const first = page.getByRole('region', { name: 'Is the first line a code?' });
  await first.getByRole('button', { name: 'Change columns' }).click();
  const question = page.getByRole('region', { name: 'What do the columns hold?' });
  await question.getByLabel('Lines above').selectOption('Skip the first line');
  const unknown = page.getByRole('region', { name: 'Which column holds the codes?' });
  await unknown.getByLabel('Meaning of column 2').selectOption('Code');
  await unknown.getByRole('button', { name: 'Use these columns' }).click();
  await takeToast(page, 'default', 'Import Complete', '1 created, 0 duplicates skipped, 0 failed');
});

test('R-MAP-23: the page asks which day 03/04/2999 is, and imports what was chosen', async () => {
  const { page } = staff;
  const product = await fixture.admin.addProduct({ name: 'Twoways' });
  await page.goto('/admin/coupons?open=upload');
  await choose(page.getByLabel('Select Product for Bulk Upload*'), 'Twoways');
  await chooseFile(page, 'Select CSV File', csv('days.csv', 'Code,Valid until', 'TW-1,03/04/2999'));
  const dialog = page.getByRole('alertdialog', { name: /Which day is .*03\/04\/2999.*\?/ });
  await see(dialog, /No day of .*days\.csv.* says whether the day or the month comes first\./);
  await dialog
    .getByRole('button', { name: /4.* 2999/ })
    .filter({ hasText: 'Mar' })
    .click();
  await takeToast(page, 'default', 'Import Complete', '1 created, 0 duplicates skipped, 0 failed');
  const { access_token: token } = await signIn(fixture.portal, ADMIN_EMAIL);
  const codes = await callApi(fixture.portal.url, listCoupons, { token });
  expect(codes.filter(({ product_id }) => product_id === product.product_id)).toMatchObject([
    { coupon_code: 'TW-1', use_by: '2999-03-04' },
  ]);
});

test('R-MAP-14: the check and the summary name the lines that are no data', async () => {
  const { page } = staff;
  await fixture.admin.addProduct({ name: 'Leftout' });
  await page.goto('/admin/coupons?open=upload');
  await choose(page.getByLabel('Select Product for Bulk Upload*'), 'Leftout');
  const lines = [
    'Codes of Acme;;',
    'Code;Valid until;x',
    'LO-1;;',
    '#LO-2;;',
    'Code;Valid until;x',
    'LO-3;;',
  ];
  await chooseFile(page, 'Check File First', csv('lines.csv', ...lines, 'Total;2;'));
  const checked = page.getByRole('region', { name: 'Nothing was imported yet.', exact: true });
  const words = 'Lines left out: titles: 1; comments: 4; further column names: 5; totals: 7';
  await see(checked, words);
  await checked.getByRole('button', { name: 'Import 2 codes for Leftout' }).click();
  await takeToast(page, 'default', 'Import Complete', '2 created, 0 duplicates skipped, 0 failed');
  await see(page.getByRole('region', { name: 'lines.csv', exact: true }), words);
});

test('R-MAP-12: a workbook that is named codes.csv is refused, naming what it looks like', async () => {
  const { page } = staff;
  staff.allowComplaint(/400/);
  await page.goto('/admin/coupons?open=upload');
  await choose(page.getByLabel('Select Product for Bulk Upload*'), 'Leftout');
  await chooseFile(page, 'Select CSV File', csv('codes.csv', 'PK\u0003\u0004\0\0xl/workbook.xml\0\u0001'));
  const words =
    'This is not a CSV file: it looks like an Excel workbook (.xlsx). Save it as CSV and upload that file.';
  await takeToast(page, 'destructive', 'Error', words);
  await see(page.getByRole('alert').filter({ hasText: 'codes.csv was not imported' }), words);
});

test('R-MAP-24: names are kept, unless staff tick that known people get new ones', async () => {
  const { page } = staff;
  const product = await fixture.admin.addProduct({ name: 'Renamed' });
  await fixture.admin.addLearner('old@names.example', product);
  await page.goto('/admin/users?open=upload');
  await chooseProductOfFile(page, 'Users', 'Renamed');
  const tick = page.getByRole('checkbox', { name: 'Update names of people who are known' });
  expect(await tick.isChecked()).toBe(false);
  await tick.check();
  const file = csv('names.csv', 'email,name', 'old@names.example,New Name', 'none@names.example,');
  await chooseFile(page, 'Check File First', file);
  const checked = page.getByRole('region', { name: 'Nothing was imported yet.', exact: true });
  await see(checked, 'of these without a name', 'Names updated');
  await checked.getByRole('button', { name: 'Import 1 person' }).click();
  await see(
    page.getByRole('region', { name: 'names.csv', exact: true }),
    '1 without a name',
    '1 name updated',
  );
  await see(page.getByRole('row').filter({ hasText: 'old@names.example' }), 'New Name');
});
