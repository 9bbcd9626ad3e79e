// Manages the secret key of a portal with the embedded database: generated on the first start, kept in the data folder.
import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from './config.ts';

/**
 * Returns the 32 bytes in `dataDir`/secret-key. Generates the file (mode 0600) if it is missing and `isNew` returns
 * true, which means that no data needs an older key.
 * @throws ConfigError if the file is damaged, or is missing although the database was made with it.
 */
export async function readOrMakeSecretKey(dataDir: string, isNew: () => Promise<boolean>): Promise<Buffer> {
  const file = join(dataDir, 'secret-key');
  const draft = `${file}.${process.pid}`;
  const existing = await findSecretKey(dataDir);
  if (existing === null) {
    if (!(await isNew())) {
      throw new ConfigError(
        `${file} is gone, and this database was made with it. Restore it from a backup, or set SECRET_KEY to its content.`,
      );
    }
    // `link` is atomic: after a crash no later start finds half a key.
    await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
    await link(draft, file).finally(() => rm(draft));
    return readOrMakeSecretKey(dataDir, isNew);
  }
  return existing;
}

/** Returns the key, or null if there is no file. @throws ConfigError if the file is damaged. */
export async function findSecretKey(dataDir: string): Promise<Buffer | null> {
  const file = join(dataDir, 'secret-key');
  const existing = await readFile(file, 'utf8').catch(() => null);
  if (existing === null) return null;
  const key = Buffer.from(existing, 'base64');
  if (key.length !== 32)
    throw new ConfigError(`${file} is damaged: it must hold 32 bytes in base64. Restore it from a backup.`);
  return key;
}
