// Registers two calls: one returns the current user, one checks whether the user is an administrator.
import { checkAdmin, getSessionUser } from '@portal/contract';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { linkAuthIdentity } from '../people/users.sql.ts';

type Tools = {
  db: Database;
  auth: { describeProofs(userId: string): Promise<{ identities: unknown[]; factors: unknown[] }> };
};

export function handleSession(handle: Handle, { db, auth }: Tools): void {
  handle(getSessionUser, async ({ caller }) => {
    const { auth_id, email, name, user_id, user_role, team_role, session_id } = caller;
    if (user_id !== null) await linkAuthIdentity(db, { user_id, auth_id, hosted: session_id === null });
    return { id: auth_id, email, name, user_role, team_role, ...(await auth.describeProofs(auth_id)) };
  });

  handle(checkAdmin, async ({ caller: { auth_id, email, user_role, team_role } }) => ({
    success: true as const,
    user: { id: auth_id, email, user_role, team_role },
  }));
}
