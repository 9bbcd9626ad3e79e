// Runs Lighthouse with its default settings, which simulate a phone, on pages of a running server.
import { setTimeout as delay } from 'node:timers/promises';
import lighthouse, { type Flags } from 'lighthouse';
import { chromium } from 'playwright-core';
import { findFreePort } from '../server/test/postgres.ts';
import { median } from './format.ts';

const ROUNDS = 5;
/**
 * How often an audit is tried. Chromium's trace sometimes contains no start of the navigation. Lighthouse then reports
 * the error NO_NAVSTART and advises to repeat the audit.
 */
const TRIES = 3;
/**
 * Pause between the start of the browser and the audit. A browser that has just started is still busy with its own
 * start, which would make the audited page slower.
 */
const BROWSER_START_MS = 3000;

/**
 * Result of an audit: scores from 0 to 100, and times in milliseconds. `machine` is Lighthouse's `benchmarkIndex`: the
 * speed of this machine during the audit.
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
 * How Lighthouse estimates the times on a slow phone. `simulate` (its default) visits the page at full speed and
 * computes the times. `devtools` slows down network and processor during the visit.
 */
export type Throttling = 'simulate' | 'devtools';

/**
 * Audits each page five times and returns the medians for each page, in the order of `addresses`. Each round audits
 * every page once, so that other load on the machine affects all pages alike.
 */
export async function auditPages(addresses: readonly string[], throttling: Throttling): Promise<Audit[]> {
  for (const address of addresses) {
    const headers = { 'accept-encoding': 'br' };
    // Requests each page once before the audits, because the server compresses a page only at its first request.
    await (await fetch(address, { headers })).text();
  }
  const audits: Audit[][] = addresses.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, address] of addresses.entries())
      audits[index]?.push(await auditPage(address, throttling));
  }
  return audits.map(takeMedians);
}

/** Runs only the audits for best practices and SEO. Returns the failed audits, each as "id: details". */
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

/** Audits the page in a new browser, whose cache is empty. Throws if Lighthouse reports a runtime error. */
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
