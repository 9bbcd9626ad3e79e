// Tests the logo and the card in the form of a product.
import { Buffer } from 'node:buffer';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, keepPerson, takeToast } from './harness/browser.ts';
import { setFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const fixture = setFixture();
const staff = keepPerson(fixture, (person) =>
  arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/products'),
);

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const give = (page: Page, buffer: Buffer) =>
  page.locator('input[type=file]').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer });

/** Returns a wide PNG, which the browser of the test draws. */
async function drawWide(page: Page): Promise<Buffer> {
  const data = await page.evaluate(() => {
    const canvas = document.createElement('canvas');
    canvas.width = 1500;
    canvas.height = 500;
    const context = canvas.getContext('2d');
    if (context) context.fillStyle = 'rgb(200 30 30)';
    context?.fillRect(0, 0, 1500, 500);
    return canvas.toDataURL('image/png');
  });
  return Buffer.from(data.split(',')[1] ?? '', 'base64');
}

/** Returns the sizes of the first picture of the form, and the opacity of its top and its middle. */
function readShown(page: Page) {
  return page
    .locator('fieldset img')
    .first()
    .evaluate(async (element) => {
      const image = element as HTMLImageElement;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = image.naturalWidth;
      canvas.height = image.naturalHeight;
      const context = canvas.getContext('2d', { willReadFrequently: true });
      context?.drawImage(image, 0, 0);
      const alphaAt = (y: number) => context?.getImageData(128, y, 1, 1).data[3];
      return { width: canvas.width, height: canvas.height, top: alphaAt(10), middle: alphaAt(128) };
    });
}

test('R-CAT-03, R-CAT-30: a wide picture is scaled and padded to 256 pixels, saved at once, shown in the list, and removed', async () => {
  const { page } = staff;
  const product = await fixture.admin.addProduct({ name: 'Logo Tool' });
  await page.goto(`/admin/products/${product.product_id}?open=edit`);
  await button(page, 'Choose a logo').waitFor();
  await give(page, await drawWide(page));
  await takeToast(page, 'default', 'Success', 'Logo saved');
  await expect.poll(() => page.locator('fieldset img').count()).toBe(2);
  expect(await readShown(page)).toEqual({ width: 256, height: 256, top: 0, middle: 255 });
  const address = await page.locator('fieldset img').first().getAttribute('src');

  await give(page, Buffer.from('<html></html>'));
  await page.getByText('Your browser cannot read this file as a picture.').waitFor();
  expect(await page.locator('fieldset img').first().getAttribute('src')).toBe(address);

  await page.goto('/admin/products?q=logo');
  const mark = page.getByRole('row', { name: /Logo Tool/ }).locator('img');
  expect(await mark.getAttribute('src')).toBe(address);
  expect(await mark.boundingBox()).toMatchObject({ width: 24, height: 24 });

  await page.goto(`/admin/products/${product.product_id}?open=edit`);
  await button(page, 'Remove the logo of Logo Tool').click();
  await expect.poll(() => hasFocus(button(page, 'Choose a logo'))).toBe(true);
  await takeToast(page, 'default', 'Success', 'Logo removed');
});

test('R-CAT-31: the search of the header shows the logo', async () => {
  const { page } = staff;
  const product = await fixture.admin.addProduct({ name: 'Searched Mark' });
  await page.goto(`/admin/products/${product.product_id}?open=edit`);
  await button(page, 'Choose a logo').waitFor();
  await give(page, await drawWide(page));
  await takeToast(page, 'default', 'Success', 'Logo saved');
  await page.getByRole('combobox').first().fill('searched');
  const mark = page.getByRole('option', { name: /Searched Mark/ }).locator('img');
  await expect.poll(async () => (await mark.boundingBox())?.width).toBe(24);
});

test('R-CAT-30: the card beside the form follows the typing, and the facts are saved', async () => {
  const { page } = staff;
  const other = await fixture.admin.addProduct({ name: 'Other', category: 'Known category' });
  const product = await fixture.admin.addProduct({ name: 'Typed Tool' });
  await page.goto(`/admin/products/${product.product_id}?open=edit`);
  const card = page.locator('figure');
  await page.getByLabel('Name').fill('Typed anew');
  await expect.poll(() => card.textContent()).toContain('Typed anew');
  await page.getByLabel('Category').fill('New category');
  await page.getByLabel('Value').fill('worth 9 €');
  await page.getByLabel('Perks').fill('One\n\nTwo');
  await expect
    .poll(() =>
      page.locator('datalist option').evaluateAll((all) => all.map((each) => each.getAttribute('value'))),
    )
    .toContain(other.category);
  await button(page, 'Save Changes').click();
  await takeToast(page, 'default', 'Success', 'Product saved');
  const saved = (await fixture.admin.listProducts()).find((each) => each.product_id === product.product_id);
  expect(saved).toMatchObject({
    name: 'Typed anew',
    category: 'New category',
    value: 'worth 9 €',
    perks: ['One', 'Two'],
  });
});
