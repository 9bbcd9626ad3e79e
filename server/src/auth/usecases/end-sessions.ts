// Signs out: this browser, the others, or all of them.
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

/** What `revokeSessions` ended. */
export type Revoked = { sessions: number; unlinked: number };

/**
 * Signs an address out everywhere and makes its mails and sign-ins under way worthless. With `unlink` its accounts at
 * providers no longer open it, unless they prove the same address again. Needs the database only, so that the
 * operator's tool can do it while no service is open.
 */
export async function revokeSessions(
  { db }: Pick<AuthContext, 'db'>,
  { email: typedEmail, unlink }: { email: string; unlink: boolean },
): Promise<Revoked> {
  const email = typedEmail.trim().toLowerCase();
  return db.transaction(async (tx) => {
    // Sessions last: a sign-in that spends its link at this moment is waited for, and its session is among them.
    await deleteMailOf(tx, email);
    await deleteOneTimeToken(tx, email);
    await deleteFlowStatesOfEmail(tx, email);
    const unlinked = unlink ? await deleteProviderIdentities(tx, email) : 0;
    const sessions = await deleteSessionsOfEmail(tx, email);
    await createAuditLine(tx, 'operator', 'session.revoke', { email, sessions, unlinked });
    return { sessions, unlinked };
  });
}
