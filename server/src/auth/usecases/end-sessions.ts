// Signs a user out: the current session, the others, or all of them.
import type { Identity } from '../access-tokens.ts';
import { authError } from '../auth-error.ts';
import type { AuthContext } from '../context.ts';
import { createAuditLine } from '../stores/audit.ts';
import { deleteFlowStatesOfEmail } from '../stores/flow-states.ts';
import { deleteMailOf } from '../stores/mails.ts';
import { deleteOneTimeToken } from '../stores/one-time-tokens.ts';
import {
  deleteOtherSessions,
  deleteSession,
  deleteSessionsOfEmail,
  deleteSessionsOfUser,
} from '../stores/sessions.ts';
import { deleteProviderIdentities } from '../stores/users.ts';

/** @throws validation_failed for a scope other than global, local and others. */
export async function endSessions({ db }: AuthContext, identity: Identity, scope: string): Promise<void> {
  const { auth_id, session_id } = identity;
  await db.transaction(async (tx) => {
    if (scope === 'global') await deleteSessionsOfUser(tx, auth_id);
    else if (scope === 'local') await deleteSession(tx, session_id);
    else if (scope === 'others') await deleteOtherSessions(tx, auth_id, session_id);
    else throw authError(400, 'validation_failed', `Unsupported logout scope "${scope}"`);
    await createAuditLine(tx, identity.email, 'session.end', { auth_id, session_id, scope });
  });
}

/** Numbers of ended sessions and removed identities. */
export type Revoked = { sessions: number; unlinked: number };

/**
 * Ends all sessions of an address, and makes its mails and unfinished sign-ins invalid. With `unlink`, its accounts at
 * providers no longer sign in, unless they prove the same address again. Needs only the database, so that the
 * operator's tool can run it while no service is open.
 */
export async function revokeSessions(
  { db }: Pick<AuthContext, 'db'>,
  { email: typedEmail, unlink }: { email: string; unlink: boolean },
): Promise<Revoked> {
  const email = typedEmail.trim().toLowerCase();
  return db.transaction(async (tx) => {
    // Sessions last: a sign-in that uses its link at this moment holds a row lock. The deletion of the link waits for
    // that sign-in, so its new session is deleted too.
    await deleteMailOf(tx, email);
    await deleteOneTimeToken(tx, email);
    await deleteFlowStatesOfEmail(tx, email);
    const unlinked = unlink ? await deleteProviderIdentities(tx, email) : 0;
    const sessions = await deleteSessionsOfEmail(tx, email);
    await createAuditLine(tx, 'operator', 'session.revoke', { email, sessions, unlinked });
    return { sessions, unlinked };
  });
}
