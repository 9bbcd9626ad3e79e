// Manages the secret key of a portal with the embedded database. The first start generates this key and stores it in
// the data folder.
import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from './config.ts';

/**
 * Returns the 32 bytes in the file `dataDir`/secret-key. If the file is missing and `isNew` returns true, generates a
 * key and writes the file with mode 0600. `isNew` must return true only if the database contains nothing that was
 * encrypted with an earlier key.
 * @throws ConfigError if the file is damaged or unreadable, or if it is missing and `isNew` returns false.
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
    // Writes the key to a temporary file. `link` then gives this file its name atomically, so that a later start never
    // finds an incomplete key, even after a crash.
    await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
    await link(draft, file).finally(() => rm(draft));
    return readOrMakeSecretKey(dataDir, isNew);
  }
  return existing;
}

/**
 * Returns the secret key in `dataDir`, or null if there is no key file.
 * @throws ConfigError if the file is damaged, or exists but cannot be read.
 */
export async function findSecretKey(dataDir: string): Promise<Buffer | null> {
  const file = join(dataDir, 'secret-key');
  const existing = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    // Often a copy that root made. Without this error, an operator would believe that the key is lost.
    throw new ConfigError(
      `${file} is there, but the user of this process cannot read it (${error.code}). Run as root, with the portal's user: chown portal ${file}`,
    );
  });
  if (existing === null) return null;
  const key = Buffer.from(existing, 'base64');
  if (key.length !== 32)
    throw new ConfigError(`${file} is damaged: it must hold 32 bytes in base64. Restore it from a backup.`);
  return key;
}
