// POST /token: a session is renewed, or a code exchanged for one.
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { authError } from '../auth-error.ts';
import type { AuthContext } from '../context.ts';
import { exchangeCode } from '../usecases/exchange-code.ts';
import { issueTokens, type TokenResponse } from '../usecases/issue-tokens.ts';
import { refreshSession } from '../usecases/refresh-session.ts';
import { type AuthRoute, countRefusal, countRequest, optionalText, readBody, readQuery } from './wire.ts';

const tokenBody = z.object({
  refresh_token: optionalText,
  auth_code: optionalText,
  code_verifier: optionalText,
});

/** Of the protocol's grants, the two that belong to signing in by mail or by a provider (R-GEN-18). */
export function listTokenRoutes(context: AuthContext): AuthRoute[] {
  return [
    {
      method: 'POST',
      path: '/token',
      handle: async (request) => {
        const { grant_type } = readQuery(request);
        // A 429 signs auth-js out for good: a class behind one address may refresh as often as it has sessions.
        if (grant_type === 'refresh_token') {
          return countRefusal(context, 'token', request, () => answerRefresh(context, request));
        }
        await countRequest(context, 'token', request);
        if (grant_type === 'password') {
          throw authError(400, 'invalid_credentials', 'Invalid login credentials');
        }
        if (grant_type !== 'pkce') throw authError(400, 'invalid_credentials', 'unsupported_grant_type');
        return answerExchange(context, request);
      },
    },
  ];
}

async function answerRefresh(context: AuthContext, request: FastifyRequest): Promise<TokenResponse> {
  const { refresh_token } = readBody(tokenBody, request);
  if (!refresh_token) throw authError(400, 'validation_failed', 'refresh_token required');
  return issueTokens(context, await refreshSession(context, refresh_token));
}

async function answerExchange(context: AuthContext, request: FastifyRequest): Promise<TokenResponse> {
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
