import type { ImportState } from '@portal/contract';
import { de } from '@portal/contract/german';
import { afterEach, expect, test, vi } from 'vitest';
import { setCurrentLocale } from '../../words/format.ts';
import { createImportRuns, progressOf, runOf, sayTimeLeft } from './follow.ts';

afterEach(() => setCurrentLocale({ language: 'en', locale: 'en', catalogue: null }));

const said: ImportState = {
  id: 'i-1',
  kind: 'users',
  file_name: null,
  state: 'running',
  reason: null,
  rows_done: 10,
  rows_total: 40,
  results: null,
  errors_count: 0,
  errors: [],
  created_at: '2026-11-20T10:00:00.000Z',
  created_by: null,
  product_id: null,
  batch_id: null,
  checking: false,
  waits: false,
  preview: null,
  found: null,
  ignored: [],
};
const run = runOf(said);

test('a run of another page is shown as far as it has come', () => {
  expect(run).toMatchObject({ fileName: 'CSV file', rowsDone: 10, rowsTotal: 40, state: 'running' });
});

test('news of a run that was dismissed or replaced are not taken', () => {
  const runs = createImportRuns();
  const heard = vi.fn();
  runs.subscribe(heard);
  runs.start(run);
  runs.update('i-1', 'users', { rowsDone: 20 });
  expect(runs.get('users')?.rowsDone).toBe(20);
  runs.update('i-0', 'users', { rowsDone: 30 });
  expect(runs.get('users')?.rowsDone).toBe(20);
  runs.remove('users');
  runs.update('i-1', 'users', { rowsDone: 40 });
  expect(runs.get('users')).toBeUndefined();
  expect(heard).toHaveBeenCalledTimes(3);
});

test('the bar never goes back', () => {
  expect(progressOf(said, 25)).toEqual({ rowsDone: 25, rowsTotal: 40, waits: false });
});

test('the time left follows the speed so far', () => {
  const at = (ms: number) => run.startedAtMs + ms;
  expect(sayTimeLeft(run, at(1000))).toBe('');
  expect(sayTimeLeft(run, at(5000))).toBe('about 15 seconds left');
  expect(sayTimeLeft(run, at(60_000))).toBe('about 3 minutes left');
  expect(sayTimeLeft({ ...run, rowsDone: 0 }, at(60_000))).toBe('');
});

test('R-IMP-16, C-11: on a German page, the reason of the server is German', () => {
  const reason = 'This looks like a file of users (email, name). You are uploading codes.';
  const refused: ImportState = { ...said, state: 'refused', reason };
  expect(runOf(refused).reason).toBe(reason);
  setCurrentLocale({ language: 'de', locale: 'de-DE', catalogue: de });
  expect(runOf(refused).reason).toMatch(/^Das sieht nach /);
});
