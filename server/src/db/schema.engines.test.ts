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
