import { expect, test, vi } from 'vitest';
import { column, listRequest, readListState, sliceList, sortRows, writeListState } from './list.tsx';

const filters = ['status', 'product_id'];

test('search, filters and page survive in the address', () => {
  const state = { q: 'ada+x@', filters: { status: 'assigned' }, cursors: ['950', '930-0616d61'] };
  const search = writeListState(state);
  expect(search).toBe('?q=ada%2Bx%40&status=assigned&at=950.930-0616d61');
  expect(readListState(search, filters)).toEqual(state);
});

test('what others keep in the address stays when the list changes', () => {
  const others = '?job=17&show=notes';
  const searched = writeListState({ q: 'ada', filters: {}, cursors: [] }, `${others}&at=950`, ['q', 'at']);
  expect(searched).toBe(`${others}&q=ada`);
  const filtered = { q: '', filters: { status: 'void' }, cursors: [] };
  const own = ['q', 'at', ...filters];
  expect(writeListState(filtered, `${others}&q=ada&product_id=1`, own)).toBe(`${others}&status=void`);
});

test('a list without pages leaves the page of another list as it is', () => {
  const timeline = { q: 'ada', filters: { show: '' }, cursors: [] };
  expect(writeListState(timeline, '?q=ada&at=950&show=notes', ['show'])).toBe('?q=ada&at=950');
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

const rows = Array.from({ length: 45 }, (_row, i) => i);
const at = (...cursors: string[]) => ({
  state: { q: 'x', filters: {}, cursors },
  show: vi.fn(),
  pageSize: 20,
});

test('pages follow each other, and the search stays', () => {
  const first = at();
  const page = sliceList(rows, first);
  expect([page.rows[0], page.rows.length, page.total]).toEqual([0, 20, 45]);
  expect(page.toPrevious).toBeUndefined();
  page.toNext?.();
  expect(first.show).toHaveBeenCalledWith({ q: 'x', filters: {}, cursors: ['20'] });
});

test('the last page leads back only', () => {
  const last = at('20', '40');
  const page = sliceList(rows, last);
  expect([page.before, page.rows]).toEqual([40, [40, 41, 42, 43, 44]]);
  expect(page.toNext).toBeUndefined();
  page.toPrevious?.();
  expect(last.show).toHaveBeenCalledWith({ q: 'x', filters: {}, cursors: ['20'] });
});

test('an address beyond the end shows an empty page, not an error', () => {
  expect(sliceList(rows, at('900')).rows).toEqual([]);
});

test('N-206: the number of a page survives in the address, and its rows begin at an offset', () => {
  const state = { q: '', filters: {}, cursors: [], page: 3 };
  expect(writeListState(state)).toBe('?page=3');
  expect(readListState('?page=3', filters)).toEqual(state);
  for (const page of ['1', '0', '-2', '2.5', 'x', '21', ''])
    expect(readListState(`?page=${page}`, filters), page).not.toHaveProperty('page');
  expect(listRequest('/api/users', state, 20)).toBe('/api/users?limit=20&offset=40');
  // The page after it begins at its cursor.
  expect(listRequest('/api/users', { ...state, cursors: ['950'] }, 20)).toBe(
    '/api/users?limit=20&cursor=950',
  );
});

test('N-206: a list of 2 to 20 pages has numbers, and each leads to its page', () => {
  const numbersOf = (count: number, state: object = {}) => {
    const { state: first, ...list } = at();
    return sliceList(Array.from({ length: count }), { ...list, state: { ...first, ...state } }).numbers;
  };
  expect(numbersOf(20)).toBeUndefined();
  expect(numbersOf(401)).toBeUndefined();
  expect(numbersOf(400)?.states).toHaveLength(20);
  const state = { q: 'x', filters: {}, cursors: [] };
  expect(numbersOf(45, { page: 2, cursors: ['40'] })).toEqual({
    current: 3,
    states: [state, { ...state, page: 2 }, { ...state, page: 3 }],
  });
});

test('N-206: from a page with a number, Next and Previous lead to the pages beside it', () => {
  const second = { ...at(), state: { q: 'x', filters: {}, cursors: [], page: 2 } };
  const page = sliceList(rows, second);
  expect([page.before, page.rows.length]).toEqual([20, 20]);
  page.toNext?.();
  expect(second.show).toHaveBeenLastCalledWith({ ...second.state, cursors: ['40'] });
  page.toPrevious?.();
  expect(second.show).toHaveBeenLastCalledWith({ q: 'x', filters: {}, cursors: [] });
});

test('N-205: the order survives in the address, and one that the list does not offer is ignored', () => {
  const state = { q: '', filters: {}, cursors: [], sort: '-name' };
  expect(writeListState(state)).toBe('?sort=-name');
  expect(readListState('?sort=-name', filters, ['name'])).toEqual(state);
  for (const sort of ['phone', '--name', ''])
    expect(readListState(`?sort=${sort}`, filters, ['name'])).not.toHaveProperty('sort');
  expect(listRequest('/api/users', state, 50)).toBe('/api/users?limit=50&sort=-name');
});

test('N-205: rows without a value come last in both directions, and equal rows keep their order', () => {
  type Row = { name: string; left: number | null };
  const columns = [
    column<Row>('Name', ({ name }) => name, { sort: 'name', sortedBy: ({ name }) => name }),
    column<Row>('Left', () => '', { sort: 'left', isDescending: true, sortedBy: ({ left }) => left }),
  ];
  const rows = [
    { name: 'b', left: 3 },
    { name: 'a', left: null },
    { name: 'c', left: 10 },
    { name: 'd', left: 3 },
  ];
  const sorted = (sort?: string) =>
    sortRows(rows, columns, sort)
      .map(({ name }) => name)
      .join('');
  expect([sorted(), sorted('name'), sorted('-name')]).toEqual(['bacd', 'abcd', 'dcba']);
  expect([sorted('left'), sorted('-left'), sorted('phone')]).toEqual(['cbda', 'bdca', 'bacd']);
});
