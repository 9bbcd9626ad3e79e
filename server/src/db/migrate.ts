// Applies the SQL files of server/migrations in order, each file once. There is no downgrade.
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Db } from './database.ts';
import { DatabaseError } from './database-error.ts';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);
// Key of the advisory lock. The number is arbitrary, but every process must use the same number.
const LOCK_KEY = 7_153_001;
const LOCK_RETRY_MS = 100;
const NO_TRANSACTION = /^-- no transaction$/m;

export type Migration = { version: number; name: string; sql: string };

/** Returns the migrations in the folder, lowest version first. */
export async function listMigrations(folder: URL = MIGRATIONS): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}-.*\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => ({
      version: Number(name.slice(0, 4)),
      name,
      sql: await readFile(new URL(name, folder), 'utf8'),
    })),
  );
}

/**
 * Applies the pending migrations, lowest version first, and returns their names. A migration is pending even if one
 * with a higher number was applied before. Each migration runs in its own transaction and under a lock. So if several
 * processes start together, each migration is applied once.
 * A migration whose first line is `-- no transaction` can use `create index concurrently`. Each statement of such a
 * migration ends at the end of a line and runs outside of a transaction. An interrupted migration runs again from its
 * first statement. So `drop index concurrently if exists` stands before each `create index concurrently`, to delete an
 * incomplete index.
 * @throws DatabaseError if the schema is newer than this program.
 */
export async function migrate(db: Database, migrations?: Migration[]): Promise<string[]> {
  const known = migrations ?? (await listMigrations());
  const newest = known.at(-1)?.version ?? 0;
  const applied: string[] = [];
  for (const migration of known) {
    const ran = await withSchemaLock(db, async (tx) => {
      const current = await readSchemaVersion(tx);
      if (current > newest) {
        throw new DatabaseError(
          `The database was written by a newer version of the portal (schema ${current}, this program knows ${newest}). Start that version, or restore a backup made before the upgrade.`,
        );
      }
      if ((await listPending(tx, [migration])).length === 0) return false;
      // On PostgreSQL, other statements can run during `create index concurrently`. PGlite has a single connection, so
      // no other statement could run. So on PGlite, a `-- no transaction` migration runs in a transaction, like any
      // other migration.
      if (db.engine === 'postgres' && NO_TRANSACTION.test(migration.sql)) {
        await endSnapshot(tx);
        for (const statement of migration.sql.split(/(?<=;)\s*\n/)) await db.execute(statement);
        await recordApplied(tx, migration);
      } else await applyMigrations(tx, [migration]);
      return true;
    });
    if (ran) applied.push(migration.name);
  }
  return applied;
}

/** Applies migrations in the transaction `tx`. The caller must have locked the schema with `withSchemaLock`. */
export async function applyMigrations(tx: Db, migrations: Migration[]): Promise<void> {
  await createMigrationList(tx);
  for (const migration of migrations) {
    const { sql } = migration;
    await tx.execute(NO_TRANSACTION.test(sql) ? sql.replaceAll(/\bconcurrently\b/g, '') : sql);
    await recordApplied(tx, migration);
  }
}

async function recordApplied(tx: Db, { version, name }: Migration): Promise<void> {
  await tx.query('insert into schema_migration (version, name) values ($1, $2)', [version, name]);
}

/** Returns those of `migrations` that the database has not applied yet. */
export async function listPending(db: Db, migrations: Migration[]): Promise<Migration[]> {
  if ((await readSchemaVersion(db)) === 0) return migrations;
  const applied = new Set(await listApplied(db));
  return migrations.filter(({ version }) => !applied.has(version));
}

/** Returns the versions of the applied migrations. Fails on an empty database, which has no table of migrations. */
export async function listApplied(db: Db): Promise<number[]> {
  const { rows } = await db.query<{ version: number }>(
    'select version from schema_migration order by version',
  );
  return rows.map(({ version }) => version);
}

/** Returns the highest version of the applied migrations; 0 for an empty database. */
export async function readSchemaVersion(db: Db): Promise<number> {
  const { rows } = await db.query("select 1 from pg_class where oid = to_regclass('schema_migration')");
  if (rows.length === 0) return 0;
  const found = await db.query<{ version: number | null }>(
    'select max(version) as version from schema_migration',
  );
  return found.rows[0]?.version ?? 0;
}

// The caller must hold the schema lock: if two processes run `create table if not exists` for the same table at the
// same time, one of them can fail.
async function createMigrationList(tx: Db): Promise<void> {
  await tx.query(
    'create table if not exists schema_migration (version integer primary key, name text not null, applied_at timestamptz not null default now())',
  );
}

/**
 * Runs `work` in a transaction that locks the schema, so that no other process migrates. If another process has the
 * lock, waits for the lock without a time limit.
 */
export async function withSchemaLock<T>(db: Database, work: (tx: Db) => Promise<T>): Promise<T> {
  for (;;) {
    // Each attempt to get the lock is its own transaction. Another process may hold the lock and run `create index
    // concurrently`, which waits for older transactions with a snapshot. If this transaction stayed open until it got
    // the lock, it and the other process would wait for each other.
    const done = await db.transaction(async (tx) => {
      const { rows } = await tx.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [
        LOCK_KEY,
      ]);
      if (!rows[0]?.locked) return null;
      await tx.execute('set local statement_timeout = 0');
      return { result: await work(tx) };
    });
    if (done) return done.result;
    await pause(LOCK_RETRY_MS);
  }
}

// Ends the snapshot that the last query of the transaction has taken. A query with parameters keeps its snapshot until
// the next statement; a statement without parameters, like the one below, keeps none. `create index concurrently` runs
// on another connection and waits for all older snapshots. The transaction `tx` waits for the index. So with a snapshot
// in `tx`, both would wait for each other.
async function endSnapshot(tx: Db): Promise<void> {
  await tx.execute('set local idle_in_transaction_session_timeout = 0');
}
