// Tests that server/schema/schema.sql is the schema that the migrations make.
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { describeSchema, SCHEMA_FILE } from '../../test/describe-schema.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';

test('schema.sql is the schema of a new database; if it is not, run `npm run schema`', async () => {
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  expect(await describeSchema(db)).toBe(await readFile(SCHEMA_FILE, 'utf8'));
});

test('a process of the version before, which calls the table import_job, starts, takes and ends work on many rows', async () => {
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  await db.query(
    `insert into import_job (id, kind, created_by, rows_total, source)
     values (gen_random_uuid(), 'users', 'staff', 2, 'the file')`,
  );
  await db.transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string; state: string }>(
      "select id, state from import_job where state = 'running' order by created_at for update skip locked",
    );
    expect(rows).toMatchObject([{ state: 'running' }]);
    await tx.query("update import_job set state = 'done', source = null, success = 2 where id = $1", [
      rows[0]?.id,
    ]);
  });
  const { rows } = await db.query('select state, rows_done, success from bulk_job');
  expect(rows).toEqual([{ state: 'done', rows_done: 0, success: 2 }]);
});
