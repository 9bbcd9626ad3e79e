// Refreshes a session and rotates its refresh token. If a refresh token that was used long ago is
// used again, the session is ended, because the token may be stolen.

import { createSignInLine } from './audit.sql.ts';
import { authError } from './auth-error.ts';
import { type AuthContext, findSessionEnds, moveTime } from './context.ts';
import { readRefreshToken } from './refresh-token.ts';
import { claimSession, deleteSession, type SessionRow, setRefreshCounter } from './sessions.sql.ts';
import type { OpenSession } from './start-session.ts';

/**
 * Returns the session with the counter of its new refresh token.
 * A token that was not used before increments the counter of the session.
 * A token that was used less than `reuseSeconds` ago does not increment the counter. The client may not have received
 * the first response, or two tabs may have refreshed at the same time.
 * A token that was used longer ago ends the session, because a thief may have the token (RFC 9700, 4.14.2). If the
 * session did not end, the thief and the owner could both keep using it.
 * @throws refresh_token_not_found.
 * @throws session_expired or refresh_token_already_used. The session has ended in both cases.
 */
export async function refreshSession(context: AuthContext, token: string): Promise<OpenSession> {
  const { db, secrets, settings } = context;
  const presented = readRefreshToken(secrets.refreshKey, token);
  if (presented === 'malformed') throw authError(400, 'validation_failed', 'Refresh token is not valid');
  if (presented === 'forged') throw notFound();
  const now = context.now();
  const result = await db.transaction(async (tx) => {
    const session = await claimSession(tx, presented.session_id);
    if (session === null) return 'gone';
    if (hasEnded(context, session, now)) {
      await deleteSession(tx, session.id);
      return 'ended';
    }
    const open = { user_id: session.user_id, session_id: session.id, amr: session.amr };
    // The token's counter can be higher than the stored counter, if the database was restored from a backup that is
    // older than the token. Such a token is valid too.
    if (presented.counter >= session.refresh_counter) {
      const counter = presented.counter + 1;
      await setRefreshCounter(tx, session.id, counter, now);
      return { ...open, counter };
    }
    const usedAt = findUse(session, presented.counter);
    if (usedAt && now <= moveTime(new Date(usedAt), settings.reuseSeconds)) {
      return { ...open, counter: session.refresh_counter };
    }
    await deleteSession(tx, session.id);
    const { user_id: auth_id, id: session_id } = session;
    await createSignInLine(tx, { auth_id, action: 'session.reuse', detail: { auth_id, session_id } });
    return 'reused';
  });
  // The errors are thrown after the transaction. An error inside the transaction would undo the deletion of the
  // session.
  if (result === 'gone') throw notFound();
  if (result === 'ended') throw authError(400, 'session_expired', 'Invalid Refresh Token: Session Expired');
  if (result === 'reused') {
    throw authError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used');
  }
  return result;
}

function hasEnded({ settings }: AuthContext, session: SessionRow, now: Date): boolean {
  const { refreshedBefore, startedBefore } = findSessionEnds(settings, now);
  return new Date(session.refreshed_at) < refreshedBefore || new Date(session.created_at) < startedBefore;
}

/**
 * Returns the time when the token with `counter` was used. That time is known only for the last two used tokens; for an
 * earlier token, returns null.
 */
function findUse(session: SessionRow, counter: number): string | null {
  const uses = [session.refreshed_at, session.previously_refreshed_at];
  return uses[session.refresh_counter - 1 - counter] ?? null;
}

function notFound() {
  return authError(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found');
}
