// Slow statements are told, and nothing that people typed with them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/open-test-database.ts';
import type { Database } from './database.ts';
import { type SlowStatement, watchDatabase } from './watch-database.ts';

let inner: Database;
let db: Database;
let slow: SlowStatement[] = [];
let noted: number[] = [];

beforeAll(async () => {
  inner = await openTestDatabase();
  const warn = (statement: SlowStatement) => slow.push(statement);
  db = watchDatabase(inner, { note: (seconds) => noted.push(seconds), warn, slowMs: 100 });
});

afterAll(() => inner.close());

test('a slow statement is told by how it begins and how long it took, without its parameters', async () => {
  slow = [];
  await db.query('select 1');
  await db.query('select\n  pg_sleep($1), $2::text as whispered', [0.15, 'ada@example.org']);
  const told = slow.find(({ statement }) => statement === 'select pg_sleep($1), $2::text as whispered');
  expect(told?.ms).toBeGreaterThanOrEqual(150);
  expect(JSON.stringify(slow)).not.toContain('ada@example.org');
});

test('one that fails after a long while is told as well, and so is one in a transaction', async () => {
  slow = [];
  const failing = db.query(`select 1 / (case when pg_sleep($1) is null then 1 else 0 end)`, [0.15]);
  await expect(failing).rejects.toThrow();
  await db.transaction(async (tx) => {
    await tx.query('select pg_sleep($1)', [0.15]);
  });
  expect(slow.map(({ statement }) => statement)).toEqual(
    expect.arrayContaining([
      'select 1 / (case when pg_sleep($1) is null then 1 else 0 end)',
      'select pg_sleep($1)',
    ]),
  );
});

test('a long statement is cut', async () => {
  slow = [];
  await db.query(`select pg_sleep($1), '${'x'.repeat(500)}'`, [0.15]);
  expect(slow.at(-1)?.statement).toHaveLength(80);
});

test('a quick statement is timed and not told', async () => {
  const told: SlowStatement[] = [];
  const patient = watchDatabase(inner, {
    note: () => undefined,
    warn: (statement) => told.push(statement),
    slowMs: 60_000,
  });
  await patient.query('select 1');
  expect(told).toEqual([]);
});

test('a script, which may take as long as it needs, is not told', async () => {
  slow = [];
  await db.execute('select pg_sleep(0.15)');
  expect(slow).toEqual([]);
});

test('every statement is timed, beginning and end of a transaction included', async () => {
  noted = [];
  await db.query('select 1');
  await db.execute('select 1; select 2');
  await db.transaction((tx) => tx.query('select 1'));
  expect(noted).toHaveLength(5);
});

test('how long a transaction waited for a connection is told as its begin', async () => {
  slow = [];
  const atOnce = inner.engine === 'embedded' ? 1 : 20;
  const busy = Array.from({ length: atOnce }, () => db.query('select pg_sleep($1)', [0.15]));
  await db.transaction((tx) => tx.query('select 1'));
  await Promise.all(busy);
  expect(slow.map(({ statement }) => statement)).toContain('begin');
});
