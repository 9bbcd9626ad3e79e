// Runs Lighthouse with its default settings, which simulate a phone, on pages of a running server.
import { setTimeout as delay } from 'node:timers/promises';
import lighthouse, { type Flags } from 'lighthouse';
import { chromium } from 'playwright-core';
import { findFreePort } from '../server/test/postgres.ts';
import { median } from './format.ts';

const ROUNDS = 5;
/**
 * Chromium's trace sometimes has no navigation start (error NO_NAVSTART); Lighthouse advises to run the audit again.
 */
const TRIES = 3;
/**
 * Delay after the start of a browser. The browser continues start-up work after its first response, and Lighthouse
 * would measure a slower machine.
 */
const BROWSER_START_MS = 3000;

/**
 * Scores from 0 to 100, times in milliseconds. `machine` is Lighthouse's speed index of the machine during the audit.
 */
export type Audit = {
  performance: number;
  accessibility: number;
  bestPractices: number;
  seo: number;
  fcpMs: number;
  lcpMs: number;
  tbtMs: number;
  cls: number;
  machine: number;
};

/**
 * `simulate` (Lighthouse's default): times are computed from an unthrottled visit. `devtools`: the visit is throttled.
 */
export type Throttling = 'simulate' | 'devtools';

/**
 * Audits all pages five times, alternating between pages, so that a busy machine affects all. Returns medians per page.
 */
export async function auditPages(addresses: readonly string[], throttling: Throttling): Promise<Audit[]> {
  for (const address of addresses) {
    const headers = { 'accept-encoding': 'br' };
    // The server compresses a page at its first request.
    await (await fetch(address, { headers })).text();
  }
  const audits: Audit[][] = addresses.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, address] of addresses.entries())
      audits[index]?.push(await auditPage(address, throttling));
  }
  return audits.map(takeMedians);
}

/** Returns the failed audits for best practices and SEO, each as "id: details". Does not measure speed. */
export async function listFailedAudits(address: string): Promise<string[]> {
  const onlyCategories = ['best-practices', 'seo'];
  const flags: Flags = { throttlingMethod: 'provided', onlyCategories, disableFullPageScreenshot: true };
  const { categories, audits } = await visit(address, flags);
  const weighted = onlyCategories.flatMap((category) => categories[category]?.auditRefs ?? []);
  const scored = weighted.filter(({ id, weight }) => weight > 0 && audits[id]?.score != null);
  if (scored.length === 0) throw new Error(`Lighthouse scored nothing of ${address}`);
  const failed = scored.filter(({ id }) => audits[id]?.score !== 1);
  return failed.map(({ id }) => `${id}: ${JSON.stringify(audits[id]?.details ?? audits[id]?.title)}`);
}

async function auditPage(address: string, throttlingMethod: Throttling): Promise<Audit> {
  const { categories, audits, environment } = await visit(address, { throttlingMethod });
  const score = (category: string) => Math.round((categories[category]?.score ?? 0) * 100);
  const value = (audit: string) => audits[audit]?.numericValue ?? Number.NaN;
  return {
    performance: score('performance'),
    accessibility: score('accessibility'),
    bestPractices: score('best-practices'),
    seo: score('seo'),
    fcpMs: value('first-contentful-paint'),
    lcpMs: value('largest-contentful-paint'),
    tbtMs: value('total-blocking-time'),
    cls: value('cumulative-layout-shift'),
    machine: environment.benchmarkIndex,
  };
}

async function visit(address: string, flags: Flags) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await visitOnce(address, flags);
    } catch (error) {
      if (tries === TRIES) throw error;
      console.warn('Lighthouse visits the page again:', error);
    }
  }
}

/** Audits the page once in a new browser, so that nothing is cached. Throws if Lighthouse reports a runtime error. */
async function visitOnce(address: string, flags: Flags) {
  const port = await findFreePort();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: [`--remote-debugging-port=${port}`],
  });
  try {
    if (flags.throttlingMethod !== 'provided') await delay(BROWSER_START_MS);
    const result = await lighthouse(address, { port, logLevel: 'error', ...flags });
    if (!result || result.lhr.runtimeError)
      throw new Error(`${address}: ${result?.lhr.runtimeError?.message}`);
    return result.lhr;
  } finally {
    await browser.close();
  }
}

function takeMedians(audits: Audit[]): Audit {
  const names = Object.keys(audits[0] ?? {}) as (keyof Audit)[];
  return Object.fromEntries(names.map((name) => [name, median(audits.map((audit) => audit[name]))])) as Audit;
}
