// Verifies the tokens of a hosted sign-in service (AUTH_URL) with the service's public keys or with a shared secret.
// Without a key and a secret, the portal lets the service check each token.
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
   * Returns the identities and second factors of a user whose token was verified. If the portal verified
   * the token without a call to the service, the result has only the providers that the token names.
   */
  describeProofs(userId: string): Promise<HostedProofs>;
  /** True if the service offers sign-in with Google. */
  readonly google: boolean;
  /** Null, because browsers call the routes of the hosted service. The portal serves no sign-in routes of its own. */
  routes: null;
  /** Null, because only the hosted service knows its sessions and accounts (R-TEAM-45). */
  endSessions: null;
  closeAccount: null;
  forgetAddress: null;
  /**
   * Lets the service mail a sign-in link. The result `id` is null, because the portal has no job for this mail. With
   * `secondsLeft`, the service refused for that time, because it sent a mail to the address shortly before. With
   * `over`, the service refused, and sent no time.
   * @throws the error that `unavailable` creates.
   */
  requestMail(
    tx: unknown,
    order: { email: string },
  ): Promise<{ id: null } | { secondsLeft: number } | { over: 'address' }>;
  close(): Promise<void>;
};

type HostedOptions = {
  /** AUTH_URL: the address of the hosted service. The service's tokens have the same address in the claim `iss`. */
  url: string;
  anonKey: string | null;
  jwtSecret: string | null;
  now: () => Date;
  log: Pick<Logger, 'warn' | 'error'>;
};

/**
 * The result of checking a token. `identity` is null for an invalid token. The portal caches the result until `untilMs`
 * (Unix time). If `untilMs` is 0, the result is not cached, because the same check again needs no call to the service.
 */
type CheckedToken = { identity: HostedIdentity | null; untilMs: number };

/**
 * A cached result. `identity` is a promise, so that concurrent calls with the same token check the token only once.
 * `untilMs` is Infinity until the check has ended.
 */
type CachedToken = { identity: Promise<HostedIdentity | null>; untilMs: number };

const PUBLIC_KEY_ALGORITHMS = ['ES256', 'RS256', 'EdDSA'];
const LEEWAY_SECONDS = 5;
// If a token names an unknown key id, the portal loads the service's list of keys again. The portal waits at least this
// long between two loads, because anybody can send tokens with invented key ids.
const COOLDOWN_MS = 5_000;
const MAX_CACHED = 20_000;
const CACHE_MS = 5 * 60_000;
// Cache time of a token that the service checked, not the portal. If the user signs out, the portal still accepts the
// token until this time is over (docs/security.md). A token that the service refused is cached equally long.
const CACHE_UNSIGNED_MS = 60_000;

/** @throws UnfitServiceError if the portal must not trust the tokens of the service. */
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
        // The check failed, for example because the service is down. The next call checks the token again.
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
    forgetAddress: null,
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
  // A gateway in front of the service sent this response, for example because of a wrong API key. So the token may be
  // valid or invalid.
  throw unavailable(`/user answers ${status}, and not as a Supabase Auth service does`);
}

/** The claims of a token. If `signed` is false, the portal cannot check the signature, and must call the service. */
type Read = { payload: JWTPayload; signed: boolean };

/**
 * Returns a function that checks the signature and claims of a token; its result is null for an invalid token. A token
 * with the algorithm HS256 is checked with the shared secret only, and any other token with public keys only. Otherwise
 * an attacker could sign tokens with a public key as if it were the secret.
 */
function createReader({
  service,
  url,
  jwtSecret,
  now,
}: Pick<HostedOptions, 'url' | 'jwtSecret' | 'now'> & { service: HostedService }) {
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

  return async (token: string): Promise<Read | null> => {
    try {
      return await read(token);
    } catch (error) {
      // jose throws a JOSEError or a TypeError for an invalid token. Any other error means that the service's keys
      // could not be loaded.
      if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
      throw error;
    }
  };
}

/**
 * Loads the list of the service's public keys. A service that signs with a shared secret has an empty list or responds
 * 404. The result is an empty list in both cases.
 */
async function fetchKeys(service: HostedService): Promise<Response> {
  const { status, body } = await service.get('/.well-known/jwks.json');
  if (status === 404) return Response.json({ keys: [] });
  if (status === 200 && keyListShape.safeParse(body).success) return Response.json(body);
  throw unavailable(`The list of public keys answers ${status}, and not with a list`);
}

/**
 * Checks the claims of a token whose signature the portal cannot check. If the result is false, the portal refuses the
 * token without a call to the service.
 */
function fitsService({ iss, aud, exp }: JWTPayload, url: string, now: Date): boolean {
  if (iss !== url || ![aud].flat().includes(AUDIENCE) || typeof exp !== 'number') return false;
  return exp + LEEWAY_SECONDS > now.getTime() / 1000;
}

/**
 * The user that a token names. `session_id` is null, because the hosted service stores the sessions, not the portal.
 * `mailed_at` is when the user last signed in by mail in this session, in ISO 8601; null if the user did not.
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
  /** False if the portal must call the service to find out whether the e-mail address is the user's. */
  provesAddress: boolean;
};

const AUDIENCE = 'authenticated';

// Sign-in methods that prove that the e-mail address is the user's. A password does not prove this: an attacker can
// sign up with another person's address and a password. When that person confirms the address, the password becomes
// valid.
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

const anyUserShape = z.object({ id: z.string() });
// RFC 7517.
const keyListShape = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });
// An error response of the service. Newer versions have the field `error_code`, older versions `code`.
const refusalShape = z.union([
  z.object({ error_code: z.string() }),
  z.object({ code: z.union([z.string(), z.number()]) }),
]);

/** Returns null if the claims are malformed, or name a sign-in method that the portal does not accept. */
function readClaims(payload: unknown): HostedClaims | null {
  const parsed = claimsShape.safeParse(payload);
  if (!parsed.success) return null;
  const { sub, user_metadata = {}, app_metadata, ...claims } = parsed.data;
  const methods = claims.amr.map(({ method }) => method);
  const isFirst = (method: string) => FIRST_FACTORS.includes(method);
  if (!methods.some(isFirst)) return null;
  if (!methods.every((method) => isFirst(method) || SECOND_FACTORS.includes(method))) return null;
  // If the user has a phone number, the service may have sent the sign-in code by SMS. Such a code does not prove that
  // the e-mail address is the user's.
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
    // Users can edit `user_metadata`, so `email_verified: true` proves nothing. If the field is false, the portal calls
    // the service to check the address.
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

// Returns the user's name; null if there is none. Users can edit their name, so the portal only displays it.
function readName({ name, full_name }: Record<string, unknown>): string | null {
  const said = name ?? full_name;
  return typeof said === 'string' && said !== '' ? said : null;
}
