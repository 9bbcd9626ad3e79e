// Routes of sign-in by mail. POST /otp and its older name /magiclink request a mail. GET and POST /verify sign in with the
// mailed link or code.
import { readLanguage } from '@portal/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { AuthContext } from './context.ts';
import { openLink, requestSignInMail, verifyCode, verifyLink, writeConfirmLink } from './mailed-link.ts';
import { readChallenge } from './pkce.ts';
import {
  resolveRedirect,
  returnWithCode,
  returnWithError,
  returnWithSession,
  toReturnError,
} from './redirect.ts';
import type { OpenSession } from './sessions.ts';
import { issueTokens, type TokenResponse } from './tokens.ts';
import {
  type AuthRoute,
  authError,
  countUnless,
  isAuthError,
  optionalText,
  type Query,
  readBody,
  readEmail,
  readQuery,
} from './wire.ts';

// The field `data` (user metadata) of Supabase Auth is ignored. Otherwise an attacker could set the metadata of an
// account that another person confirms later.
const otpBody = z.object({
  email: optionalText,
  phone: optionalText,
  channel: optionalText,
  create_user: z.boolean().nullish(),
  code_challenge: optionalText,
  code_challenge_method: optionalText,
});
type OtpBody = z.output<typeof otpBody>;

/** Returns both routes. They respond 200 {} for known and unknown e-mail addresses alike. */
export function listOtpRoutes(context: AuthContext): AuthRoute[] {
  async function request(request: FastifyRequest, body: OtpBody, create_user: boolean) {
    const challenge = readChallenge(body.code_challenge, body.code_challenge_method);
    await requestSignInMail(context, {
      email: await readEmail(context, body.email ?? ''),
      create_user,
      redirect_to: resolveRedirect(readQuery(request).redirect_to, context.settings.publicUrl),
      language: readLanguage(request.headers),
      ...challenge,
    });
    return {};
  }

  // Other people may share the IP address of a request. So a request that the limit per e-mail address refuses does not
  // count against the IP address.
  const countMails = <T>(call: FastifyRequest, work: () => Promise<T>) =>
    countUnless(context, 'otp', call, (refusal) => refusal === 'over_email_send_rate_limit', work);

  return [
    {
      method: 'POST',
      path: '/otp',
      handle: (call) =>
        countMails(call, async () => {
          const body = readBody(otpBody, call);
          checkRecipient(body);
          return request(call, body, body.create_user ?? true);
        }),
    },
    {
      method: 'POST',
      path: '/magiclink',
      handle: (call) =>
        countMails(call, async () => {
          const body = readBody(otpBody, call);
          if (!body.email) throw authError(422, 'validation_failed', 'An email address is required');
          return request(call, body, true);
        }),
    },
  ];
}

function checkRecipient({ email, phone, channel }: OtpBody): void {
  if (Boolean(email) === Boolean(phone)) {
    throw authError(400, 'validation_failed', 'Only an email address or phone number should be provided');
  }
  if (phone) throw authError(400, 'phone_provider_disabled', 'Unsupported phone provider');
  if (channel) throw authError(400, 'validation_failed', 'Channel should only be specified with Phone OTP');
}

const verifyBody = z.object({
  type: optionalText,
  email: optionalText,
  phone: optionalText,
  token: optionalText,
  token_hash: optionalText,
  redirect_to: optionalText,
});
type VerifyBody = z.output<typeof verifyBody>;

// The service sends only one type of mail, the sign-in mail. Clients may name the type of this mail by any of these
// words.
const TYPES = ['magiclink', 'signup', 'email'];
// Types of Supabase Auth's protocol for mails that this service never sends.
const FOREIGN_TYPES = ['invite', 'recovery', 'email_change'];

/** GET handles a link in the format of Supabase Auth's own mails. POST is for the confirm page and for typed codes. */
export function listVerifyRoutes(context: AuthContext): AuthRoute[] {
  return [
    {
      method: 'GET',
      path: '/verify',
      handle: async (request, reply) => {
        refuseSubresources(request);
        const query = readQuery(request);
        const token = query.token || query.token_hash;
        if (!query.type || !token) {
          throw authError(400, 'validation_failed', 'Verify requires a token and a verification type');
        }
        if (isFromOtherSite(request)) return sendToConfirm(context, reply, query, token);
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

// Refuses the link if a browser prefetches it, or loads it as an image or frame of another page. A link works once, so
// such a request would use up the link before the person opens it.
function refuseSubresources(request: FastifyRequest): void {
  const purpose = [request.headers.purpose, request.headers['sec-purpose'], request.headers['x-purpose']];
  if (purpose.some((value) => String(value ?? '').includes('prefetch'))) {
    throw authError(403, 'validation_failed', 'A sign-in link cannot be fetched ahead');
  }
  if ((request.headers['sec-fetch-dest'] ?? 'document') !== 'document') {
    throw authError(403, 'validation_failed', 'A sign-in link must be opened as a page');
  }
}

// Browsers send sec-fetch-site. A request without this header comes from a program, so it does not count as a request
// from another site.
function isFromOtherSite(request: FastifyRequest): boolean {
  return (request.headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin';
}

// Called if another site opened the link. The link may belong to an attacker's account. So the user must press a button
// on the confirm page before the link signs in.
function sendToConfirm({ settings }: AuthContext, reply: FastifyReply, query: Query, token: string) {
  const redirect_to = resolveRedirect(query.redirect_to, settings.publicUrl);
  const link = writeConfirmLink(settings.publicUrl, { token, type: query.type ?? '', redirect_to });
  return reply.redirect(link, 303);
}

// Only wrong guesses count against an IP address, because all people in one building may share one IP address. A
// request that the global limit refused does not count, because the service did not compare the code of this request.
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
    return reply.redirect(returnWithError(redirect_to, toReturnError(error), { inQuery }), 303);
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
    // As in Supabase Auth, this call also accepts a token that starts with `pkce_`, although the call has no
    // parameter for a PKCE verifier. The verifier is not needed: a person who has the link can read mails to the
    // address.
    return verifyLink(context, token_hash);
  }
  if (Boolean(body.email) === Boolean(body.phone)) {
    throw authError(400, 'validation_failed', 'Only an email address or phone number should be provided');
  }
  if (body.phone) throw authError(400, 'phone_provider_disabled', 'Unsupported phone provider');
  const email = await readEmail(context, body.email ?? '');
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
