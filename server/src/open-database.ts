// Opens the database: PostgreSQL if DATABASE_URL is set, otherwise the embedded engine.
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';

/**
 * Returns the open database. `report` is called with messages for the operator, as in `PostgresOptions`.
 * @throws DatabaseError if the database cannot be opened. The message is one sentence for the operator.
 */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'databasePrepare' | 'dataDir' | 'workers'>,
  report?: (message: string) => void,
): Promise<Database> {
  // Loads only the engine that the process uses, because the module of PGlite alone needs some megabytes of memory.
  if (config.databaseUrl === null) {
    const { openEmbedded } = await import('./db/open-embedded.ts');
    return openEmbedded(config.dataDir);
  }
  const { openPostgres } = await import('./db/open-postgres.ts');
  return openPostgres({
    url: config.databaseUrl,
    prepare: config.databasePrepare,
    processes: config.workers,
    ...(report && { report }),
  });
}
