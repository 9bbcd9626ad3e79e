// Applies the SQL files of server/migrations, once each, in order, forward only.
import { readdir, readFile } from 'node:fs/promises';
import type { Database, Db } from './database.ts';
import { DatabaseError } from './database-error.ts';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);
// Any number will do, as long as every process uses the same.
const LOCK_KEY = 7_153_001;

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
 * Brings the schema up to the newest migration; each one in a transaction of its own, under a lock, so that processes
 * that start together apply it once. Answers the names applied.
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
      if (migration.version <= current) return false;
      await applyMigrations(tx, [migration]);
      return true;
    });
    if (ran) applied.push(migration.name);
  }
  return applied;
}

/** Applies migrations that were not applied yet, in the caller's transaction, which holds the schema's lock. */
export async function applyMigrations(tx: Db, migrations: Migration[]): Promise<void> {
  await createMigrationList(tx);
  for (const { version, name, sql } of migrations) {
    await tx.execute(sql);
    await tx.query('insert into schema_migration (version, name) values ($1, $2)', [version, name]);
  }
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
  await tx.execute(`set local statement_timeout = 0; select pg_advisory_xact_lock(${LOCK_KEY})`);
}
