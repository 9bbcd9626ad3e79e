// Tests what staff do with a code where they see it: on its page, on the page of its holder, and in lists without codes.
import { getCoupon, listCoupons, type Product, revokeCoupon } from '@portal/contract';
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, keepPerson, see, takeToast } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { openMember } from './harness/team.ts';

const HOLDER = 'hilda@learner.example';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));
let product: Product;
let empty: Product;

const findCode = async (code: string) => {
  const found = (await fixture.admin.call(listCoupons, {})).find(({ coupon_code }) => coupon_code === code);
  if (!found) throw new Error(`no code ${code}`);
  return found.id;
};
const readCode = async (code: string) =>
  fixture.admin.call(getCoupon, { params: { id: await findCode(code) } });

beforeAll(async () => {
  const { admin } = fixture;
  product = await admin.addProduct({ name: 'Tarnquill' });
  empty = await admin.addProduct({ name: 'Emptyline' });
  await admin.addCodes(product, 'ACT-1', 'ACT-2', 'ACT-3', 'ACT-4', 'ACT-5');
  await admin.addLearner(HOLDER, product);
  await admin.giveCode(HOLDER, product);
});

test('R-DAY-32, R-DAY-31: a held code is replaced from its page, with a reason to pick, in three presses', async () => {
  const { page } = staff;
  await page.goto(`/admin/coupons/${await findCode('ACT-1')}`);
  const replace = page.getByRole('button', { name: 'Replace code' });
  await replace.click();
  const dialog = page.getByRole('dialog');
  await see(dialog, /4 are left\.$/);
  const reasons = dialog.getByRole('radio');
  expect(await reasons.count()).toBe(4);
  expect(await hasFocus(reasons.first())).toBe(true);
  expect(await dialog.getByRole('button', { name: 'Replace code' }).isDisabled()).toBe(true);
  // Another reason has a field, which must not stay empty.
  await dialog.getByText('Other…').click();
  await dialog.getByRole('button', { name: 'Replace code' }).click();
  await see(dialog, 'Give a reason of at least 3 characters');
  await dialog.getByText('Used by somebody else').click();
  expect(await dialog.getByLabel('Other reason').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Replace code' }).click();
  await takeToast(page, 'default', 'Success', 'Code replaced: ACT-2');
  await see(page.getByRole('main'), 'Revoked', 'Used by somebody else');
  // The page offers nothing for a revoked code.
  expect(await replace.count()).toBe(0);
  expect(await readCode('ACT-1')).toMatchObject({ state: 'revoked', revoke_reason: 'Used by somebody else' });
  expect(await readCode('ACT-2')).toMatchObject({ state: 'held', holder: { email: HOLDER } });
});

test('R-DAY-31: on the page of a person, the button of a held code replaces it, and the menu regenerates', async () => {
  const { page } = staff;
  const { holder } = await readCode('ACT-2');
  await page.goto(`/admin/users/${holder?.user_id}`);
  const item = page.locator(`[data-product="${product.product_id}"]`);
  expect(await item.getByRole('button', { name: 'Regenerate Coupon' }).count()).toBe(0);
  await item.getByRole('button', { name: 'More for Tarnquill' }).click();
  await expect
    .poll(() => page.getByRole('menuitem').allTextContents())
    .toEqual([
      'Change dates',
      'Remove access',
      'Email the link to the code',
      'Regenerate Coupon',
      'Revoke code',
    ]);
  await page.getByRole('menuitem', { name: 'Regenerate Coupon' }).click();
  await see(page.getByRole('alertdialog'), 'Regenerate this coupon?');
  await page.keyboard.press('Escape');

  await item.getByRole('button', { name: 'Replace code' }).click();
  await page.getByRole('dialog').getByText('Does not work').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace code' }).click();
  await takeToast(page, 'default', 'Success', 'Code replaced: ACT-3');
  await see(item, 'ACT-3');
  expect(await readCode('ACT-2')).toMatchObject({ state: 'revoked', revoke_reason: 'Does not work' });
});

test('R-DAY-32: a held code is revoked from the menu of its page', async () => {
  const { page } = staff;
  await page.goto(`/admin/coupons/${await findCode('ACT-3')}`);
  await page.getByRole('button', { name: 'More for this code' }).click();
  await page.getByRole('menuitem', { name: 'Revoke code' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByLabel('Reason').fill('Shared in a forum');
  await dialog.getByRole('button', { name: 'Revoke code' }).click();
  await takeToast(page, 'default', 'Success', 'Code revoked');
  await see(page.getByRole('main'), 'Revoked', 'Shared in a forum');
});

test('R-DAY-32: a code that somebody replaces while the dialog is open is not replaced a second time', async () => {
  const { page } = staff;
  const { admin } = fixture;
  const other = await admin.addProduct({ name: 'Othermark' });
  await admin.addCodes(other, 'OTHER-1', 'OTHER-2', 'OTHER-3');
  await admin.addLearner('pia@learner.example', other);
  await admin.giveCode('pia@learner.example', other);
  const id = await findCode('OTHER-1');
  await page.goto(`/admin/coupons/${id}`);
  await page.getByRole('button', { name: 'Replace code' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Does not work').click();
  const body = { reason: 'Posted in a forum', replace: true };
  await admin.call(revokeCoupon, { params: { id }, body });
  await dialog.getByRole('button', { name: 'Replace code' }).click();
  await takeToast(page, 'default', 'Success', 'Code replaced: OTHER-2');
  await see(page.getByRole('main'), 'Former holder', 'Posted in a forum');
  expect(await page.getByRole('button', { name: 'Replace code' }).count()).toBe(0);
  expect(await readCode('OTHER-3')).toMatchObject({ state: 'free' });
});

test('R-DAY-32: a free code is made void from its page; one that somebody took meanwhile is not', async () => {
  const { page } = staff;
  const open = async (code: string) => {
    await page.goto(`/admin/coupons/${await findCode(code)}`);
    await page.getByRole('button', { name: 'Make void' }).click();
  };
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Make void' });
  await open('ACT-5');
  expect(await confirm.isDisabled()).toBe(true);
  await page.getByText('It does not work. It stays void, even if it is uploaded again.').click();
  await confirm.click();
  await takeToast(page, 'default', 'Success', 'Code made void');
  await see(page.getByRole('main'), 'Void');
  expect(await readCode('ACT-5')).toMatchObject({ state: 'void', void_reason: 'dead' });

  staff.allowComplaint(/409/);
  await open('ACT-4');
  await fixture.admin.addLearner('otto@learner.example', product);
  await fixture.admin.giveCode('otto@learner.example', product);
  await page.getByText('By mistake here. The same code may be uploaded again.').click();
  await confirm.click();
  await takeToast(page, 'destructive', 'Error', 'This code was handed out. Revoke it instead.');
  expect(await readCode('ACT-4')).toMatchObject({ state: 'held' });
});

test('R-DAY-32: support replaces a code and may do no more on its page; a viewer may not open it', async () => {
  const support = await openMember(
    fixture,
    'support',
    'vera@provider.example',
    `/admin/coupons/${await findCode('ACT-4')}`,
  );
  await support.page.getByRole('button', { name: 'Replace code' }).waitFor();
  expect(await support.page.getByRole('button', { name: 'More for this code' }).count()).toBe(0);
  await support.page.goto(`/admin/coupons/${await findCode('ACT-5')}`);
  await see(support.page.getByRole('main'), 'Void');
  expect(await support.page.getByRole('button', { name: 'Make void' }).count()).toBe(0);
});

test('R-DAY-35: ‘None left’ leads to the upload of codes, with the product chosen', async () => {
  for (const path of ['/admin/products', '/admin/coupons/stock']) {
    await staff.page.goto(path);
    const row = staff.page.getByRole('row').filter({ hasText: 'Emptyline' });
    await see(row, 'None left');
    await row.getByRole('link', { name: 'Add codes' }).click();
    await expect
      .poll(() => staff.page.getByLabel('Select Product for Bulk Upload*').inputValue())
      .toBe(empty.product_id);
  }
});
