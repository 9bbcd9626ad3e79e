// Opens the database engine that the configuration selects.
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';

/**
 * Returns the open database. On PostgreSQL, `report` receives messages for the operator: the pool is smaller than wanted,
 * the server is lost, or the server is in use again.
 * @throws DatabaseError with one sentence for the operator.
 */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'databasePrepare' | 'dataDir' | 'workers'>,
  report?: (message: string) => void,
): Promise<Database> {
  // A process loads only the engine that it uses, because loading PGlite alone takes some megabytes of memory.
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
