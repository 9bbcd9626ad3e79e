// Remembers which forms were sent already.
import type { Db } from '../db/database.ts';

/**
 * Stores the id of a form, a UUID. Returns false if it was sent before. Waits for a transaction that sends the same form.
 */
export async function markSent(db: Db, id: string): Promise<boolean> {
  const { rowCount } = await db.query('insert into sent_form (id) values ($1) on conflict do nothing', [id]);
  return rowCount > 0;
}
