import type { Database } from '../src/db/database.ts';

/**
 * Vacuums and analyses all tables, so that index-only scans need not read the tables. Vacuum marks a row as visible to
 * all transactions only if the log (WAL) of the row's transaction is on disk. The test server commits without writing
 * this log to disk. So the function runs a checkpoint first, which writes the log.
 */
export async function vacuumAll(db: Database): Promise<void> {
  await db.execute('checkpoint');
  await db.execute('vacuum analyze');
}
