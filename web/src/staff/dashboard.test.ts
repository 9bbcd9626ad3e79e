import { expect, test } from 'vitest';
import { datedDays, formatChartDay, describe as formatDays, scaleOf } from './dashboard.tsx';

const july = (count: number) =>
  Array.from({ length: count }, (_day, i) => ({
    day: `2026-07-${String(i + 1).padStart(2, '0')}`,
    count: i,
  }));

test('five days carry their date, the first and the last among them', () => {
  expect(datedDays(july(30)).map((day) => Number(day.slice(8)))).toEqual([1, 8, 16, 23, 30]);
  expect(datedDays(july(2))).toHaveLength(2);
  expect(datedDays([])).toEqual([]);
});

test('a day stays the same day in every time zone', () => {
  expect(formatChartDay('2026-11-06')).toMatch(/6/);
  expect(formatChartDay('2026-11-06', true)).toMatch(/2026/);
});

test('the chart says its span, its total and its highest day', () => {
  expect(formatDays(july(4))).toBe(
    `Redemptions per day, ${formatChartDay('2026-07-01')} to ${formatChartDay('2026-07-04')}. 6 in total, highest 3 on ${formatChartDay('2026-07-04')}.`,
  );
  expect(formatDays(july(1))).toMatch(/0 in total\.$/);
});

test.each([
  [0, 4],
  [4, 4],
  [5, 8],
  [21, 24],
  [40, 40],
  [41, 60],
  [1999, 2000],
  [2001, 2400],
])('a highest day of %i is drawn on a scale of five round figures up to %i', (count, top) => {
  expect(scaleOf([{ day: '2026-07-01', count }])).toEqual([0, 1, 2, 3, 4].map((part) => (part * top) / 4));
});
