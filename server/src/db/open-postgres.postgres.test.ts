import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/open-test-database.ts';
import { findFreePort } from '../../test/postgres.ts';
import { type Database, isConnectionFailure } from './database.ts';
import { listMigrations, migrate, withSchemaLock } from './migrate.ts';
import { openPostgres } from './open-postgres.ts';

let url: string;
let db: Database;
beforeAll(async () => {
  url = await createTestDatabase();
  db = await openPostgres({ url, maxConnections: 2 });
});
afterAll(() => db.close());

test('the error for an unreachable server names the server and the reason', async () => {
  const dead = `127.0.0.1:${await findFreePort()}`;
  await expect(openPostgres({ url: `postgres://x@${dead}/x` })).rejects.toThrow(
    `no writable PostgreSQL answers (${dead}: connect ECONNREFUSED`,
  );
});

test('after the server ends idle and active connections, only the running transaction fails', async () => {
  const admin = await openPostgres({ url, maxConnections: 1 });
  const endOthers = () =>
    admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
  const countOthers = async () => {
    const { rows } = await admin.query<{ others: number }>(
      'select count(*)::int as others from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    return rows[0]?.others;
  };
  await db.query('select 1');
  await endOthers();
  await expect.poll(countOthers).toBe(0);
  const cut = db.transaction(async (tx) => {
    await tx.query('select 1');
    await endOthers();
    await tx.query('select 1');
  });
  // pg reports a closed connection with one of two messages. The message depends on whether the server's notice arrived
  // before the statement was sent. So the test compares only the kind of error.
  expect(isConnectionFailure(await cut.catch((error: unknown) => error))).toBe(true);
  await expect
    .poll(() =>
      db.query('select 1 as one').then(
        ({ rows }) => rows,
        () => [],
      ),
    )
    .toEqual([{ one: 1 }]);
  await admin.close();
});

test('processes that start together migrate once', async () => {
  const fresh = await openPostgres({ url, maxConnections: 1 });
  await fresh.execute('create database fresh_start');
  const freshUrl = url.replace(/[^/]+$/, 'fresh_start');
  const starts = await Promise.all(Array.from({ length: 4 }, () => openPostgres({ url: freshUrl })));
  const applied = (await Promise.all(starts.map((start) => migrate(start)))).flat();
  expect(applied.length).toBeGreaterThan(0);
  expect(new Set(applied).size).toBe(applied.length);
  for (const opened of [...starts, fresh]) await opened.close();
});

test('a pool without a free connection counts as a database that cannot be reached', async () => {
  const single = await openPostgres({ url, maxConnections: 1, connectTimeoutMs: 200 });
  await single.transaction(async () => {
    const refused = await single.query('select 1').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Error);
    expect(isConnectionFailure(refused)).toBe(true);
  });
  await expect(single.query('select 1')).resolves.toMatchObject({ rowCount: 1 });
  await single.close();
});

test('statements beyond `maxWaiting` are refused at once, and the waiting ones succeed', async () => {
  const busy = await openPostgres({ url, maxConnections: 1, maxWaiting: 5 });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, () => busy.query('select pg_sleep(0.01)')),
  );
  const errors = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason);
  expect(errors).toHaveLength(14);
  expect(errors.every(isConnectionFailure)).toBe(true);
  await busy.close();
});

test('a connection to a read-only server is closed, so that the next one can reach a writable server at the same address', async () => {
  const ownUrl = await createTestDatabase();
  const admin = await openPostgres({ url, maxConnections: 1 });
  const followed = await openPostgres({ url: ownUrl, maxConnections: 1 });
  const change = () => followed.query('create table if not exists written (one int)');
  const setReadOnly = (value: 'on' | 'off') =>
    admin.execute(
      `alter database ${new URL(ownUrl).pathname.slice(1)} set default_transaction_read_only = ${value}`,
    );
  await setReadOnly('on');
  await expect(openPostgres({ url: ownUrl })).rejects.toThrow('is read-only');
  await followed.query('set default_transaction_read_only = on');
  const refused = await change().catch((error: unknown) => error);
  expect(isConnectionFailure(refused)).toBe(true);
  await setReadOnly('off');
  await expect(change()).resolves.toBeDefined();
  for (const opened of [followed, admin]) await opened.close();
});

test('processes share the connections that the server allows, and a process does not start if its share is too small', async () => {
  const reports: string[] = [];
  const admin = await openPostgres({ url, maxConnections: 1 });
  const ownUrl = await createTestDatabase();
  await admin.execute(`alter database ${new URL(ownUrl).pathname.slice(1)} connection limit 12`);
  const open = (processes: number) =>
    openPostgres({ url: ownUrl, processes, report: (message) => reports.push(message) });
  const shared = await open(2);
  await Promise.all(Array.from({ length: 40 }, () => shared.query('select pg_sleep(0.01)')));
  const { rows } = await admin.query(
    'select count(*)::int as connections from pg_stat_activity where datname = $1',
    [new URL(ownUrl).pathname.slice(1)],
  );
  expect(rows).toEqual([{ connections: 5 }]);
  expect(reports.join()).toContain('has room for 12 connections: 5 for each of 2 processes instead of 16');
  await shared.close();
  await expect(open(5)).rejects.toThrow(/has room for 12 connections, too few for WORKERS=5/);
  await admin.close();
});

test('while the server has no free connection, the pool retries until another process closes one', async () => {
  const admin = await openPostgres({ url, maxConnections: 1 });
  // The test needs a user who is not a superuser, because connection limits do not apply to superusers.
  await admin.execute('create role crowded login connection limit 3');
  const crowdedUrl = url.replace('postgres@', 'crowded@');
  const leaving = await openPostgres({ url: crowdedUrl, maxConnections: 2 });
  const coming = await openPostgres({ url: crowdedUrl, maxConnections: 2 });
  await Promise.all([1, 2].map(() => leaving.query('select pg_sleep(0.1)')));
  await coming.transaction(async () => {
    const second = coming.query('select 1 as one');
    await expect
      .poll(() => admin.query("select 1 from pg_stat_activity where usename = 'crowded'"))
      .toMatchObject({
        rowCount: 3,
      });
    await leaving.close();
    await expect(second).resolves.toMatchObject({ rows: [{ one: 1 }] });
  });
  for (const opened of [coming, admin]) await opened.close();
});

test('a second process waits for a long migration instead of failing', async () => {
  const migrations = await listMigrations();
  const slow = { version: 9001, name: '9001-slow.sql', sql: 'select pg_sleep(1)' };
  await db.execute(`alter database "${new URL(url).pathname.slice(1)}" set statement_timeout = '300ms'`);
  const starts = await Promise.all([1, 2].map(() => openPostgres({ url, prepare: false })));
  const applied = await Promise.all(starts.map((start) => migrate(start, [...migrations, slow])));
  expect(applied.flat()).toEqual([slow.name]);
  for (const opened of starts) await opened.close();
});

test('processes that start together apply a migration with a concurrent index build once', async () => {
  const index = {
    version: 9002,
    name: '9002-index.sql',
    sql: '-- no transaction\ndrop index concurrently if exists audit_at;\ncreate index concurrently audit_at on audit (at);\n',
  };
  const migrations = [...(await listMigrations()), index];
  const starts = await Promise.all([1, 2, 3].map(() => openPostgres({ url })));
  const applied = await Promise.all(starts.map((start) => migrate(start, migrations)));
  expect(applied.flat()).toEqual([index.name]);
  for (const opened of starts) await opened.close();
});

test('a process that waits for the schema lock is in no transaction between its tries, so that no index build waits for it', async () => {
  const [holder, waiter] = [await openPostgres({ url }), await openPostgres({ url, maxConnections: 2 })];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: locked, resolve: confirm } = Promise.withResolvers<void>();
  const holding = withSchemaLock(holder, async () => {
    confirm();
    await released;
  });
  await locked;
  const waiting = withSchemaLock(waiter, async () => undefined);
  const findWaiters = () =>
    db
      .query(
        `select from pg_stat_activity
         where datname = current_database() and state = 'idle' and query = 'commit' and pid <> pg_backend_pid()`,
      )
      .then(({ rows }) => rows.length);
  await expect.poll(findWaiters, { timeout: 30_000 }).toBeGreaterThan(0);
  release();
  await Promise.all([holding, waiting]);
  for (const opened of [holder, waiter]) await opened.close();
});
