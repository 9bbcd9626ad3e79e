import { expect, test } from 'vitest';
import { axisOf, datedBars, sayDay } from './chart-scale.ts';

test.each([
  [0, [4, 3, 2, 1, 0]],
  [4, [4, 3, 2, 1, 0]],
  [5, [8, 6, 4, 2, 0]],
  [52, [60, 45, 30, 15, 0]],
  [100, [100, 75, 50, 25, 0]],
  [101, [120, 90, 60, 30, 0]],
  [12_345, [16_000, 12_000, 8000, 4000, 0]],
])('an axis up to %i is round', (highest, axis) => {
  expect(axisOf(highest)).toEqual(axis);
});

test('five days carry their date', () => {
  expect(datedBars(30)).toEqual([0, 7, 15, 22, 29]);
  expect(datedBars(2)).toEqual([0, 1]);
});

test('a day stays the same day in every time zone', () => {
  expect(sayDay('2026-11-06')).toMatch(/6/);
  expect(sayDay('2026-11-06', true)).toMatch(/2026/);
});
