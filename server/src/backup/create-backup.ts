// Saves a consistent snapshot of the whole database to a file, while the portal serves requests.
import type { Database, Db } from '../db/database.ts';
import { listApplied, readSchemaVersion } from '../db/migrate.ts';
import { BackupError } from './backup-error.ts';
import {
  BACKUP_FORMAT,
  type BackupHeader,
  type BackupPart,
  type CheckedBackup,
  placeBackupFile,
  writeBackupFile,
} from './backup-file.ts';
import type { Encryption } from './encryption.ts';
import { beginSnapshot, listSequences, listTables, readRows } from './tables.sql.ts';

/** Writes a backup of the database to `file`. Replaces an existing file only after the new backup is complete. */
export function createBackup(
  db: Database,
  { file, now }: { file: string; now: Date },
): Promise<CheckedBackup> {
  return placeBackupFile(file, (draft) => saveDatabase(db, { file: draft, now }));
}

/**
 * Writes a backup of `db` to `file`, encrypted unless `encryption` is missing or null. All rows are read in one
 * transaction with one snapshot.
 * On PostgreSQL, other writes continue during the backup. On the embedded engine, other writes wait until the backup is
 * complete, because this engine has only one connection.
 * The schema of the database may be older or newer than the schema of this program.
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
  // The snapshot does not include sequences: a sequence may advance while the rows are read. Each sequence is read
  // after all rows, so its number is at least as high as the ids in the rows.
  for (const sequence of await listSequences(tx)) yield { kind: 'sequence', value: sequence };
}
