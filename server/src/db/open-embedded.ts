// Opens the embedded database: PGlite with commits that survive a power failure. Only one process at a time can use it.
import { execFile } from 'node:child_process';
import { constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, readFile, rename, rm, stat, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PGlite, Transaction } from '@electric-sql/pglite';
import {
  type Database,
  DatabaseError,
  type Db,
  failConnection,
  hideValues,
  markOutcomeUnknown,
  PARSERS,
  type Result,
  type Row,
} from './database.ts';
import { EmbeddedEngine, openEngine, prepareStatements } from './embedded-engine.ts';

const POSTGRES_MAJOR = '18';
const REOPEN_PAUSE_MS = 5_000;
// Free disk space that the first start needs. A new database takes 45 MB after its first writes (measured).
const NEW_DATABASE_MB = 60;

/**
 * Opens the database in the folder `dataDir`/pg. Creates the database and the folder `dataDir` if they do not exist,
 * and sets the mode of `dataDir` to 0700.
 * @throws DatabaseError if the folder is in use, belongs to another user, is damaged, or was written by another major
 * version of PostgreSQL.
 */
export async function openEmbedded(dataDir: string): Promise<Database> {
  await makeDataDir(dataDir);
  const unlock = takeFolderLock(dataDir);
  try {
    const folder = join(dataDir, 'pg');
    if (!existsSync(folder)) await initialise(folder);
    await checkVersion(folder);
    return wrapPglite(await openEngine(folder), { reopen: () => openEngine(folder), onClose: unlock });
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Deletes the database in `dataDir`. Locks the folder during the deletion, so that no process opens the database. */
export async function removeEmbedded(dataDir: string): Promise<void> {
  const unlock = takeFolderLock(dataDir);
  await rm(join(dataDir, 'pg'), { recursive: true, force: true }).finally(unlock);
}

async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir);
    await refuseForeignOwner(dataDir);
    // All users may write the files that PGlite creates. So the mode of the folder denies access to other users.
    await chmod(dataDir, 0o700);
    await access(dataDir, constants.W_OK);
  } catch (cause) {
    if (cause instanceof DatabaseError) throw cause;
    throw new DatabaseError(
      `The data folder ${dataDir} cannot be written (${String(cause)}). Set DATA_DIR to another folder.`,
      { cause },
    );
  }
}

// Creates a folder and its parents. `mkdir` with `recursive` is not used: in Node 26 it never returns below /proc,
// where creating a folder fails with ENOENT.
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(dirname(folder));
  await mkdir(folder, { mode: 0o700 });
}

// Refuses to run as root on the folder of another user, because that user could not open the files that root creates.
// Creates a test folder to see its owner: some network shares give all files the same owner.
async function refuseForeignOwner(dataDir: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const made = await mkdtemp(join(dataDir, 'owner-'));
  const [mine, theirs] = [await stat(made), await stat(dataDir)];
  await rm(made, { recursive: true });
  if (mine.uid === theirs.uid) return;
  throw new DatabaseError(
    `The data folder ${dataDir} belongs to another user (${theirs.uid}), who could not open it afterwards. Run this as that user: sudo -u '#${theirs.uid}' …`,
  );
}

/**
 * Returns a `Database` that runs its statements on the open PGlite `first`. If PostgreSQL has stopped inside PGlite,
 * `reopen` opens the same folder again. `onClose` is called after closing.
 */
export function wrapPglite(
  first: PGlite,
  { reopen, onClose }: { reopen?: () => Promise<PGlite>; onClose?: () => void } = {},
): Database {
  let engine = first;
  let reopening: Promise<PGlite> | null = null;
  const findEngine = async (): Promise<PGlite> => {
    if (reopen === undefined || !hasStopped(engine)) return engine;
    // After a failed attempt, there is a pause of REOPEN_PAUSE_MS, because each attempt takes hundreds of megabytes of
    // memory.
    reopening ??= reopen().then(
      (opened) => {
        engine = opened;
        reopening = null;
        return opened;
      },
      (error: unknown) => {
        setTimeout(() => {
          reopening = null;
        }, REOPEN_PAUSE_MS).unref();
        throw failConnection(String(error));
      },
    );
    return reopening;
  };
  // Number of statements and transactions that run or wait. PGlite runs them one after the other.
  let pending = 0;
  const use = async <T>(work: (engine: PGlite) => Promise<T>): Promise<T> => {
    pending += 1;
    try {
      return await work(await findEngine());
    } finally {
      pending -= 1;
    }
  };
  return {
    engine: 'embedded',
    // Waits until a running transaction has ended, as PGlite's own `query` does.
    query: (text, params) =>
      use((pglite) =>
        pglite._runExclusiveTransaction(() => queryWith(pglite, pglite, false).query(text, params)),
      ),
    execute: (script) => use((pglite) => queryWith(pglite, pglite, false).execute(script)),
    transaction: (work) =>
      use(async (pglite) => {
        let isWorkDone = false;
        const result = pglite.transaction(async (tx) => {
          const done = await work(queryWith(pglite, tx, true));
          isWorkDone = true;
          return done;
        });
        return (await result.catch((error: unknown) => {
          throw isWorkDone ? markOutcomeUnknown(error) : error;
        })) as Awaited<ReturnType<typeof work>>;
      }),
    countConnections: () => ({
      total: 1,
      idle: pending === 0 ? 1 : 0,
      waiting: Math.max(0, pending - 1),
    }),
    close: async () => {
      // An engine in which PostgreSQL has stopped cannot be closed.
      if (!hasStopped(engine)) await engine.close();
      onClose?.();
    },
  };
}

function hasStopped(engine: PGlite): boolean {
  return engine instanceof EmbeddedEngine && engine.findPanic() !== null;
}

const statementsOf = new WeakMap<PGlite, ReturnType<typeof prepareStatements>>();

function queryWith(engine: PGlite, client: PGlite | Transaction, isInTransaction: boolean): Db {
  const run = statementsOf.get(engine) ?? prepareStatements(engine, PARSERS);
  statementsOf.set(engine, run);
  return {
    query: async <R extends Row>(text: string, params: readonly unknown[] = []): Promise<Result<R>> => {
      const { rows, affectedRows } = await run(text, params, { isInTransaction }).catch(rethrow);
      return { rows: rows as R[], rowCount: rows.length || affectedRows };
    },
    execute: async (script) => {
      await client.exec(script).catch(rethrow);
    },
  };
}

function rethrow(error: unknown): never {
  throw hideValues(error);
}

// Creates the database in a temporary folder and then renames it, so that an interrupted first start leaves no
// incomplete database.
async function initialise(folder: string): Promise<void> {
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  const program = fileURLToPath(import.meta.resolve('./initialise-embedded.ts'));
  try {
    await promisify(execFile)(process.execPath, [program, draft]);
  } catch (cause) {
    await rm(draft, { recursive: true, force: true });
    throw new DatabaseError(await describeInitError(folder, cause), { cause });
  }
  await rename(draft, folder);
}

async function describeInitError(folder: string, cause: unknown): Promise<string> {
  // If a signal ended the child process, the operator has stopped the portal: Ctrl-C and service managers send their
  // signal to child processes too.
  if (cause instanceof Error && 'signal' in cause && cause.signal !== null)
    return `Stopped while the first start made the database in ${folder}. Start again: nothing is left half made.`;
  const { bavail, bsize } = await statfs(dirname(folder));
  const free = Math.floor((bavail * bsize) / 1e6);
  if (free < NEW_DATABASE_MB)
    return `The database in ${folder} cannot be made: only ${free} MB are free there, and it needs ${NEW_DATABASE_MB}. Make room, or set DATA_DIR to another folder.`;
  return `The database in ${folder} cannot be made (${String(cause)}). Set DATA_DIR to another folder.`;
}

async function checkVersion(folder: string): Promise<void> {
  const version = await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => '');
  if (version.trim() === POSTGRES_MAJOR) return;
  throw new DatabaseError(
    version === ''
      ? `The embedded database in ${folder} is damaged: PG_VERSION is missing. Restore a backup, or move the folder away to begin anew.`
      : `The embedded database in ${folder} was written by PostgreSQL ${version.trim()}; this version of the portal needs ${POSTGRES_MAJOR}. Start the version that wrote it, or restore a backup.`,
  );
}

const SQLITE_BUSY = 5;

/**
 * Locks `folder` and returns a function that unlocks it. PGlite does not notice a second process on the same folder,
 * and two processes would damage the database. The lock is SQLite's lock on a file. When the process ends, the
 * operating system releases this lock, even after a crash.
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
  const holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() };
  writeFileSync(holderFile, JSON.stringify(holder));
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
