// Tests that learners are served while the migrations after the baseline run: no migration makes their statements wait,
// neither behind a lock for which the migration waits, nor for a scan of a large table.
import { afterEach, expect, test } from 'vitest';
import { addLearner, addProduct, utcToday } from '../../test/factories.ts';
import { REDEEM_TOOLS } from '../../test/fill-database.ts';
import { listProductsOf } from '../../test/lifecycle.ts';
import { createTestDatabase, openTestPostgres } from '../../test/open-test-database.ts';
import { redeemCoupon } from '../features/redeem/redeem.ts';
import type { Database, Db } from './database.ts';
import { listMigrations, type Migration, migrate } from './migrate.ts';

const ROWS = 2_000;
// A statement that reads or writes more rows counts as a scan of a large table. Lower than ROWS, and higher than the
// number of products.
const MAX_ROWS = 100;

// Each large table gets at least ROWS rows.
const FILL = `
  insert into product (name, description, url) select 'Product ' || n, 'A tool.', 'tool.example' from generate_series(1, 3) n;
  insert into coupon_batch (product_id, source, created_by)
    select product_id, 'file', 'staff' from product, generate_series(1, ${ROWS});
  insert into app_user (email) select 'person-' || n || '@example.org' from generate_series(1, ${ROWS}) n;
  insert into access_grant (user_id, product_id, starts_on, granted_by)
    select u.id, p.product_id, '2026-01-01', 'staff' from app_user u, product p;
  insert into audit (actor, action, user_id) select 'staff', 'user.create', id from app_user;
  insert into coupon (product_id, batch_id, shared, coupon_code)
    select product_id, id, false, 'CODE-' || id from coupon_batch`;

// The lock modes of PostgreSQL, and the modes that conflict with each (PostgreSQL documentation, 'Explicit Locking').
const CONFLICTS: Record<string, string[]> = {
  AccessShareLock: ['AccessExclusiveLock'],
  RowShareLock: ['ExclusiveLock', 'AccessExclusiveLock'],
  RowExclusiveLock: ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'],
};
const WRITTEN = [
  'app_user',
  'product',
  'coupon',
  'audit',
  'access_grant',
  'auth_session',
  'job',
  'tally_change',
];

// Migrations that must fail the checks below, so that the checks are known to work.
const SCAN: Migration = {
  version: 9001,
  name: '9001-scan.sql',
  sql: "call lock_exclusively('coupon');\nupdate coupon set usage_limit = 5;\n",
};
const QUEUE: Migration = {
  version: 9002,
  name: '9002-queue.sql',
  sql: 'alter table coupon add column later integer;',
};

const opened: Database[] = [];
afterEach(async () => {
  for (const db of opened.splice(0).reverse()) await db.close();
});

/** Opens a new database with the baseline and many rows, on several connections. */
async function openBaseline(connections = 1): Promise<[Database, ...Database[]]> {
  const url = await createTestDatabase('template0');
  for (let at = 0; at < connections; at += 1) opened.push(await openTestPostgres(url));
  const [db, ...others] = opened as [Database, ...Database[]];
  await migrate(db, (await listMigrations()).slice(0, 1));
  await db.execute(FILL);
  await db.execute('vacuum analyze');
  return [db, ...others];
}

type Lock = { table: string; mode: string };

/** Returns the locks on tables that the transaction has. */
async function listLocks(tx: Db): Promise<Lock[]> {
  const { rows } = await tx.query<Lock>(
    `select c.relname as table, l.mode from pg_locks l join pg_class c on c.oid = l.relation
     where l.pid = pg_backend_pid() and l.granted and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`,
  );
  return rows;
}

/** Returns the number of rows that the transaction has read or written so far. Building an index reads all rows. */
async function countRows(tx: Db): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0) + n_tup_ins + n_tup_upd + n_tup_del)::int as count
     from pg_stat_xact_user_tables`,
  );
  return rows[0]?.count ?? 0;
}

/** Splits a migration into its statements. A semicolon within the body of a function ends no statement. */
function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let open = '';
  for (const part of sql.replaceAll(/--.*$/gm, '').split(/(?<=;)\s*\n/)) {
    open += `${part}\n`;
    if (open.split('$$').length % 2 === 0) continue;
    if (open.trim()) statements.push(open.trim());
    open = '';
  }
  return statements;
}

/**
 * Returns the locks that conflict with those that a learner needs to redeem and to list products. Redeems in a database
 * of its own, because this version may call functions that a migration after the baseline creates.
 */
async function listBlocking(): Promise<Lock[]> {
  const db = await openTestPostgres(await createTestDatabase());
  opened.push(db);
  const product = await addProduct(db, { codes: 1 });
  const caller = await addLearner(db, [product]);
  const needed = await db.transaction(async (tx) => {
    const within: Database = { ...db, ...tx, transaction: (work) => work(tx) };
    expect(await redeemCoupon(within, { caller, productId: product.product_id }, REDEEM_TOOLS)).toMatchObject(
      {
        is_new: true,
      },
    );
    expect(await listProductsOf(within, caller, utcToday())).toHaveLength(1);
    return listLocks(tx);
  });
  return needed.flatMap(({ table, mode }) =>
    (CONFLICTS[mode] ?? []).map((other) => ({ table, mode: other })),
  );
}

/** Runs the statements in a transaction. Returns those that read or wrote many rows while learners waited. */
function listSlow(db: Database, statements: readonly string[], blocking: readonly Lock[]): Promise<string[]> {
  return db.transaction(async (tx) => {
    const slow: string[] = [];
    for (const statement of statements) {
      const before = await countRows(tx);
      await tx.execute(statement);
      // A lock stays until the transaction ends. So these locks include those with which the statement ran.
      const locks = await listLocks(tx);
      const blocks = blocking.some(({ table, mode }) =>
        locks.some((lock) => lock.table === table && lock.mode === mode),
      );
      if (blocks && (await countRows(tx)) - before > MAX_ROWS) slow.push(statement);
    }
    return slow;
  });
}

test('no statement of a migration reads or writes many rows while it has a lock for which learners wait', async () => {
  const [db] = await openBaseline();
  const blocking = await listBlocking();
  for (const table of ['app_user', 'product', 'access_grant', 'coupon', 'audit'])
    expect(blocking).toContainEqual({ table, mode: 'AccessExclusiveLock' });
  for (const { name, sql } of (await listMigrations()).slice(1)) {
    const statements = splitStatements(sql);
    if (!/^-- no transaction$/m.test(sql)) {
      expect(await listSlow(db, statements, blocking), name).toEqual([]);
      continue;
    }
    // PostgreSQL creates and drops an index `concurrently` without a lock for which learners wait. Each other statement
    // is its own transaction.
    for (const statement of statements) {
      if (/^(create|drop)( unique)? index concurrently /.test(statement)) await db.execute(statement);
      else expect(await listSlow(db, [statement], blocking), name).toEqual([]);
    }
  }
  expect(await listSlow(db, splitStatements(SCAN.sql), blocking)).toEqual([
    'update coupon set usage_limit = 5;',
  ]);
});

/** `create index concurrently` waits for transactions, not for tables. */
async function isWaiting(db: Db): Promise<boolean> {
  const { rows } = await db.query(
    `select from pg_stat_activity a join pg_locks l on l.pid = a.pid
     where not l.granted and l.locktype in ('relation', 'virtualxid') and a.datname = current_database()`,
  );
  return rows.length > 0;
}

/** Returns whether another write succeeds while `migration` waits for a long transaction that writes. */
async function letsOthersWrite(
  [db, writer, other]: readonly Database[],
  migrations: Migration[],
): Promise<boolean> {
  if (!db || !writer || !other) throw new Error('three connections are needed');
  let upgraded: Promise<unknown> = Promise.resolve();
  const wrote = await writer.transaction(async (tx) => {
    await tx.execute(`lock table ${WRITTEN.join(', ')} in row exclusive mode`);
    let isDone = false;
    upgraded = migrate(db, migrations).finally(() => {
      isDone = true;
    });
    await expect
      .poll(async () => isDone || (await isWaiting(other)), { timeout: 30_000, interval: 10 })
      .toBe(true);
    return other
      .transaction(async (second) => {
        await second.execute("set local lock_timeout = '5s'");
        await second.execute(`lock table ${WRITTEN.join(', ')} in row exclusive mode`);
        return true;
      })
      .catch(() => false);
  });
  await upgraded;
  return wrote;
}

test('while a migration waits for a long transaction that writes, other writes succeed', async () => {
  const databases = await openBaseline(3);
  const known = await listMigrations();
  for (const [at, { name }] of known.entries())
    if (at > 0) expect(await letsOthersWrite(databases, known.slice(0, at + 1)), name).toBe(true);
  expect(await letsOthersWrite(databases, [...known, SCAN])).toBe(true);
  expect(await letsOthersWrite(databases, [...known, SCAN, QUEUE])).toBe(false);
});

test('a statement that locks product first and app_user later gets both locks, and then the migration ends', async () => {
  const [db, learner] = (await openBaseline(2)) as [Database, Database];
  const both = { version: 9003, name: '9003-both.sql', sql: "call lock_exclusively('app_user', 'product');" };
  const known = await listMigrations();
  await migrate(db, known);
  let upgraded: Promise<unknown> = Promise.resolve();
  await learner.transaction(async (tx) => {
    await tx.execute('lock table product in access share mode');
    upgraded = migrate(db, [...known, both]);
    await expect.poll(() => isWaiting(tx), { timeout: 30_000, interval: 10 }).toBe(true);
    await tx.execute('lock table app_user in access share mode');
  });
  await expect(upgraded).resolves.toEqual(['9003-both.sql']);
});
