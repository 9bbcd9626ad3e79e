// Verifies the tokens of a hosted sign-in service (AUTH_URL) with the service's public keys or with a shared secret. If
// the portal has neither a public key nor a secret, it calls the service for each token.
import { createHash } from 'node:crypto';
import { knownEmail as email } from '@portal/contract';
import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import * as z from 'zod';
import { type HostedService, openHostedService, openHostedSettings, unavailable } from './hosted-service.ts';
import { isFresh } from './is-fresh.ts';

export type HostedAuth = {
  /**
   * Returns the user that a token names. Returns null if the token is invalid, expired or issued by another service.
   * Also returns null if the user's sign-in does not prove that the e-mail address is the user's.
   */
  verify(token: string): Promise<HostedIdentity | null>;
  /**
   * Returns the identities and second factors of a user whose token was verified. If the portal verified the token
   * without a call to the service, the identities are the providers that the token names. The list of second factors is
   * then empty.
   */
  describeProofs(userId: string): Promise<HostedProofs>;
  /** True if the service offers sign-in with Google. */
  readonly google: boolean;
  /** Null, because browsers call the routes of the hosted service. The portal serves no sign-in routes of its own. */
  routes: null;
  /** Null, because only the hosted service knows its sessions and accounts (R-TEAM-45). */
  endSessions: null;
  closeAccount: null;
  /**
   * Lets the service mail a link to sign in. `id` is null: the mail is no job of the portal. `secondsLeft`: the service
   * refused, because the last mail to the address was too recent. @throws the error that `unavailable` creates.
   */
  requestMail(
    tx: unknown,
    order: { email: string },
  ): Promise<{ id: null } | { secondsLeft: number } | { over: 'address' }>;
  close(): Promise<void>;
};

type HostedOptions = {
  /**
   * AUTH_URL: the address of the hosted service. The issuer in the service's tokens (`iss`) must be the same address.
   */
  url: string;
  anonKey: string | null;
  jwtSecret: string | null;
  now: () => Date;
  log: Pick<Logger, 'warn' | 'error'>;
};

/**
 * The result of checking a token: the user, or null for an invalid token. The result is cached until `untilMs`. If
 * `untilMs` is 0, the result is not cached, because the portal can refuse the token again without calling the service.
 */
type CheckedToken = { identity: HostedIdentity | null; untilMs: number };

/** The cache contains promises, so that concurrent calls with the same token check the token only once. */
type CachedToken = { identity: Promise<HostedIdentity | null>; untilMs: number };

const PUBLIC_KEY_ALGORITHMS = ['ES256', 'RS256', 'EdDSA'];
const LEEWAY_SECONDS = 5;
// If a token names an unknown key id, the portal loads the service's list of keys again. Anybody can send tokens with
// invented key ids. So the portal waits at least this long between two loads.
const COOLDOWN_MS = 5_000;
const MAX_CACHED = 20_000;
const CACHE_MS = 5 * 60_000;
// Cache time of a token that only the service could verify. If the user signs out, the portal still accepts the token
// until this time is over (docs/security.md). A token that the service refused is also cached for this time.
const CACHE_UNSIGNED_MS = 60_000;

/**
 * Opens the client of a hosted sign-in service. @throws UnfitServiceError if the tokens of that service cannot be
 * trusted.
 */
export async function openHostedAuth({
  url,
  anonKey,
  jwtSecret,
  now,
  log,
}: HostedOptions): Promise<HostedAuth> {
  const service = openHostedService({ url, anonKey });
  const settings = await openHostedSettings({ service, url, now, log });
  const readSigned = createReader({ service, url, jwtSecret, now });
  const checkedTokens = new LRUCache<string, CachedToken>({ max: MAX_CACHED });
  const proofs = new LRUCache<string, HostedProofs>({ max: MAX_CACHED });
  const confirmed = new LRUCache<string, true>({ max: MAX_CACHED });

  async function checkToken(token: string): Promise<CheckedToken> {
    const read = await readSigned(token);
    const claims = read && readClaims(read.payload);
    if (read === null || claims === null) return { identity: null, untilMs: 0 };
    const { identity } = claims;
    const address = `${identity.auth_id} ${identity.email}`;
    let found: HostedProofs | null = claims.proofs;
    const isKnown = confirmed.has(address);
    if (!read.signed || !(claims.provesAddress || isKnown)) {
      found = await fetchProofs(service, { token, person: isKnown ? address : null }, claims);
      if (found !== null) confirmed.set(address, true);
    }
    if (found !== null) proofs.set(identity.auth_id, found);
    const endMs = ((read.payload.exp ?? 0) + LEEWAY_SECONDS) * 1000;
    const cacheMs = read.signed && found !== null ? CACHE_MS : CACHE_UNSIGNED_MS;
    return { identity: found && identity, untilMs: Math.min(endMs, now().getTime() + cacheMs) };
  }

  return {
    verify: async (token) => {
      await settings.check();
      const hash = createHash('sha256').update(token).digest('base64');
      const known = checkedTokens.get(hash);
      if (known !== undefined && (known.untilMs === Infinity || isFresh(known.untilMs, now(), CACHE_MS)))
        return known.identity;
      const checking = checkToken(token);
      const cached = { identity: checking.then(({ identity }) => identity), untilMs: Infinity };
      checkedTokens.set(hash, cached);
      checking.then(
        ({ untilMs }) => {
          cached.untilMs = untilMs;
          if (untilMs === 0) checkedTokens.delete(hash);
        },
        // Removes a failed check from the cache, for example while the service is down. So the next call checks the
        // token again.
        () => checkedTokens.delete(hash),
      );
      return cached.identity;
    },
    describeProofs: async (userId) => proofs.get(userId) ?? { identities: [], factors: [] },
    get google() {
      return settings.google();
    },
    routes: null,
    endSessions: null,
    closeAccount: null,
    requestMail: (_tx, { email }) => requestMail(service, email),
    close: async () => undefined,
  };
}

async function requestMail(service: HostedService, email: string) {
  const { status, body } = await service.post('/otp', { email, create_user: true });
  if (status === 200) return { id: null };
  if (status !== 429) throw unavailable(`/otp answers ${status}`);
  const seconds = /after (\d+) seconds/.exec(JSON.stringify(body))?.[1];
  return seconds === undefined ? { over: 'address' as const } : { secondsLeft: Number(seconds) };
}

async function fetchProofs(
  service: HostedService,
  asked: { token: string; person: string | null },
  claims: HostedClaims,
): Promise<HostedProofs | null> {
  const { status, body } = await service.get('/user', asked);
  if (status === 200 && anyUserShape.safeParse(body).success) return readUser(body, claims);
  if (status >= 400 && refusalShape.safeParse(body).success) return null;
  // This response does not come from the service itself. A gateway in front of the service may have refused the call,
  // for example because of a wrong API key. So nothing is known about the token.
  throw unavailable(`/user answers ${status}, and not as a Supabase Auth service does`);
}

/** The claims of a token. If `signed` is false, the portal could not check the signature, and must call the service. */
type Read = { payload: JWTPayload; signed: boolean };

/**
 * Returns a function that checks the signature and claims of a token. The algorithm in the token's header selects the
 * key. Each algorithm has its own kind of key, so that a public key is never used as a shared secret.
 */
function createReader({
  service,
  url,
  jwtSecret,
  now,
}: Pick<HostedOptions, 'url' | 'jwtSecret' | 'now'> & { service: HostedService }): (
  token: string,
) => Promise<Read | null> {
  const keys = createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`), {
    cooldownDuration: COOLDOWN_MS,
    [customFetch]: () => fetchKeys(service),
  });
  const secret = jwtSecret === null ? null : new TextEncoder().encode(jwtSecret);
  const rules = (): JWTVerifyOptions => ({
    issuer: url,
    audience: AUDIENCE,
    requiredClaims: ['sub', 'exp'],
    typ: 'JWT',
    clockTolerance: LEEWAY_SECONDS,
    currentDate: now(),
  });

  async function listsNoKeys(): Promise<boolean> {
    if (!keys.fresh) await keys.reload();
    return keys.jwks()?.keys.length === 0;
  }

  async function read(token: string): Promise<Read | null> {
    if (decodeProtectedHeader(token).alg !== 'HS256') {
      const { payload } = await jwtVerify(token, keys, { ...rules(), algorithms: PUBLIC_KEY_ALGORITHMS });
      return { payload, signed: true };
    }
    if (secret !== null) {
      const { payload } = await jwtVerify(token, secret, { ...rules(), algorithms: ['HS256'] });
      return { payload, signed: true };
    }
    const payload = decodeJwt(token);
    const fits = fitsService(payload, url, now());
    return fits && (await listsNoKeys()) ? { payload, signed: false } : null;
  }

  return async (token) => {
    try {
      return await read(token);
    } catch (error) {
      // jose throws a JOSEError or a TypeError for an invalid token. Any other error means that the service's keys
      // could not be loaded. This error is thrown again.
      if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
      throw error;
    }
  };
}

/**
 * Loads the list of the service's public keys. If the service signs only with a shared secret, its list is empty, or
 * the service responds 404. In both cases the result is an empty list.
 */
async function fetchKeys(service: HostedService): Promise<Response> {
  const { status, body } = await service.get('/.well-known/jwks.json');
  if (status === 404) return Response.json({ keys: [] });
  if (status === 200 && keyListShape.safeParse(body).success) return Response.json(body);
  throw unavailable(`The list of public keys answers ${status}, and not with a list`);
}

/** Checks claims that prove nothing without a signature. Tokens that do not fit cause no call to the service. */
function fitsService({ iss, aud, exp }: JWTPayload, url: string, now: Date): boolean {
  if (iss !== url || ![aud].flat().includes(AUDIENCE) || typeof exp !== 'number') return false;
  return exp + LEEWAY_SECONDS > now.getTime() / 1000;
}

/**
 * The user that a token names. `session_id` is null, because the hosted service stores the sessions, not the portal.
 * `mailed_at` is the time of the session's newest sign-in by mail, in ISO 8601; null if it began with a provider.
 */
type HostedIdentity = {
  auth_id: string;
  email: string;
  name: string | null;
  session_id: null;
  mailed_at: string | null;
};

/** A user's identities (e-mail, Google) and second factors, in the format of Supabase Auth (R-ENT-01). */
type HostedProofs = { identities: unknown[]; factors: unknown[] };

type HostedClaims = {
  identity: HostedIdentity;
  proofs: HostedProofs;
  /** False if the token alone does not prove the e-mail address. Then the portal calls the service. */
  provesAddress: boolean;
};

const AUDIENCE = 'authenticated';

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
    z.string().transform((method) => ({ method, timestamp: 0 })),
    z.object({ method: z.string(), timestamp: z.number().min(0).max(MAX_UNIX_SECONDS).catch(0) }),
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

const userShape = z.object({
  id: z.guid(),
  email,
  email_confirmed_at: z.string().min(1),
  is_anonymous: z.literal(false).optional(),
  identities: z.array(z.unknown()).nullish(),
  factors: z.array(z.unknown()).nullish(),
});

// A user object of the service, whoever the user is.
const anyUserShape = z.object({ id: z.string() });
// A list of public keys (RFC 7517). The list may be empty.
const keyListShape = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });
// An error response of the service. Newer versions of the service have the field `error_code`; older versions have
// `code`.
const refusalShape = z.union([
  z.object({ error_code: z.string() }),
  z.object({ code: z.union([z.string(), z.number()]) }),
]);

/**
 * Returns the user and the identities in the claims of a token. Returns null if the claims are malformed, or name a
 * sign-in method that the portal does not accept.
 */
function readClaims(payload: unknown): HostedClaims | null {
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
  const mailedAt = Math.max(0, ...byMail.map(({ timestamp }) => timestamp));
  const { email } = claims;
  const identities = (app_metadata?.providers ?? []).map((provider) => ({ provider, user_id: sub, email }));
  return {
    identity: {
      auth_id: sub,
      email,
      name: readName(user_metadata),
      session_id: null,
      mailed_at: mailedAt === 0 ? null : new Date(mailedAt * 1000).toISOString(),
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
function readUser(body: unknown, { identity }: HostedClaims): HostedProofs | null {
  const parsed = userShape.safeParse(body);
  if (!parsed.success || parsed.data.id !== identity.auth_id || parsed.data.email !== identity.email)
    return null;
  return { identities: parsed.data.identities ?? [], factors: parsed.data.factors ?? [] };
}

// Returns the user's name, or null if the user has none. Users can edit their name, so the portal displays the name but
// makes no decision with it.
function readName({ name, full_name }: Record<string, unknown>): string | null {
  const said = name ?? full_name;
  return typeof said === 'string' && said !== '' ? said : null;
}
