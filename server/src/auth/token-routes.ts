// POST /token: refreshes a session, or exchanges a PKCE code for a session.
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { authError } from './auth-error.ts';
import type { AuthContext } from './context.ts';
import { exchangeCode } from './exchange-code.ts';
import { issueTokens, type TokenResponse } from './issue-tokens.ts';
import { refreshSession } from './refresh-session.ts';
import { type AuthRoute, countRefusal, countRequest, optionalText, readBody, readQuery } from './wire.ts';

const tokenBody = z.object({
  refresh_token: optionalText,
  auth_code: optionalText,
  code_verifier: optionalText,
});

/** Supports the OAuth grant types `refresh_token` and `pkce` (R-GEN-18). */
export function listTokenRoutes(context: AuthContext): AuthRoute[] {
  return [
    {
      method: 'POST',
      path: '/token',
      handle: async (request) => {
        const { grant_type } = readQuery(request);
        // Many people in one building may share an IP address, and auth-js signs the user out after a 429. So only
        // refused refreshes count against the limit of an IP address.
        if (grant_type === 'refresh_token') {
          return countRefusal(context, 'token', request, () => handleRefresh(context, request));
        }
        await countRequest(context, 'token', request);
        if (grant_type === 'password') {
          throw authError(400, 'invalid_credentials', 'Invalid login credentials');
        }
        if (grant_type !== 'pkce') throw authError(400, 'invalid_credentials', 'unsupported_grant_type');
        return handleExchange(context, request);
      },
    },
  ];
}

async function handleRefresh(context: AuthContext, request: FastifyRequest): Promise<TokenResponse> {
  const { refresh_token } = readBody(tokenBody, request);
  if (!refresh_token) throw authError(400, 'validation_failed', 'refresh_token required');
  return issueTokens(context, await refreshSession(context, refresh_token));
}

async function handleExchange(context: AuthContext, request: FastifyRequest): Promise<TokenResponse> {
  const { auth_code, code_verifier } = readBody(tokenBody, request);
  if (!auth_code || !code_verifier) {
    throw authError(
      400,
      'validation_failed',
      'invalid request: both auth code and code verifier should be non-empty',
    );
  }
  return issueTokens(context, await exchangeCode(context, { auth_code, code_verifier }));
}
