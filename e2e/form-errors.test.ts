// The error of a value stands at its field, whoever found it, and goes away while the person types.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { choose, openAdminPage } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, openPerson, see, seeToast } from './harness/browser.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { setScene } from './harness/scene.ts';

const scene = setScene();
const staff = keepPerson(scene, (person) => arriveSignedIn(person, scene, ADMIN_EMAIL, '/admin'));

const box = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Waits until the field has the focus and this error; types into it, and the error is gone. */
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

test('a value that the contract does not take is refused at its field, in the words of the server, before it is sent', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Products');
  await box(page, 'Name').fill('Tool');
  await box(page, 'URL').fill('not an address');
  await box(page, 'Description').fill('Helps.');
  await press(page, 'Save Product');
  await seeToast(page, 'destructive', 'Error', 'url must be a web address');
  await correct(page, box(page, 'URL'), 'url must be a web address', '.');
  expect(staff.countCalls('/api/products', 'POST')).toBe(0);
  expect(await box(page, 'URL').inputValue()).toBe('not an address.');
});

test('each field that misses its value says so, until it has one', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Users');
  await press(page, 'Save User');
  await seeToast(page, 'destructive', 'Missing required fields', 'Please fill in all required fields');
  await correct(page, box(page, 'Email'), 'Enter an email address', 'a');
  await see(page, 'Enter a name', 'Select at least one product');
});

test('a code that is taken is refused by the server at its field', async () => {
  const { page } = staff;
  staff.allowComplaint(/409/);
  const product = await scene.admin.addProduct({ name: 'Form errors' });
  await scene.admin.addCodes(product, 'TAKEN-1');
  await page.reload();
  await openAdminPage(page, 'Coupons');
  await box(page, 'Coupon Code').fill('TAKEN-1');
  await choose(page.getByRole('combobox', { name: 'Product', exact: true }), 'Form errors');
  await press(page, 'Save Coupon');
  const refusal = 'This coupon code already exists for the product';
  await seeToast(page, 'destructive', 'Error', refusal);
  await correct(page, box(page, 'Coupon Code'), refusal, '1');
});

test('an address that the portal does not know is refused at its field', async () => {
  const { page } = staff;
  staff.allowComplaint(/404/);
  await openAdminPage(page, 'Users');
  await page.getByLabel('User email').fill('unknown@errors.example');
  await press(page, 'View Products');
  await seeToast(page, 'destructive', 'Error', 'User not found');
  await correct(page, page.getByLabel('User email'), 'User not found', 's');
});

test.each(['/', '/admin-login'])(
  'at the sign-in of %s, why no mail was sent stands at the address until another is typed',
  async (path) => {
    const person = await openPerson(scene);
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
