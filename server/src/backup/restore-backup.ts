// Restores a backup into an empty database of either engine, completely or not at all.
import type { Database, Db } from '../db/database.ts';
import {
  applyMigrations,
  countFromBaseline,
  listMigrations,
  type Migration,
  readSchemaVersion,
  UPGRADE_FIRST,
  withSchemaLock,
} from '../db/migrate.ts';
import { type CheckedBackup, checkBackupFile, readBackupFile } from './backup-file.ts';
import { BackupError, type BackupKeys } from './encryption.ts';
import {
  analyzeTable,
  type BackupTable,
  createRows,
  listTables,
  setSequence,
  setTriggers,
} from './tables.sql.ts';

type RestoreOptions = {
  file: string;
  /** The result of `checkRestorable` for this file. If `found` is missing, `restoreBackup` checks the file itself. */
  found?: CheckedBackup | undefined;
  /** Required if the file is encrypted. */
  keys?: BackupKeys | undefined;
  /** Tables whose rows are not restored. */
  without?: readonly string[];
  /** Called before the commit, in the same transaction. If `check` throws, nothing is restored. */
  check?: (tx: Db) => Promise<void>;
  migrations?: Migration[];
};

/**
 * Reads the whole `file`, and checks that this program knows all its migrations.
 * @throws BackupError if the file is damaged, `keys` do not decrypt an encrypted file, or the schema in the file is too
 * old or too new.
 */
export async function checkRestorable(
  file: string,
  keys: BackupKeys | undefined,
  migrations?: Migration[],
): Promise<CheckedBackup> {
  const known = migrations ?? (await listMigrations());
  const found = await checkBackupFile(file, keys);
  const { schema, migrations: listed = [] } = found.header;
  const applied = countFromBaseline(listed);
  if (applied === null || applied.length === 0)
    throw new BackupError(
      `${file} was made by a version of the portal that is too old for this one (schema ${schema}): restore it with the version that made it, then ${UPGRADE_FIRST}. Nothing was written.`,
    );
  if (applied.every((version) => known.some((migration) => migration.version === version))) return found;
  throw new BackupError(
    `${file} was made by another version of the portal (schema ${schema}, this program knows ${known.at(-1)?.version ?? 0}). Restore it with that version or a newer one. Nothing was written.`,
  );
}

/**
 * Checks the whole `file`. Then one transaction creates the schema of the backup, inserts the rows, and migrates to the
 * schema of this program. A portal that starts meanwhile waits until the transaction ends.
 * @throws BackupError if the database is not empty, or as `checkRestorable`.
 */
export async function restoreBackup(
  db: Database,
  { file, found: checked, keys, without = [], check, migrations }: RestoreOptions,
): Promise<CheckedBackup> {
  const known = migrations ?? (await listMigrations());
  await refuseFullDatabase(db);
  const found = checked ?? (await checkRestorable(file, keys, known));
  const applied = countFromBaseline(found.header.migrations ?? []) ?? [];
  const isOld = ({ version }: Migration) => applied.includes(version);
  const later = known.filter((migration) => !isOld(migration));
  await withSchemaLock(db, async (tx) => {
    await refuseFullDatabase(tx);
    await applyMigrations(tx, known.filter(isOld));
    await fillTables(tx, { file, keys, without });
    await applyMigrations(tx, later);
    for (const table of await listTables(tx)) await analyzeTable(tx, table);
    await check?.(tx);
  });
  return found;
}

async function refuseFullDatabase(db: Db): Promise<void> {
  if ((await readSchemaVersion(db)) === 0) return;
  throw new BackupError(
    'The database is not empty, and a backup is restored into an empty one only. Stop the portal; then on PostgreSQL make a new database (createdb -O <user>) and name it in DATABASE_URL, on the embedded engine name another DATA_DIR, or move its folder pg away. Nothing was written.',
  );
}

async function fillTables(
  tx: Db,
  { file, keys, without }: { file: string; keys: BackupKeys | undefined; without: readonly string[] },
): Promise<void> {
  const tables = await listTables(tx);
  const left = new Map(tables.map((table) => [table.name, table]));
  // Triggers are disabled while rows are inserted. Some triggers update counters, which the backup already contains:
  // the counters would be too high. Other triggers check rows, and these rows were checked before the backup.
  for (const table of tables) await setTriggers(tx, table, 'disable');
  let filling: BackupTable | undefined;
  for await (const { kind, value } of readBackupFile(file, keys)) {
    if (kind === 'table') filling = takeTable(left, value, file);
    if (kind === 'rows' && filling && !without.includes(filling.name)) await createRows(tx, filling, value);
    if (kind === 'sequence') await setSequence(tx, value);
  }
  if (left.size > 0) throw schemaMismatch(file, [...left.keys()].join(', '));
  for (const table of tables) await setTriggers(tx, table, 'enable');
}

// Removes the table `name` from `left` (the tables that are not yet restored), and returns the table. Throws if the
// backup has other columns. Without this check, a column that the backup lacks would silently be empty after the
// restore.
function takeTable(
  left: Map<string, BackupTable>,
  { name, columns }: BackupTable,
  file: string,
): BackupTable {
  const table = left.get(name);
  if (table === undefined || [...table.columns].sort().join() !== [...columns].sort().join())
    throw schemaMismatch(file, name);
  left.delete(name);
  return table;
}

function schemaMismatch(file: string, what: string): BackupError {
  return new BackupError(
    `${file} does not fit the schema that it names (${what}): its database had tables or columns that are not the portal's. Nothing was written.`,
  );
}
