// A database of its own for a benchmark: an embedded folder, or a durable PostgreSQL server.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../server/src/db/database.ts';
import { openEmbedded } from '../server/src/db/open-embedded.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { startPostgres } from '../server/test/postgres.ts';

const PREPARING_MS = 600_000;

/** `open` opens it in this process, `env` is what the portal finds it by; embedded, it is one or the other. */
export type Place = { open(): Promise<Database>; env: Record<string, string> };

/** Gives `work` a place on an engine, and removes it afterwards. */
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
    // A million codes are made, and copied, by one statement each.
    const unhurried = `${server.url}?statement_timeout=${PREPARING_MS}&query_timeout=${PREPARING_MS}`;
    return await work({ open: () => openPostgres({ url: unhurried }), env: { DATABASE_URL: server.url } });
  } finally {
    await server.stop();
  }
};

/** Both, by the names that they have in tables. */
export const ENGINES: [string, OnEngine][] = [
  ['embedded', onEmbedded],
  ['PostgreSQL', onPostgres],
];
