// What Lighthouse says of a visitor's first view, beside a bare page of the same weight in the same run.
import { beforeAll, expect, test } from 'vitest';
import { measurePages, type PageFigures } from './harness/measure-pages.ts';

const MEASURING_MS = 1_200_000;
/** Of what the bare page takes until its largest paint, with its script linked as usual; measured 0.6. */
const BESIDE_BARE = 0.85;

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
  '%s: its largest paint comes earlier than that of a bare page of the same weight',
  (page) => {
    expect(figures[page].lcpMs / figures.bare.lcpMs).toBeLessThanOrEqual(BESIDE_BARE);
  },
);
