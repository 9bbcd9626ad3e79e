import { expect, test } from 'vitest';
import { countStatuses, formatLeft } from './stock.tsx';

const product = {
  ...{ product_id: '1', name: 'Tarnquill', shared_coupon: false, total: 1500, left: 1200 },
  ...{ codes: 1545, free: 1200, held: 280, revoked: 20, void: 40, expired: 5 },
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
