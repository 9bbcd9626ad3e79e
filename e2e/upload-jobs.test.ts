// Tests what the page of an upload shows of its import, and that imports and other jobs can be cancelled.
import type { BatchActState, ImportState } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, keepPerson, see, takeToast } from './harness/browser.ts';
import { setFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const fixture = setFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true });

/** Creates a product with an upload of codes, and returns the id of the upload. */
async function addUpload(name: string, ...lines: string[]): Promise<string> {
  return fixture.admin.importFile(await fixture.admin.addProduct({ name }), `${name}.csv`, ...lines);
}

test('C-7: a job that runs can be cancelled on its page, which then says how far it came', async () => {
  const id = await addUpload('Stopping', 'code', 'SP-1', 'SP-2', 'SP-3');
  const { page } = staff;
  let state: BatchActState['state'] = 'running';
  const reply = (): BatchActState => ({
    ...{ id: 'stopping', kind: 'void', state, rows_total: 3, rows_done: 1, void_reason: 'dead' },
    ...{ reason: null, file_name: null, errors_count: 0, errors: [] },
    ...{ created_at: '2026-11-20T09:00:00Z', created_by: ADMIN_EMAIL },
    results: state === 'running' ? null : { voided: 1, kept: 0, handed_out_meanwhile: 0 },
  });
  await page.route('**/api/admin/imports/stopping', (route) => route.fulfill({ json: reply() }));
  let presses = 0;
  await page.route('**/api/admin/imports/stopping/cancel', (route) => {
    presses += 1;
    // After the first click, the page still reads the old state, as if it could not load the new one.
    if (presses > 1) state = 'cancelled';
    return route.fulfill({ json: reply() });
  });
  await page.goto(`/admin/coupons/uploads/${id}?job=stopping`);
  await see(page, '1 of 3 codes');
  await button(page, 'Cancel').click();
  await expect.poll(() => presses).toBe(1);
  await button(page, 'Cancel').click();
  const result = page.getByRole('region', { name: 'Result' });
  await see(result, '1 code voided, 0 were handed out meanwhile', /^Stopped after 1 of 3 codes\./);
  expect(await button(page, 'Cancel').count()).toBe(0);
});

test('R-IMP-14, R-IMP-16: the page of an upload has the files of its import, however it was opened', async () => {
  const id = await addUpload('Headless', 'HL-1', 'HL-2', 'HL-1');
  const { page } = staff;
  await page.goto(`/admin/coupons/uploads/${id}`);
  const files = page.getByRole('region', { name: 'Imported rows' });
  await see(files, 'No column names found: the first line was taken as a code.');
  await button(files, 'Download duplicates').waitFor();
});

test('C-7, R-IMP-16: an upload that failed and has lost its file says so, and can be cancelled', async () => {
  const id = await addUpload('Half', 'code', 'HF-1', 'HF-2', 'HF-3');
  const { page } = staff;
  let state: ImportState['state'] = 'failed';
  await page.route(/\/api\/admin\/imports\/[0-9a-f-]{36}(\/cancel)?$/, async (route) => {
    if (route.request().method() === 'POST') state = 'cancelled';
    const response = await route.fetch();
    const real = (await response.json()) as ImportState;
    const reason = state === 'failed' ? 'No space left on device' : null;
    await route.fulfill({ response, json: { ...real, state, reason, rows_done: 2, rows_total: 3 } });
  });
  await page.route('**/api/admin/jobs/retry', (route) => {
    return route.fulfill({ json: { retried: 0 } });
  });
  await page.goto(`/admin/coupons/uploads/${id}`);
  const files = page.getByRole('region', { name: 'Imported rows' });
  await see(files, 'Failed after 2 of 3 rows. Rows that were imported stay. No space left on device');
  await button(files, 'Try again').click();
  await takeToast(page, 'destructive', 'Error', 'The file is not kept any more. Please upload it again.');
  await button(files, 'Cancel import').click();
  await see(files, 'Cancelled after 2 of 3 rows. Rows that were imported stay.');
  expect(await button(files, 'Try again').count()).toBe(0);
  await page.unrouteAll();
});
