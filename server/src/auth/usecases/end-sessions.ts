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

/**
 * Signs an address out everywhere and makes its mails and sign-ins under way worthless; answers how many sessions
 * ended. Needs the database only, so that the operator's tool can do it while no service is open.
 */
export async function revokeSessions({ db }: Pick<AuthContext, 'db'>, typedEmail: string): Promise<number> {
  const email = typedEmail.trim().toLowerCase();
  return db.transaction(async (tx) => {
    const sessions = await deleteSessionsOfEmail(tx, email);
    await deleteFlowStatesOfEmail(tx, email);
    await deleteOneTimeToken(tx, email);
    await deleteMailOf(tx, email);
    await createAuditLine(tx, 'operator', 'session.revoke', { email, sessions });
    return sessions;
  });
}
