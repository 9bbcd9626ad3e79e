// Tests that a form shows each error of the page or the server at its field, and hides the error when the user types.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { choose, openAdminPage, openCard } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, openPerson, see, seeToast } from './harness/browser.ts';
import { setFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const fixture = setFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

const MALFORMED = 'email must be an address such as name@example.org';

const box = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Waits until the field has the focus and shows `error`. Then types into the field and expects no error. */
async function correct(page: Page, field: Locator, error: string, typed: string): Promise<void> {
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
  const id = await field.getAttribute('aria-describedby');
  const shown = page.locator(`[id="${id?.split(' ')[0]}"]`);
  expect(await shown.textContent()).toBe(error);
  await field.pressSequentially(typed);
  expect(await field.getAttribute('aria-invalid')).toBeNull();
  expect(await shown.count()).toBe(0);
}

test('R-DAY-62: a value that the contract does not allow is refused at its field alone, with the text of the server, before a request', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Products');
  await openCard(page, 'Add New Product');
  await box(page, 'Name').fill('Tool');
  await box(page, 'URL').fill('not an address');
  await box(page, 'Description').fill('Helps.');
  await press(page, 'Save Product');
  await correct(page, box(page, 'URL'), 'url must be a web address', '.');
  expect(staff.countCalls('/api/products', 'POST')).toBe(0);
  expect(await box(page, 'URL').inputValue()).toBe('not an address.');
  // The field says it; a notification does not repeat it.
  expect(
    await page.getByRole('region', { name: 'Notifications (F8)' }).locator('[data-variant]').count(),
  ).toBe(0);
});

test('each empty required field shows an error until it has a value', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Users');
  await openCard(page, 'Add New User');
  await press(page, 'Save User');
  await seeToast(page, 'destructive', 'Missing required fields', 'Please fill in all required fields');
  await correct(page, box(page, 'Email'), 'Enter an email address', 'a');
  await see(page, 'Enter a name', 'Select at least one product');
});

test('a duplicate code is refused by the server, and the error is shown at its field', async () => {
  const { page } = staff;
  staff.allowComplaint(/409/);
  const product = await fixture.admin.addProduct({ name: 'Form errors' });
  await fixture.admin.addCodes(product, 'TAKEN-1');
  await page.reload();
  await openAdminPage(page, 'Coupons');
  await openCard(page, 'Add New Coupon');
  await box(page, 'Coupon Code').fill('TAKEN-1');
  await choose(page.getByRole('combobox', { name: 'Product', exact: true }), 'Form errors');
  await press(page, 'Save Coupon');
  const refusal = 'This coupon code already exists for the product';
  await seeToast(page, 'destructive', 'Error', refusal);
  await correct(page, box(page, 'Coupon Code'), refusal, '1');
});

test('the error for a malformed address is shown at its field, with the button in line with the field', async () => {
  const { page } = staff;
  staff.allowComplaint(/400/);
  await openAdminPage(page, 'Users');
  await openCard(page, 'User Access Management');
  const field = page.getByLabel('User email');
  await field.fill('unknown@errors');
  await press(page, 'View Products');
  await seeToast(page, 'destructive', 'Error', MALFORMED);
  const button = page.getByRole('button', { name: 'View Products' });
  expect((await button.boundingBox())?.y).toBe((await field.boundingBox())?.y);
  await correct(page, field, MALFORMED, 's');
});

test.each(['/', '/admin-login'])(
  'the sign-in form of %s shows at the address why no mail was sent, until the address is changed',
  async (path) => {
    const person = await openPerson(fixture);
    person.allowComplaint(/429/);
    const { page } = person;
    await page.goto(path);
    if (path === '/') await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
    const address = page.getByRole('textbox', { name: 'Email' });
    await press(page, 'Send Magic Link');
    await correct(page, address, 'Please enter your email address', 'a@errors.example');
    const refusal = { code: 'over_email_send_rate_limit', msg: 'Wait 42 seconds' };
    await page.route('**/auth/v1/otp*', (route) => route.fulfill({ status: 429, json: refusal }));
    await press(page, 'Send Magic Link');
    if (path === '/admin-login') await seeToast(page, 'destructive', 'Error', 'Wait 42 seconds');
    await correct(page, address, 'Wait 42 seconds', 'x');
  },
);
