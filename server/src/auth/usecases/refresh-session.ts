// Refreshes a session with rotation of its refresh token. Reuse of an older token ends the session.
import { authError } from '../auth-error.ts';
import { type AuthContext, findSessionEnds, moveTime } from '../context.ts';
import { readRefreshToken } from '../refresh-token.ts';
import { createAuditLine } from '../stores/audit.ts';
import { claimSession, deleteSession, type SessionRow, setRefreshCounter } from '../stores/sessions.ts';
import type { OpenSession } from './start-session.ts';

/**
 * The current token advances the counter. A used token still returns the current one within `reuseSeconds` after its
 * use, because a response may get lost and browser tabs may race. Later it counts as stolen and ends the session;
 * otherwise thief and owner could both keep using the session.
 * @throws refresh_token_not_found, session_expired, or refresh_token_already_used; the last two end the session (RFC
 * 9700, 4.14.2).
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
    // A higher counter is valid too: the portal issued that token before the database was restored from an older
    // backup.
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
    await createAuditLine(tx, 'portal', 'session.reuse', {
      auth_id: session.user_id,
      session_id: session.id,
    });
    return 'reused';
  });
  // Thrown after the transaction, so that the end of the session is committed.
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

/** Returns when an older token was used; null if that is no longer known. */
function findUse(session: SessionRow, counter: number): string | null {
  const uses = [session.refreshed_at, session.previously_refreshed_at];
  return uses[session.refresh_counter - 1 - counter] ?? null;
}

function notFound() {
  return authError(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found');
}
