// GET and POST /verify: a mailed link or code is spent.
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { authError, isAuthError } from '../auth-error.ts';
import { writeConfirmLink } from '../confirm-link.ts';
import type { AuthContext } from '../context.ts';
import { resolveRedirect } from '../redirect.ts';
import { issueTokens, type TokenResponse } from '../usecases/issue-tokens.ts';
import type { OpenSession } from '../usecases/start-session.ts';
import { openLink, verifyCode, verifyLink } from '../usecases/verify-sign-in.ts';
import { describeFault, returnWithCode, returnWithFault, returnWithSession } from './return-address.ts';
import {
  type AuthRoute,
  countUnless,
  optionalText,
  type Query,
  readBody,
  readEmail,
  readQuery,
} from './wire.ts';

const verifyBody = z.object({
  type: optionalText,
  email: optionalText,
  phone: optionalText,
  token: optionalText,
  token_hash: optionalText,
  redirect_to: optionalText,
});
type VerifyBody = z.output<typeof verifyBody>;

// All of them name the one kind of mail that there is.
const TYPES = ['magiclink', 'signup', 'email'];
// Known to the protocol, but no mail of ours carries them.
const FOREIGN_TYPES = ['invite', 'recovery', 'email_change'];

/** The link as other services mail it (GET), and the call of the confirm page and of typed codes (POST). */
export function listVerifyRoutes(context: AuthContext): AuthRoute[] {
  return [
    {
      method: 'GET',
      path: '/verify',
      handle: async (request, reply) => {
        refuseParts(request);
        const query = readQuery(request);
        const token = query.token || query.token_hash;
        if (!query.type || !token) {
          throw authError(400, 'validation_failed', 'Verify requires a token and a verification type');
        }
        if (isFromElsewhere(request)) return sendToConfirm(context, reply, query, token);
        return openInBrowser(context, request, reply, { query, token });
      },
    },
    {
      method: 'POST',
      path: '/verify',
      handle: async (request): Promise<TokenResponse> => {
        const session = await countGuess(context, request, () =>
          spend(context, readBody(verifyBody, request)),
        );
        return issueTokens(context, session);
      },
    },
  ];
}

// Neither a browser that fetches ahead nor a picture or frame of another page must use the link up.
function refuseParts(request: FastifyRequest): void {
  const purpose = [request.headers.purpose, request.headers['sec-purpose'], request.headers['x-purpose']];
  if (purpose.some((value) => String(value ?? '').includes('prefetch'))) {
    throw authError(403, 'validation_failed', 'A sign-in link cannot be fetched ahead');
  }
  if ((request.headers['sec-fetch-dest'] ?? 'document') !== 'document') {
    throw authError(403, 'validation_failed', 'A sign-in link must be opened as a page');
  }
}

// A browser says where it comes from; what says nothing is a program, and gets the protocol's own answer.
function isFromElsewhere(request: FastifyRequest): boolean {
  return (request.headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin';
}

// The link may be one to a stranger's account: a person is asked first, as with our own mails.
function sendToConfirm({ settings }: AuthContext, reply: FastifyReply, query: Query, token: string) {
  const redirect_to = resolveRedirect(query.redirect_to, settings.publicUrl);
  const link = writeConfirmLink(settings.publicUrl, { token, type: query.type ?? '', redirect_to });
  return reply.redirect(link, 303);
}

// Right links and codes are as many as a class has learners; what the brake for all refuses is no guess.
function countGuess<T>(context: AuthContext, request: FastifyRequest, work: () => Promise<T>): Promise<T> {
  return countUnless(
    context,
    'verify',
    request,
    (refusal) => refusal === null || refusal === 'over_request_rate_limit',
    work,
  );
}

async function openInBrowser(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { query, token }: { query: Query; token: string },
) {
  const redirect_to = resolveRedirect(query.redirect_to, context.settings.publicUrl);
  try {
    const opened = await countGuess(context, request, async () => {
      checkType(query.type ?? '', 'link');
      return openLink(context, { token, redirect_to });
    });
    if ('auth_code' in opened) {
      return reply.redirect(returnWithCode(redirect_to, opened.auth_code), 303);
    }
    const session = await issueTokens(context, opened.session);
    return reply.redirect(returnWithSession(redirect_to, session, query.type ?? ''), 303);
  } catch (error) {
    if (!isAuthError(error) || error.authStatus === 429) throw error;
    const inQuery = token.startsWith('pkce_');
    return reply.redirect(returnWithFault(redirect_to, describeFault(error), { inQuery }), 303);
  }
}

async function spend(context: AuthContext, body: VerifyBody): Promise<OpenSession> {
  const { type, token, token_hash } = body;
  if (!type) throw authError(400, 'validation_failed', 'Verify requires a verification type');
  if (Boolean(token) === Boolean(token_hash)) {
    throw authError(400, 'validation_failed', 'Verify requires either a token or a token hash');
  }
  if (token_hash) {
    if (body.email || body.phone || body.redirect_to) {
      throw authError(400, 'validation_failed', 'Only the token_hash and type should be provided');
    }
    checkType(type, 'link');
    // Also of a `pkce_` link, as upstream: this call has no verifier, and whoever holds the link proves the address.
    return verifyLink(context, token_hash);
  }
  if (Boolean(body.email) === Boolean(body.phone)) {
    throw authError(400, 'validation_failed', 'Only an email address or phone number should be provided');
  }
  if (body.phone) throw authError(400, 'phone_provider_disabled', 'Unsupported phone provider');
  const email = readEmail(body.email ?? '');
  checkType(type, 'code');
  return verifyCode(context, { email, code: token ?? '' });
}

function checkType(type: string, of: 'link' | 'code'): void {
  if (TYPES.includes(type)) return;
  if (!FOREIGN_TYPES.includes(type))
    throw authError(400, 'validation_failed', 'Unsupported verification type');
  const message = of === 'link' ? 'Email link is invalid or has expired' : 'Token has expired or is invalid';
  throw authError(403, 'otp_expired', message);
}
