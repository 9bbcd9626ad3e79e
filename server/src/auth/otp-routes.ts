// POST /otp and its older name /magiclink: request a sign-in mail.
import { readLanguage } from '@portal/contract';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { authError } from './auth-error.ts';
import type { AuthContext } from './context.ts';
import { readChallenge } from './pkce.ts';
import { resolveRedirect } from './redirect.ts';
import { requestSignInMail } from './request-sign-in-mail.ts';
import { type AuthRoute, countUnless, optionalText, readBody, readEmail, readQuery } from './wire.ts';

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
