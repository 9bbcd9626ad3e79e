// Tests the connection pool if the server hangs, this process hangs, the server refuses connections, or a commit is not
// confirmed.
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createTestDatabase } from '../../test/open-test-database.ts';
import { signalPostgres, startPostgres } from '../../test/postgres.ts';
import { type Database, isConnectionFailure } from './database.ts';
import { openConnections, openPostgres, type PostgresOptions } from './open-postgres.ts';

// Longer than the time-out of the probe (3 seconds).
const BLOCKED_MS = 3_500;

let url: string;
let admin: Database;
beforeAll(async () => {
  url = await createTestDatabase();
  admin = await openPostgres({ url, maxConnections: 1 });
});
afterAll(() => admin.close());

async function open(options: PostgresOptions): Promise<{ db: Database; reports: string[] }> {
  const reports: string[] = [];
  const db = await openPostgres({ ...options, report: (message) => reports.push(message) });
  onTestFinished(db.close);
  return { db, reports };
}

async function fails(work: Promise<unknown>): Promise<boolean> {
  return isConnectionFailure(await work.catch((error: unknown) => error));
}

test('a commit fails if its wait for a replica was cancelled, and the connection stays usable', async () => {
  const server = await startPostgres({ durable: true, settings: ['synchronous_standby_names=away'] });
  onTestFinished(server.stop);
  const { db } = await open({ url: server.url });
  const { db: local } = await open({ url: server.url, maxConnections: 1 });
  await local.query('set synchronous_commit = local');
  await local.query('create table acknowledged (code text)');
  const cancel = () =>
    local.query("select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'");
  for (const write of [
    () => db.query("insert into acknowledged values ('A')"),
    () => db.transaction((tx) => tx.query("insert into acknowledged values ('B')")),
    () => db.execute("insert into acknowledged values ('C')"),
  ]) {
    const failed = fails(write());
    await expect.poll(async () => (await cancel()).rowCount).toBe(1);
    expect(await failed).toBe(true);
    // PostgreSQL has committed the row on this server, although the call failed because no replica confirmed the
    // commit. A read does not wait for a replica, so the `select` returns the row.
    await expect(db.query('select code from acknowledged')).resolves.toMatchObject({
      rows: expect.any(Array),
    });
  }
  expect((await db.query('select code from acknowledged order by code')).rows).toEqual([
    { code: 'A' },
    { code: 'B' },
    { code: 'C' },
  ]);
});

test('after a statement without a response in time, its connection is closed and the next statement succeeds', async () => {
  const { db } = await open({ url: `${url}?query_timeout=500`, maxConnections: 1 });
  expect(await fails(db.query('select pg_sleep(30)'))).toBe(true);
  await expect(db.query('select 1 as one')).resolves.toMatchObject({ rows: [{ one: 1 }] });
});

test('if the server hangs, waiting and new statements fail; when it continues, statements succeed again', async () => {
  const server = await startPostgres();
  onTestFinished(server.stop);
  // The time-out of the statement is ten minutes, far longer than the test. So only the pool's probe can end the
  // statement.
  const { db, reports } = await open({ url: `${server.url}?query_timeout=600000`, maxConnections: 1 });
  await db.query('select 1');
  // Continues the suspended server even if the test fails, because a suspended server cannot be stopped. Vitest calls
  // this before `server.stop`.
  onTestFinished(() => signalPostgres(server, 'SIGCONT'));
  await signalPostgres(server, 'SIGSTOP');
  expect(await fails(db.query('select 1'))).toBe(true);
  await expect(db.query('select 1')).rejects.toThrow('no writable PostgreSQL answers');
  await signalPostgres(server, 'SIGCONT');
  await expect
    .poll(() =>
      db.query('select 1 as one').then(
        ({ rows }) => rows,
        () => [],
      ),
    )
    .toEqual([{ one: 1 }]);
  expect(reports.at(-1)).toContain('is writable and used from now on');
});

test('the server cancels a statement after thirty seconds', async () => {
  const { db } = await open({ url });
  const { rows } = await db.query('show statement_timeout');
  expect(rows).toEqual([{ statement_timeout: '30s' }]);
});

test('a transaction with responses continues if the server has no connection for the probe', async () => {
  await admin.execute('create role limited_user login');
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const options = { url: url.replace('postgres@', 'limited_user@'), maxConnections: 1 };
  const { db, reports } = await open(options);
  const { db: stuck, reports: reportsOfStuck } = await open(options);
  await db.transaction(async (tx) => {
    await tx.query('select 1');
    const failed = fails(stuck.query('select pg_sleep(60)'));
    const sleeping = "select 1 from pg_stat_activity where usename = 'limited_user' and query ~ 'sleep'";
    await expect.poll(async () => (await admin.query(sleeping)).rowCount).toBe(1);
    await admin.execute('alter role limited_user connection limit 0');
    for (let ms = 0; ms < 5_000; ms += 100) {
      await tx.query('select 1');
      vi.advanceTimersByTime(100);
    }
    // Vitest's timers were advanced by 5 seconds in all. During this time, the pool `stuck` got no response, and the
    // server refused the connection of its probe. So the pool closed all its connections, and the statement failed.
    expect(await failed).toBe(true);
    expect(reportsOfStuck.join()).toContain('no writable PostgreSQL answers');
    await tx.query('select 1');
  });
  expect(reports).toEqual([]);
});

test('after a blocked event loop, a failed probe does not close the connections', async () => {
  const reports: string[] = [];
  const probedAgain = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  let probes = 0;
  const connections = openConnections({
    probe: async () => {
      probes += 1;
      if (probes > 1) return probedAgain.resolve();
      // Blocks the event loop until after the probe's time-out. Meanwhile this process cannot read a response of the
      // server.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);
      throw new Error('no answer in time');
    },
    openPool: () => new pg.Pool({ connectionString: url, max: 1 }),
    serverFullTimeoutMs: 1_000,
    report: (message) => reports.push(message),
  });
  const work = connections.use(() => done.promise);
  await probedAgain.promise;
  expect(reports).toEqual([]);
  done.resolve();
  await work;
  await connections.close();
});
