// Applies the SQL files of server/migrations, once each, in order, forward only.
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Db } from './database.ts';
import { DatabaseError } from './database-error.ts';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);
// Any number will do, as long as every process uses the same.
const LOCK_KEY = 7_153_001;
const LOCK_RETRY_MS = 100;
const NO_TRANSACTION = /^-- no transaction$/m;

export type Migration = { version: number; name: string; sql: string };

/** The migrations on disk, lowest version first. */
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
 * Applies the migrations that were not applied yet, lowest first, one that came later with a lower number too; each one in
 * a transaction of its own, under a lock, so that processes that start together apply it once. Answers the names applied.
 * One whose first line is `-- no transaction` builds indexes beside the traffic (`create index concurrently`): each of its
 * statements, which end at the end of a line, runs by itself. Cut off, it runs again from its beginning, so it begins with
 * `drop index concurrently if exists`.
 * @throws DatabaseError when the schema is newer than this program.
 */
export async function migrate(db: Database, migrations?: Migration[]): Promise<string[]> {
  const known = migrations ?? (await listMigrations());
  const newest = known.at(-1)?.version ?? 0;
  const applied: string[] = [];
  for (const migration of known) {
    const ran = await db.transaction(async (tx) => {
      await lockSchema(tx);
      const current = await readSchemaVersion(tx);
      if (current > newest) {
        throw new DatabaseError(
          `The database was written by a newer version of the portal (schema ${current}, this program knows ${newest}). Start that version, or restore a backup made before the upgrade.`,
        );
      }
      if ((await listPending(tx, [migration])).length === 0) return false;
      // The embedded engine has one connection, and nobody beside it.
      if (db.engine === 'postgres' && NO_TRANSACTION.test(migration.sql)) {
        await becomeIdle(tx);
        for (const statement of migration.sql.split(/(?<=;)\s*\n/)) await db.execute(statement);
        await noteApplied(tx, migration);
      } else await applyMigrations(tx, [migration]);
      return true;
    });
    if (ran) applied.push(migration.name);
  }
  return applied;
}

/** Applies migrations that were not applied yet, in the caller's transaction, which holds the schema's lock. */
export async function applyMigrations(tx: Db, migrations: Migration[]): Promise<void> {
  await createMigrationList(tx);
  for (const migration of migrations) {
    const { sql } = migration;
    await tx.execute(NO_TRANSACTION.test(sql) ? sql.replaceAll(/\bconcurrently\b/g, '') : sql);
    await noteApplied(tx, migration);
  }
}

async function noteApplied(tx: Db, { version, name }: Migration): Promise<void> {
  await tx.query('insert into schema_migration (version, name) values ($1, $2)', [version, name]);
}

/** Those of the migrations that were not applied yet. */
export async function listPending(db: Db, migrations: Migration[]): Promise<Migration[]> {
  if ((await readSchemaVersion(db)) === 0) return migrations;
  const applied = new Set(await listApplied(db));
  return migrations.filter(({ version }) => !applied.has(version));
}

/** The numbers of the migrations that were applied to a database that is not empty. */
export async function listApplied(db: Db): Promise<number[]> {
  const { rows } = await db.query<{ version: number }>(
    'select version from schema_migration order by version',
  );
  return rows.map(({ version }) => version);
}

/** The newest migration that was applied; 0 in an empty database. */
export async function readSchemaVersion(db: Db): Promise<number> {
  const { rows } = await db.query("select 1 from pg_class where oid = to_regclass('schema_migration')");
  if (rows.length === 0) return 0;
  const found = await db.query<{ version: number | null }>(
    'select max(version) as version from schema_migration',
  );
  return found.rows[0]?.version ?? 0;
}

// Under the schema's lock: `create table if not exists` is itself open to a race, two creators can collide.
async function createMigrationList(tx: Db): Promise<void> {
  await tx.query(
    'create table if not exists schema_migration (version integer primary key, name text not null, applied_at timestamptz not null default now())',
  );
}

/** Waits for other migrating processes, as long as they take, and keeps them out until the transaction's end. */
export async function lockSchema(tx: Db): Promise<void> {
  const lock = 'select pg_try_advisory_xact_lock($1) as locked';
  while (!(await tx.query<{ locked: boolean }>(lock, [LOCK_KEY])).rows[0]?.locked) {
    await becomeIdle(tx);
    await pause(LOCK_RETRY_MS);
  }
  await tx.execute('set local statement_timeout = 0');
}

// An index that is built concurrently waits for the snapshots of others. That of a query with parameters lasts until the
// transaction's next statement, so a transaction that only holds or awaits the lock needs one without.
async function becomeIdle(tx: Db): Promise<void> {
  await tx.execute('set local idle_in_transaction_session_timeout = 0');
}
