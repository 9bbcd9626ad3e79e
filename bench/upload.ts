// Measures how long tasks block the browser's main thread while an administrator uploads a file of codes and watches
// the progress of the import.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { chooseProductOfFile, fileInput } from '../e2e/harness/admin-pages.ts';
import { storeSession } from '../e2e/harness/browser.ts';
import { DEMO_ADMIN, type Demo } from '../e2e/harness/demo.ts';
import { waitForProgress } from '../e2e/harness/progress.ts';
import { makeCodes } from './imports.ts';

/** A product of the sample data (`--demo`) without codes. */
const PRODUCT = 'Quillon Research';

/**
 * `seconds`: from the choice of the file until the page shows the result. The other fields describe the long tasks of
 * the main thread (over 50 ms) during these seconds: their number, total duration and longest duration.
 */
type Upload = { seconds: number; longTasks: number; busyMs: number; longestMs: number };

/** Uploads a file of `rows` codes on the administrators' page and returns the measured times. */
export async function measureUpload(browser: Browser, demo: Demo, rows: number): Promise<Upload> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-upload-'));
  const admin = storeSession(demo.url, await demo.signIn(DEMO_ADMIN));
  const context = await browser.newContext({ baseURL: demo.url, ...admin });
  try {
    const file = join(folder, 'codes.csv');
    await writeFile(file, `coupon_code\n${makeCodes(rows).join('\n')}\n`);
    const page = await context.newPage();
    await page.goto('/admin/coupons');
    await chooseProductOfFile(page, 'Coupons', PRODUCT);
    const readWork = await watchThread(page);
    await fileInput(page).setInputFiles(file);
    const bar = page.getByRole('progressbar', { name: 'Import of codes.csv' });
    const result = page.getByText(`${rows.toLocaleString('en')} created`).first();
    await waitForProgress(async () => {
      if (await result.isVisible()) return rows;
      return (await bar.isVisible()) ? Number(await bar.getAttribute('aria-valuenow')) : 0;
    }, rows);
    await result.waitFor();
    return await readWork();
  } finally {
    await context.close();
    await rm(folder, { recursive: true });
  }
}

async function watchThread(page: Page): Promise<() => Promise<Upload>> {
  await page.evaluate(() => {
    const watch = { durations: [] as number[], sinceMs: performance.now() };
    Object.assign(window, { watch });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) watch.durations.push(duration);
    }).observe({ type: 'longtask' });
  });
  return () =>
    page.evaluate(() => {
      const { durations, sinceMs } = (
        window as unknown as { watch: { durations: number[]; sinceMs: number } }
      ).watch;
      return {
        seconds: (performance.now() - sinceMs) / 1000,
        longTasks: durations.length,
        busyMs: durations.reduce((sum, duration) => sum + duration, 0),
        longestMs: Math.max(0, ...durations),
      };
    });
}
