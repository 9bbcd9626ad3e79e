// Connections when the server or this process misbehaves: what is not believed, what is cut off, and what is kept.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createTestDatabase } from '../../test/open-test-database.ts';
import { signalPostgres, startPostgres } from '../../test/postgres.ts';
import { type Database, isConnectionFailure } from './database.ts';
import { openPostgres, type PostgresOptions } from './open-postgres.ts';

// Longer than a host is given to answer who it is.
const HELD_UP_MS = 3_500;

let url: string;
let admin: Database;
beforeAll(async () => {
  url = await createTestDatabase();
  admin = await openPostgres({ url, maxConnections: 1 });
});
afterAll(() => admin.close());

async function open(options: PostgresOptions): Promise<{ db: Database; said: string[] }> {
  const said: string[] = [];
  const db = await openPostgres({ ...options, report: (message) => said.push(message) });
  onTestFinished(db.close);
  return { db, said };
}

async function fails(work: Promise<unknown>): Promise<boolean> {
  return isConnectionFailure(await work.catch((error: unknown) => error));
}

test('a commit whose wait for a replica was cancelled is not believed, and the connections go on', async () => {
  const server = await startPostgres({ durable: true, settings: ['synchronous_standby_names=away'] });
  onTestFinished(server.stop);
  const { db } = await open({ url: server.url });
  const { db: beside } = await open({ url: server.url, maxConnections: 1 });
  await beside.query('set synchronous_commit = local');
  await beside.query('create table told (code text)');
  const cancel = () =>
    beside.query("select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'");
  for (const write of [
    () => db.query("insert into told values ('A')"),
    () => db.transaction((tx) => tx.query("insert into told values ('B')")),
    () => db.execute("insert into told values ('C')"),
  ]) {
    const failed = fails(write());
    await expect.poll(async () => (await cancel()).rowCount).toBe(1);
    expect(await failed).toBe(true);
    // PostgreSQL has kept it all the same, and reading it waits for nobody.
    await expect(db.query('select code from told')).resolves.toMatchObject({ rows: expect.any(Array) });
  }
  expect((await db.query('select code from told order by code')).rows).toEqual([
    { code: 'A' },
    { code: 'B' },
    { code: 'C' },
  ]);
});

test('a statement that is not answered in time is given up with its connection, and nobody waits behind it', async () => {
  const { db } = await open({ url: `${url}?query_timeout=500`, maxConnections: 1 });
  expect(await fails(db.query('select pg_sleep(30)'))).toBe(true);
  await expect(db.query('select 1 as one')).resolves.toMatchObject({ rows: [{ one: 1 }] });
});

test('a server that stands still is given up while a statement waits, calls are refused at once, and all goes on by itself', async () => {
  const server = await startPostgres();
  onTestFinished(server.stop);
  // Neither the statement nor a connection gives up by itself.
  const { db, said } = await open({ url: `${server.url}?query_timeout=600000`, maxConnections: 1 });
  await db.query('select 1');
  // First of all, also when the test fails: nothing ends a server that stands still.
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
  expect(said.at(-1)).toContain('is writable and used from now on');
});

test('the server is told to end a statement after thirty seconds', async () => {
  const { db } = await open({ url });
  const { rows } = await db.query('show statement_timeout');
  expect(rows).toEqual([{ statement_timeout: '30s' }]);
});

test('a server that has no room for the question, but answers on the connections that stand, is kept', async () => {
  await admin.execute('create role full_up login');
  const { db, said } = await open({ url: url.replace('postgres@', 'full_up@'), maxConnections: 2 });
  const failed = fails(db.query('select pg_sleep(30)'));
  await db.query('select 1');
  const sleeping = "from pg_stat_activity where usename = 'full_up' and query ~ 'sleep'";
  await expect.poll(async () => (await admin.query(`select 1 ${sleeping}`)).rowCount).toBe(1);
  await admin.execute('alter role full_up connection limit 0');
  await admin.query(`select pg_cancel_backend(pid) ${sleeping}`);
  expect(await failed).toBe(true);
  // The hosts are asked now.
  for (let count = 0; count < 50; count += 1) {
    await expect(db.query('select 1 as one')).resolves.toMatchObject({ rows: [{ one: 1 }] });
    await pause(10);
  }
  expect(said).toEqual([]);
});

test('a transaction that goes on is not cut off because the server has no room for the question', async () => {
  await admin.execute('create role long_at_it login');
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const options = { url: url.replace('postgres@', 'long_at_it@'), maxConnections: 1 };
  const { db, said } = await open(options);
  const { db: stuck, said: saidOfStuck } = await open(options);
  await db.transaction(async (tx) => {
    await tx.query('select 1');
    const failed = fails(stuck.query('select pg_sleep(60)'));
    const sleeping = "select 1 from pg_stat_activity where usename = 'long_at_it' and query ~ 'sleep'";
    await expect.poll(async () => (await admin.query(sleeping)).rowCount).toBe(1);
    await admin.execute('alter role long_at_it connection limit 0');
    for (let ms = 0; ms < 5_000; ms += 100) {
      await tx.query('select 1');
      vi.advanceTimersByTime(100);
    }
    // Whose statement was not answered for as long has asked the hosts, in vain.
    expect(await failed).toBe(true);
    expect(saidOfStuck.join()).toContain('no writable PostgreSQL answers');
    await tx.query('select 1');
  });
  expect(said).toEqual([]);
});

test('a process that was held up takes no host for dead because of it', async () => {
  const { db, said } = await open({ url, maxConnections: 1 });
  expect(await fails(db.query('select pg_cancel_backend(pg_backend_pid()), pg_sleep(30)'))).toBe(true);
  // The hosts are asked now, and their answers lie unread.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HELD_UP_MS);
  await pause(500);
  await expect(db.query('select 1 as one')).resolves.toMatchObject({ rows: [{ one: 1 }] });
  expect(said).toEqual([]);
});
