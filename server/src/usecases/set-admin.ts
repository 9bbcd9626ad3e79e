// Gives the administrator role to a user, or takes the role away, for the operator.
import type { Database } from '../db/database.ts';
import { createAuditLine } from '../stores/audit.ts';
import { findUser, setUserRole } from '../stores/users.ts';

/**
 * Returns true if the role was changed, and false if the user already has the requested role. If `admin` is true and
 * the address is unknown, creates the user, so that the user can sign in.
 * Returns null if `admin` is false and the address is unknown. Then no user is created.
 */
export async function setAdmin(
  db: Database,
  { email, admin, actor = 'operator' }: { email: string; admin: boolean; actor?: string },
): Promise<boolean | null> {
  return db.transaction(async (tx) => {
    if (!admin && (await findUser(tx, email)) === null) return null;
    const changed = await setUserRole(tx, email, admin ? 'admin' : 'user');
    if (changed === null) return false;
    const action = admin ? 'user.make_admin' : 'user.remove_admin';
    await createAuditLine(tx, { actor, action, user_id: changed.id });
    return true;
  });
}
