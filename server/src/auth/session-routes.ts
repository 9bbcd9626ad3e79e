// POST /token refreshes a session, or exchanges a PKCE code for a session. GET /user, PUT /user and POST /logout are
// for signed-in users.
import * as z from 'zod';
import type { AuthContext } from './context.ts';
import { exchangeCode } from './pkce.ts';
import { authenticate, endSessions, refreshSession } from './sessions.ts';
import { issueTokens } from './tokens.ts';
import { presentUser, updateUser } from './users.ts';
import {
  type AuthRoute,
  authError,
  countRefusal,
  countRequest,
  optionalText,
  readBody,
  readQuery,
} from './wire.ts';

const tokenBody = z.object({
  refresh_token: optionalText,
  auth_code: optionalText,
  code_verifier: optionalText,
});

/** Returns the route /token, which supports the OAuth grant types `refresh_token` and `pkce` (R-GEN-18). */
export function listTokenRoutes(context: AuthContext): AuthRoute[] {
  return [
    {
      method: 'POST',
      path: '/token',
      handle: async (request) => {
        const { grant_type } = readQuery(request);
        // Only refused refreshes count for an IP address. Many people in one building may share an IP address, and the
        // client library auth-js signs the user out after a 429.
        if (grant_type === 'refresh_token') {
          return countRefusal(context, 'token', request, async () => {
            const { refresh_token } = readBody(tokenBody, request);
            if (!refresh_token) throw authError(400, 'validation_failed', 'refresh_token required');
            return issueTokens(context, await refreshSession(context, refresh_token));
          });
        }
        await countRequest(context, 'token', request);
        if (grant_type === 'password') {
          throw authError(400, 'invalid_credentials', 'Invalid login credentials');
        }
        if (grant_type !== 'pkce') throw authError(400, 'invalid_credentials', 'unsupported_grant_type');
        const { auth_code, code_verifier } = readBody(tokenBody, request);
        if (!auth_code || !code_verifier) {
          const message = 'invalid request: both auth code and code verifier should be non-empty';
          throw authError(400, 'validation_failed', message);
        }
        return issueTokens(context, await exchangeCode(context, { auth_code, code_verifier }));
      },
    },
  ];
}

const userBody = z.looseObject({ data: z.record(z.string(), z.unknown()).nullish() });
// Fields that users cannot change. The access to products is stored for an e-mail address, so a changed `email` would
// give the user other products. This service has no phone numbers and no passwords (R-GEN-18).
const REFUSED = ['email', 'phone', 'password', 'nonce', 'current_password'];

/** Returns the routes /user and /logout. They require the access token of an active session. */
export function listUserRoutes(context: AuthContext): AuthRoute[] {
  return [
    {
      method: 'GET',
      path: '/user',
      handle: async (request) => {
        const { user } = await authenticate(context, request.headers.authorization);
        return presentUser(user);
      },
    },
    {
      method: 'PUT',
      path: '/user',
      handle: async (request) => {
        const { identity } = await authenticate(context, request.headers.authorization);
        const body = readBody(userBody, request);
        if (body.app_metadata !== undefined) {
          throw authError(403, 'not_admin', 'Updating app_metadata is not allowed');
        }
        const refused = REFUSED.find((field) => body[field] !== undefined && body[field] !== null);
        if (refused !== undefined) {
          throw authError(422, 'validation_failed', `Updating ${refused} is not supported`);
        }
        return presentUser(await updateUser(context, identity, body.data ?? {}));
      },
    },
    {
      method: 'POST',
      path: '/logout',
      handle: async (request, reply) => {
        const { identity } = await authenticate(context, request.headers.authorization);
        await endSessions(context, identity, readQuery(request).scope ?? 'global');
        return reply.code(204).send();
      },
    },
  ];
}
