// Tests what the page of a cohort shows about the codes of its products, and the list of products in its form.
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, keepPerson, see } from './harness/browser.ts';
import { addCohort, addresses, openCohort } from './harness/cohorts.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));
const PRODUCTS = Array.from({ length: 12 }, (_, at) => `Product ${String(at + 1).padStart(2, '0')}`);
const made: Awaited<ReturnType<typeof fixture.admin.addProduct>>[] = [];
beforeAll(async () => {
  for (const name of PRODUCTS) made.push(await fixture.admin.addProduct({ name }));
});

test('R-DAY-37: the page of a cohort shows claimed codes of each product with a bar, and how many are missing', async () => {
  const [one, two] = made;
  if (!one || !two) throw new Error('no products');
  await fixture.admin.addCodes(one, 'ONE-1', 'ONE-2');
  await fixture.admin.addCodes(two, 'TWO-1', 'TWO-2', 'TWO-3', 'TWO-4');
  const members = addresses(4, 'progress');
  const cohort = await addCohort(fixture, 'Progress', { products: [one, two], members });
  await fixture.admin.giveCode(members[0] ?? '', one);
  const { page } = staff;
  await openCohort(page, cohort, '4 members · 2 products');
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  await see(row(PRODUCTS[0] ?? ''), 'claimed 1 of 4', 'short by 2');
  await see(row(PRODUCTS[1] ?? ''), 'claimed 0 of 4');
  expect(
    await row(PRODUCTS[1] ?? '')
      .getByText(/short by/)
      .count(),
  ).toBe(0);
  const bar = page.getByRole('meter', { name: `${PRODUCTS[0]}: codes claimed` });
  expect(await bar.getAttribute('aria-valuenow')).toBe('1');
  expect(await bar.getAttribute('aria-valuemax')).toBe('4');
  await row(PRODUCTS[0] ?? '')
    .getByRole('link', { name: 'Add codes' })
    .click();
  await page.waitForURL(`**/admin/coupons?open=upload&product=${one.product_id}`);
});

test('R-DAY-37: the list of products has search, Select all and Clear, and shows ten rows', async () => {
  const cohort = await addCohort(fixture, 'Picked');
  const { page } = staff;
  await openCohort(page, cohort, '0 members · 0 products');
  await page.getByRole('button', { name: 'Add products' }).click();
  const dialog = page.locator('dialog[open]');
  const opener = dialog.getByRole('button', { name: /^Products/ });
  await opener.click();
  await page.setViewportSize({ width: 1440, height: 900 });
  const box = dialog.getByRole('checkbox');
  expect(await box.count()).toBe(12);
  const list = box.first().locator('xpath=ancestor::div[1]');
  const rows = list.evaluate((of) => of.clientHeight / (of.querySelector('label')?.offsetHeight ?? 1));
  expect(Math.floor(await rows)).toBe(10);
  await dialog.getByRole('searchbox', { name: 'Find in Products' }).fill('Product 1');
  await dialog.getByRole('button', { name: 'Select all' }).click();
  await dialog.getByRole('searchbox').fill('');
  const ticked = dialog.getByRole('checkbox', { checked: true });
  await expect.poll(() => ticked.count()).toBe(3);
  await dialog.getByRole('button', { name: 'Select all' }).click();
  await expect.poll(() => ticked.count()).toBe(12);
  await dialog.getByRole('button', { name: 'Clear' }).click();
  await expect.poll(() => ticked.count()).toBe(0);
  await dialog.getByRole('button', { name: 'Select all' }).click();
  await expect.poll(() => ticked.count()).toBe(12);
  await page.keyboard.press('Escape');
  await see(opener, '12 products selected');
  await dialog.getByRole('button', { name: 'Add products' }).click();
  await see(page, '0 members · 12 products', 'claimed 0 of 0');
});
