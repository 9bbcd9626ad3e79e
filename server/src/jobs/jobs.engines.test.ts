// Tests the job queue. Each job ends as done, failed or cancelled, even if its process crashes.
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { createTestClock, type TestClock } from '../../test/open-test-sign-in.ts';
import { createTestJobs } from '../../test/test-jobs.ts';
import type { Database, Row } from '../db/database.ts';
import { currentOrigin, type Origin, UNKNOWN_ORIGIN, withOrigin } from '../features/log/audit.sql.ts';
import { JOB_KINDS } from './job-kinds.ts';
import { listFailedJobs, listJobs, measureJobs } from './job-lists.sql.ts';
import { createJobWorker } from './job-worker.ts';
import {
  cancelJob,
  claimJobs,
  deleteEndedJobs,
  enqueueJob,
  enqueueRunningJob,
  finishJob,
  type Job,
  postponeJob,
  renewJob,
  retryJobs,
} from './jobs.sql.ts';
import { JobFailure, type JobHandlers } from './run-job.ts';

let db: Database;
let clock: TestClock;
beforeAll(async () => {
  db = await openTestDatabase();
});
beforeEach(async () => {
  clock = createTestClock();
  await db.query('delete from job');
});
afterAll(() => db.close());

/** Runs each due job of the lane once. */
async function runDue(handlers: JobHandlers, lane: 'mail' | 'import' | 'upkeep' = 'mail'): Promise<void> {
  const jobs = createTestJobs(db, handlers, { now: clock.now });
  jobs.wake(lane);
  await jobs.close();
}

const enqueue = (key: string, data = {}) => enqueueJob(db, { kind: 'stock-mail', key, data }, clock.now());
const list = async () =>
  (await listJobs(db, { failed: false, limit: 100 })).map(({ key, state }) => [key, state]);
const claimMails = (limit = 10) =>
  claimJobs(db, { lane: 'mail', kinds: ['sign-in-mail', 'stock-mail'], limit }, clock.now());
const fails = (message = 'no answer') => ({
  'stock-mail': { run: () => Promise.reject(new Error(message)) },
});

test('a job enqueued in a transaction that is rolled back never runs', async () => {
  const undone = db.transaction(async (tx) => {
    await enqueueJob(tx, { kind: 'stock-mail', key: 'a' }, clock.now());
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await list()).toEqual([]);
});

test('R-TRAIL-02: a job names the origin of the request that added it; a job whose data names an actor has none', async () => {
  const origin: Origin = { ip: '192.0.2.7', actor: { id: '1', email: 'noor@example.org', name: null } };
  const seen: Origin[] = [];
  const handlers: JobHandlers = { 'notice-mail': { run: async () => seen.push(currentOrigin()) } };
  const add = (key: string) => {
    const job = {
      kind: 'notice-mail' as const,
      key,
      data: { about: 'owner@example.org', actor: 'a@example.org' },
    };
    return enqueueRunningJob(db, job, clock.now());
  };
  const known = await withOrigin(origin, () => add('known'));
  expect(known?.data).toMatchObject({ actor: 'a@example.org' });
  await createTestJobs(db, handlers, { now: clock.now }).run(known as Job);
  await createTestJobs(db, handlers, { now: clock.now }).run((await add('unknown')) as Job);
  expect(seen).toEqual([origin, UNKNOWN_ORIGIN]);
});

test('a job that is enqueued twice runs once', async () => {
  await enqueue('a');
  await enqueue('a');
  const ran: string[] = [];
  await runDue({ 'stock-mail': { run: async ({ key }) => void ran.push(key) } });
  expect(ran).toEqual(['a']);
  expect(await list()).toEqual([]);
});

test('sign-in mails run before other mails, and within a priority the oldest first', async () => {
  await enqueue('first');
  clock.advance(1);
  await enqueue('second');
  await enqueueJob(db, { kind: 'sign-in-mail', key: 'urgent' }, clock.now());
  const keys: string[] = [];
  for (let turn = 0; turn < 3; turn += 1) keys.push(...(await claimMails(1)).map(({ key }) => key));
  expect(keys).toEqual(['urgent', 'first', 'second']);
});

test('a job is retried after growing pauses, and then has failed with its reason', async () => {
  await enqueue('a', { about: 'ada@example.org' });
  for (const seconds of JOB_KINDS['stock-mail'].retrySeconds) {
    await runDue(fails());
    expect(await list()).toEqual([['a', 'waiting']]);
    clock.advance(seconds - 0.001);
    expect(await claimMails()).toEqual([]);
    clock.advance(0.001);
  }
  await runDue(fails('554 nobody is ada@example.org here'));
  expect(await list()).toEqual([['a', 'failed']]);
  expect(await listFailedJobs(db, 10)).toEqual([
    {
      kind: 'stock-mail',
      reason: '554 nobody is … here',
      about: 'ada@example.org',
      count: 1,
      since: clock.now().toISOString(),
    },
  ]);
  clock.advance(86_400);
  expect(await claimMails()).toEqual([]);
});

test('the pauses between tries vary by a tenth, so that jobs that failed together do not run together again', async () => {
  const due: number[] = [];
  for (const random of [0, 0.999]) {
    await db.query('delete from job');
    await enqueue('a');
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const jobs = createJobWorker({ db, handlers: fails(), now: clock.now, random: () => random, log });
    jobs.wake('mail');
    await jobs.close();
    const [job] = await listJobs(db, { failed: false, limit: 1 });
    due.push(new Date(job?.due_at ?? '').getTime() - clock.now().getTime());
  }
  expect(due).toEqual([900, 1099]);
});

test('a final failure is not retried', async () => {
  await enqueue('a');
  await runDue({ 'stock-mail': { run: () => Promise.reject(new JobFailure('refused')) } });
  expect(await list()).toEqual([['a', 'failed']]);
});

test('another process runs the job of a dead one when the lease ends, not before; a late result changes nothing', async () => {
  await enqueue('a');
  const [dead] = await claimMails();
  clock.advance(89.999);
  expect(await claimMails()).toEqual([]);
  clock.advance(0.001);
  const [alive] = await claimMails();
  expect(alive).toMatchObject({ key: 'a', tries: 2 });
  if (!dead || !alive) throw new Error('not claimed');
  await postponeJob(db, dead, clock.now(), 'late');
  await finishJob(db, dead);
  expect(await list()).toEqual([['a', 'running']]);
  await finishJob(db, alive);
  expect(await list()).toEqual([]);
});

test('R-MAP-30: no other process runs a mail that its mail server takes ten minutes to accept', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  await enqueue('a');
  const accepts: (() => void)[] = [];
  const run = () => new Promise<void>((resolve) => accepts.push(resolve));
  const jobs = createTestJobs(db, { 'stock-mail': { run } }, { now: clock.now });
  jobs.wake('mail');
  await expect.poll(() => accepts.length).toBe(1);
  for (let seconds = 0; seconds < 600; seconds += 30) {
    clock.advance(30);
    vi.advanceTimersByTime(30_000);
    const renewed = 'select 1 from job where due_at = $1';
    const end = new Date(clock.now().getTime() + 90_000).toISOString();
    await expect.poll(async () => (await db.query(renewed, [end])).rowCount).toBe(1);
    expect(await claimMails()).toEqual([]);
  }
  accepts[0]?.();
  await jobs.close();
  expect(await list()).toEqual([]);
});

test('a job that crashes its process each time has failed after its tries', async () => {
  await enqueue('a');
  const tries = JOB_KINDS['stock-mail'].retrySeconds.length + 1;
  for (let count = 0; count < tries; count += 1) {
    expect(await claimMails()).toHaveLength(1);
    clock.advance(90);
  }
  const ran: string[] = [];
  await runDue({ 'stock-mail': { run: async ({ key }) => void ran.push(key) } });
  expect(ran).toEqual([]);
  expect(await listFailedJobs(db, 1)).toMatchObject([{ reason: expect.stringMatching(/ended each time/) }]);
});

test('progress renews the lease and resets the number of tries', async () => {
  await enqueueRunningJob(db, { kind: 'import', key: 'a' }, clock.now());
  for (let turn = 0; turn < 20; turn += 1) {
    clock.advance(30);
    await runDue(
      {
        import: {
          run: async (_job, { renew }) => {
            expect(await renew()).toBe(true);
            throw new Error('database gone');
          },
        },
      },
      'import',
    );
  }
  expect(await list()).toEqual([['a', 'waiting']]);
});

test('a cancelled job runs no more, and its process sees that when it renews', async () => {
  await enqueueRunningJob(db, { kind: 'import', key: 'a' }, clock.now());
  clock.advance(30);
  const renewals: boolean[] = [];
  await runDue(
    {
      import: {
        run: async (_job, { renew }) => {
          renewals.push(await renew());
          expect(await cancelJob(db, { kind: 'import', key: 'a' }, clock.now())).toBe(true);
          renewals.push(await renew());
        },
      },
    },
    'import',
  );
  expect(renewals).toEqual([true, false]);
  expect(await list()).toEqual([['a', 'cancelled']]);
  // A cancelled job has the same key, but does not prevent this new job.
  expect(await enqueueRunningJob(db, { kind: 'import', key: 'a' }, clock.now())).not.toBeNull();
});

test('failed jobs of one kind and reason are one row, and are retried together', async () => {
  for (const key of ['a', 'b', 'c']) await enqueue(key, { about: key });
  await runDue({
    'stock-mail': {
      run: ({ key }) => Promise.reject(new JobFailure(key === 'c' ? 'other' : 'no such host')),
    },
  });
  const rows = await listFailedJobs(db, 10);
  expect(rows.map(({ reason, count, about }) => [reason, count, about]).sort()).toEqual([
    ['no such host', 2, null],
    ['other', 1, 'c'],
  ]);
  const retried = await retryJobs(db, { kind: 'stock-mail', reason: 'no such host' }, clock.now());
  expect(retried.map(({ key }) => key).sort()).toEqual(['a', 'b']);
  expect((await listFailedJobs(db, 10)).map(({ reason }) => reason)).toEqual(['other']);
  const ran: string[] = [];
  await runDue({ 'stock-mail': { run: async ({ key }) => void ran.push(key) } });
  expect(ran.sort()).toEqual(['a', 'b']);
});

test('a job that fails with an error without a message has a reason', async () => {
  await enqueue('a');
  const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED', final: true });
  await runDue({ 'stock-mail': { run: () => Promise.reject(refused) } });
  expect(await listFailedJobs(db, 10)).toMatchObject([{ kind: 'stock-mail', reason: 'ECONNREFUSED' }]);
});

test('a recurring job runs again after its time, and one that failed is shown until it succeeds', async () => {
  const state = { broken: false, runs: 0 };
  const handlers: JobHandlers = {
    'check-stock': {
      run: async () => {
        state.runs += 1;
        if (state.broken) throw new Error('no table');
      },
    },
  };
  await enqueueJob(db, { kind: 'check-stock', key: '' }, clock.now());
  await runDue(handlers, 'upkeep');
  await runDue(handlers, 'upkeep');
  expect(state.runs).toBe(1);
  expect(await measureJobs(db, clock.now())).toMatchObject([
    { waiting: 0, running: 0, oldest_seconds: 0, failed: 0 },
  ]);
  state.broken = true;
  for (let turn = 0; turn < 5; turn += 1) {
    clock.advance(30);
    await runDue(handlers, 'upkeep');
  }
  expect(await listFailedJobs(db, 10)).toMatchObject([{ kind: 'check-stock', reason: 'no table', count: 1 }]);
  state.broken = false;
  clock.advance(30);
  await runDue(handlers, 'upkeep');
  expect(await listFailedJobs(db, 10)).toEqual([]);
});

test('waiting, running and failed jobs are counted by kind, with the longest wait', async () => {
  await enqueue('a');
  clock.advance(10);
  await enqueue('b');
  expect(await measureJobs(db, clock.now())).toEqual([
    { kind: 'stock-mail', waiting: 2, running: 0, oldest_seconds: 10, failed: 0 },
  ]);
  await claimMails(1);
  expect(await measureJobs(db, clock.now())).toMatchObject([{ waiting: 1, running: 1, oldest_seconds: 0 }]);
  clock.advance(90);
  expect(await measureJobs(db, clock.now())).toMatchObject([{ waiting: 2, running: 0, oldest_seconds: 100 }]);
  await runDue({ 'stock-mail': { run: () => Promise.reject(new JobFailure('refused')) } });
  expect(await measureJobs(db, clock.now())).toEqual([
    { kind: 'stock-mail', waiting: 0, running: 0, oldest_seconds: 0, failed: 2 },
  ]);
});

test('jobs that ended before a time are deleted, waiting jobs are not', async () => {
  await enqueue('failed');
  await runDue({ 'stock-mail': { run: () => Promise.reject(new JobFailure('refused')) } });
  await enqueue('waiting');
  clock.advance(1);
  await deleteEndedJobs(db, { before: clock.now(), mailsBefore: clock.now() });
  expect(await list()).toEqual([['waiting', 'waiting']]);
});

test('a job of an unknown kind is left for a newer version', async () => {
  await db.query("select enqueue_job('of-tomorrow', 'a', 'mail', 0, '{}', 'waiting', $1, $1, false)", [
    clock.now().toISOString(),
  ]);
  await runDue({ 'stock-mail': { run: async () => undefined } });
  expect(await list()).toEqual([['a', 'waiting']]);
});

test('a finished job is not run again because its result could not be written at first', async () => {
  await enqueue('a');
  let [runs, refusals] = [0, 0];
  const flaky: Database = {
    ...db,
    query: (text, params) => {
      if (!text.startsWith('delete from job') || refusals === 2) return db.query(text, params);
      refusals += 1;
      return Promise.reject(new Error('the database is away'));
    },
  };
  const run = async () => {
    runs += 1;
  };
  const jobs = createTestJobs(flaky, { 'stock-mail': { run } }, { now: clock.now });
  jobs.wake('mail');
  await jobs.close();
  expect([runs, refusals, await list()]).toEqual([1, 2, []]);
});

test('a job enqueued during a claim does not wait for the next poll', async () => {
  const looked = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const slow: Database = {
    ...db,
    query: async <R extends Row>(text: string, params?: readonly unknown[]) => {
      const result = await db.query<R>(text, params);
      if (!/for update skip locked/.test(text)) return result;
      looked.resolve();
      await goOn.promise;
      return result;
    },
  };
  const ran: string[] = [];
  const run = async ({ key }: { key: string }) => void ran.push(key);
  const jobs = createTestJobs(slow, { 'stock-mail': { run } }, { now: clock.now });
  jobs.wake('mail');
  await looked.promise;
  await enqueue('a');
  jobs.wake('mail');
  goOn.resolve();
  await expect.poll(() => ran).toEqual(['a']);
  await jobs.close();
});

test('a late result of a released job changes nothing', async () => {
  await enqueue('a');
  const [job] = await claimMails();
  if (!job) throw new Error('nothing was claimed');
  const dueAt = new Date(clock.now().getTime() + 1000);
  await postponeJob(db, job, dueAt, null);
  await postponeJob(db, job, dueAt, null);
  expect(await renewJob(db, job, { now: clock.now(), progress: false })).toBe(false);
  expect(await listJobs(db, { failed: false, limit: 10 })).toMatchObject([
    { state: 'waiting', tries: 0, due_at: dueAt.toISOString() },
  ]);
});

test('a process that is stopping claims no job', async () => {
  await enqueue('a');
  const log = { warn: () => undefined, error: () => undefined };
  const tools = {
    db,
    handlers: { 'stock-mail': { run: async () => undefined } },
    now: clock.now,
    random: () => 0.5,
    log,
  };
  const jobs = createJobWorker({ ...tools, isStopping: () => true });
  jobs.wake('mail');
  await jobs.close();
  expect(await list()).toEqual([['a', 'waiting']]);
});
