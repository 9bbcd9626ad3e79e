// Remembers which forms were sent already.
import type { Db } from '../db/database.ts';

/**
 * Stores the id of a form, a UUID, and the digest of its content. Returns null, or the digest of the form that was sent
 * with this id before. Waits for a transaction that sends a form with the same id.
 */
export async function markSent(
  db: Db,
  { id, digest }: { id: string; digest: string },
): Promise<string | null> {
  const { rowCount } = await db.query(
    'insert into sent_form (id, digest) values ($1, $2) on conflict do nothing',
    [id, digest],
  );
  if (rowCount > 0) return null;
  const { rows } = await db.query<{ digest: string }>('select digest from sent_form where id = $1', [id]);
  return rows[0]?.digest ?? null;
}

/** Deletes the ids of forms that were sent before `before`. */
export async function deleteSentForms(db: Db, before: Date): Promise<void> {
  await db.query('delete from sent_form where sent_at < $1', [before.toISOString()]);
}
