// The secret of a portal on the embedded database: made on first start, kept in the data folder.
import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from './config.ts';

/**
 * The 32 bytes of `dataDir`/secret-key, made there (mode 0600) when there are none and the database needs no older ones.
 * @throws ConfigError when the file holds something else, or is gone while the database was made with it.
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
    // Linked into place whole, so that a crash cannot leave half a key that later starts would trust.
    await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
    await link(draft, file).finally(() => rm(draft));
    return readOrMakeSecretKey(dataDir, isNew);
  }
  return existing;
}

/** As `readOrMakeSecretKey`, making none: null when there is no file. @throws ConfigError when it holds something else. */
export async function findSecretKey(dataDir: string): Promise<Buffer | null> {
  const file = join(dataDir, 'secret-key');
  const existing = await readFile(file, 'utf8').catch(() => null);
  if (existing === null) return null;
  const key = Buffer.from(existing, 'base64');
  if (key.length !== 32)
    throw new ConfigError(`${file} is damaged: it must hold 32 bytes in base64. Restore it from a backup.`);
  return key;
}
