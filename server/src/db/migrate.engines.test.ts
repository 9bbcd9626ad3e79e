import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/open-test-database.ts';
import type { Database } from './database.ts';
import { applyMigrations, listMigrations, listPending, migrate } from './migrate.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

test('migrating again applies nothing', async () => {
  expect(await migrate(db)).toEqual([]);
});

test('a migration that was added later with a lower number is applied', async () => {
  const known = await listMigrations();
  const low = { version: 1000, name: '0000-low.sql', sql: 'create table low (id int)' };
  expect(await listPending(db, [low, ...known])).toEqual([low]);
  expect(await migrate(db, [low, ...known])).toEqual([low.name]);
  expect(await migrate(db, [low, ...known])).toEqual([]);
  expect(await listPending(db, [low, ...known])).toEqual([]);
});

test('a migration with "-- no transaction" runs outside a transaction, and after a failure again from its beginning', async () => {
  const known = await listMigrations();
  const index = (where: string) => ({
    version: 8001,
    name: '8001-index.sql',
    sql: `-- no transaction\n-- Finds audit lines of an actor.\ndrop index concurrently if exists audit_actor;\n\ncreate index concurrently audit_actor\n  on audit (actor)${where};\n`,
  });
  await db.query("insert into audit (actor, action) values ('staff@example.org', 'test')");
  await expect(migrate(db, [...known, index(' where 1 / (id - id) = 0')])).rejects.toMatchObject({
    code: '22012',
  });
  expect(await migrate(db, [...known, index('')])).toEqual(['8001-index.sql']);
  const { rows } = await db.query(
    "select indisvalid from pg_index where indexrelid = 'audit_actor'::regclass",
  );
  expect(rows).toEqual([{ indisvalid: true }]);
});

test('in the transaction of a restore, such a migration runs inside that transaction', async () => {
  const index = 'create index concurrently audit_detail on audit (at);';
  const attempt = db.transaction(async (tx) => {
    await applyMigrations(tx, [
      { version: 8002, name: '8002-index.sql', sql: `-- no transaction\n${index}` },
    ]);
    expect((await tx.query("select to_regclass('audit_detail') as found")).rows).toEqual([
      { found: 'audit_detail' },
    ]);
    throw new Error('taken back');
  });
  await expect(attempt).rejects.toThrow('taken back');
});

test('a failed migration is rolled back, and those before it stay applied', async () => {
  const known = await listMigrations();
  const good = { version: 9001, name: '9001-good.sql', sql: 'create table good (id int)' };
  const bad = {
    version: 9002,
    name: '9002-bad.sql',
    sql: 'create table half (id int); select no_such_column',
  };
  await expect(migrate(db, [...known, good, bad])).rejects.toThrow(/no_such_column/);
  await expect(db.query('select * from good')).resolves.toMatchObject({ rows: [] });
  await expect(db.query('select * from half')).rejects.toThrow(/half/);
});

test('a schema newer than the program is refused', async () => {
  await expect(migrate(db)).rejects.toThrow(/newer version of the portal \(schema 9001/);
});

test('times come back as ISO 8601 in UTC and bigints as strings', async () => {
  const { rows } = await db.query(
    "select timestamptz '2026-11-20 09:00:00.5+05:30' as at, 9007199254740993::bigint as big, '{\"a\":1}'::jsonb as json",
  );
  expect(rows).toEqual([{ at: '2026-11-20T03:30:00.500Z', big: '9007199254740993', json: { a: 1 } }]);
});

test('a transaction that throws is rolled back', async () => {
  const attempt = db.transaction(async (tx) => {
    await tx.query("insert into app_user (email) values ('gone@example.org')");
    throw new Error('stop');
  });
  await expect(attempt).rejects.toThrow('stop');
  expect((await db.query('select 1 from app_user')).rows).toEqual([]);
});

test('an error of the database names the violated constraint, and no value of the row', async () => {
  const insert = () => db.query('insert into app_user (email) values ($1)', ['twice@example.org']);
  await insert();
  const error = await insert().catch((refusal: unknown) => refusal as Error);
  expect(error).toMatchObject({ code: '23505', constraint: expect.stringContaining('email') });
  const everything = JSON.stringify(error, Object.getOwnPropertyNames(error));
  expect(everything).toContain('duplicate key');
  expect(everything).not.toContain('twice@example.org');
});
