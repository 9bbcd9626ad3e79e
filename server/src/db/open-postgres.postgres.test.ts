import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/open-test-database.ts';
import { findFreePort } from '../../test/postgres.ts';
import { type Database, isConnectionFailure } from './database.ts';
import { listMigrations, migrate } from './migrate.ts';
import { openPostgres, splitHosts } from './open-postgres.ts';

let url: string;
let db: Database;
beforeAll(async () => {
  url = await createTestDatabase();
  db = await openPostgres({ url, maxConnections: 2 });
});
afterAll(() => db.close());

test('of several hosts each is tried with the same user, database and options', () => {
  expect(splitHosts('postgres://u:p@a:1,b,c:3/db?ssl=1')).toEqual([
    'postgres://u:p@a:1/db?ssl=1',
    'postgres://u:p@b/db?ssl=1',
    'postgres://u:p@c:3/db?ssl=1',
  ]);
});

test('a host that does not answer is passed over; when none answers, each is named with its fault', async () => {
  const dead = `127.0.0.1:${await findFreePort()}`;
  const both = await openPostgres({ url: url.replace('@', `@${dead},`), maxConnections: 1 });
  await expect(both.query('select 1 as one')).resolves.toMatchObject({ rows: [{ one: 1 }] });
  await both.close();
  await expect(openPostgres({ url: `postgres://x@${dead}/x` })).rejects.toThrow(
    `no writable PostgreSQL answers (${dead}: connect ECONNREFUSED`,
  );
});

test('connections that the server ends, idle or in a transaction, cost their statement and nothing else', async () => {
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
  // Which words pg has for it depends on whether the news came before the statement; what callers decide by does not.
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

test('a second starter waits for a long migration instead of failing', async () => {
  const migrations = await listMigrations();
  const slow = { version: 9001, name: '9001-slow.sql', sql: 'select pg_sleep(1)' };
  await db.execute(`alter database "${new URL(url).pathname.slice(1)}" set statement_timeout = '300ms'`);
  const starts = await Promise.all([1, 2].map(() => openPostgres({ url, prepare: false })));
  const applied = await Promise.all(starts.map((start) => migrate(start, [...migrations, slow])));
  expect(applied.flat()).toEqual([slow.name]);
  for (const opened of starts) await opened.close();
});
