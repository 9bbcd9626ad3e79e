// Saves a consistent snapshot of the database to a file, while the portal serves requests. Also migrates the database,
// after a backup if the database is embedded and has data.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, DatabaseError, type Db } from '../db/database.ts';
import {
  listApplied,
  listMigrations,
  listPending,
  type Migration,
  migrate,
  readSchemaVersion,
} from '../db/migrate.ts';
import {
  BACKUP_FORMAT,
  type BackupHeader,
  type BackupPart,
  type CheckedBackup,
  checkBackupFile,
  placeFile,
  writeBackupFile,
} from './backup-file.ts';
import { BackupError, type Encryption } from './encryption.ts';
import { beginSnapshot, listSequences, listTables, readRows } from './tables.sql.ts';

/** Writes a backup of the database to `file`, which is replaced only if the new backup is complete. */
export function createBackup(
  db: Database,
  { file, now }: { file: string; now: Date },
): Promise<CheckedBackup> {
  return placeFile(file, (draft) => saveDatabase(db, { file: draft, now }), checkBackupFile);
}

/**
 * Writes a backup of `db` to the new file `file`, encrypted unless `encryption` is missing or null. One transaction
 * reads all rows from one snapshot. Meanwhile, other transactions continue on PostgreSQL, but wait on the embedded
 * engine, which has one connection. The schema of the database may be older or newer than the schema of this program.
 * @throws BackupError if the database is empty.
 */
export async function saveDatabase(
  db: Database,
  { file, now, encryption }: { file: string; now: Date; encryption?: Encryption | null },
): Promise<void> {
  await db.transaction(async (tx) => {
    await beginSnapshot(tx);
    const schema = await readSchemaVersion(tx);
    if (schema === 0) throw new BackupError('The database is empty: there is nothing to back up.');
    const migrations = await listApplied(tx);
    const made_at = now.toISOString();
    const header = { format: BACKUP_FORMAT, schema, migrations, made_at, engine: db.engine };
    await writeBackupFile(file, readDatabase(tx, header), encryption);
  });
}

async function* readDatabase(tx: Db, header: BackupHeader): AsyncGenerator<BackupPart> {
  yield { kind: 'backup', value: header };
  for (const table of await listTables(tx)) {
    yield { kind: 'table', value: table };
    for await (const rows of readRows(tx, table)) yield { kind: 'rows', value: rows };
  }
  // A snapshot does not include sequences. The sequences are read after all rows, so that their numbers are at least as
  // high as the ids in the rows.
  for (const sequence of await listSequences(tx)) yield { kind: 'sequence', value: sequence };
}

const KEPT = 3;
const NAME = /^before-upgrade-.*\.backup$/;

/**
 * Migrates `db`. On the embedded engine, first saves a database with data and pending migrations to `dataDir`/backups,
 * and deletes all but the last three of these backups. On PostgreSQL, the operator makes the backups. Returns the path
 * of the new backup; null if no backup was made.
 * @throws DatabaseError if the schema is newer than this program knows, or too old to be migrated, or the backup cannot
 * be written.
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
  // The file names contain the time, so the order of the names is the order of the times.
  const older = (await readdir(folder))
    .filter((name) => NAME.test(name))
    .sort()
    .slice(0, -KEPT);
  for (const name of older) await rm(join(folder, name), { force: true });
  return file;
}
