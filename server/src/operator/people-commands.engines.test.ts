// Tests the operator's commands for the data of one person, and the erasure of people in a restored backup.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../test/factories.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { runCommandLine } from '../../test/run-command-line.ts';
import { findTexts } from '../../test/scan-database.ts';
import { createUploadTools } from '../../test/test-jobs.ts';
import { forgetAddress } from '../auth/auth-service.ts';
import type { Database } from '../db/database.ts';
import { eraseAgain } from '../features/privacy/erase.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(async () => {
  await db.close();
});

const run = (...args: string[]) =>
  runCommandLine(
    {
      db,
      uploadTools: createUploadTools(db),
      rotateKeys: async () => '',
      adminEmails: [],
      timeZone: 'UTC',
      publicUrl: 'http://localhost:3000',
    },
    args,
  );

async function findId(email: string): Promise<string> {
  const { rows } = await db.query<{ user_id: string }>('select user_id from app_user where email = $1', [
    email,
  ]);
  return rows[0]?.user_id ?? '';
}

test('R-PRIV-01: people export prints the document, and notes the operator in the log', async () => {
  const product = await addProduct(db);
  await addLearner(db, [product], 'ada@example.org');
  const document = JSON.parse(await run('people', 'export', 'ada@example.org')) as Record<string, unknown[]>;
  expect(document.person).toMatchObject([{ email: 'ada@example.org', name: 'Amara Okafor' }]);
  const { rows } = await db.query("select actor from audit where action = 'person.export'");
  expect(rows).toEqual([{ actor: 'operator' }]);
  await expect(run('people', 'export', 'nobody@example.org')).rejects.toThrow('User not found');
});

test('R-PRIV-02: people erase erases, and people erasures lists who and when', async () => {
  const user_id = await findId('ada@example.org');
  expect(await run('people', 'erasures')).toBe('user_id,at');
  expect(await run('people', 'erase', 'ada@example.org', '--yes')).toContain('0 codes stay assigned');
  expect(await findTexts(db, ['ada@example.org'], [])).toEqual([]);
  expect(await run('people', 'erasures')).toMatch(new RegExp(`^user_id,at\n${user_id},\\S+Z$`));
  await expect(run('people', 'erase', 'ada@example.org', '--yes')).rejects.toThrow('User not found');
  const { rows } = await db.query("select actor, detail from audit where action = 'person.erase'");
  expect(rows).toEqual([{ actor: 'operator', detail: { codes_kept: 0, reason: 'erased by the operator' } }]);
});

test('R-PRIV-04: the people of a list are erased again, also the last owner; the others of the list are ignored', async () => {
  await run('admin', 'add', 'last@example.org');
  const known = await findId('last@example.org');
  const at = new Date('2026-11-01T10:00:00Z');
  const list = [known, '00000000-0000-4000-8000-000000000000', known].map((user_id) => ({ user_id, at }));
  expect(await db.transaction((tx) => eraseAgain(tx, list, { forgetAddress }))).toBe(1);
  expect(await findTexts(db, ['last@example.org'], [])).toEqual([]);
  expect(await run('people', 'erasures')).toContain(`\n${known},2026-11-01T10:00:00.000Z`);
});
