// Creates a temporary database for a benchmark: an embedded database in a folder, or a PostgreSQL database on its own
// server.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../server/src/db/database.ts';
import { openEmbedded } from '../server/src/db/open-embedded.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { startPostgres } from '../server/test/postgres.ts';

const SETUP_TIMEOUT_MS = 600_000;

/**
 * A temporary database. `open` opens the database in this process. `env` contains the environment variables with which
 * the portal opens it. Only one process at a time may open an embedded database.
 */
export type Place = { open(): Promise<Database>; env: Record<string, string> };

/** Creates a database, runs `work` on it and removes the database afterwards. */
export type OnEngine = <T>(work: (place: Place) => Promise<T>) => Promise<T>;

const onEmbedded: OnEngine = async (work) => {
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'));
  try {
    return await work({ open: () => openEmbedded(folder), env: { DATA_DIR: folder } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

export const onPostgres: OnEngine = async (work) => {
  const server = await startPostgres({ durable: true });
  try {
    // A single statement that inserts or copies a million codes takes longer than the default time-out allows.
    const longTimeoutUrl = `${server.url}?statement_timeout=${SETUP_TIMEOUT_MS}&query_timeout=${SETUP_TIMEOUT_MS}`;
    return await work({
      open: () => openPostgres({ url: longTimeoutUrl }),
      env: { DATABASE_URL: server.url },
    });
  } finally {
    await server.stop();
  }
};

/** Both engines, with the names that the result tables use. */
export const ENGINES: [string, OnEngine][] = [
  ['embedded', onEmbedded],
  ['PostgreSQL', onPostgres],
];
