// What is asked of the claims of a hosted service's token: whose they are, and that its session proves the address.
import { email } from '@portal/contract';
import * as z from 'zod';

/** Whom a token names. Its session is the hosted service's, and not ours to look up. */
export type HostedIdentity = { auth_id: string; email: string; name: string | null; session_id: null };

/** How a user has proved who they are (R-ENT-01). */
export type HostedProofs = { identities: unknown[]; factors: unknown[] };

export type HostedClaims = {
  identity: HostedIdentity;
  proofs: HostedProofs;
  /** False: that the address is the user's is not in the token, and the service must be asked. */
  provesAddress: boolean;
};

export const AUDIENCE = 'authenticated';

// A password proves nothing: whoever signs up with somebody's address chooses it, and waits until that person confirms.
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

/** Only for a token that nobody but the service itself checks the signature of. */
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
// Its name differs with the version of the service.
const refusalShape = z.union([
  z.object({ error_code: z.string() }),
  z.object({ code: z.union([z.string(), z.number()]) }),
]);

/** Whether an answer is a list of public keys (RFC 7517), be it empty. */
export function isKeyList(body: unknown): boolean {
  return keyListShape.safeParse(body).success;
}

/** Whether an answer is a user of the service, whoever that is. */
export function isUser(body: unknown): boolean {
  return z.object({ id: z.string() }).safeParse(body).success;
}

/** Whether an answer is the service's own refusal, and not that of something in front of it. */
export function isRefusal(body: unknown): boolean {
  return refusalShape.safeParse(body).success;
}

/** Null for claims that sign nobody in. */
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
    // The user may write it: good for a doubt, never for a proof.
    provesAddress:
      claims.amr.some((method) => BY_MAIL.includes(method)) &&
      // With a telephone the six digits may have come by SMS.
      !claims.phone &&
      user_metadata.email_verified !== false,
  };
}

/** What GET /user answers about the owner of these claims; null unless the address is theirs and confirmed. */
export function readUser(body: unknown, { identity }: HostedClaims): HostedProofs | null {
  const parsed = userShape.safeParse(body);
  if (!parsed.success || parsed.data.id !== identity.auth_id || parsed.data.email !== identity.email)
    return null;
  return { identities: parsed.data.identities ?? [], factors: parsed.data.factors ?? [] };
}

// The user's own words: good for a greeting, never for a decision.
function readName({ name, full_name }: Record<string, unknown>): string | null {
  const said = name ?? full_name;
  return typeof said === 'string' && said !== '' ? said : null;
}
