import { expect, test } from 'vitest';
import { countStatuses, sayLeft } from './stock.ts';

const product = { product_id: '1', name: 'Tarnquill', shared_coupon: false, total: 1500, left: 1200 };

test('a choice says how many codes are left', () => {
  expect(sayLeft(product)).toBe('1,200 left');
  expect(sayLeft({ ...product, left: null })).toBe('shared code');
  expect(sayLeft(undefined)).toBeUndefined();
});

test('codes are counted by status, of all products and of one', () => {
  expect(countStatuses({ total: 10, assigned: 3 })).toEqual({ all: 10, available: 7, assigned: 3 });
  expect(countStatuses(product)).toEqual({ all: 1500, available: 1200, assigned: 300 });
});

test('nothing is counted where the figures do not tell', () => {
  expect(countStatuses({ ...product, left: null })).toBeUndefined();
  expect(countStatuses(undefined)).toBeUndefined();
});
