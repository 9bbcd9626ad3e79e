import { expect, test } from 'vitest';
import { pathOf } from './calls.ts';

test('parameters of a path are replaced and encoded', () => {
  expect(pathOf({ path: '/api/products/:id' }, { id: 'a/b c' })).toBe('/api/products/a%2Fb%20c');
});
