import { expect, test } from 'vitest';
import { datedDays, formatChartDay, describe as formatDays, scaleOf, sortStock } from './dashboard.tsx';

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

const product = (name: string, numbers: object = {}) => ({
  ...{ product_id: name, name, shared_coupon: false, left: 50, total: 100 },
  ...{ codes: 100, free: 50, held: 50, revoked: 0, void: 0, expired: 0, archived: false },
  ...{ without_code: 0, short: 0, pace: null, days_left: null, expiring_first: 0, expires_on: null },
  ...{ forecast_at: null, unconfirmed: 0 },
  ...numbers,
});

test('R-DAY-68: the stock card has first the products that need codes, then the others by name', () => {
  const stock = [
    product('Zeta'),
    product('Shared', { shared_coupon: true, left: null }),
    product('Few days', { days_left: 13 }),
    product('Low', { left: 9 }),
    product('None', { left: 0 }),
    product('Short', { short: 1 }),
    product('Alpha', { days_left: 14 }),
  ];
  const names = ['None', 'Low', 'Few days', 'Short', 'Alpha', 'Shared', 'Zeta'];
  expect(sortStock(stock).map(({ name }) => name)).toEqual(names);
});
