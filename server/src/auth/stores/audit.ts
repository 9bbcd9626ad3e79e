// Audit rows of the sign-in service.
import type { Db } from '../../db/database.ts';

/**
 * Adds an audit row. Call this function in the transaction of the change that the row records. `actor` is 'portal',
 * 'operator' or the user's e-mail address.
 */
export async function createAuditLine(
  db: Db,
  actor: string,
  action: string,
  detail: Record<string, unknown>,
): Promise<void> {
  await db.query('insert into audit (actor, action, detail) values ($1, $2, $3::jsonb)', [
    actor,
    action,
    JSON.stringify(detail),
  ]);
}
