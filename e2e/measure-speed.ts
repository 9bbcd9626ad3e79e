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
paint, as ours does (decision 0020). Below 1000 the machine has other work, and all times are too long. \`script/test --long\` holds the pages to it,
and \`script/test\` to the bytes.

*Blocked* counts what takes more than 50 ms of a phone, four times slower, after the first paint. In Lighthouse's reckoning a page that is painted so early is
painted before the browser has begun with it: the browser's own start counts, which is all that the last row has, and so do parsing the page (8 ms of this
machine's time) and styling and laying it out for the first time (25 ms), though nothing can be painted before. Scripts hardly count: React starts
within 10 to 16 ms and takes the page over in slices of five. On two cores, which the browser's processes share, the figure comes and goes by a hundred.

${table(['', ...SCORES, ...TIMES, 'shift'], rows)}

The same with line and processor slowed in fact (Lighthouse's \`devtools\`), where what is blocked is counted from the paint that was seen:

${table(['', 'performance', ...TIMES], slowedRows)}

## Presses

The work of the page's thread, four times slower, from a press until the frame that shows it, of 100 ms: 2026-11-22 a bare button took 24 ms, an
administrators' tab 33, a filter 53, Copy 95, Redeem Now 96, and Login 149, a quarter of it Chromium's first styling of a page under a modal dialog.
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
