// Connections when the server or this process misbehaves: what is not believed, what is cut off, and what is kept.
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createTestDatabase } from '../../test/open-test-database.ts';
import { signalPostgres, startPostgres } from '../../test/postgres.ts';
import { type Database, isConnectionFailure } from './database.ts';
import { openPostgres, type PostgresOptions } from './open-postgres.ts';
import { openConnections } from './postgres-connections.ts';

// Longer than the server is given to respond.
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

test('a transaction that goes on is not cut off because the server has no room for the probe', async () => {
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
    // Its statement got no response for as long, and the probe failed.
    expect(await failed).toBe(true);
    expect(saidOfStuck.join()).toContain('no writable PostgreSQL answers');
    await tx.query('select 1');
  });
  expect(said).toEqual([]);
});

test('a process that was held up does not give the server up because of it', async () => {
  const said: string[] = [];
  const probedAgain = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  let probes = 0;
  const connections = openConnections({
    probe: async () => {
      probes += 1;
      if (probes > 1) return probedAgain.resolve();
      // The answer has come and lies unread.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HELD_UP_MS);
      throw new Error('no answer in time');
    },
    openPool: () => new pg.Pool({ connectionString: url, max: 1 }),
    patienceMs: 1_000,
    report: (message) => said.push(message),
  });
  const work = connections.use(() => done.promise);
  await probedAgain.promise;
  expect(said).toEqual([]);
  done.resolve();
  await work;
  await connections.close();
});
