// Opens the engine that the configuration names.
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { openEmbedded } from './db/open-embedded.ts';
import { openPostgres } from './db/open-postgres.ts';

/** @throws DatabaseError with one sentence for the operator. */
export function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'databasePrepare' | 'dataDir'>,
): Promise<Database> {
  return config.databaseUrl === null
    ? openEmbedded(config.dataDir)
    : openPostgres({ url: config.databaseUrl, prepare: config.databasePrepare });
}
