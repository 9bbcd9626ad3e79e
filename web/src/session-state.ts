// Who is here, as the pages know it.
import type { Session } from '@supabase/auth-js';

/** `loading` until the stored session was looked at. */
export type SessionState =
  | { status: 'loading' }
  | { status: 'signed-out' }
  | { status: 'signed-in'; userId: string; email: string };

export const LOADING: SessionState = { status: 'loading' };
export const SIGNED_OUT: SessionState = { status: 'signed-out' };

/** What the authentication client does before it calls a token old (its `EXPIRY_MARGIN_MS`), and half a minute more. */
const LEAST_LIFE_SECONDS = 120;

/** The state that goes with a session. */
export function stateOf(session: Session | null): SessionState {
  if (!session) return SIGNED_OUT;
  return { status: 'signed-in', userId: session.user.id, email: session.user.email ?? '' };
}

/** True when the session's token can be used as it is, without asking the sign-in service. */
export function isFresh(session: Session | null, nowMs: number): session is Session {
  return (session?.expires_at ?? 0) > nowMs / 1000 + LEAST_LIFE_SECONDS;
}
