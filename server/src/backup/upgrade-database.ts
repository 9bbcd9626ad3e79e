// Migrates the database. An embedded database that contains data is saved to a backup first.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../db/database.ts';
import { DatabaseError } from '../db/database-error.ts';
import { listApplied, listMigrations, listPending, type Migration, migrate } from '../db/migrate.ts';
import { createBackup } from './create-backup.ts';

const KEPT = 3;
const NAME = /^before-upgrade-.*\.backup$/;

/**
 * Migrates `db`. On the embedded engine, saves the database to `dataDir`/backups before a migration. The folder keeps
 * the last three of these backups.
 * Returns the path of the new backup. Returns null if no backup was made: the database was empty, no migration was
 * pending, or the engine is PostgreSQL. On PostgreSQL, the operator makes the backups.
 * @throws DatabaseError if the schema is newer than this program or too old for it, or the backup cannot be written.
 */
export async function upgradeDatabase(
  db: Database,
  { dataDir, now, migrations }: { dataDir: string; now: Date; migrations?: Migration[] },
): Promise<string | null> {
  const known = migrations ?? (await listMigrations());
  const schema = (await listApplied(db)).at(-1);
  const pending = await listPending(db, known);
  const isUpgrade = db.engine === 'embedded' && schema !== undefined && pending.length > 0;
  const file = isUpgrade ? await saveBeforeUpgrade(db, { dataDir, now, schema }) : null;
  await migrate(db, known);
  return file;
}

async function saveBeforeUpgrade(
  db: Database,
  { dataDir, now, schema }: { dataDir: string; now: Date; schema: number },
): Promise<string> {
  const folder = join(dataDir, 'backups');
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const file = join(folder, `before-upgrade-${time}-schema-${schema}.backup`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await createBackup(db, { file, now });
  } catch (cause) {
    const fault = cause instanceof Error ? cause.message : String(cause);
    throw new DatabaseError(`No backup before the upgrade: ${fault} The database is as it was.`, { cause });
  }
  // The file names contain the time, so sorting by name is sorting by age.
  const older = (await readdir(folder))
    .filter((name) => NAME.test(name))
    .sort()
    .slice(0, -KEPT);
  for (const name of older) await rm(join(folder, name), { force: true });
  return file;
}
