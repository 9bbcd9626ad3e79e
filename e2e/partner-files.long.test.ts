// Uploads files as partners and shops send them, with column names of their own, and counts the clicks.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { choose, chooseFile, chooseInMenu, openCard } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

/** Maximum number of clicks from the open page to the summary of the import, without the file dialog. */
const MOST_CLICKS = 5;
/** One click opens the menu of a select, one chooses an option. */
const CLICKS_OF_SELECT = 2;

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** Opens the page and returns a function that counts the clicks of the mouse on it since then. */
async function openCounting(page: Page, path: string): Promise<() => Promise<number>> {
  await page.goto(path);
  await page.evaluate(() => {
    addEventListener(
      'click',
      ({ detail }) => {
        // After a click on a label, the browser also clicks the box, with `detail` 0.
        if (detail > 0) document.body.dataset.clicks = String(Number(document.body.dataset.clicks ?? 0) + 1);
      },
      true,
    );
  });
  return async () => Number(await page.evaluate(() => document.body.dataset.clicks ?? 0));
}

async function checkFile(page: Page, name: string, buffer: Buffer): Promise<Locator> {
  await chooseFile(page, 'Check File First', { name, mimeType: 'text/csv', buffer });
  const checked = card(page, 'Nothing was imported yet.');
  await checked.waitFor();
  return checked;
}

const rows = (count: number, row: (n: number) => string) => Array.from({ length: count }, (_, n) => row(n));

test("R-IMP-14: a partner's 5,000 codes, from Excel with a title of its own for each column, take five clicks at most", async () => {
  const product = await fixture.admin.addProduct({ name: 'Fathomleaf' });
  // The cards above a list with rows are closed, which takes one click more.
  await fixture.admin.addCodes(product, 'FL-OLD');
  const { page } = staff;
  const lines = [
    'sep=;',
    'No.;Voucher Code;Valid until;Customer',
    ...rows(5_000, (n) => `${n + 1};FL-2026-${String(n).padStart(5, '0')};2099-12-31;Müller & Söhne`),
    // Excel adds such lines below the table.
    ...rows(20, () => ';;;'),
  ];
  const countClicks = await openCounting(page, '/admin/coupons');
  await openCard(page, 'Bulk Upload Coupons');
  await choose(page.getByLabel('Select Product for Bulk Upload*'), 'Fathomleaf');
  const checked = await checkFile(page, 'Codes März.csv', Buffer.from(lines.join('\r\n'), 'latin1'));
  await see(checked, 'Voucher Code (coupon_code)', 'Valid until (use_by)', 'Ignored: No., Customer');
  await checked.getByRole('button', { name: 'Import 5,000 codes' }).click();
  await see(card(page, 'Codes März.csv'), /^5,000 rows for Fathomleaf, imported in/, 'Created');
  expect(new URL(page.url()).pathname).toBe('/admin/coupons');
  expect((await countClicks()) + CLICKS_OF_SELECT).toBeLessThanOrEqual(MOST_CLICKS);
});

test("R-IMP-14: a shop's list of 300 buyers, with the columns of the shop, takes five clicks at most", async () => {
  await fixture.admin.addProduct({ name: 'Quernbase' });
  const { page } = staff;
  const lines = [
    'Order ID,First Name,Last Name,E-Mail,Phone,Total',
    ...rows(
      300,
      (n) => `#${1000 + n},Zoë,"Núñez, ${n}",Buyer-${n}@Example.org ,'+44 20 7946 ${n},"1,200.00"`,
    ),
    ',,,,,',
  ];
  const countClicks = await openCounting(page, '/admin/users');
  await openCard(page, 'Bulk Upload Users');
  await chooseInMenu(page, /^Products for all users/, 'Quernbase');
  const checked = await checkFile(page, 'orders_export.csv', Buffer.from(`\uFEFF${lines.join('\n')}`));
  await see(checked, 'E-Mail (email)', 'Ignored: Order ID, Total');
  await checked.getByRole('button', { name: 'Import 300 people' }).click();
  await see(card(page, 'orders_export.csv'), /^300 rows for Quernbase, imported in/, 'Created');
  expect(new URL(page.url()).pathname).toBe('/admin/users');
  expect(await countClicks()).toBeLessThanOrEqual(MOST_CLICKS);
  await page.goto('/admin/users?q=buyer-299');
  await see(page, 'buyer-299@example.org', 'Zoë Núñez, 299');
});
