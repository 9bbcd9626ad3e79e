import { expect, test } from 'vitest';
import { countStatuses, sayLeft } from './stock.ts';

const product = {
  ...{ product_id: '1', name: 'Tarnquill', shared_coupon: false, total: 1500, left: 1200 },
  ...{ revoked: 20, void: 40 },
};

test('a choice says how many codes are left', () => {
  expect(sayLeft(product)).toBe('1,200 left');
  expect(sayLeft({ ...product, left: null })).toBe('shared code');
  expect(sayLeft(undefined)).toBeUndefined();
});

test('R-LIFE-34: codes are counted by status, of all products and of one, and each code has one status', () => {
  const all = countStatuses({ total: 10, assigned: 3, revoked: 1, void: 2 });
  expect(all).toEqual({ all: 10, available: 5, assigned: 2, revoked: 1, void: 2 });
  const ofOne = countStatuses(product);
  expect(ofOne).toEqual({ all: 1540, available: 1200, assigned: 280, revoked: 20, void: 40 });
});

test('nothing is counted where the figures do not tell', () => {
  expect(countStatuses({ ...product, left: null })).toBeUndefined();
  expect(countStatuses(undefined)).toBeUndefined();
});
