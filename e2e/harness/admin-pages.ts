// What tests of administrators' pages do with the pages' own means.
import type { Locator, Page } from 'playwright-core';

/** A CSV file as a person chooses it. */
export function csv(name: string, ...lines: string[]) {
  return { name, mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n')) };
}

/** Goes to an administrators' page by the navigation, without loading anything anew. */
export async function openAdminPage(page: Page, name: 'Dashboard' | 'Products' | 'Users' | 'Coupons') {
  await page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** The browser's own chooser of a file, which only its button shows. */
export function fileInput(page: Page): Locator {
  return page.locator('input[type=file]');
}

/** Chooses by words of an option: how many codes are left stands behind a product's name. */
export async function choose(select: Locator, words: string): Promise<void> {
  const option = select.locator('option', { hasText: words }).first();
  await select.selectOption(await option.getAttribute('value'));
}

/** Chooses the product that the rows of a file are given to; on the page of products there is none to choose. */
export async function chooseProductOfFile(page: Page, on: 'Products' | 'Users' | 'Coupons', product: string) {
  if (on === 'Coupons') await choose(page.getByLabel('Select Product for Bulk Upload*'), product);
  if (on === 'Users') await chooseInMenu(page, /^Products for all users/, product);
}

/** Checks one of the boxes that a field of several choices opens. */
export async function chooseInMenu(page: Page, opener: RegExp, choice: string) {
  await page.getByRole('button', { name: opener }).click();
  await page.getByRole('checkbox', { name: choice, exact: true }).check();
  await page.keyboard.press('Escape');
}

/** Drags a file of this machine onto `target` and lets go, as a hand does: the page must have allowed the drop. */
export async function dropFile(page: Page, target: Locator, path: string): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (!box) throw new Error('there is nothing to drop on');
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  const session = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, ...at, data });
  }
  await session.detach();
}
