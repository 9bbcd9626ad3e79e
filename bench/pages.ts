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

Lighthouse as a phone on simulated slow 4G, for a visitor without anything cached. The browser has started, and the server has served the page
before. Each figure is the median of five rounds in which the pages took turns. The *bare page* is a heading in as many bytes of HTML as the product
page, with as many bytes of script and font, which do nothing. Its script is linked; in the last row the script comes after the first paint, as
ours does (decision 0020). Lighthouse's benchmark of the machine was ${showOne(simulated[0]?.machine ?? Number.NaN)}; it calls a machine below 1,000 too slow to judge by.

${table(['', ...scores, ...TIMES, 'shift'], describe(simulated, listAll))}

*Blocked* is Lighthouse's total blocking time: of each task after the first paint, what exceeds 50 ms on a processor four times slower. The
simulation puts our first paint before the browser has begun with the page. So it counts the start of the browser, which is all of the last row,
and the parsing, the first styling and the first layout of our pages. React starts within 7 to 16 ms and hydrates in slices of 5 ms. The
figure varies by 100 ms between runs.

With network and processor slowed in fact (\`devtools\`), *blocked* counts from the paint that was seen:

${table(['', 'performance', ...TIMES], describe(slowed, listPerformance))}`;
}

async function reportInteractions(browser: Browser, demo: Demo): Promise<string> {
  const rows = await measureInteractions(browser, demo);
  return `### Presses

Work of the page's thread in milliseconds, on a processor four times slower, from a press until the frame that shows its effect. People take an
effect within 100 ms for immediate. *Bare* is a button that sets one attribute, pressed on the same page in the same round.

${table(['press', 'milliseconds', 'bare', 'ratio'], rows)}

A quarter of Login is Chromium's first styling of a page under a modal dialog. Dimming the page one frame earlier was tried: the page was dimmed
after 65 ms instead of 87, and the dialog was shown after 115.`;
}

async function reportUpload(browser: Browser, demo: Demo): Promise<string> {
  const { seconds, longTasks, busyMs, longestMs } = await measureUpload(browser, demo, ROWS);
  const share = (busyMs / 1000 / seconds) * 100;
  return `### Upload of ${showOne(ROWS)} codes

The tab of an administrator who uploads the file and follows its import into the embedded database on the same machine. *Long tasks* are those of
the page's thread beyond 50 ms: a press meanwhile waits for them.

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
