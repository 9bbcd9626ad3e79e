// Does the database answer?
import type { Db } from '../db/database.ts';

/** Resolves when the database answered, and rejects with its fault. */
export async function ping(db: Db): Promise<void> {
  await db.query('select 1');
}
