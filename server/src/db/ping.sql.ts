// Checks whether the database responds.
import type { Db } from './database.ts';

/** Runs an empty query. Throws the database's error. */
export async function ping(db: Db): Promise<void> {
  await db.query('select 1');
}
