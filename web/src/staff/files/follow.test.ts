import type { ImportState } from '@portal/contract';
import { environmentManager } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../api.ts';
import { queryClient } from '../../queries.ts';
import { toasts } from '../../ui/toast-store.ts';
import {
  createUploads,
  follow,
  formatTimeLeft,
  importQuery,
  newJob,
  newUpload,
  openUpload,
  startChecked,
  uploads,
  withoutStepBack,
} from './follow.ts';

/** What the server knows: the state of the job, or the status of its refusal. Undefined while it does not respond. */
let answer: ImportState | number | undefined;
let asked: string[] = [];
let told: { title: string; description?: string | undefined }[] = [];
let stopListening: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', { activeElement: null, body: null, getElementById: () => null });
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    if (answer === undefined) throw new TypeError('Failed to fetch');
    if (path === '/api/admin/imports') return Response.json(typeof answer === 'number' ? [] : [answer]);
    const json = { code: answer === 403 ? 'role_too_low' : 'import_not_found' };
    return typeof answer === 'number' ? Response.json(json, { status: answer }) : Response.json(answer);
  });
  environmentManager.setIsServer(() => false);
  answer = undefined;
  asked = [];
  told = [];
  stopListening = toasts.subscribe(() => {
    const [newest] = toasts.get();
    if (newest?.open) told.push({ title: newest.title, description: newest.description });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  environmentManager.setIsServer(() => true);
  queryClient.clear();
  stopListening();
});

const RESULTS = { success: 9, failures: 1, duplicates: 0, productAccess: 0, generated: 0, total: 10 };
const done = (job: ImportState): ImportState => ({
  ...job,
  state: 'done',
  rows_done: 10,
  rows_total: 10,
  results: RESULTS,
});

/** Sends a file. Returns its job, and functions that make the call succeed or fail. */
function send(checking = false) {
  const job = newJob('coupons', 'a.csv', checking);
  const call = Promise.withResolvers<void>();
  uploads.show(newUpload(job));
  follow(job, () => call.promise);
  return { job, succeed: () => call.resolve(), reject: (error: unknown) => call.reject(error) };
}

const stateOf = ({ id }: ImportState) => queryClient.getQueryData(importQuery(id).queryKey);
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
const titles = () => told.map(({ title }) => title);

test('R-IMP-16: a file that is sent is looked for in the list, and then polled, until its call has ended', async () => {
  const { job, succeed } = send();
  answer = 404;
  await seconds(2.5);
  expect(asked).toEqual(['/api/admin/imports', '/api/admin/imports']);
  answer = { ...job, rows_done: 3, rows_total: 10 };
  await seconds(2);
  expect(asked.slice(2)).toEqual(['/api/admin/imports', `/api/admin/imports/${job.id}`]);
  expect(stateOf(job)).toMatchObject({ rows_done: 3 });

  answer = done(job);
  succeed();
  await seconds(0.1);
  expect(stateOf(job)).toMatchObject({ state: 'done', results: RESULTS });
  expect(told).toEqual([
    { title: 'Import Complete', description: '9 created, 0 duplicates skipped, 1 failed' },
  ]);
  expect(uploads.get('coupons')?.job).toMatchObject({ state: 'done' });
  const before = asked.length;
  await seconds(10);
  expect(asked).toHaveLength(before);
});

test('R-IMP-02: the state before the start of a checked file does not count as the end of its import', async () => {
  const checked = { ...newJob('coupons', 'checked.csv'), state: 'checked' as const };
  answer = checked;
  queryClient.setQueryData(importQuery(checked.id).queryKey, checked);
  uploads.show(newUpload(checked));
  const started = Promise.withResolvers<Response>();
  const read = fetch;
  vi.stubGlobal('fetch', (path: string) => (path.endsWith('/start') ? started.promise : read(path)));
  startChecked(newUpload(checked));
  await seconds(3);
  expect(stateOf(checked)).toMatchObject({ state: 'running', rows_done: 0 });
  answer = done(checked);
  started.resolve(Response.json({}));
  await seconds(0.1);
  expect(titles()).toEqual(['Import Complete']);
});

test.each([
  ['a lost connection', new TypeError('Failed to fetch')],
  ['502', new ApiError(502, 'Bad Gateway', '')],
  ['503', new ApiError(503, 'Service Unavailable', '')],
  ['504', new ApiError(504, 'Gateway Timeout', '')],
])(
  'after %s the import is followed on, also if the server is away for nearly two minutes',
  async (_what, error) => {
    const { job, reject } = send();
    reject(error);
    await seconds(115);
    expect(told).toEqual([]);
    answer = { ...job, rows_done: 3, rows_total: 10 };
    await seconds(2);
    expect(stateOf(job)).toMatchObject({ rows_done: 3 });
    answer = undefined;
    await seconds(115);
    answer = done(job);
    await seconds(2);
    expect(titles()).toEqual(['Import Complete']);
  },
);

test('an import is given up if the server does not respond for two minutes, or does not know it', async () => {
  const away = send();
  away.reject(new TypeError('Failed to fetch'));
  await seconds(125);
  expect(titles()).toEqual(['Error']);
  expect(uploads.get('coupons')).toBeUndefined();

  answer = 404;
  const unknown = send();
  unknown.reject(new ApiError(502, 'Bad Gateway', ''));
  await seconds(0.1);
  expect(told.at(-1)).toMatchObject({ description: 'Failed to import coupons' });
});

test('R-IMP-05: a file that the server refuses stays on the page with the reason, and is not asked for again', async () => {
  const { reject } = send();
  const reason = 'This looks like a file of users (email, name). You are uploading codes.';
  reject(new ApiError(400, 'Bad Request', JSON.stringify({ code: 'invalid_csv', message: reason })));
  await seconds(5);
  expect(uploads.get('coupons')?.job).toMatchObject({ state: 'refused', file_name: 'a.csv', reason });
  expect(asked).toEqual([]);
});

test('R-VAL-31: a session that has ended is said in words of its own', async () => {
  const { reject } = send();
  reject(new ApiError(401, 'Unauthorized', ''));
  await seconds(0.1);
  expect(titles()).toEqual(['Authentication Required']);
  expect(uploads.get('coupons')).toBeUndefined();
});

test('R-TEAM-21: an import is not asked for any more after the role was lowered', async () => {
  const job = newJob('coupons', 'a.csv');
  answer = job;
  uploads.show(newUpload(job));
  follow(job);
  await seconds(2);
  answer = 403;
  await seconds(1);
  expect(told).toEqual([]);
  expect(uploads.get('coupons')).toBeUndefined();
  const before = asked.length;
  await seconds(10);
  expect(asked).toHaveLength(before);
});

test.each([
  ['users', ['Authentication Required']],
  ['products', []],
] as const)('an import of %s is not asked for any more after the session has ended', async (kind, said) => {
  const job = newJob(kind, 'a.csv');
  answer = job;
  uploads.show(newUpload(job));
  follow(job);
  await seconds(2);
  answer = 401;
  await seconds(1);
  expect(titles()).toEqual(said);
  expect(uploads.get(kind)).toBeUndefined();
  const before = asked.length;
  await seconds(10);
  expect(asked).toHaveLength(before);
});

test('R-IMP-16: only an upload that has ended takes the focus when it is opened', async () => {
  const job = newJob('coupons', 'a.csv');
  answer = job;
  await openUpload(job);
  expect(uploads.get('coupons')).toMatchObject({ job: { state: 'running' }, isNew: false });
  answer = done(job);
  await openUpload(job);
  expect(uploads.get('coupons')).toMatchObject({ job: { state: 'done' }, isNew: true });
});

test('R-IMP-16: a cancelled import shows its counts, a cancelled check nothing', async () => {
  const cancelled = new ApiError(409, 'Conflict', '{"code":"cancelled"}');
  const first = send();
  answer = { ...first.job, state: 'cancelled', rows_done: 4 };
  first.reject(cancelled);
  await seconds(0.1);
  expect(uploads.get('coupons')?.job).toMatchObject({ state: 'cancelled', rows_done: 4 });

  const check = send(true);
  answer = { ...check.job, state: 'cancelled', checking: false };
  check.reject(cancelled);
  await seconds(0.1);
  expect(uploads.get('coupons')).toBeUndefined();
  expect(titles()).toEqual(['Import Cancelled', 'Check Cancelled']);
});

test('an import whose page shows another upload ends with its toast, and leaves the page as it is', async () => {
  const { job, succeed } = send();
  const other = newUpload(done(newJob('coupons', 'other.csv')));
  uploads.show(other);
  answer = done(job);
  succeed();
  await seconds(0.1);
  expect(titles()).toEqual(['Import Complete']);
  expect(uploads.get('coupons')).toBe(other);
});

test('changes of an upload that was dismissed or replaced are not taken', () => {
  const store = createUploads();
  const heard = vi.fn();
  store.subscribe(heard);
  const [job, other] = [newJob('users', 'a.csv'), newJob('users', 'b.csv')];
  store.show(newUpload(job));
  store.update(job, { endedAtMs: 20 });
  expect(store.get('users')?.endedAtMs).toBe(20);
  store.update(other, { endedAtMs: 30 });
  store.hide(other);
  expect(store.get('users')?.endedAtMs).toBe(20);
  store.hide(job);
  store.update(job, { endedAtMs: 40 });
  expect(store.get('users')).toBeUndefined();
  expect(heard).toHaveBeenCalledTimes(3);
});

test('the bar never goes back, but for the import of a file that was checked', () => {
  const at = (rows_done: number, more: Partial<ImportState> = {}) => ({ ...job, rows_done, ...more });
  const job = newJob('users', 'a.csv');
  expect(withoutStepBack(at(25), at(10)).rows_done).toBe(25);
  expect(withoutStepBack(at(25), at(30)).rows_done).toBe(30);
  expect(withoutStepBack(at(25, { checking: true }), at(10)).rows_done).toBe(10);
  expect(withoutStepBack(at(25), at(10, { state: 'failed' })).rows_done).toBe(10);
});

test('the time left follows the speed so far', () => {
  const upload = (rows_done: number) => newUpload({ ...newJob('users', 'a.csv'), rows_done, rows_total: 40 });
  const { startedAtMs } = upload(10);
  const t = (ms: number, rows = 10) => formatTimeLeft({ ...upload(rows), startedAtMs }, startedAtMs + ms);
  expect(t(1000)).toBe('');
  expect(t(5000)).toBe('about 15 seconds left');
  expect(t(60_000)).toBe('about 3 minutes left');
  expect(t(60_000, 0)).toBe('');
});
