// Helpers for tests of the admin pages: navigation, file inputs, selects and file drops.
import type { Locator, Page } from 'playwright-core';

/** A file for Playwright's `setInputFiles`. */
export type CsvFile = { name: string; mimeType: string; buffer: Buffer };

/** Returns a CSV file with these lines. */
export function csv(name: string, ...lines: string[]): CsvFile {
  return { name, mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n')) };
}

/** Opens an admin page through the navigation, without a page load. */
export async function openAdminPage(page: Page, name: 'Dashboard' | 'Products' | 'Users' | 'Coupons') {
  await page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name, exact: true }).click();
  // A click on an entry opens its page one frame later. Without this, a card that the old address opens would be found
  // open, and then be closed.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Returns the button in the heading of a card above a list. A press opens or closes the card. */
export function cardHeading(page: Page, title: string): Locator {
  return page.getByRole('heading', { level: 2 }).getByRole('button', { name: title, exact: true });
}

/** Opens a card above a list unless it is open. The cards of an empty list open by themselves, once it is loaded. */
export async function openCard(page: Page, title: string): Promise<void> {
  const heading = cardHeading(page, title);
  // Not `expect.poll`, which works in tests only: screenshots open cards too.
  while ((await heading.getAttribute('aria-expanded')) !== 'true') await heading.click();
}

/** Returns the file input. The input itself is invisible: pages show a button instead. */
export function fileInput(page: Page): Locator {
  return page.locator('input[type=file]');
}

/** Presses a button that opens the file dialog of the browser, and chooses the file there. */
export async function chooseFile(page: Page, press: string, file: CsvFile): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: press, exact: true }).click();
  await (await chooser).setFiles(file);
}

/** Selects the first option that contains `words`. The full text is unknown: it ends with the number of free codes. */
export async function choose(select: Locator, words: string): Promise<void> {
  const option = select.locator('option', { hasText: words }).first();
  await select.selectOption(await option.getAttribute('value'));
}

/**
 * Opens the card of the upload, and selects the product to which the rows of the file belong. On the Products page,
 * there is nothing to select: the rows are products themselves.
 */
export async function chooseProductOfFile(page: Page, on: 'Products' | 'Users' | 'Coupons', product: string) {
  await openCard(page, `Bulk Upload ${on}`);
  if (on === 'Coupons') await choose(page.getByLabel('Select Product for Bulk Upload*'), product);
  if (on === 'Users') await chooseInMenu(page, /^Products for all users/, product);
}

/** Opens a multiple-choice menu with the button `opener`, ticks the box `choice` and closes the menu. */
export async function chooseInMenu(page: Page, opener: RegExp, choice: string) {
  await page.getByRole('button', { name: opener }).click();
  await page.getByRole('checkbox', { name: choice, exact: true }).check();
  await page.keyboard.press('Escape');
}

/** Opens the menu with the name `menu`, and chooses the action whose name begins with `action`. */
export async function chooseAction(page: Page, menu: string, action: string): Promise<void> {
  await page.getByRole('button', { name: menu, exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Drags a file onto `target` and drops it with real drag events. Has no effect unless the page allows the drop. */
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
