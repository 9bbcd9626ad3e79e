// Opens the embedded database: PGlite, durable, one process a folder.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, chmod, constants, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PGlite, type Transaction } from '@electric-sql/pglite';
import type { Database, Db, Result, Row } from './database.ts';
import { DatabaseError } from './database-error.ts';
import { DURABLE_START_PARAMS, DurableNodeFS } from './embedded-filesystem.ts';
import { takeFolderLock } from './embedded-lock.ts';
import { hideValues } from './hide-values.ts';
import { TYPE_OIDS, toIsoTime } from './times.ts';

const POSTGRES_MAJOR = '18';
const PARSERS = { [TYPE_OIDS.timestamp_tz]: toIsoTime, [TYPE_OIDS.int8]: String };

/**
 * Opens the database in `dataDir`/pg, making it on first use; `dataDir` is made with, or given, mode 0700.
 * @throws DatabaseError when the folder is in use, was written by another major version, or is damaged.
 */
export async function openEmbedded(dataDir: string): Promise<Database> {
  await makeDataDir(dataDir);
  const unlock = takeFolderLock(dataDir);
  try {
    const folder = join(dataDir, 'pg');
    if (!existsSync(folder)) await initialise(folder);
    await checkVersion(folder);
    const pglite = await start(folder);
    return wrapPglite(pglite, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    // The folder may have been there before, open to others; and PGlite makes its files for everybody to write.
    await chmod(dataDir, 0o700);
    await access(dataDir, constants.W_OK);
  } catch (cause) {
    throw new DatabaseError(
      `The data folder ${dataDir} cannot be written (${String(cause)}). Set DATA_DIR to another folder.`,
      { cause },
    );
  }
}

/** The one shape of the database over an open PGlite; `onClose` runs after it is closed. */
export function wrapPglite(pglite: PGlite, onClose: () => void = () => undefined): Database {
  // Statements and transactions come one after the other.
  let underWay = 0;
  const count = async <T>(work: () => Promise<T>): Promise<T> => {
    underWay += 1;
    try {
      return await work();
    } finally {
      underWay -= 1;
    }
  };
  const { query, execute } = queryWith(pglite);
  return {
    engine: 'embedded',
    query: (text, params) => count(() => query(text, params)),
    execute: (script) => count(() => execute(script)),
    transaction: (work) =>
      count(() => pglite.transaction((tx) => work(queryWith(tx))) as ReturnType<typeof work>),
    countConnections: () => ({
      total: 1,
      idle: underWay === 0 ? 1 : 0,
      waiting: Math.max(0, underWay - 1),
    }),
    close: async () => {
      await pglite.close();
      onClose();
    },
  };
}

function queryWith(client: PGlite | Transaction): Db {
  return {
    query: async <R extends Row>(text: string, params: readonly unknown[] = []): Promise<Result<R>> => {
      const asked = client.query<R>(text, params as unknown[], { parsers: PARSERS });
      const { rows, affectedRows } = await asked.catch(rethrow);
      return { rows, rowCount: rows.length || (affectedRows ?? 0) };
    },
    execute: async (script) => {
      await client.exec(script).catch(rethrow);
    },
  };
}

function rethrow(error: unknown): never {
  throw hideValues(error);
}

// Made beside its place and moved there, so that an interrupted first start leaves nothing half made.
async function initialise(folder: string): Promise<void> {
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  await promisify(execFile)(process.execPath, [
    fileURLToPath(import.meta.resolve('./initialise-embedded.ts')),
    draft,
  ]);
  await rename(draft, folder);
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

async function start(folder: string): Promise<PGlite> {
  const said: string[] = [];
  const keep = (line: string): boolean => {
    said.push(line);
    if (said.length > 20) said.shift();
    return false;
  };
  try {
    return await PGlite.create({
      fs: new DurableNodeFS(folder),
      startParams: DURABLE_START_PARAMS,
      onStdout: keep,
      onStderr: keep,
    });
  } catch (error) {
    const reason = said.findLast((line) => /PANIC|FATAL|ERROR/.test(line)) ?? String(error);
    throw new DatabaseError(
      `The embedded database in ${folder} is damaged and does not open (${reason.trim()}). Restore a backup, or move the folder away to begin anew.`,
      { cause: error },
    );
  }
}
