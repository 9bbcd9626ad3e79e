import type { Database } from '../src/db/database.ts';

/**
 * Vacuums and analyses all tables, so that index-only scans read no tables. Vacuum marks rows as visible to everyone only
 * after the log of their transaction was written to disk. The test server commits without waiting for that, so the
 * checkpoint waits.
 */
export async function vacuumAll(db: Database): Promise<void> {
  await db.execute('checkpoint');
  await db.execute('vacuum analyze');
}
