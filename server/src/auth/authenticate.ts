// Authenticates a request. The bearer token of the request must be valid, and the token's session must be active.
import type { Identity } from './access-tokens.ts';
import { authError } from './auth-error.ts';
import type { AuthContext } from './context.ts';
import { hasSession } from './sessions.sql.ts';
import { findUser, type UserRow } from './users.sql.ts';

/**
 * Returns the user that the Authorization header `header` names.
 * @throws no_authorization (401) without a bearer token.
 * @throws bad_jwt, user_not_found or session_not_found (403) if the token, its user or its session is not valid.
 */
export async function authenticate(
  { db, tokens }: AuthContext,
  header: string | undefined,
): Promise<{ identity: Identity; user: UserRow }> {
  const token = /^bearer +(\S+)$/i.exec(header ?? '')?.[1];
  if (token === undefined) {
    throw authError(401, 'no_authorization', 'This endpoint requires a valid Bearer token');
  }
  const identity = await tokens.verify(token);
  if (identity === null) throw authError(403, 'bad_jwt', 'invalid JWT: unable to parse or verify signature');
  const user = await findUser(db, identity.auth_id);
  if (user === null) throw authError(403, 'user_not_found', 'User from sub claim in JWT does not exist');
  if (!(await hasSession(db, identity.session_id, user.id))) {
    throw authError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist');
  }
  return { identity, user };
}
