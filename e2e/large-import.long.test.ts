// A million codes in one upload through the page, with the server killed midway; and what learners notice of an import.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getStats } from '@portal/contract';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { onEmbedded, onPostgres } from '../bench/engines.ts';
import { measureImport } from '../bench/imports.ts';
import { chooseProductOfFile, fileInput, openAdminPage } from './harness/admin-pages.ts';
import { callApi, openAdmin, signIn } from './harness/api.ts';
import { arriveSignedIn, openBrowser, openPerson } from './harness/browser.ts';
import { openMailbox } from './harness/mailbox.ts';
import { ADMIN_EMAIL, makePlace, type Portal, startPortal } from './harness/portal.ts';

const ROWS = 1_000_000;
const DUPLICATES = 2;
const FAULTS = 3;
const LONG_MS = 900_000;
const MEGABYTE = 2 ** 20;

test('a million codes through the page: the browser stays free, a killed server loses and doubles nothing, memory is bounded', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portal-large-'));
  const file = join(folder, 'million.csv');
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
  const product = await (await openAdmin(portal)).addProduct({ name: 'Million' });
  const person = await openPerson({ browser, portal });
  const { page } = person;
  // The killed server, and an import that is asked after before its request has come in whole.
  person.allowComplaint(/ERR_|Failed to load resource/);
  await arriveSignedIn(person, { portal }, ADMIN_EMAIL, '/admin');
  await openAdminPage(page, 'Coupons');
  await chooseProductOfFile(page, 'Coupons', 'Million');
  const memoryAtRest = await portal.readPeakMemory();
  await watchFreedom(page);

  await fileInput(page).setInputFiles(file);
  const bar = page.getByRole('progressbar', { name: 'Import of million.csv' });
  const read = async () => Number(await bar.getAttribute('aria-valuenow'));
  await expect.poll(read, { timeout: LONG_MS }).toBeGreaterThan(0);
  // Sorting things out meanwhile, as people do: leave, come back, and the bar goes on.
  await openAdminPage(page, 'Users');
  await openAdminPage(page, 'Coupons');
  const third = (await total(bar)) / 3;
  await expect.poll(read, { timeout: LONG_MS }).toBeGreaterThan(third);
  expect(await shareOfBusyTime(page)).toBeLessThan(0.2);
  const growth = (await portal.readPeakMemory()) - memoryAtRest;
  expect(growth / MEGABYTE).toBeLessThan(400);

  const atKill = await read();
  await portal.kill();
  portal = await startPortal({ mailbox, place });
  await expect.poll(read, { timeout: LONG_MS }).toBeGreaterThanOrEqual(atKill);
  const told = `${ROWS - DUPLICATES - FAULTS} created, ${DUPLICATES} duplicates skipped, ${FAULTS} failed`;
  await page.getByText(told, { exact: true }).first().waitFor({ timeout: LONG_MS });
  expect(await countCodes(portal, product.product_id)).toBe(ROWS - DUPLICATES - FAULTS);

  await page.getByRole('searchbox').fill('LARGE-00000');
  await page.getByText('1–20 of 100', { exact: true }).waitFor();
});

test.each(['embedded', 'postgres'] as const)(
  '%s: learners go on redeeming while a file is imported, and the server’s memory is bounded',
  async (engine) => {
    const { usual, beside, memoryGrowth } = await (engine === 'embedded'
      ? onEmbedded((place) => measureImport(place, { rows: 150_000, learners: 400, rounds: 4 }))
      : onPostgres((place) => measureImport(place, { rows: 600_000, learners: 800, rounds: 4 })));
    expect(beside.length, 'the import was over too soon').toBeGreaterThan(1);
    // `script/bench` shows at least a half; a third is what a busy machine cannot blur.
    expect(Math.max(...beside) / Math.max(...usual)).toBeGreaterThan(1 / 3);
    expect(memoryGrowth).toBeLessThan(300);
  },
);

function makeCodes(): string {
  const unique = Array.from(
    { length: ROWS - DUPLICATES - FAULTS },
    (_, index) => `LARGE-${String(index).padStart(7, '0')}`,
  );
  const rows = [...unique, ...unique.slice(0, DUPLICATES), ...Array(FAULTS).fill('X'.repeat(256))];
  return `coupon_code\n${rows.join('\n')}\n`;
}

/** Adds up the time in which the page could not have answered a press within 50 ms. */
async function watchFreedom(page: Page): Promise<void> {
  await page.evaluate(() => {
    const watch = window as unknown as { busyMs: number; sinceMs: number };
    watch.busyMs = 0;
    watch.sinceMs = performance.now();
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) watch.busyMs += duration;
    }).observe({ type: 'longtask' });
  });
}

function shareOfBusyTime(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { busyMs, sinceMs } = window as unknown as { busyMs: number; sinceMs: number };
    return busyMs / (performance.now() - sinceMs);
  });
}

async function total(bar: ReturnType<Page['getByRole']>): Promise<number> {
  return Number(await bar.getAttribute('aria-valuemax'));
}

async function countCodes(portal: Portal, product_id: string): Promise<number | undefined> {
  const { access_token: token } = await signIn(portal, ADMIN_EMAIL);
  const { stock } = await callApi(portal.url, getStats, { token });
  return stock.find((line) => line.product_id === product_id)?.total;
}
