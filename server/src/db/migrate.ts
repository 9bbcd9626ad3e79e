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
  await db.transaction(async (tx) => {
    // `create table if not exists` is itself open to a race: two creators can collide in the catalogue.
    await lockSchema(tx);
    await tx.query(
      'create table if not exists schema_migration (version integer primary key, name text not null, applied_at timestamptz not null default now())',
    );
  });
  for (const migration of known) {
    const ran = await db.transaction(async (tx) => {
      await lockSchema(tx);
      const { rows } = await tx.query<{ version: number | null }>(
        'select max(version) as version from schema_migration',
      );
      const current = rows[0]?.version ?? 0;
      if (current > newest) {
        throw new DatabaseError(
          `The database was written by a newer version of the portal (schema ${current}, this program knows ${newest}). Start that version, or restore a backup made before the upgrade.`,
        );
      }
      if (migration.version <= current) return false;
      await tx.execute(migration.sql);
      await tx.query('insert into schema_migration (version, name) values ($1, $2)', [
        migration.version,
        migration.name,
      ]);
      return true;
    });
    if (ran) applied.push(migration.name);
  }
  return applied;
}

/** Waits for other migrating processes, as long as they take. */
async function lockSchema(tx: Db): Promise<void> {
  await tx.execute(`set local statement_timeout = 0; select pg_advisory_xact_lock(${LOCK_KEY})`);
}
