// Opens the database engine that the configuration selects.
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { openEmbedded } from './db/open-embedded.ts';
import { openPostgres } from './db/open-postgres.ts';

/**
 * `report` is called on PostgreSQL if fewer connections are possible than wanted, and if the connections move to
 * another host or find none.
 * @throws DatabaseError with one sentence for the operator.
 */
export function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'databasePrepare' | 'dataDir' | 'workers'>,
  report?: (message: string) => void,
): Promise<Database> {
  return config.databaseUrl === null
    ? openEmbedded(config.dataDir)
    : openPostgres({
        url: config.databaseUrl,
        prepare: config.databasePrepare,
        processes: config.workers,
        ...(report && { report }),
      });
}
