import { expect, test } from 'vitest';
import { countStatuses, formatLeft, listForecast, needsCodes } from './stock.tsx';

const product = {
  ...{ product_id: '1', name: 'Tarnquill', shared_coupon: false, total: 1500, left: 1200 },
  ...{ codes: 1545, free: 1200, held: 280, revoked: 20, void: 40, expired: 5 },
  ...{ without_code: 300, short: 0, pace: 4.2, days_left: 285, expiring_first: 0, expires_on: null },
  forecast_at: '2026-03-20T12:00:00.000Z',
  unconfirmed: 2,
};

test('a choice says how many codes are left', () => {
  expect(formatLeft(product)).toBe('1,200 left');
  expect(formatLeft({ ...product, left: null })).toBe('shared code');
  expect(formatLeft(undefined)).toBeUndefined();
});

test('R-LIFE-34, R-DAY-20: codes are counted by status, of all products and of one, and each code has one status', () => {
  const all = countStatuses({ total: 10, available: 4, assigned: 2, revoked: 1, void: 2, expired: 1 });
  expect(all).toEqual({ all: 10, available: 4, assigned: 2, revoked: 1, void: 2, expired: 1 });
  const ofOne = countStatuses(product);
  expect(ofOne).toEqual({ all: 1545, available: 1200, assigned: 280, revoked: 20, void: 40, expired: 5 });
});

test('the rows of a shared code are counted as others; without figures, nothing is counted', () => {
  expect(countStatuses({ ...product, left: null })).toEqual(countStatuses(product));
  expect(countStatuses(undefined)).toBeUndefined();
});

test('R-DAY-68: a product says how long its codes last, and whether they are enough', () => {
  const said = (change: object) => listForecast({ ...product, ...change });
  expect(said({})).toEqual(['enough for all who have access', 'lasts about 285 days']);
  expect(said({ without_code: 0, days_left: 1 })).toEqual(['lasts about 1 day']);
  expect(said({ without_code: 0, days_left: 0 })).toEqual(['lasts less than a day']);
  expect(said({ without_code: 0, days_left: 365 })).toEqual(['lasts about 365 days']);
  expect(said({ without_code: 0, days_left: 366 })).toEqual(['lasts more than a year']);
  expect(said({ short: 1200 })).toEqual(['1,200 codes short if everybody claims', 'lasts about 285 days']);
  expect(said({ left: 0, short: 300, days_left: 0 })).toEqual(['300 codes short if everybody claims']);
  expect(said({ short: 1 })[0]).toBe('1 code short if everybody claims');
  expect(said({ expiring_first: 40, expires_on: '2026-03-23' })[2]).toBe(
    '40 will expire first (Mar 23, 2026)',
  );
  expect(listForecast(product, { withPace: true })[1]).toBe(
    'lasts about 285 days at the pace of the last 14 days (4.2 a day)',
  );
});

test('R-DAY-68: without a pace, the people without a code are the answer; without both, there are too few redemptions', () => {
  const none = { ...product, pace: null, days_left: null, expiring_first: null };
  expect(listForecast(none)).toEqual(['enough for all who have access']);
  expect(listForecast({ ...none, short: 2 })).toEqual(['2 codes short if everybody claims']);
  expect(listForecast({ ...none, without_code: 0 })).toEqual(['too few redemptions to say']);
  expect(listForecast(none, { withPace: true })).toEqual([
    'enough for all who have access',
    'too few redemptions to say',
  ]);
  // Paused: the pace is known, but nobody can redeem now.
  expect(listForecast({ ...product, without_code: 0, days_left: null, expiring_first: null })).toEqual([]);
  // Not counted yet, or an ended product or a shared code.
  expect(listForecast({ ...none, without_code: null, short: null, forecast_at: null })).toEqual([]);
});

test('R-DAY-68: codes are needed if none or few are left, somebody would get none, or they last less than 14 days', () => {
  expect(needsCodes(product)).toBe(false);
  expect(needsCodes({ ...product, days_left: 14 })).toBe(false);
  for (const change of [{ left: 0 }, { left: 149 }, { short: 1 }, { days_left: 13 }])
    expect(needsCodes({ ...product, ...change }), JSON.stringify(change)).toBe(true);
});
