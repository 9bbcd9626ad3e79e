// Checks the claims of a hosted service's token: the user, and whether the session proves the e-mail address.
import { email } from '@portal/contract';
import * as z from 'zod';

/** The user that a token names. `session_id` is null, because the session is stored in the hosted service. */
export type HostedIdentity = { auth_id: string; email: string; name: string | null; session_id: null };

/** How a user has proved the identity (R-ENT-01). */
export type HostedProofs = { identities: unknown[]; factors: unknown[] };

export type HostedClaims = {
  identity: HostedIdentity;
  proofs: HostedProofs;
  /** False: the token does not prove the address, so the service must be called. */
  provesAddress: boolean;
};

export const AUDIENCE = 'authenticated';

// A password does not prove the address: an attacker can sign up with another person's address, and wait until that
// person confirms it.
const BY_MAIL = ['otp', 'magiclink'];
const FIRST_FACTORS = [...BY_MAIL, 'oauth'];
const SECOND_FACTORS = ['totp', 'mfa/phone', 'mfa/webauthn'];

const amr = z.array(
  z.union([z.string(), z.object({ method: z.string() }).transform(({ method }) => method)]),
);

const claimsShape = z.object({
  sub: z.guid(),
  email,
  phone: z.string().nullish(),
  role: z.literal(AUDIENCE),
  is_anonymous: z.literal(false).optional(),
  amr,
  app_metadata: z.object({ providers: z.array(z.string()).optional() }).optional(),
  user_metadata: z.record(z.string(), z.unknown()).optional(),
});

/** Shape of a token whose signature only the service can check. */
export const unsignedShape = z.object({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
});

const userShape = z.object({
  id: z.guid(),
  email,
  email_confirmed_at: z.string().min(1),
  is_anonymous: z.literal(false).optional(),
  identities: z.array(z.unknown()).nullish(),
  factors: z.array(z.unknown()).nullish(),
});

const keyListShape = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });
// The field of the error code differs between versions of the service.
const refusalShape = z.union([
  z.object({ error_code: z.string() }),
  z.object({ code: z.union([z.string(), z.number()]) }),
]);

/** True for a list of public keys (RFC 7517), also an empty one. */
export function isKeyList(body: unknown): boolean {
  return keyListShape.safeParse(body).success;
}

/** True for a user object of the service. */
export function isUser(body: unknown): boolean {
  return z.object({ id: z.string() }).safeParse(body).success;
}

/** True for an error of the service itself; false for an error of a gateway in front of it. */
export function isRefusal(body: unknown): boolean {
  return refusalShape.safeParse(body).success;
}

/** Returns null if the claims do not allow a sign-in. */
export function readClaims(payload: unknown): HostedClaims | null {
  const parsed = claimsShape.safeParse(payload);
  if (!parsed.success) return null;
  const { sub, user_metadata = {}, app_metadata, ...claims } = parsed.data;
  const isFirst = (method: string) => FIRST_FACTORS.includes(method);
  if (!claims.amr.some(isFirst)) return null;
  if (!claims.amr.every((method) => isFirst(method) || SECOND_FACTORS.includes(method))) return null;
  const identities = (app_metadata?.providers ?? []).map((provider) => ({
    provider,
    user_id: sub,
    email: claims.email,
  }));
  return {
    identity: { auth_id: sub, email: claims.email, name: readName(user_metadata), session_id: null },
    proofs: { identities, factors: [] },
    // Users can edit `user_metadata`: `email_verified` false is a reason to call the service, true proves nothing.
    provesAddress:
      claims.amr.some((method) => BY_MAIL.includes(method)) &&
      // With a phone number, the code may have been sent by SMS.
      !claims.phone &&
      user_metadata.email_verified !== false,
  };
}

/**
 * Returns the identities and factors in a response of GET /user. Returns null if the response is about another user, or
 * the address is not confirmed.
 */
export function readUser(body: unknown, { identity }: HostedClaims): HostedProofs | null {
  const parsed = userShape.safeParse(body);
  if (!parsed.success || parsed.data.id !== identity.auth_id || parsed.data.email !== identity.email)
    return null;
  return { identities: parsed.data.identities ?? [], factors: parsed.data.factors ?? [] };
}

// Users can edit the name, so it is only displayed, never used for a decision.
function readName({ name, full_name }: Record<string, unknown>): string | null {
  const said = name ?? full_name;
  return typeof said === 'string' && said !== '' ? said : null;
}
