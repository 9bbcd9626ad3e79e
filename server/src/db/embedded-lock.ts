// Locks the data folder, so that only one process uses it. PGlite does not notice a second process. Two processes would
// damage the database.
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseError } from './database-error.ts';

const SQLITE_BUSY = 5;

/**
 * Locks `folder` and returns a function that unlocks it. The lock is SQLite's lock on a file. The operating system
 * releases the lock when the process ends, even after a crash. So the lock is never stale.
 * @throws DatabaseError naming the process that holds the lock, or the reason why the folder cannot be locked.
 */
export function takeFolderLock(folder: string): () => void {
  const holderFile = join(folder, 'lock.json');
  const lock = new DatabaseSync(join(folder, 'lock'));
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (cause) {
    lock.close();
    const isHeld = cause instanceof Error && 'errcode' in cause && cause.errcode === SQLITE_BUSY;
    throw new DatabaseError(
      isHeld
        ? `The data folder ${folder} is in use by ${describeHolder(holderFile)}. Stop it first, or set DATA_DIR to another folder.`
        : `The data folder ${folder} cannot be written (${String(cause)}). Make room, or set DATA_DIR to another folder.`,
      { cause },
    );
  }
  writeFileSync(
    holderFile,
    JSON.stringify({ pid: process.pid, host: hostname(), since: new Date().toISOString() }),
  );
  return () => lock.close();
}

function describeHolder(file: string): string {
  try {
    const { pid, host, since } = JSON.parse(readFileSync(file, 'utf8'));
    return `process ${pid} on ${host} since ${since}`;
  } catch {
    return 'another process';
  }
}
