// Renews a session: each refresh token is good for the next, and an old one that comes back ends the session.
import { authError } from '../auth-error.ts';
import { type AuthContext, moveTime } from '../context.ts';
import { readRefreshToken } from '../refresh-token.ts';
import { createAuditLine } from '../stores/audit.ts';
import { claimSession, deleteSession, setRefreshCounter } from '../stores/sessions.ts';
import type { OpenSession } from './start-session.ts';

/**
 * The live token moves on. Its direct parent is answered with the live one at any time, because a client may fail to
 * save it and tabs race without a lock; any older one only for the reuse interval after the last refresh.
 * @throws refresh_token_not_found, or refresh_token_already_used, which ends the session (RFC 9700, 4.14.2).
 */
export async function refreshSession(context: AuthContext, token: string): Promise<OpenSession> {
  const { db, secrets, settings } = context;
  const presented = readRefreshToken(secrets.refreshKey, token);
  if (presented === 'malformed') throw authError(400, 'validation_failed', 'Refresh token is not valid');
  if (presented === 'forged') throw notFound();
  const now = context.now();
  const answer = await db.transaction(async (tx) => {
    const session = await claimSession(tx, presented.session_id);
    if (session === null) return 'gone';
    const open = { user_id: session.user_id, session_id: session.id, amr: session.amr };
    // One ahead of ours was made by us too, before the database was restored from a backup.
    if (presented.counter >= session.refresh_counter) {
      const counter = presented.counter + 1;
      await setRefreshCounter(tx, session.id, counter, now);
      return { ...open, counter };
    }
    const isParent = presented.counter === session.refresh_counter - 1;
    if (isParent || now <= moveTime(new Date(session.refreshed_at), settings.reuseSeconds)) {
      return { ...open, counter: session.refresh_counter };
    }
    await deleteSession(tx, session.id);
    await createAuditLine(tx, 'portal', 'session.reuse', {
      auth_id: session.user_id,
      session_id: session.id,
    });
    return 'reused';
  });
  // Thrown out here: the end of the session must stay.
  if (answer === 'gone') throw notFound();
  if (answer === 'reused') {
    throw authError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used');
  }
  return answer;
}

function notFound() {
  return authError(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found');
}
