// Tests that open admin pages follow a role of the team that was lowered or taken away, and that a refused form keeps
// what was typed.
import type { Product, TeamRole } from '@portal/contract';
import { beforeAll, expect, test } from 'vitest';
import {
  choose,
  chooseProductOfFile,
  csv,
  fileInput,
  openAdminPage,
  openCard,
} from './harness/admin-pages.ts';
import { type Person, see, seeToast, takeToast } from './harness/browser.ts';
import { setFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { joinTeam, openMember } from './harness/team.ts';
import { wordsIn } from './harness/words.ts';

const HOLDER = 'rolf@learner.example';
const SAVE_COUPON = '/api/admin/coupons/single';

const fixture = setFixture();
let product: Product;
let upload: string;

beforeAll(async () => {
  product = await fixture.admin.addProduct({ name: 'Rollenspiel' });
  upload = await fixture.admin.importFile(product, 'changed-roles.csv', 'coupon_code', 'ROLE-1', 'ROLE-2');
  await fixture.admin.addLearner(HOLDER, product);
  await fixture.admin.giveCode(HOLDER, product);
});

const sayTooLow = (role: TeamRole) => `Your role (${role}) may not do this. Ask an owner.`;

/** Opens the form 'Add New Coupon' as a manager and fills it in. */
async function fillCoupon(email: string, locale?: string): Promise<Person> {
  const person = await openMember(fixture, 'manager', email, '/admin/coupons', locale);
  person.allowComplaint(/403/);
  const t = wordsIn(locale ?? 'en-US');
  await openCard(person.page, t('Add New Coupon'));
  await person.page.getByRole('textbox', { name: t('Coupon Code') }).fill('TYPED-BEFORE');
  await choose(person.page.getByRole('combobox', { name: t('Product'), exact: true }), 'Rollenspiel');
  return person;
}

test('R-TEAM-20, R-TEAM-21, N-72: a manager who is made support in the middle of a form is refused in words, and the form keeps its input while all else follows the new role', async () => {
  const email = 'demoted@provider.example';
  const person = await fillCoupon(email);
  const { page } = person;
  await joinTeam(fixture, email, 'support');
  const save = page.getByRole('button', { name: 'Save Coupon' });
  await save.click();
  await seeToast(page, 'destructive', 'Access restricted', sayTooLow('support'));
  await page.getByRole('heading', { name: 'Bulk Upload Coupons' }).waitFor({ state: 'detached' });
  expect(person.countCalls('/api/admin/check')).toBe(2);
  expect(await page.getByRole('textbox', { name: 'Coupon Code' }).inputValue()).toBe('TYPED-BEFORE');
  expect(await page.getByRole('combobox', { name: 'Product', exact: true }).inputValue()).toBe(
    product.product_id,
  );
  expect(await save.getAttribute('aria-disabled')).toBe('true');
  expect(await hasFocus(save)).toBe(true);
  await save.click({ force: true });
  await page.getByRole('textbox', { name: 'Coupon Code' }).press('Enter');
  expect(person.countCalls(SAVE_COUPON)).toBe(1);
  await see(page, 'Existing Coupons');
  // Other pages use the new role at once, and this page after staff have left it.
  await openAdminPage(page, 'Products');
  await see(page, 'Existing Products');
  expect(await page.getByRole('heading', { name: 'Add New Product' }).count()).toBe(0);
  await openAdminPage(page, 'Coupons');
  await see(page, 'Existing Coupons');
  expect(await page.getByRole('heading', { name: 'Add New Coupon' }).count()).toBe(0);
});

test('R-TEAM-21: the refusal is told in German', async () => {
  const email = 'deutsch@provider.example';
  const { page } = await fillCoupon(email, 'de-DE');
  await joinTeam(fixture, email, 'viewer');
  await page.getByRole('button', { name: 'Gutschein speichern' }).click();
  const toast = page.locator('[data-variant=destructive]');
  await see(
    toast,
    'Zugriff beschränkt',
    'Ihre Rolle (Betrachter) darf das nicht. Fragen Sie einen Eigentümer.',
  );
  await see(page, 'Gutscheine je Produkt');
});

test('R-TEAM-21, R-GUARD-04: a member who leaves the team in the middle of a form is led to the page Admins only', async () => {
  const email = 'removed@provider.example';
  const { page } = await fillCoupon(email);
  await fixture.portal.operate('admin', 'remove', email);
  await page.getByRole('button', { name: 'Save Coupon' }).click();
  await page.waitForURL('**/admin-access-restricted');
  await see(page, 'Admins only');
  // With the role given back, the pages open again.
  await joinTeam(fixture, email, 'viewer');
  await page.evaluate(() => history.pushState(null, '', '/admin/coupons'));
  await see(page, 'Coupons per product');
});

test('R-TEAM-21: a page that a lowered role may not load shows the toast, and then what the role allows', async () => {
  const email = 'browses@provider.example';
  const person = await openMember(fixture, 'manager', email, '/admin/products');
  person.allowComplaint(/403/);
  await see(person.page, 'Existing Products');
  await joinTeam(fixture, email, 'viewer');
  await openAdminPage(person.page, 'Users');
  await see(person.page, 'Existing Cohorts');
  await seeToast(person.page, 'destructive', 'Access restricted', sayTooLow('viewer'));
  expect(await person.page.getByRole('heading', { name: 'Add New User' }).count()).toBe(0);
});

test('R-TEAM-21, N-72: a check that cannot be repeated leaves the page and its form as they are', async () => {
  const email = 'offline@provider.example';
  const person = await fillCoupon(email);
  const { page } = person;
  person.allowComplaint(/403|ERR_FAILED/);
  await joinTeam(fixture, email, 'support');
  await page.route('**/api/admin/check', (route) => route.abort());
  const failed = page.waitForEvent('requestfailed');
  await page.getByRole('button', { name: 'Save Coupon' }).click();
  await failed;
  await seeToast(page, 'destructive', 'Access restricted', sayTooLow('support'));
  expect(await page.getByRole('textbox', { name: 'Coupon Code' }).inputValue()).toBe('TYPED-BEFORE');
});

test('R-TEAM-21, N-72: the dialog of an access, of a status and of an upload stays after the refusal, with its input, and its button is off', async () => {
  const person = await openMember(fixture, 'manager', 'dialogs@provider.example', '/admin/users');
  person.allowComplaint(/403/);
  const { page } = person;
  const dialog = page.getByRole('alertdialog');
  const expectKept = async (confirm: string | RegExp, label: string, text: string) => {
    await joinTeam(fixture, 'dialogs@provider.example', 'support');
    await dialog.getByRole('button', { name: confirm }).click();
    await seeToast(page, 'destructive', 'Access restricted', sayTooLow('support'));
    expect(await dialog.getByLabel(label).inputValue()).toBe(text);
    await expect.poll(() => dialog.getByRole('button', { name: confirm }).isDisabled()).toBe(true);
    await expect.poll(() => hasFocus(dialog.getByRole('button', { name: 'Cancel' }))).toBe(true);
    await takeToast(page, 'destructive', 'Access restricted', sayTooLow('support'));
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await joinTeam(fixture, 'dialogs@provider.example', 'manager');
  };
  await openCard(page, 'User Access Management');
  await page.getByLabel('User email').fill(HOLDER);
  await page.getByRole('button', { name: 'View Products' }).click();
  await page.getByRole('button', { name: 'More for Rollenspiel' }).click();
  await page.getByRole('menuitem', { name: 'Remove access' }).click();
  await dialog.getByLabel('Reason').fill('Left the course');
  await expectKept('Remove access', 'Reason', 'Left the course');
  await page.getByRole('button', { name: 'More for Rollenspiel' }).click();
  await expect
    .poll(() => page.getByRole('menuitem').allTextContents())
    .toEqual(['Email the link to the code', 'Replace code']);

  await page.goto(`/admin/products/${product.product_id}`);
  await page.getByRole('button', { name: 'Pause' }).click();
  await dialog.getByLabel('Note').fill('Until Friday');
  await expectKept('Pause', 'Note', 'Until Friday');

  await page.goto(`/admin/coupons/uploads/${upload}`);
  await page.getByRole('button', { name: 'Void unused codes' }).click();
  await dialog.getByRole('radio').first().check();
  await dialog.getByLabel('Note').fill('The wrong file');
  await expectKept(/^Void \d/, 'Note', 'The wrong file');
});

test('R-TEAM-21, N-72: the form of a product stays after the refusal, and shows the texts only when it is opened again', async () => {
  const email = 'edits@provider.example';
  const path = `/admin/products/${product.product_id}`;
  const person = await openMember(fixture, 'manager', email, path);
  person.allowComplaint(/403/);
  const { page } = person;
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Header Text').fill('Half a thought');
  await joinTeam(fixture, email, 'viewer');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await seeToast(page, 'destructive', 'Access restricted', sayTooLow('viewer'));
  await page.getByRole('button', { name: 'Pause' }).waitFor({ state: 'detached' });
  expect(await page.getByLabel('Header Text').inputValue()).toBe('Half a thought');
  await page.getByRole('link', { name: 'Products' }).first().click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('link', { name: 'Rollenspiel' }).click();
  await see(page, product.description);
  expect(await page.getByRole('button', { name: 'Save Changes' }).count()).toBe(0);
});

test('R-TEAM-21: a file that the lowered role may not upload is refused in words', async () => {
  const email = 'uploads@provider.example';
  const person = await openMember(fixture, 'manager', email, '/admin/coupons');
  person.allowComplaint(/403/);
  const { page } = person;
  await chooseProductOfFile(page, 'Coupons', 'Rollenspiel');
  await joinTeam(fixture, email, 'support');
  await fileInput(page).setInputFiles(csv('late.csv', 'coupon_code', 'LATE-1'));
  await seeToast(page, 'destructive', 'Access restricted', sayTooLow('support'));
  await page.getByRole('heading', { name: 'Bulk Upload Coupons' }).waitFor({ state: 'detached' });
});

test('R-TEAM-21: the progress of a running import is asked for until the role is lowered, and then no more', async () => {
  const email = 'waits@provider.example';
  const person = await openMember(fixture, 'manager', email, '/admin');
  person.allowComplaint(/403/);
  const { page } = person;
  const import_ = {
    ...{ id: crypto.randomUUID(), kind: 'coupons', file_name: 'long.csv', state: 'running', reason: null },
    ...{ rows_done: 1, rows_total: 9, results: null, errors_count: 0, errors: [] },
    created_at: new Date().toISOString(),
  };
  await page.route('**/api/admin/imports', (route) => route.fulfill({ json: [import_] }));
  await page.route(`**/api/admin/imports/${import_.id}`, (route) => route.fulfill({ json: import_ }));
  await openAdminPage(page, 'Coupons');
  await page.getByRole('progressbar', { name: 'Import of long.csv' }).waitFor();
  await joinTeam(fixture, email, 'support');
  await page.unroute(`**/api/admin/imports/${import_.id}`);
  await seeToast(page, 'destructive', 'Access restricted', sayTooLow('support'));
  await page.getByRole('heading', { name: 'Bulk Upload Coupons' }).waitFor({ state: 'detached' });
  const asked = person.countCalls(`/api/admin/imports/${import_.id}`);
  await openAdminPage(page, 'Users');
  await see(page, HOLDER);
  expect(person.countCalls(`/api/admin/imports/${import_.id}`)).toBe(asked);
});
