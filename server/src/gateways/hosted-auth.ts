// Verifies the tokens of a hosted sign-in service (AUTH_URL) with the service's public keys or with a shared secret. If
// the portal has neither a public key nor a secret, it calls the service for each token.

import { createHash } from 'node:crypto';
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
import {
  AUDIENCE,
  type HostedClaims,
  type HostedIdentity,
  type HostedProofs,
  isKeyList,
  isRefusal,
  isUser,
  readClaims,
  readUser,
  unsignedShape,
} from './hosted-claims.ts';
import { type HostedService, openHostedService, unavailable } from './hosted-service.ts';
import { openHostedSettings } from './hosted-settings.ts';
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

export type HostedOptions = {
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
  // The cache contains promises. So concurrent calls with the same token check the token only once.
  const checkedTokens = new LRUCache<
    string,
    { identity: Promise<CheckedToken['identity']>; untilMs: number }
  >({
    max: MAX_CACHED,
  });
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
  if (status === 200 && isUser(body)) return readUser(body, claims);
  if (status >= 400 && isRefusal(body)) return null;
  // This response does not come from the service itself. A gateway in front of the service may have refused the call,
  // for example because of a wrong API key. So nothing is known about the token.
  throw unavailable(`/user answers ${status}, and not as a Supabase Auth service does`);
}

/** The claims of a token. If `signed` is false, the portal could not check the signature, and must call the service. */
type Read = { payload: JWTPayload; signed: boolean };

type Reader = (token: string) => Promise<Read | null>;

/**
 * Returns a function that checks the signature and claims of a token. The algorithm in the token's header selects the
 * key. Each algorithm has its own kind of key, so that a public key is never used as a shared secret.
 */
function createReader({
  service,
  url,
  jwtSecret,
  now,
}: Pick<HostedOptions, 'url' | 'jwtSecret' | 'now'> & { service: HostedService }): Reader {
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
  if (status === 200 && isKeyList(body)) return Response.json(body);
  throw unavailable(`The list of public keys answers ${status}, and not with a list`);
}

function fitsService(payload: JWTPayload, url: string, now: Date): boolean {
  const parsed = unsignedShape.safeParse(payload);
  if (!parsed.success) return false;
  const { iss, aud, exp } = parsed.data;
  return iss === url && [aud].flat().includes(AUDIENCE) && exp + LEEWAY_SECONDS > now.getTime() / 1000;
}
