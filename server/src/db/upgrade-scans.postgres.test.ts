// Tests that learners are served while a large database is upgraded: no statement of a migration reads or writes many
// rows while the migration has a lock for which learners wait. The test counts rows, so it needs neither a large database
// nor a clock.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/open-test-database.ts';
import { OLD_CLAIM, OLD_MY_PRODUCTS } from '../../test/version-10.ts';
import type { Database, Db } from './database.ts';
import { listMigrations, type Migration, migrate } from './migrate.ts';
import { openPostgres } from './open-postgres.ts';

const OLD_SCHEMA = 10;
const ROWS = 2_000;
// Much less than ROWS, and more than the number of products. A scan of a table with ROWS rows is found.
const MAX_ROWS = 100;

// Each large table of the previous version gets at least ROWS rows.
const FILL = `
  insert into product (name, description, url) select 'Product ' || n, 'A tool.', 'tool.example' from generate_series(1, 3) n;
  insert into coupon_batch (product_id, source, created_by)
    select product_id, 'file', 'staff' from product, generate_series(1, ${ROWS});
  insert into app_user (email, all_products) select 'person-' || n || '@example.org', n % 2 = 0 from generate_series(1, ${2 * ROWS}) n;
  insert into product_access (user_id, product_id, granted_by) select u.id, p.product_id, 'staff' from app_user u, product p;
  insert into audit (actor, action, user_id) select 'staff', 'user.grant_all', id from app_user where all_products;
  insert into coupon (product_id, batch_id, shared, coupon_code)
    select product_id, id, false, 'CODE-' || id from coupon_batch`;

// The lock modes of PostgreSQL, and the modes that conflict with each (PostgreSQL documentation, 'Explicit Locking').
const CONFLICTS: Record<string, string[]> = {
  AccessShareLock: ['AccessExclusiveLock'],
  RowShareLock: ['ExclusiveLock', 'AccessExclusiveLock'],
  RowExclusiveLock: ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'],
};

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

let db: Database;
let known: Migration[];
let blocking: Lock[];
beforeAll(async () => {
  db = await openPostgres({ url: await createTestDatabase('template0'), maxConnections: 1 });
  known = await listMigrations();
  await migrate(db, known.slice(0, OLD_SCHEMA));
  await db.execute(FILL);
  await db.execute('vacuum analyze');
  const { rows } = await db.query<{ product_id: string }>('select product_id from product limit 1');
  // The locks that a learner of the previous version needs to redeem and to list products.
  const needed = await db.transaction(async (tx) => {
    const email = 'person-1@example.org';
    const params = [email, rows[0]?.product_id, 0, new Date(), 'learner', 'coupon.redeem'];
    expect((await tx.query(OLD_CLAIM, params)).rows).toMatchObject([{ coupon_code: 'CODE-1' }]);
    await tx.query(OLD_MY_PRODUCTS, [email]);
    return listLocks(tx);
  });
  blocking = needed.flatMap(({ table, mode }) =>
    (CONFLICTS[mode] ?? []).map((other) => ({ table, mode: other })),
  );
  for (const table of ['app_user', 'product', 'product_access', 'coupon', 'audit'])
    expect(blocking).toContainEqual({ table, mode: 'AccessExclusiveLock' });
  expect(blocking).toContainEqual({ table: 'coupon', mode: 'ShareLock' });
});
afterAll(() => db.close());

/** Runs the statements in a transaction. Returns those that read or wrote many rows while learners waited. */
async function listSlow(statements: readonly string[]): Promise<string[]> {
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

test('no statement of an upgrade reads or writes many rows while it has a lock for which learners wait', async () => {
  for (const { name, sql } of known.slice(OLD_SCHEMA)) {
    const statements = splitStatements(sql);
    if (!/^-- no transaction$/m.test(sql)) {
      expect(await listSlow(statements), name).toEqual([]);
      continue;
    }
    // PostgreSQL creates and drops an index `concurrently` without a lock for which learners wait. Each other statement
    // is its own transaction.
    for (const statement of statements) {
      if (/^(create|drop) index concurrently /.test(statement)) await db.execute(statement);
      else expect(await listSlow([statement]), name).toEqual([]);
    }
  }
  const { rows } = await db.query<{ count: number }>('select count(*)::int as count from access_grant');
  expect(rows).toEqual([{ count: 2 * ROWS * 3 + ROWS }]);
});
