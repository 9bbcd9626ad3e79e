// Uploads a large file of codes through the page and kills the server during the import.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getStats } from '@portal/contract';
import { expect, onTestFinished, test } from 'vitest';
import { chooseProductOfFile, fileInput, openAdminPage } from './harness/admin-pages.ts';
import { callApi, openAdmin, signIn } from './harness/api.ts';
import { arriveSignedIn, openBrowser, openPerson } from './harness/browser.ts';
import { openMailbox } from './harness/mailbox.ts';
import { ADMIN_EMAIL, makePlace, type Portal, startPortal } from './harness/portal.ts';
import { waitForProgress } from './harness/progress.ts';

// The embedded database imports these rows in 200 chunks.
const ROWS = 200_000;
const DUPLICATES = 2;
const INVALID_ROWS = 3;
const CREATED = ROWS - DUPLICATES - INVALID_ROWS;

test('a large upload shows its progress, also after a page change, and a killed server loses and duplicates no row', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portal-large-'));
  const file = join(folder, 'large.csv');
  await writeFile(file, makeCodes());
  const mailbox = await openMailbox();
  const place = await makePlace();
  let portal = await startPortal({ mailbox, place });
  const browser = await openBrowser();
  onTestFinished(async () => {
    await browser.close();
    await portal.stop();
    await mailbox.close();
    for (const path of [folder, place.dataDir]) await rm(path, { recursive: true, force: true });
  });
  const product = await (await openAdmin(portal)).addProduct({ name: 'Large' });
  const person = await openPerson({ browser, portal });
  const { page } = person;
  // Allows errors from the killed server. The page also logs errors if it polls for the import before the server has
  // received the whole upload.
  person.allowComplaint(/ERR_|Failed to load resource/);
  await arriveSignedIn(person, { portal }, ADMIN_EMAIL, '/admin');
  await openAdminPage(page, 'Coupons');
  await chooseProductOfFile(page, 'Coupons', 'Large');
  await fileInput(page).setInputFiles(file);
  const bar = page.getByRole('progressbar', { name: 'Import of large.csv' });
  const summary = `${CREATED} created, ${DUPLICATES} duplicates skipped, ${INVALID_ROWS} failed`;
  const result = page.getByText(summary, { exact: true }).first();
  const read = async () => {
    if (await result.isVisible()) return ROWS;
    // Reads the value in one call. If the bar disappeared between two calls, Playwright would wait for it to return.
    const values = await bar.evaluateAll((bars) =>
      bars.map((each) => Number(each.getAttribute('aria-valuenow'))),
    );
    return values[0] ?? 0;
  };
  await waitForProgress(read, 1);
  await openAdminPage(page, 'Users');
  await openAdminPage(page, 'Coupons');
  await waitForProgress(read, ROWS / 4);

  const atKill = await read();
  expect(atKill).toBeLessThan(ROWS);
  await portal.kill();
  portal = await startPortal({ mailbox, place });
  await waitForProgress(read, atKill + 1);
  await waitForProgress(read, ROWS);
  expect(await countCodes(portal, product.product_id)).toBe(CREATED);

  await page.getByRole('searchbox').fill('LARGE-00000');
  await page.getByText('1–20 of 100', { exact: true }).waitFor();
});

function makeCodes(): string {
  const unique = Array.from({ length: CREATED }, (_, index) => `LARGE-${String(index).padStart(7, '0')}`);
  const rows = [...unique, ...unique.slice(0, DUPLICATES), ...Array(INVALID_ROWS).fill('X'.repeat(256))];
  return `coupon_code\n${rows.join('\n')}\n`;
}

async function countCodes(portal: Portal, product_id: string): Promise<number | undefined> {
  const { access_token: token } = await signIn(portal, ADMIN_EMAIL);
  const { stock } = await callApi(portal.url, getStats, { token });
  return stock.find((line) => line.product_id === product_id)?.total;
}
