// Renews a session: each refresh token is good for the next, and a used one that comes back later ends the session.
import { authError } from '../auth-error.ts';
import { type AuthContext, findSessionEnds, moveTime } from '../context.ts';
import { readRefreshToken } from '../refresh-token.ts';
import { createAuditLine } from '../stores/audit.ts';
import { claimSession, deleteSession, type SessionRow, setRefreshCounter } from '../stores/sessions.ts';
import type { OpenSession } from './start-session.ts';

/**
 * The live token moves on. A used one returns the live one again for the reuse interval after its use, because an answer
 * may get lost and tabs race without a lock. Later it is taken for stolen: thief and owner would go on in turns.
 * @throws refresh_token_not_found, session_expired, or refresh_token_already_used; the last two end the session
 * (RFC 9700, 4.14.2).
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
    if (hasEnded(context, session, now)) {
      await deleteSession(tx, session.id);
      return 'ended';
    }
    const open = { user_id: session.user_id, session_id: session.id, amr: session.amr };
    // One ahead of ours was made by us too, before the database was restored from a backup.
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
  // Thrown out here: the end of the session must stay.
  if (answer === 'gone') throw notFound();
  if (answer === 'ended') throw authError(400, 'session_expired', 'Invalid Refresh Token: Session Expired');
  if (answer === 'reused') {
    throw authError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used');
  }
  return answer;
}

function hasEnded({ settings }: AuthContext, session: SessionRow, now: Date): boolean {
  const { refreshedBefore, startedBefore } = findSessionEnds(settings, now);
  return new Date(session.refreshed_at) < refreshedBefore || new Date(session.created_at) < startedBefore;
}

/** When an older token was used; null where that is not known any more, which is long ago. */
function findUse(session: SessionRow, counter: number): string | null {
  const uses = [session.refreshed_at, session.previously_refreshed_at];
  return uses[session.refresh_counter - 1 - counter] ?? null;
}

function notFound() {
  return authError(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found');
}
