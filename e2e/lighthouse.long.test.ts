// What Lighthouse says of a visitor's first view, beside a bare page of the same weight in the same run.
import { beforeAll, expect, test } from 'vitest';
import { measurePages, type PageFigures } from './harness/measure-pages.ts';

const MEASURING_MS = 1_200_000;
/** Of what a bare page that is painted first takes until its largest paint; measured 0.9. */
const BESIDE_BARE = 1.15;
/** How many points of performance a page may stay behind the bare one, which has 100; measured 1 to 5, with a script that blocks for 200 ms 22. */
const BEHIND_BARE = 12;

let figures: PageFigures;

beforeAll(async () => {
  figures = await measurePages();
  console.table(figures);
}, MEASURING_MS);

test.each(['home', 'product'] as const)(
  '%s: no fault that Lighthouse can find, and nothing moves',
  (page) => {
    expect(figures[page]).toMatchObject({ accessibility: 100, bestPractices: 100, seo: 100, cls: 0 });
  },
);

test.each(['home', 'product'] as const)(
  '%s: its largest paint comes hardly later than that of a bare page of the same weight, painted first too',
  (page) => {
    expect(figures[page].lcpMs / figures.early.lcpMs).toBeLessThanOrEqual(BESIDE_BARE);
  },
);

test.each(['home', 'product'] as const)('%s: what it does after its paint holds nobody up', (page) => {
  expect(figures.early.performance - figures[page].performance).toBeLessThanOrEqual(BEHIND_BARE);
});
