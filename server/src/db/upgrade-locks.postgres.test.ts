// Tests that the upgrade waits for running statements of learners without a deadlock.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, openEmptyTestDatabase } from '../../test/open-test-database.ts';
import type { Database } from './database.ts';
import { applyMigrations, listMigrations, migrate } from './migrate.ts';
import { openPostgres } from './open-postgres.ts';

const LAST_OF_OLD_VERSION = 12;

let db: Database;
let learner: Database;
// Another database, with two processes that write meanwhile.
let older: Database;
let writer: Database;
let other: Database;
beforeAll(async () => {
  const url = await createTestDatabase('template0');
  db = await openPostgres({ url });
  learner = await openPostgres({ url, maxConnections: 1 });
  await migrate(db, (await listMigrations()).slice(0, LAST_OF_OLD_VERSION));
  const olderUrl = await createTestDatabase('template0');
  [older, writer, other] = (await Promise.all(
    [olderUrl, olderUrl, olderUrl].map((url) => openPostgres({ url })),
  )) as [Database, Database, Database];
});
afterAll(async () => {
  for (const opened of [other, writer, older]) await opened.close();
  await learner.close();
  await db.close();
});

async function isWaitingFor(of: Database, table: string): Promise<boolean> {
  const { rows } = await of.query(
    `select from pg_locks where relation = $1::regclass and not granted
       and mode in ('AccessExclusiveLock', 'ShareRowExclusiveLock')`,
    [table],
  );
  return rows.length > 0;
}

test('a statement that locks product first and app_user later gets both locks, and then the upgrade ends', async () => {
  let upgraded: Promise<unknown> = Promise.resolve();
  await learner.transaction(async (tx) => {
    await tx.execute('lock table product in access share mode');
    upgraded = migrate(db);
    await expect.poll(() => isWaitingFor(db, 'product'), { timeout: 30_000, interval: 10 }).toBe(true);
    await tx.execute('lock table app_user in access share mode');
  });
  await expect(upgraded).resolves.toEqual(expect.arrayContaining(['0013-access-grants.sql']));
});

test.each([
  [50, 'access_grant'],
  [70, 'auth_one_time_token'],
  [71, 'job'],
  [75, 'coupon'],
])(
  'while migration %i waits for a long transaction that writes to %s, other writes succeed',
  async (version, table) => {
    const known = await listMigrations();
    await migrate(
      older,
      known.filter((migration) => migration.version < version),
    );
    let upgraded: Promise<unknown> = Promise.resolve();
    await writer.transaction(async (tx) => {
      await tx.execute(`lock table ${table} in row exclusive mode`);
      upgraded = migrate(
        older,
        known.filter((migration) => migration.version <= version),
      );
      await expect.poll(() => isWaitingFor(older, table), { timeout: 30_000, interval: 10 }).toBe(true);
      await other.transaction(async (second) => {
        await second.execute("set local lock_timeout = '5s'");
        await second.execute(`lock table ${table} in row exclusive mode`);
      });
    });
    await expect(upgraded).resolves.toHaveLength(1);
  },
);

test('migration 75 reads no code while learners wait for its lock', async () => {
  const known = await listMigrations();
  const fresh = await openEmptyTestDatabase();
  onTestFinished(() => fresh.close());
  await migrate(
    fresh,
    known.filter(({ version }) => version < 75),
  );
  await fresh.execute(`
    insert into product (name, description, url) values ('One', 'A tool.', 'tool.example');
    insert into coupon_batch (product_id, source, created_by) select product_id, 'file', 'staff' from product;
    insert into coupon (product_id, batch_id, shared, coupon_code)
      select product_id, id, false, 'CODE-' || n from coupon_batch, generate_series(1, 9) n;
    update coupon set voided_at = now(), voided_by = 'portal', void_reason = 'expired' where coupon_code > 'CODE-3'`);
  const read = await fresh.transaction(async (tx) => {
    // The view still has what the connection read before.
    const readCodes = async () => {
      const { rows } = await tx.query<{ codes: number }>(
        "select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as codes from pg_stat_xact_user_tables where relname = 'coupon'",
      );
      return rows[0]?.codes ?? Number.NaN;
    };
    const before = await readCodes();
    await applyMigrations(
      tx,
      known.filter(({ version }) => version === 75),
    );
    return (await readCodes()) - before;
  });
  expect(read).toBe(0);
});
