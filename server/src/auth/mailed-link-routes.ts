// Routes of sign-in by mail. POST /otp, or /magiclink in older clients, requests a mail. GET and POST /verify sign in
// with the mailed link or code.
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
import { issueTokens } from './tokens.ts';
import {
  type AuthRoute,
  authError,
  countUnless,
  isAuthError,
  optionalText,
  readBody,
  readEmail,
  readQuery,
} from './wire.ts';

// In Supabase Auth, the body may contain `data`, the metadata of the user. This service ignores `data`: an attacker
// could request a mail for another person's address, and that person's account would then have the attacker's metadata.
const otpBody = z.object({
  email: optionalText,
  phone: optionalText,
  channel: optionalText,
  create_user: z.boolean().nullish(),
  code_challenge: optionalText,
  code_challenge_method: optionalText,
});
type OtpBody = z.output<typeof otpBody>;

/** Returns the routes /otp and /magiclink. To hide which users exist, both respond 200 {} for every e-mail address. */
export function listOtpRoutes(context: AuthContext): AuthRoute[] {
  // `check` throws if the body is invalid. Its result is false if the mail must not create a user.
  const otpRoute = (path: string, check: (body: OtpBody) => boolean): AuthRoute => ({
    method: 'POST',
    path,
    handle: (request) => {
      // Many people may share an IP address. So a request does not count for its IP address if the limit for its e-mail
      // address refuses it.
      const isFree = (refusal: string | null) => refusal === 'over_email_send_rate_limit';
      return countUnless(context, 'otp', request, isFree, async () => {
        const body = readBody(otpBody, request);
        const create_user = check(body);
        const challenge = readChallenge(body.code_challenge, body.code_challenge_method);
        await requestSignInMail(context, {
          email: await readEmail(context, body.email ?? ''),
          create_user,
          redirect_to: resolveRedirect(readQuery(request).redirect_to, context.settings.publicUrl),
          language: readLanguage(request.headers),
          ...challenge,
        });
        return {};
      });
    },
  });

  return [
    otpRoute('/otp', (body) => {
      requireEmail(body);
      if (body.channel)
        throw authError(400, 'validation_failed', 'Channel should only be specified with Phone OTP');
      return body.create_user ?? true;
    }),
    otpRoute('/magiclink', ({ email }) => {
      if (!email) throw authError(422, 'validation_failed', 'An email address is required');
      return true;
    }),
  ];
}

function requireEmail({ email, phone }: Pick<OtpBody, 'email' | 'phone'>): void {
  if (Boolean(email) === Boolean(phone)) {
    throw authError(400, 'validation_failed', 'Only an email address or phone number should be provided');
  }
  if (phone) throw authError(400, 'phone_provider_disabled', 'Unsupported phone provider');
}

const verifyBody = z.object({
  type: optionalText,
  email: optionalText,
  phone: optionalText,
  token: optionalText,
  token_hash: optionalText,
  redirect_to: optionalText,
});

// All mails of this service are sign-in mails. In the field `type`, clients may use any of these names.
const TYPES = ['magiclink', 'signup', 'email'];
// Types of mails that Supabase Auth sends, but this service does not.
const FOREIGN_TYPES = ['invite', 'recovery', 'email_change'];

/**
 * Returns the routes of /verify: GET for links as in mails of Supabase Auth, POST for the confirm page and typed codes.
 */
export function listVerifyRoutes(context: AuthContext): AuthRoute[] {
  return [
    {
      method: 'GET',
      path: '/verify',
      handle: async (request, reply) => {
        refuseSubresources(request);
        const { publicUrl } = context.settings;
        const query = readQuery(request);
        const { type } = query;
        const token = query.token || query.token_hash;
        if (!type || !token) {
          throw authError(400, 'validation_failed', 'Verify requires a token and a verification type');
        }
        const link = { token, type, redirect_to: resolveRedirect(query.redirect_to, publicUrl) };
        // An attacker's site can open the link of the attacker's account in a victim's browser. So the user must press
        // a button on the confirm page. Browsers send sec-fetch-site; a request without this header comes from a
        // program.
        const isFromOtherSite = (request.headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin';
        if (isFromOtherSite) return reply.redirect(writeConfirmLink(publicUrl, link), 303);
        return openInBrowser(context, request, reply, link);
      },
    },
    {
      method: 'POST',
      path: '/verify',
      handle: async (request) =>
        issueTokens(context, await countGuess(context, request, () => spend(context, request))),
    },
  ];
}

// Refuses requests in which a browser prefetches the link, or loads it as an image or a frame. A link works once, so
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

// Counts a request for its IP address only if its link or code was wrong, because many people may share one IP address.
// After over_request_rate_limit, the request does not count either: its code was not compared.
function countGuess<T>(context: AuthContext, request: FastifyRequest, work: () => Promise<T>): Promise<T> {
  const isFree = (refusal: string | null) => refusal === null || refusal === 'over_request_rate_limit';
  return countUnless(context, 'verify', request, isFree, work);
}

async function openInBrowser(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { token, type, redirect_to }: { token: string; type: string; redirect_to: string },
) {
  try {
    const opened = await countGuess(context, request, async () => {
      checkType(type, 'link');
      return openLink(context, { token, redirect_to });
    });
    if ('auth_code' in opened) {
      return reply.redirect(returnWithCode(redirect_to, opened.auth_code), 303);
    }
    const session = await issueTokens(context, opened.session);
    return reply.redirect(returnWithSession(redirect_to, session, type), 303);
  } catch (error) {
    if (!isAuthError(error) || error.authStatus === 429) throw error;
    const inQuery = token.startsWith('pkce_');
    return reply.redirect(returnWithError(redirect_to, toReturnError(error), { inQuery }), 303);
  }
}

async function spend(context: AuthContext, request: FastifyRequest) {
  const body = readBody(verifyBody, request);
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
    // The prefix `pkce_` means that the mail was requested with PKCE. As in Supabase Auth, this request needs no PKCE
    // verifier: a person who has the link can read the mails of the address.
    return verifyLink(context, token_hash);
  }
  requireEmail(body);
  const email = await readEmail(context, body.email ?? '');
  checkType(type, 'code');
  return verifyCode(context, { email, code: token ?? '' });
}

function checkType(type: string, of: 'link' | 'code'): void {
  if (TYPES.includes(type)) return;
  if (!FOREIGN_TYPES.includes(type)) {
    throw authError(400, 'validation_failed', 'Unsupported verification type');
  }
  const message = of === 'link' ? 'Email link is invalid or has expired' : 'Token has expired or is invalid';
  throw authError(403, 'otp_expired', message);
}
