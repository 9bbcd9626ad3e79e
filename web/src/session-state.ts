// Computes the state of the session, and whether its access token is still valid.
import type { Session } from '@supabase/auth-js';

/** The status is `loading` until the stored session has been checked. */
export type SessionState =
  | { status: 'loading' }
  /** `endedFor`: e-mail address of the user whose session has ended without a logout. */
  | { status: 'signed-out'; endedFor?: string }
  | { status: 'signed-in'; userId: string; email: string };

export const LOADING: SessionState = { status: 'loading' };
export const SIGNED_OUT: SessionState = { status: 'signed-out' };

/**
 * A token is fresh if it remains valid for more than this number of seconds. auth-js renews a token in its last 90
 * seconds (`EXPIRY_MARGIN_MS`); this value adds 30 seconds.
 */
const LEAST_LIFE_SECONDS = 120;

/** `session` is the current session or null. `isLogout` is true if the user has chosen to log out. */
export function stateAfter(before: SessionState, session: Session | null, isLogout: boolean): SessionState {
  if (session) return { status: 'signed-in', userId: session.user.id, email: session.user.email ?? '' };
  if (isLogout || before.status === 'loading') return SIGNED_OUT;
  return before.status === 'signed-in' ? { status: 'signed-out', endedFor: before.email } : before;
}

/** Returns true if the access token is valid for more than two minutes, so that no renewal is needed. */
export function isFresh(session: Session | null, nowMs: number): session is Session {
  return (session?.expires_at ?? 0) > nowMs / 1000 + LEAST_LIFE_SECONDS;
}
