import { expect, test } from 'vitest';
import { productIdOf, productPath } from './navigation.ts';

test('R-ENT-04: the id is read under either name', () => {
  expect(productIdOf({ product_id: 'a' })).toBe('a');
  expect(productIdOf({ productId: 'b' })).toBe('b');
});

test('R-HOME-13: an id is encoded in an address', () => {
  expect(productPath({ product_id: 'a/b' })).toBe('/product/a%2Fb');
});
