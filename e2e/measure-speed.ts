// Writes docs/speed.md: `node e2e/measure-speed.ts`, after `npm run build`, on a machine that does nothing else.
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { table } from '../bench/figures.ts';
import type { Audit } from './harness/lighthouse.ts';
import { measurePages, type PageFigures } from './harness/measure-pages.ts';

const FILE = new URL('../docs/speed.md', import.meta.url);
const NAMES = {
  home: 'home',
  product: 'a product page',
  bare: 'the bare page',
  early: 'the same, painted first',
};
const SCORES = ['performance', 'accessibility', 'best practices', 'SEO'];
const TIMES = ['first paint', 'largest paint', 'blocked'];

await writeFile(FILE, describe(await measurePages(), await measurePages('devtools')));

function describe(figures: PageFigures, slowed: PageFigures): string {
  const pages = Object.keys(NAMES) as (keyof PageFigures)[];
  const rows = pages.map((page) => [NAMES[page], ...cells(figures[page])]);
  const slowedRows = pages.map((page) => [
    NAMES[page],
    `${slowed[page].performance}`,
    ...listTimes(slowed[page]),
  ]);
  const machine = `${availableParallelism()} cores of ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`;
  return `# How fast the pages are

Written by \`node e2e/measure-speed.ts\`. *${new Date().toISOString().slice(0, 10)}, on ${machine}; Lighthouse's own measure of the
machine: ${Math.round(figures.home.machine)}.*

Lighthouse, mobile, simulated slow 4G, a visitor without anything cached, a browser that has started and a server that was asked before: the
median of five rounds, in which the pages took turns. The bare page is a heading in a page of as many bytes as the product's, with as many bytes
of script and font, which do nothing: what that weight takes here anyway. Its script is linked as usual; in the last row it comes after the first
paint, as ours does (decision 0020). Of a machine below 1000 Lighthouse itself says that it is too slow to judge by. \`script/test --long\` holds the pages to it,
and \`script/test\` to the bytes.

*Blocked* counts what takes more than 50 ms of a phone, four times slower, after the first paint. In Lighthouse's reckoning a page that is painted so early is
painted before the browser has begun with it: the browser's own start counts, which is all that the last row has, and so do parsing the page (5 ms of
processor on a machine of 3300) and styling and laying it out for the first time (15 ms), though nothing can be painted before. Scripts hardly count: React
starts within 7 to 16 ms and takes the page over in slices of five. By the clock these take up to twice as long, because the browser's processes share
two cores, and the figure comes and goes by a hundred: on a machine of 1092 it was 101 and 153 ms for our two pages, and 58 for the last row.

${table(['', ...SCORES, ...TIMES, 'shift'], rows)}

The same with line and processor slowed in fact (Lighthouse's \`devtools\`), where what is blocked is counted from the paint that was seen:

${table(['', 'performance', ...TIMES], slowedRows)}

## Presses

The work of the page's thread, four times slower, from a press until the frame that shows it, of 100 ms: 2026-11-22, on a machine of 3500, a bare button
took 14 ms, an administrators' tab 25, a filter 36, Redeem Now 54, Copy 68, and Login 66 to 119 in four runs; on one of 1092, 24, 33, 53, 96, 95 and 149.
A quarter of Login is Chromium's first styling of a page under a modal dialog. To dim the page a frame earlier showed that after 65 ms instead of 87, but
the dialog after 115, and was left. As browsers report it (Event Timing, steps of 8 ms; nine visits): Login 88 pressed for 80 ms, as hands do, 120 in no time.
\`e2e/press.long.test.ts\` measures them and holds them to multiples of the bare one.

## Weight of a first visit

| | at most |
| --- | --- |
| script, home of a visitor, until the network is idle and nothing pressed | 85 kB |
| script, product page, also of a learner who gets a code | 115 kB |
| style sheets | 10.5 kB |
| fonts, visitor | 32 kB |
| fonts, learner | 54 kB |

Bytes as they come over the wire, in brotli; 1 kB is 1000 bytes.
`;
}

function cells(audit: Audit): string[] {
  const { performance, accessibility, bestPractices, seo, cls } = audit;
  const scores = [performance, accessibility, bestPractices, seo].map(String);
  return [...scores, ...listTimes(audit), cls.toFixed(3)];
}

function listTimes({ fcpMs, lcpMs, tbtMs }: Audit): string[] {
  return [fcpMs, lcpMs, tbtMs].map((ms) => `${Math.round(ms)} ms`);
}
