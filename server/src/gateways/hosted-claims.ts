// Reads the claims in a token of the hosted sign-in service: which user the token names, and whether the sign-in proves
// that the e-mail address is the user's.
import { knownEmail as email } from '@portal/contract';
import * as z from 'zod';

/**
 * The user that a token names. `session_id` is null, because the hosted service stores the sessions, not the portal.
 * `mailed_at` is the time of the session's newest sign-in by mail, in ISO 8601; null if it began with a provider.
 */
export type HostedIdentity = {
  auth_id: string;
  email: string;
  name: string | null;
  session_id: null;
  mailed_at: string | null;
};

/** A user's identities (e-mail, Google) and second factors, in the format of Supabase Auth (R-ENT-01). */
export type HostedProofs = { identities: unknown[]; factors: unknown[] };

export type HostedClaims = {
  identity: HostedIdentity;
  proofs: HostedProofs;
  /** False if the token alone does not prove the e-mail address. Then the portal calls the service. */
  provesAddress: boolean;
};

export const AUDIENCE = 'authenticated';

// Sign-in methods that prove the e-mail address. A password does not prove it: an attacker can sign up with another
// person's address and a password. As soon as that person confirms the address, the attacker can sign in with this
// password.
const BY_MAIL = ['otp', 'magiclink'];
const FIRST_FACTORS = [...BY_MAIL, 'oauth'];
// 1 January 3000.
const MAX_UNIX_SECONDS = 32_503_680_000;
const SECOND_FACTORS = ['totp', 'mfa/phone', 'mfa/webauthn'];

const amr = z.array(
  z.union([
    z.string().transform((method) => ({ method, timestamp: null })),
    z.object({ method: z.string(), timestamp: z.optional(z.unknown()) }),
  ]),
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

/** Claims that the portal checks itself before it calls the service to check the token's signature. */
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
// An error response of the service. Newer versions of the service have the field `error_code`; older versions have
// `code`.
const refusalShape = z.union([
  z.object({ error_code: z.string() }),
  z.object({ code: z.union([z.string(), z.number()]) }),
]);

/** True if `body` is a list of public keys (RFC 7517). The list may be empty. */
export function isKeyList(body: unknown): boolean {
  return keyListShape.safeParse(body).success;
}

/** True if `body` is a user object of the service. */
export function isUser(body: unknown): boolean {
  return z.object({ id: z.string() }).safeParse(body).success;
}

/** True if `body` is an error of the service itself. False if it is an error of a gateway in front of the service. */
export function isRefusal(body: unknown): boolean {
  return refusalShape.safeParse(body).success;
}

/**
 * Returns the user and the identities in the claims of a token. Returns null if the claims are malformed, or name a
 * sign-in method that the portal does not accept.
 */
export function readClaims(payload: unknown): HostedClaims | null {
  const parsed = claimsShape.safeParse(payload);
  if (!parsed.success) return null;
  const { sub, user_metadata = {}, app_metadata, ...claims } = parsed.data;
  const methods = claims.amr.map(({ method }) => method);
  const isFirst = (method: string) => FIRST_FACTORS.includes(method);
  if (!methods.some(isFirst)) return null;
  if (!methods.every((method) => isFirst(method) || SECOND_FACTORS.includes(method))) return null;
  // If the user has a phone number, the sign-in code may have been sent by SMS. Such a code does not prove the e-mail
  // address.
  const byMail = claims.phone ? [] : claims.amr.filter(({ method }) => BY_MAIL.includes(method));
  const identities = (app_metadata?.providers ?? []).map((provider) => ({
    provider,
    user_id: sub,
    email: claims.email,
  }));
  return {
    identity: {
      auth_id: sub,
      email: claims.email,
      name: readName(user_metadata),
      session_id: null,
      mailed_at: findLastTime(byMail.map(({ timestamp }) => timestamp)),
    },
    proofs: { identities, factors: [] },
    // Users can set `email_verified` to true themselves, because they can edit `user_metadata`. So true proves nothing.
    // If it is false, the portal calls the service to check the address.
    provesAddress: byMail.length > 0 && user_metadata.email_verified !== false,
  };
}

/**
 * Returns the identities and second factors in a response of GET /user. Returns null if the response and the token name
 * different users or addresses, or if the address is not confirmed.
 */
export function readUser(body: unknown, { identity }: HostedClaims): HostedProofs | null {
  const parsed = userShape.safeParse(body);
  if (!parsed.success || parsed.data.id !== identity.auth_id || parsed.data.email !== identity.email)
    return null;
  return { identities: parsed.data.identities ?? [], factors: parsed.data.factors ?? [] };
}

// Returns the latest of times in Unix seconds, in ISO 8601. Ignores values that are none.
function findLastTime(values: unknown[]): string | null {
  const times = values.map(
    (value) => z.number().check(z.gte(0), z.lte(MAX_UNIX_SECONDS)).safeParse(value).data ?? 0,
  );
  const last = Math.max(0, ...times);
  return last === 0 ? null : new Date(last * 1000).toISOString();
}

// Returns the user's name, or null if the user has none. Users can edit their name, so the portal displays the name but
// makes no decision with it.
function readName({ name, full_name }: Record<string, unknown>): string | null {
  const said = name ?? full_name;
  return typeof said === 'string' && said !== '' ? said : null;
}
