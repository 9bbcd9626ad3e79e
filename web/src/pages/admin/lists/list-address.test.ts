import { expect, test } from 'vitest';
import { listRequest, readListState, writeListState } from './list-address.ts';

const filters = ['status', 'product_id'];

test('search, filters and page survive in the address', () => {
  const state = { q: 'ada+x@', filters: { status: 'assigned' }, cursors: ['950', '930-0616d61'] };
  const search = writeListState(state);
  expect(search).toBe('?q=ada%2Bx%40&status=assigned&at=950.930-0616d61');
  expect(readListState(search, filters)).toEqual(state);
});

test('nothing chosen leaves the address bare', () => {
  expect(writeListState({ q: '', filters: { status: '' }, cursors: [] })).toBe('');
  expect(readListState('', filters)).toEqual({ q: '', filters: {}, cursors: [] });
});

test('what does not belong to the list is ignored', () => {
  expect(readListState('?at=1.x&role=admin&status=', filters)).toEqual({ q: '', filters: {}, cursors: [] });
});

test('the server is asked for the page that the last cursor begins', () => {
  const state = { q: 'a b', filters: { status: 'available' }, cursors: ['950', '930'] };
  expect(listRequest('/api/coupons', state, 20)).toBe(
    '/api/coupons?limit=20&cursor=930&q=a+b&status=available',
  );
  expect(listRequest('/api/users', { q: '', filters: {}, cursors: [] }, 20)).toBe('/api/users?limit=20');
});
