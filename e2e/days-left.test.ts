// Tests that the dashboard, Stock and the product's page say how long the codes of a product last (R-DAY-68).
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, keepPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

let short: { product_id: string };
beforeAll(async () => {
  const { admin } = fixture;
  const [enough, few, nobody] = [
    await admin.addProduct({ name: 'Enough' }),
    await admin.addProduct({ name: 'Short' }),
    await admin.addProduct({ name: 'Nobody' }),
  ];
  short = few;
  for (const learner of ['one', 'two', 'three'])
    await admin.addLearner(`${learner}@learner.example`, enough, few);
  await admin.addCodes(enough, 'A-1', 'A-2', 'A-3');
  await admin.addCodes(few, 'B-1', 'B-2');
  await admin.addCodes(nobody, 'C-1', 'C-2');
});

test('R-DAY-68: the portal counts how many codes are short, and lists this product first', async () => {
  // The job counts new products within ten seconds, and changed ones within a minute.
  const readShort = async () => (await fixture.admin.readStats()).stock.map((product) => product.short);
  await expect.poll(readShort, { timeout: 90_000, interval: 500 }).toEqual([1, 0, 0]);
}, 100_000);

test('R-DAY-68: the dashboard says for each product how long its codes last, and leads to the upload of codes', async () => {
  const { page } = staff;
  await page.goto('/admin');
  const table = page.getByRole('table', { name: 'Codes left per product' });
  const rowOf = (name: string) => table.getByRole('row').filter({ hasText: name });
  await see(rowOf('Enough'), 'enough for all who have access');
  await see(rowOf('Short'), '1 code short if everybody claims');
  await see(rowOf('Nobody'), 'too few redemptions to say');
  expect(await table.getByRole('rowheader').allTextContents()).toEqual(['Short', 'Enough', 'Nobody']);
  expect(await table.getByRole('link', { name: 'Add codes' }).count()).toBe(1);
  await rowOf('Short').getByRole('link', { name: 'Add codes' }).click();
  await expect
    .poll(() => page.getByLabel('Select Product for Bulk Upload*').inputValue())
    .toBe(short.product_id);
});

test('R-DAY-68: Stock and the product’s page say it too', async () => {
  const { page } = staff;
  await page.goto('/admin/coupons/stock');
  const table = page.getByRole('table', { name: 'Coupons per product' });
  const rowOf = (name: string) => table.getByRole('row').filter({ hasText: name });
  await see(rowOf('Enough'), 'enough for all who have access');
  await see(rowOf('Short'), '1 code short if everybody claims', 'Add codes');
  const names = (await table.getByRole('rowheader').allTextContents()).map((text) => text.slice(0, 5));
  expect(names.slice(0, 2)).toEqual(['Short', 'Enoug']);
  // Products has the same order (R-DAY-10).
  await page.goto('/admin/products');
  const products = page.getByRole('table', { name: 'Products' }).getByRole('rowheader');
  await expect.poll(() => products.allInnerTexts()).toEqual(['Short', 'Enough', 'Nobody']);
  await page.getByRole('link', { name: 'Short' }).click();
  const state = page.getByRole('region', { name: 'State' });
  await see(state, '1 code short if everybody claims', 'too few redemptions to say');
  const addCodes = page.getByRole('main').getByRole('link', { name: 'Add codes' });
  expect(await addCodes.getAttribute('href')).toBe(`/admin/coupons?open=upload&product=${short.product_id}`);
});
