// Tests that slow statements are reported, and that the report contains no parameters.
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

test('a slow statement is reported with its beginning and its time, without its parameters', async () => {
  slow = [];
  await db.query('select 1');
  await db.query('select\n  pg_sleep($1), $2::text as whispered', [0.15, 'ada@example.org']);
  const reported = slow.find(({ statement }) => statement === 'select pg_sleep($1), $2::text as whispered');
  expect(reported?.ms).toBeGreaterThanOrEqual(150);
  expect(JSON.stringify(slow)).not.toContain('ada@example.org');
});

test('a slow statement that fails is reported, and so is one in a transaction', async () => {
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

test('the text of a long statement is cut', async () => {
  slow = [];
  await db.query(`select pg_sleep($1), '${'x'.repeat(500)}'`, [0.15]);
  expect(slow.at(-1)?.statement).toHaveLength(80);
});

test('a quick statement is not reported', async () => {
  const reported: SlowStatement[] = [];
  const patient = watchDatabase(inner, {
    note: () => undefined,
    warn: (statement) => reported.push(statement),
    slowMs: 60_000,
  });
  await patient.query('select 1');
  expect(reported).toEqual([]);
});

test('a slow script is not reported', async () => {
  slow = [];
  await db.execute('select pg_sleep(0.15)');
  expect(slow).toEqual([]);
});

test('every statement is measured, also the begin and the commit of a transaction', async () => {
  noted = [];
  await db.query('select 1');
  await db.execute('select 1; select 2');
  await db.transaction((tx) => tx.query('select 1'));
  expect(noted).toHaveLength(5);
});

test('a long wait for a connection is reported as the begin of its transaction', async () => {
  slow = [];
  const atOnce = inner.engine === 'embedded' ? 1 : 20;
  const busy = Array.from({ length: atOnce }, () => db.query('select pg_sleep($1)', [0.15]));
  await db.transaction((tx) => tx.query('select 1'));
  await Promise.all(busy);
  expect(slow.map(({ statement }) => statement)).toContain('begin');
});
