import { expect, test, vi } from 'vitest';
import { sliceList } from './slice-list.ts';

const rows = Array.from({ length: 45 }, (_row, i) => i);
const at = (...cursors: string[]) => ({ state: { q: 'x', filters: {}, cursors }, show: vi.fn() });

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
