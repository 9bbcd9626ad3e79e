// What Lighthouse says of pages: mobile, simulated slow 4G, its own defaults.
import { setTimeout as delay } from 'node:timers/promises';
import lighthouse from 'lighthouse';
import { chromium } from 'playwright-core';
import { median } from '../../bench/figures.ts';
import { findFreePort } from '../../server/test/postgres.ts';

const ROUNDS = 5;
/** Now and then Chromium's trace lacks its beginning (NO_NAVSTART), and Lighthouse says to run it again. */
const TRIES = 3;
/** A browser goes on starting after it answers; until then Lighthouse finds the machine slower than it is. */
const BROWSER_STARTS_MS = 3000;
/** How often a page is asked for before it is kept as small as it will be (decision 0020). */
const UNTIL_KEPT = 2;

/** Scores of 0 to 100, times in milliseconds; `machine` is Lighthouse's own measure of the machine in that moment. */
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

/** `simulate`: worked out from a visit at full speed, Lighthouse's own way; `devtools`: line and processor are slowed. */
export type Slowing = 'simulate' | 'devtools';

/** Audits the pages in turn, five times, so that a loaded minute hits all; answers each one's medians. */
export async function auditPages(addresses: readonly string[], slowing: Slowing): Promise<Audit[]> {
  for (const address of addresses) {
    const headers = { 'accept-encoding': 'br' };
    for (let time = 0; time < UNTIL_KEPT; time += 1) await (await fetch(address, { headers })).text();
  }
  const audits: Audit[][] = addresses.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, address] of addresses.entries())
      audits[index]?.push(await auditPage(address, slowing));
  }
  return audits.map(takeMedians);
}

async function auditPage(address: string, slowing: Slowing): Promise<Audit> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await visit(address, slowing);
    } catch (error) {
      if (tries === TRIES) throw error;
      console.warn('a visit is made again:', error);
    }
  }
}

/** One visit in a browser of its own, so that nothing is cached. */
async function visit(address: string, slowing: Slowing): Promise<Audit> {
  const port = await findFreePort();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: [`--remote-debugging-port=${port}`],
  });
  try {
    await delay(BROWSER_STARTS_MS);
    const result = await lighthouse(address, { port, logLevel: 'error', throttlingMethod: slowing });
    if (!result || result.lhr.runtimeError)
      throw new Error(`${address}: ${result?.lhr.runtimeError?.message}`);
    const { categories, audits, environment } = result.lhr;
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
  } finally {
    await browser.close();
  }
}

function takeMedians(audits: Audit[]): Audit {
  const names = Object.keys(audits[0] ?? {}) as (keyof Audit)[];
  return Object.fromEntries(names.map((name) => [name, median(audits.map((audit) => audit[name]))])) as Audit;
}
