// Measures pages in a browser: Lighthouse audits, clicks, and the upload of a large file.
import type { Browser } from 'playwright-core';
import { openBrowser } from '../e2e/harness/browser.ts';
import { DEMO_LEARNER, type Demo, startDemo } from '../e2e/harness/demo.ts';
import { recordTransfers, type Transfer } from '../e2e/harness/transfers.ts';
import { serveBarePage } from './bare-page.ts';
import { showOne, table } from './format.ts';
import { measureInteractions } from './interactions.ts';
import { type Audit, auditPages } from './lighthouse.ts';
import { measureUpload } from './upload.ts';

const NAMES = ['home', 'a product page', 'the bare page', 'the same, painted first'];
const TIMES = ['first paint', 'largest paint', 'blocked'];
const ROWS = 1_000_000;

/** Runs the benchmark. Returns its chapter of bench/results.md, as Markdown. */
export async function reportPages(): Promise<string> {
  const demo = await startDemo();
  try {
    const firstViews = await reportFirstViews(demo);
    const browser = await openBrowser();
    try {
      return [firstViews, await reportInteractions(browser, demo), await reportUpload(browser, demo)].join(
        '\n\n',
      );
    } finally {
      await browser.close();
    }
  } finally {
    await demo.stop();
  }
}

async function reportFirstViews(demo: Demo): Promise<string> {
  const [product] = await demo.listProducts(await demo.signIn(DEMO_LEARNER));
  const address = `${demo.url}/product/${product?.product_id}`;
  const bare = await serveBarePage(await measureTransfers(address));
  const addresses = [demo.url, address, bare.url, bare.earlyUrl];
  const simulated = await auditPages(addresses, 'simulate');
  const slowed = await auditPages(addresses, 'devtools');
  bare.close();
  const scores = ['performance', 'accessibility', 'best practices', 'SEO'];
  return `### First views

Lighthouse simulates a phone on slow 4G, for a visitor with an empty cache. Before an audit, the browser has started, and the server has
sent the page once. Each figure is the median of five rounds, in which the pages take turns.

The *bare page* is a page with only a heading. It has as many bytes of HTML, script and font as the product page, but they have no effect.
Its script is linked in the HTML. In the last row, the script loads after the first paint, as on the portal's pages (decision 0020).
Lighthouse's benchmark of the machine was ${showOne(simulated[0]?.machine ?? Number.NaN)}; Lighthouse calls a machine below 1,000 too slow for reliable results.

${table(['', ...scores, ...TIMES, 'shift'], describe(simulated, listAll))}

*Blocked* is Lighthouse's total blocking time: for each task after the first paint, the time beyond 50 ms, on a processor four times slower.
The simulated first paint of the portal's pages is earlier than the moment when the real browser begins with the page. So *blocked* can
contain the start of the browser, and the parsing, first styling and first layout of the page. The figure varies by 100 ms between runs.
React starts within 7 to 16 ms and hydrates in slices of 5 ms.

If network and processor are really slowed down (\`devtools\`), *blocked* counts from the observed first paint:

${table(['', 'performance', ...TIMES], describe(slowed, listPerformance))}`;
}

async function reportInteractions(browser: Browser, demo: Demo): Promise<string> {
  const rows = await measureInteractions(browser, demo);
  return `### Presses

Time of the page's main thread in milliseconds, on a processor four times slower, from a press until the frame that shows its effect. Within
100 ms, an effect looks immediate. *Bare* is a button that only sets an attribute, pressed on the same page in the same round.

${table(['press', 'milliseconds', 'bare', 'ratio'], rows)}

A quarter of the time for Login is Chromium's first styling of a page below a modal dialog. In a trial, the page was dimmed one frame earlier:
after 65 ms instead of 87. But the dialog was then shown only after 115 ms.`;
}

async function reportUpload(browser: Browser, demo: Demo): Promise<string> {
  const { seconds, longTasks, busyMs, longestMs } = await measureUpload(browser, demo, ROWS);
  const share = (busyMs / 1000 / seconds) * 100;
  return `### Upload of ${showOne(ROWS)} codes

An administrator uploads the file and watches its import into the embedded database, on the same machine. *Long tasks* are tasks of the
page's main thread that take over 50 ms. A press during a long task waits until the task ends.

${table(
  ['seconds', 'long tasks', 'their share of the time', 'the longest, ms'],
  [[showOne(seconds), showOne(longTasks), `${showOne(share, 1)} %`, showOne(longestMs)]],
)}`;
}

async function measureTransfers(address: string): Promise<Transfer[]> {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const readTransfers = recordTransfers(page);
    await page.goto(address, { waitUntil: 'networkidle' });
    return await readTransfers();
  } finally {
    await browser.close();
  }
}

function describe(audits: readonly Audit[], list: (audit: Audit) => string[]): string[][] {
  return audits.map((audit, index) => [NAMES[index] ?? '', ...list(audit)]);
}

function listAll(audit: Audit): string[] {
  const { accessibility, bestPractices, seo, cls } = audit;
  const [performance = '', ...times] = listPerformance(audit);
  return [performance, ...[accessibility, bestPractices, seo].map(String), ...times, cls.toFixed(3)];
}

function listPerformance({ performance, fcpMs, lcpMs, tbtMs }: Audit): string[] {
  return [String(performance), ...[fcpMs, lcpMs, tbtMs].map((ms) => `${showOne(ms)} ms`)];
}
