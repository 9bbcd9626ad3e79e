// Who is here, as the pages know it.
import type { Session } from '@supabase/auth-js';

/** `loading` until the stored session was looked at. */
export type SessionState =
  | { status: 'loading' }
  /** `endedFor`: whose session ended under the page, other than by Logout. */
  | { status: 'signed-out'; endedFor?: string }
  | { status: 'signed-in'; userId: string; email: string };

export const LOADING: SessionState = { status: 'loading' };
export const SIGNED_OUT: SessionState = { status: 'signed-out' };

/** What the authentication client does before it calls a token old (its `EXPIRY_MARGIN_MS`), and half a minute more. */
const LEAST_LIFE_SECONDS = 120;

/** The state that follows `before`. `leaves`: the person has asked for the end of the session. */
export function stateAfter(before: SessionState, session: Session | null, leaves: boolean): SessionState {
  if (session) return { status: 'signed-in', userId: session.user.id, email: session.user.email ?? '' };
  if (leaves || before.status === 'loading') return SIGNED_OUT;
  return before.status === 'signed-in' ? { status: 'signed-out', endedFor: before.email } : before;
}

/** True when the session's token can be used as it is, without asking the sign-in service. */
export function isFresh(session: Session | null, nowMs: number): session is Session {
  return (session?.expires_at ?? 0) > nowMs / 1000 + LEAST_LIFE_SECONDS;
}
