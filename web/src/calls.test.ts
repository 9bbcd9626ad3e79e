import * as contract from '@portal/contract';
import { expect, test } from 'vitest';
import * as calls from './calls.ts';

const { pathOf, ...made } = calls;

test.each(Object.entries(made))('%s has the method and path of the contract', (name, call) => {
  const promised = contract[name as keyof typeof made];
  expect({ method: call.method, path: call.path }).toEqual({ method: promised.method, path: promised.path });
});

test('parameters of a path are replaced and encoded', () => {
  expect(pathOf({ path: '/api/products/:id' }, { id: 'a/b c' })).toBe('/api/products/a%2Fb%20c');
});
