// Tests that the upgrade waits for running statements of learners without a deadlock.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/open-test-database.ts';
import type { Database } from './database.ts';
import { listMigrations, migrate } from './migrate.ts';
import { openPostgres } from './open-postgres.ts';

const LAST_OF_OLD_VERSION = 12;

let db: Database;
let learner: Database;
beforeAll(async () => {
  const url = await createTestDatabase('template0');
  db = await openPostgres({ url });
  learner = await openPostgres({ url, maxConnections: 1 });
  await migrate(db, (await listMigrations()).slice(0, LAST_OF_OLD_VERSION));
});
afterAll(async () => {
  await learner.close();
  await db.close();
});

async function isWaitingForProduct(): Promise<boolean> {
  const { rows } = await db.query(
    "select from pg_locks where relation = 'product'::regclass and mode = 'AccessExclusiveLock' and not granted",
  );
  return rows.length > 0;
}

test('a statement that locks product first and app_user later gets both locks, and then the upgrade ends', async () => {
  let upgraded: Promise<unknown> = Promise.resolve();
  await learner.transaction(async (tx) => {
    await tx.execute('lock table product in access share mode');
    upgraded = migrate(db);
    await expect.poll(isWaitingForProduct, { timeout: 30_000, interval: 10 }).toBe(true);
    await tx.execute('lock table app_user in access share mode');
  });
  await expect(upgraded).resolves.toEqual(expect.arrayContaining(['0013-access-grants.sql']));
});
