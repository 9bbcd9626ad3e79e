// The operator makes an address an administrator, or no longer one.
import type { Database } from '../db/database.ts';
import { createAuditLine } from '../stores/audit.ts';
import { setUserRole } from '../stores/users.ts';

/** Answers whether anything changed. An unknown address is created, so that it can sign in as administrator. */
export async function setAdmin(
  db: Database,
  { email, admin, actor = 'operator' }: { email: string; admin: boolean; actor?: string },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const changed = await setUserRole(tx, email, admin ? 'admin' : 'user');
    if (changed === null) return false;
    const action = admin ? 'user.make_admin' : 'user.remove_admin';
    await createAuditLine(tx, { actor, action, user_id: changed.id });
    return true;
  });
}
