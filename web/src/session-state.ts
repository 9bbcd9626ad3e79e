// The state of the session, and whether its access token is still valid.
import type { Session } from '@supabase/auth-js';

/** The status is `loading` until the stored session has been checked. */
export type SessionState =
  | { status: 'loading' }
  /** `endedFor`: address of the user whose session has ended without a logout. */
  | { status: 'signed-out'; endedFor?: string }
  | { status: 'signed-in'; userId: string; email: string };

export const LOADING: SessionState = { status: 'loading' };
export const SIGNED_OUT: SessionState = { status: 'signed-out' };

/**
 * Minimum remaining validity of a token that counts as fresh. auth-js renews a token in its last 90 seconds
 * (`EXPIRY_MARGIN_MS`); this is 30 seconds more.
 */
const LEAST_LIFE_SECONDS = 120;

/**
 * Returns the state after `before`. `session` is null if there is none; `isLogout` is true if the user has chosen to
 * log out.
 */
export function stateAfter(before: SessionState, session: Session | null, isLogout: boolean): SessionState {
  if (session) return { status: 'signed-in', userId: session.user.id, email: session.user.email ?? '' };
  if (isLogout || before.status === 'loading') return SIGNED_OUT;
  return before.status === 'signed-in' ? { status: 'signed-out', endedFor: before.email } : before;
}

/** Returns true if the access token is valid for more than two minutes, so that no renewal is needed. */
export function isFresh(session: Session | null, nowMs: number): session is Session {
  return (session?.expires_at ?? 0) > nowMs / 1000 + LEAST_LIFE_SECONDS;
}
