// Audit rows of the sign-in service.
import type { Db } from '../../db/database.ts';

/** Adds an audit row; call it in the transaction of the change. `actor` is 'portal', 'operator' or an address. */
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
