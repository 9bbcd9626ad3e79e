// Creates the access token and the refresh token of a session. The response to every sign-in and every refresh contains
// both tokens.
import { authError } from './auth-error.ts';
import type { AuthContext } from './context.ts';
import { presentUser } from './present-user.ts';
import { writeRefreshToken } from './refresh-token.ts';
import type { OpenSession } from './start-session.ts';
import { findUser } from './users.sql.ts';

/** The token response of Supabase Auth's protocol (R-ENT-02). `expires_at` is in Unix seconds. */
export type TokenResponse = {
  access_token: string;
  token_type: 'bearer';
  expires_in: number;
  expires_at: number;
  refresh_token: string;
  user: ReturnType<typeof presentUser>;
};

/**
 * Creates the tokens of a session. @throws session_not_found if the user has been deleted since the session was read.
 */
export async function issueTokens(
  { db, secrets, tokens, noteSignIn }: AuthContext,
  { user_id, session_id, counter, amr }: OpenSession,
): Promise<TokenResponse> {
  const user = await findUser(db, user_id);
  if (user === null)
    throw authError(400, 'session_not_found', 'Session from session_id claim does not exist');
  // Counts a sign-in only for a new session, whose counter is 0. Each refresh increments the counter, so refreshes are
  // not counted as sign-ins.
  if (counter === 0 && amr[0] !== undefined) noteSignIn(amr[0].method);
  const issued = await tokens.issue(user, { id: session_id, amr });
  return {
    access_token: issued.access_token,
    token_type: 'bearer',
    expires_in: issued.expires_in,
    expires_at: issued.expires_at,
    refresh_token: writeRefreshToken(secrets.refreshKey, { session_id, counter }),
    user: presentUser(user),
  };
}
