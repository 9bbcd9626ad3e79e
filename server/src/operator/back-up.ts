// Runs the operator commands `backup` and `restore`.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { forgetAddress, hasNoSigningKeys, opensWithSecretKey } from '../auth/auth-service.ts';
import { type BackupCounts, type CheckedBackup, checkBackupFile, placeFile } from '../backup/backup-file.ts';
import { saveDatabase } from '../backup/create-backup.ts';
import { BackupError, type BackupKeys } from '../backup/encryption.ts';
import { checkRestorable, restoreBackup } from '../backup/restore-backup.ts';
import type { Config } from '../config.ts';
import type { Database, Db } from '../db/database.ts';
import { readSchemaVersion } from '../db/migrate.ts';
import { removeEmbedded } from '../db/open-embedded.ts';
import { eraseAgain } from '../features/privacy/erase.ts';
import { openDatabase } from '../open-database.ts';
import { findSecretKey } from '../secret-key.ts';
import type { NamedEncryption } from './backup-keys.ts';
import { fetchBackup } from './socket.ts';
import { describeTeam } from './team-commands.ts';

// Tables that are not restored. Otherwise sessions and sign-in links that ended after the backup would be valid again.
const SIGN_INS = ['auth_session', 'auth_one_time_token', 'auth_earlier_token', 'auth_flow_state'];

/**
 * Saves the database to `file`, encrypted unless `encryption` is null. Returns a report for the operator. Runs no
 * migrations. Only one process at a time can open an embedded database. So if the portal runs, the portal makes the
 * backup, and sends it unencrypted through its socket to this process, which encrypts it.
 */
export async function backUp(
  config: Config,
  { file, now, encryption }: { file: string; now: Date; encryption: NamedEncryption | null },
): Promise<string> {
  const fill = async (draft: string) => {
    if (config.databaseUrl === null && (await fetchBackup(config.dataDir, draft, encryption))) return;
    await withDatabase(config, (db) => saveDatabase(db, { file: draft, now, encryption }));
  };
  const made = await placeFile(file, fill, (draft) => checkBackupFile(draft, encryption?.keys));
  return describeBackup(config, { file, made, encryption });
}

type RestoreOrder = {
  file: string;
  keys: BackupKeys;
  withoutKeys: boolean;
  /** The people to erase again; null if the operator named no file. */
  erasures: readonly { user_id: string; at: Date }[] | null;
};

/**
 * Restores the backup `file` into the configured database, which must be empty. `keys` decrypt an encrypted file. With
 * `withoutKeys`, the signing keys are not restored. Returns a report for the operator, with the restored team. If the
 * restore fails, deletes the embedded database if this call created it.
 * @throws BackupError as `restoreBackup`, or if the configured SECRET_KEY does not decrypt the restored signing keys.
 */
export async function restore(
  config: Config,
  { file, keys, withoutKeys, erasures }: RestoreOrder,
): Promise<string> {
  const folder = join(config.dataDir, 'pg');
  const isFresh = config.databaseUrl === null && !existsSync(folder);
  // Checks the file before the embedded database is created, because the creation takes seconds.
  const found = isFresh ? await checkRestorable(file, keys) : undefined;
  const restored = withDatabase(config, async (db) => {
    let erased = 0;
    const { header, counts } = await restoreBackup(db, {
      file,
      found,
      keys,
      without: withoutKeys ? [...SIGN_INS, 'auth_signing_key'] : SIGN_INS,
      check: async (tx) => {
        if (!(await opensSigningKeys(config, tx))) throw new BackupError(describeMissingKey(config, file));
        const isHosted = config.auth.hosted !== null;
        erased = await eraseAgain(tx, erasures ?? [], { forgetAddress: isHosted ? null : forgetAddress });
      },
    });
    const now = await readSchemaVersion(db);
    const upgraded = now === header.schema ? '' : `, brought up to schema ${now}`;
    const keysLeft = withoutKeys ? ' and signing keys' : '';
    const sessions =
      config.auth.hosted === null
        ? `Sessions${keysLeft} were not restored: everybody must sign in again.`
        : 'The sessions of the hosted sign-in service go on.';
    return [
      `Restored ${count(counts)} of ${header.made_at} (schema ${header.schema}${upgraded}). ${sessions}`,
      ...(erasures === null ? [] : [`People erased again: ${erased}.`]),
      'Roles and addresses are those of that time. Take roles that ended since away with admin remove. The team:',
      await describeTeam(db),
    ].join('\n');
  });
  return restored.catch(async (error: unknown) => {
    if (isFresh && existsSync(folder)) await removeEmbedded(config.dataDir);
    throw error;
  });
}

/**
 * True if the configured SECRET_KEY decrypts the signing keys in the database. Also true if the database has no signing
 * keys, or the sign-in service is hosted.
 */
export async function opensSigningKeys({ auth, secretKey, dataDir }: Config, db: Db): Promise<boolean> {
  if (auth.hosted !== null || (await hasNoSigningKeys(db))) return true;
  const key = secretKey ?? (await findSecretKey(dataDir));
  return key !== null && opensWithSecretKey(db, key);
}

function describeBackup(
  { secretKey, dataDir }: Config,
  { file, made, encryption }: { file: string; made: CheckedBackup; encryption: NamedEncryption | null },
): string {
  const { header, counts, bytes } = made;
  const key = secretKey === null ? join(dataDir, 'secret-key') : 'the value of SECRET_KEY';
  return [
    `${file}: ${count(counts)} (schema ${header.schema}), ${(bytes / 1e6).toFixed(1)} MB, read back and whole.`,
    encryption === null
      ? 'It is not encrypted and holds addresses and codes: keep it where only you can read it.'
      : `It is encrypted: only ${encryption.decryptedBy} decrypts it. Without that, nobody can restore it.`,
    `The signing keys in it work only with ${key}, which is not in it:`,
    'keep a copy of that too, apart from the backup.',
  ].join('\n');
}

function describeMissingKey({ secretKey, dataDir }: Config, file: string): string {
  const fault = `do not open with ${secretKey === null ? join(dataDir, 'secret-key') : 'SECRET_KEY'}`;
  return `The signing keys in ${file} ${fault}. Set SECRET_KEY to the one that was in use when it was made (for the embedded database the content of the file secret-key in its DATA_DIR). If it is lost, restore with --without-keys. Nothing was written.`;
}

function count(counts: BackupCounts): string {
  const rows = Object.values(counts).reduce((sum, n) => sum + n, 0);
  return `${rows.toLocaleString('en')} rows in ${Object.keys(counts).length} tables`;
}

async function withDatabase<T>(config: Config, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase(config);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
