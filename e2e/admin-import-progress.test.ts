// Tests the progress of an import: announcements, the progress bar after a page change or reload, and cancelling.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type CsvFile, chooseProductOfFile, csv, fileInput, openAdminPage } from './harness/admin-pages.ts';
import { recordAnnouncements } from './harness/announcements.ts';
import { arriveSignedIn, keepPerson, see, seeToast } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const BULK = {
  Products: '/api/admin/products/bulk',
  Users: '/api/admin/users/bulk',
  Coupons: '/api/admin/coupons/bulk',
};
type Kind = keyof typeof BULK;
const IMPORTS = /\/api\/admin\/imports(\/|$)/;

const fixture = setOwnFixture();
const staff = keepPerson(fixture, async (person) => {
  await fixture.admin.addProduct({ name: 'Target' });
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin');
});

function lines(count: number, line: (at: number) => string): string[] {
  return Array.from({ length: count }, (_line, at) => line(at));
}

/** Uploads a file and returns the JSON body of the request. */
async function upload(page: Page, kind: Kind, file: CsvFile): Promise<unknown> {
  const sent = page.waitForRequest((request) => request.url().endsWith(BULK[kind]));
  await fileInput(page).setInputFiles(file);
  return (await sent).postDataJSON();
}

test('an import is announced to screen readers: its start, each quarter and its result', async () => {
  const { page } = staff;
  // Opens the page before the import starts, because the live region must exist before its first text. Screen readers
  // miss a text that is added together with its region.
  await page.goto('/admin/coupons');
  await chooseProductOfFile(page, 'Coupons', 'Target');
  const state = { id: '', rows_done: 0, rows_total: 12_400, kind: 'coupons', state: 'running' };
  const rest = { file_name: 'spoken.csv', reason: null, results: null, errors_count: 0, errors: [] };
  const created_at = new Date().toISOString();
  await page.route(IMPORTS, (route) => {
    const json = { ...state, ...rest, created_at };
    return route.fulfill({ json: route.request().url().endsWith('/imports') ? [json] : json });
  });
  const recorded = await page.getByRole('main').evaluateHandle(recordStatus);
  const letThrough = await holdCalls(page, `**${BULK.Coupons}`);
  const sent = await upload(page, 'Coupons', csv('spoken.csv', 'coupon_code', 'SPOKEN-1'));
  const bar = page.getByRole('progressbar', { name: 'Import of spoken.csv' });
  expect(await bar.getAttribute('aria-valuetext')).toBe('Reading the file');
  state.id = (sent as { import_id: string }).import_id;
  for (const rows of [3099, 3100, 7936, 11_000]) {
    state.rows_done = rows;
    const words = `${rows.toLocaleString('en-US')} of 12,400 rows`;
    await expect.poll(() => bar.getAttribute('aria-valuetext')).toBe(words);
  }
  const listAnnouncements = await recordAnnouncements(page);
  const answered = page.waitForResponse((response) => response.url().endsWith(BULK.Coupons));
  letThrough();
  await answered;
  // From now on, the page reads the real state of the job.
  await page.unroute(IMPORTS);
  const end = expect.stringMatching(/^polite: .*Import Complete 1 created, 0 duplicates skipped, 0 failed$/);
  await expect.poll(listAnnouncements).toContainEqual(end);
  expect(await recorded.jsonValue()).toEqual([
    'The import of spoken.csv has started',
    'The import of spoken.csv is 25% done',
    'The import of spoken.csv is 50% done',
    'The import of spoken.csv is 75% done',
  ]);
});

/**
 * Runs in the page. Records texts about an import, but only in live regions that exist at the time of the call. Screen
 * readers miss the first text of a new region.
 */
function recordStatus(main: Element): string[] {
  const recorded: string[] = [];
  for (const region of main.querySelectorAll('[role=status]')) {
    const record = () => {
      const words = region.textContent;
      if (words.includes('import of') && words !== recorded.at(-1)) recorded.push(words);
    };
    new MutationObserver(record).observe(region, { subtree: true, childList: true, characterData: true });
  }
  return recorded;
}

test('an import and its progress bar continue after the page is left or reloaded', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Coupons');
  await chooseProductOfFile(page, 'Coupons', 'Target');
  const bar = page.getByRole('progressbar', { name: 'Import of big.csv' });
  const read = async () => Number(await bar.getAttribute('aria-valuenow'));
  await upload(page, 'Coupons', csv('big.csv', 'coupon_code', ...lines(30_000, (at) => `BIG-${at}`)));
  await expect.poll(read).toBeGreaterThan(0);
  const atLeaving = await read();

  await openAdminPage(page, 'Users');
  expect(await bar.count()).toBe(0);
  await openAdminPage(page, 'Coupons');
  const atReturn = await read();
  expect(atReturn).toBeGreaterThanOrEqual(atLeaving);

  await page.reload();
  await bar.waitFor();
  expect(await read()).toBeGreaterThanOrEqual(atReturn);
  await page.getByRole('button', { name: 'Uploading...' }).waitFor();
  const result = page.getByText('30000 created, 0 duplicates skipped, 0 failed', { exact: true });
  await result.first().waitFor({ timeout: 30_000 });
  expect(await bar.count()).toBe(0);
  await page.getByRole('heading', { name: 'big.csv' }).waitFor();
});

test('a cancelled import ends: its rows so far are reported and kept, and no spinner remains', async () => {
  const { page } = staff;
  // The call that uploads the file ends with 409 when the import is cancelled.
  staff.allowComplaint(/409/);
  const product = await fixture.admin.addProduct({ name: 'Mistaken' });
  await page.goto('/admin/coupons');
  await chooseProductOfFile(page, 'Coupons', 'Mistaken');
  const file = csv('mistaken.csv', 'coupon_code', lines(300_000, (at) => `MISTAKEN-${at}`).join('\r\n'));
  await fileInput(page).setInputFiles(file);
  await page.getByRole('button', { name: 'Cancel import' }).click();
  await seeToast(page, 'default', 'Import Cancelled', 'Rows that were imported stay.');
  const summary = page.getByRole('region', { name: 'mistaken.csv' });
  await see(summary, /Cancelled after [\d,]+ of 300,000 rows\. Rows that were imported stay\./);
  expect(await page.getByRole('progressbar').count()).toBe(0);
  await page.getByRole('button', { name: 'Select CSV File' }).waitFor();
  const [latest] = await fixture.admin.listImports();
  expect(latest).toMatchObject({ file_name: 'mistaken.csv', state: 'cancelled' });
  const stock = (await fixture.admin.readStats()).stock.find(
    ({ product_id }) => product_id === product.product_id,
  );
  expect(stock?.total).toBe(latest?.rows_done);
});
