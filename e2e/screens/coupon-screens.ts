// Screenshots of the staff pages about codes and their uploads.
import type { BatchActState, BatchRecord } from '@portal/contract';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { DEMO_ADMIN } from '../harness/demo.ts';
import { dayIn } from '../harness/states.ts';
import { hideCodes, showButtons } from './hidden-codes.ts';
import { center, heading, type Picture } from './picture.ts';
import type { Sample } from './sample.ts';

const UPLOADS = '/admin/coupons/uploads';
const LOADED = 'Change this upload';
const BATCH = '**/api/admin/batches/*';
const JOB = '1';

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
const dialogOf = (page: Page) => page.getByRole('alertdialog');
const rows = (page: Page) => page.getByRole('cell').first().waitFor();

const line = (page: Page) => page.locator('ol > li').first().waitFor();

export function listCouponScreens(options: BrowserContextOptions, sample: Sample): Picture[] {
  const { coupons, code, upload: path, voidedUpload } = sample;
  return [
    { name: 'coupons', options, path: coupons, show: showCoupons },
    { name: 'coupons-hidden', options, path: coupons, show: showOneCode },
    { name: 'coupons-limit', options, path: coupons, show: reachLimit },
    { name: 'stock', options, path: '/admin/coupons/stock', show: rows },
    { name: 'code', options, path: code, show: line },
    { name: 'code-note', options, path: code, show: writeNote },
    { name: 'uploads', options, path: UPLOADS, show: rows },
    { name: 'upload', options, path, show: heading(LOADED) },
    { name: 'upload-void', options, path, show: askToVoid },
    { name: 'upload-changed', options, path, show: changeCount },
    { name: 'upload-running', options, path, show: showRunningJob },
    { name: 'upload-result', options, path: voidedUpload, show: (page) => showResult(page) },
    { name: 'upload-last-day', options, path, show: askForDay },
  ];
}

async function showCoupons(page: Page): Promise<void> {
  await rows(page);
  await page
    .getByRole('searchbox', { name: 'Search codes' })
    .evaluate((element) => scrollBy(0, element.getBoundingClientRect().top - 160));
}

async function writeNote(page: Page): Promise<void> {
  await line(page);
  await press(page, 'Add note');
  await page.getByLabel('Note', { exact: true }).fill('The partner confirmed that the code was sold twice.');
  await center(page.getByRole('region', { name: 'Timeline' }));
}

async function showOneCode(page: Page): Promise<void> {
  await hideCodes(page);
  await showButtons(page).nth(2).click();
  await page.getByRole('button', { name: /^Copy / }).waitFor();
  await showCoupons(page);
}

/** Fakes the refusal, because other screenshots use the same session and must not be refused. */
async function reachLimit(page: Page): Promise<void> {
  await showOneCode(page);
  const json = { code: 'too_many_requests', message: '', retry_after: 340 };
  await page.route('**/reveal', (route) => route.fulfill({ status: 429, json }));
  await showButtons(page).first().click();
  await page.getByText(/^You showed 30 codes/).waitFor();
}

async function askToVoid(page: Page): Promise<void> {
  await press(page, 'Void unused codes');
  await dialogOf(page)
    .getByLabel(/^The upload was a mistake/)
    .check();
}

/** Makes the page show too few unused codes, as if codes had become free since, so that the server refuses. */
async function changeCount(page: Page): Promise<void> {
  await changeUpload(page, ({ free, held }) => ({ free: free - 2, held: held + 2 }), 1);
  await page.reload();
  await askToVoid(page);
  await dialogOf(page)
    .getByRole('button', { name: /^Void \d/ })
    .click();
  await dialogOf(page).getByRole('alert').waitFor();
}

/** Fakes the responses, because a job of the demo ends too soon for a screenshot. */
async function showRunningJob(page: Page): Promise<void> {
  await changeUpload(page, () => ({ running_job: JOB }));
  const job: BatchActState = {
    id: JOB,
    kind: 'void',
    file_name: null,
    state: 'running',
    reason: null,
    rows_done: 690,
    rows_total: 1123,
    results: null,
    errors_count: 0,
    errors: [],
    created_at: new Date().toISOString(),
    void_reason: 'mistake',
    created_by: DEMO_ADMIN,
  };
  await page.route(`**/api/admin/imports/${JOB}`, (route) => route.fulfill({ json: job }));
  await page.reload();
  await page.getByRole('progressbar').waitFor();
}

async function showResult(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Result' }).waitFor();
  await heading(LOADED)(page);
}

async function askForDay(page: Page): Promise<void> {
  await press(page, 'Set last day');
  await dialogOf(page).getByLabel('Last day').fill(dayIn(160));
}

/** Changes fields of the upload in the next `times` responses, by default in all. */
function changeUpload(
  page: Page,
  change: (upload: BatchRecord) => Partial<BatchRecord>,
  times?: number,
): Promise<unknown> {
  return page.route(
    BATCH,
    async (route) => {
      const response = await route.fetch();
      const upload = (await response.json()) as BatchRecord;
      await route.fulfill({ response, json: { ...upload, ...change(upload) } });
    },
    times === undefined ? {} : { times },
  );
}
