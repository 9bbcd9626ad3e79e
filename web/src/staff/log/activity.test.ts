import { expect, test } from 'vitest';
import { changeFilter, readFilters, toParameters } from './activity.tsx';

const PRODUCT = '6d1c3a52-0000-4000-8000-000000000000';

test('N-73: who, person and product exclude one another; the others stay', () => {
  const filters = { what: 'codes', from: '2025-11-01', who: 'learner' };
  const byPerson = changeFilter(filters, 'person', 'jonas@example.com');
  expect(byPerson).toEqual({ what: 'codes', from: '2025-11-01', person: 'jonas@example.com' });
  expect(changeFilter(byPerson, 'product', PRODUCT)).not.toHaveProperty('person');
  expect(changeFilter(byPerson, 'person', '')).toEqual({ what: 'codes', from: '2025-11-01' });
});

test('a day that would turn the order around clears the other day', () => {
  const filters = { from: '2025-11-10', to: '2025-11-20' };
  expect(changeFilter(filters, 'from', '2025-11-25')).toEqual({ from: '2025-11-25' });
  expect(changeFilter(filters, 'to', '2025-11-05')).toEqual({ to: '2025-11-05' });
  expect(changeFilter(filters, 'to', '2025-11-10')).toEqual({ from: '2025-11-10', to: '2025-11-10' });
});

test('a URL that the user has changed never leads to a refused request', () => {
  expect(
    readFilters({ person: 'jonas', product: 'x', what: 'toString', from: '2025-13-40', to: '1' }),
  ).toEqual({});
  expect(readFilters({ who: 'learner', person: 'a@b.example', product: PRODUCT })).toEqual({
    who: 'learner',
  });
  expect(readFilters({ from: '2025-11-20', to: '2025-11-19' })).toEqual({ from: '2025-11-20' });
});

test('the parameters of the API have other names', () => {
  const filters = { what: 'sign-in', person: 'a@b.example', to: '2025-11-19' };
  expect(toParameters(filters)).toEqual({ kind: 'session,identity', email: 'a@b.example', to: '2025-11-19' });
  expect(toParameters({ who: 'learner' })).toEqual({ actor: 'learner' });
  expect(toParameters({ product: PRODUCT })).toEqual({ product_id: PRODUCT });
});
