// Tests printed pages: a learner's ticket, and the tables of staff pages.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { changeDays, FAR } from './harness/states.ts';

const fixture = setFixture();
const BLACK = 'rgb(0, 0, 0)';

/** Returns the HTML of buttons, fields and page parts that would be printed. */
function listPrintedControls(page: Page): Promise<string[]> {
  return page
    .locator('button:not(thead button), input, select, textarea, nav, header, footer, dialog')
    .filter({ visible: true })
    .evaluateAll((found) => found.map((element) => element.outerHTML.slice(0, 120)));
}

test('R-DAY-64: a ticket prints black on white, with frame, code, product, last day and address of the portal', async () => {
  const email = 'paper@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['PAPER-1234-5678'] });
  const person = await openPerson(fixture, { locale: 'en-GB', colorScheme: 'dark' });
  const { page } = person;
  await changeDays(page, { use_by: FAR });
  await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
  await see(page, 'PAPER-1234-5678');
  await page.emulateMedia({ media: 'print' });
  const ticket = page.getByRole('region', { name: 'Your coupon' });
  await see(ticket, 'PAPER-1234-5678', product.name, /Use by 31 Dec 2999/);
  await ticket.getByText(new URL(page.url()).host).waitFor();
  const looks = await ticket.evaluate((element) => {
    const texts = [...element.querySelectorAll('p, span')];
    return {
      colours: [...new Set(texts.map((text) => getComputedStyle(text).color))],
      frames: [...element.querySelectorAll(':scope > :not([aria-hidden])')].map(
        (piece) => getComputedStyle(piece).borderTop,
      ),
    };
  });
  expect(looks).toEqual({ colours: [BLACK], frames: [`1px solid ${BLACK}`, `1px solid ${BLACK}`] });
  expect(await listPrintedControls(page)).toEqual([]);
  await page.emulateMedia({ media: 'screen' });
  expect(await ticket.getByText(new URL(page.url()).host).isVisible()).toBe(false);
});

test('R-DAY-64: tables print without controls on wide paper, and other pages on upright paper', async () => {
  await offerProduct(fixture, { codes: ['TABLE-1'] });
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/products');
  for (const [path, heading] of Object.entries({
    '/admin/products': 'Codes left',
    '/admin/users': 'Email',
    '/admin/coupons': 'Product',
    '/admin/coupons/stock': 'Revoked',
  })) {
    await page.emulateMedia({ media: 'screen' });
    await page.goto(path);
    await page.getByRole('columnheader', { name: heading }).first().waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('columnheader', { name: heading }).first().waitFor();
    expect(await listPrintedControls(page), path).toEqual([]);
  }
  expect(await isPaperWide(page)).toBe(true);
  // The same tab, without a reload: the style sheet of the staff pages stays loaded.
  await page.emulateMedia({ media: 'screen' });
  await page.getByRole('link', { name: 'Back to Website' }).click();
  await page.getByRole('navigation', { name: 'Admin' }).waitFor({ state: 'detached' });
  expect(await isPaperWide(page)).toBe(false);
});

/** Returns true if the printed pages are wider than high. */
async function isPaperWide(page: Page): Promise<boolean> {
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf) ?? [];
  return Number(width) > Number(height);
}
