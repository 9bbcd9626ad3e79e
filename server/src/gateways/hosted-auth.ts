// Signing in with a hosted service (AUTH_URL): checks its tokens by its public keys, by a shared secret, or by asking it.
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
import { away, type HostedService, openHostedService } from './hosted-service.ts';
import { openHostedSettings } from './hosted-settings.ts';

export type HostedAuth = {
  /** Whom a token names, or null when it is not the service's, altered, expired, or of a session that proves no address. */
  verify(token: string): Promise<HostedIdentity | null>;
  /** How a user whose token was verified has proved who they are; of a token that was not asked about, the providers. */
  describeProofs(userId: string): Promise<HostedProofs>;
  /** Whether the service signs people in with Google. */
  readonly google: boolean;
  /** It answers elsewhere. */
  routes: null;
  close(): Promise<void>;
};

export type HostedOptions = {
  /** AUTH_URL: where the service answers, and the issuer that its tokens name. */
  url: string;
  anonKey: string | null;
  jwtSecret: string | null;
  now: () => Date;
  log: Pick<Logger, 'warn' | 'error'>;
};

/** What a look at a token has found, and how long that is good; 0: it costs nothing to look again. */
type Judged = { identity: HostedIdentity | null; untilMs: number };

const PUBLIC_KEY_ALGORITHMS = ['ES256', 'RS256', 'EdDSA'];
const LEEWAY_SECONDS = 5;
// A key that is not known may have been made a moment ago; unknown names must not make us ask on and on.
const COOLDOWN_MS = 5_000;
const REMEMBERED = 20_000;
const REMEMBER_MS = 5 * 60_000;
// An ended session is noticed when this is over (docs/security.md).
const REMEMBER_ASKED_MS = 60_000;

/** @throws UnfitServiceError when the service's tokens cannot be relied on. */
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
  // Kept from the first look on, so that calls at one time look once.
  const judged = new LRUCache<string, { identity: Promise<Judged['identity']>; untilMs: number }>({
    max: REMEMBERED,
  });
  const proofs = new LRUCache<string, HostedProofs>({ max: REMEMBERED });
  const confirmed = new LRUCache<string, true>({ max: REMEMBERED });

  async function judge(token: string): Promise<Judged> {
    const read = await readSigned(token);
    const claims = read && readClaims(read.payload);
    if (read === null || claims === null) return { identity: null, untilMs: 0 };
    const { identity } = claims;
    const address = `${identity.auth_id} ${identity.email}`;
    let found: HostedProofs | null = claims.proofs;
    const isKnown = confirmed.has(address);
    if (!read.signed || !(claims.provesAddress || isKnown)) {
      found = await askAbout(service, { token, person: isKnown ? address : null }, claims);
      if (found !== null) confirmed.set(address, true);
    }
    if (found !== null) proofs.set(identity.auth_id, found);
    const endMs = ((read.payload.exp ?? 0) + LEEWAY_SECONDS) * 1000;
    const rememberMs = read.signed && found !== null ? REMEMBER_MS : REMEMBER_ASKED_MS;
    return { identity: found && identity, untilMs: Math.min(endMs, now().getTime() + rememberMs) };
  }

  return {
    verify: async (token) => {
      await settings.check();
      const hash = createHash('sha256').update(token).digest('base64');
      const known = judged.get(hash);
      if (known !== undefined && now().getTime() < known.untilMs) return known.identity;
      const judging = judge(token);
      const remembered = { identity: judging.then(({ identity }) => identity), untilMs: Infinity };
      judged.set(hash, remembered);
      judging.then(
        ({ untilMs }) => {
          remembered.untilMs = untilMs;
          if (untilMs === 0) judged.delete(hash);
        },
        // A fault is no judgement.
        () => judged.delete(hash),
      );
      return remembered.identity;
    },
    describeProofs: async (userId) => proofs.get(userId) ?? { identities: [], factors: [] },
    get google() {
      return settings.google();
    },
    routes: null,
    close: async () => undefined,
  };
}

async function askAbout(
  service: HostedService,
  asked: { token: string; person: string | null },
  claims: HostedClaims,
): Promise<HostedProofs | null> {
  const { status, body } = await service.get('/user', asked);
  if (status === 200 && isUser(body)) return readUser(body, claims);
  if (status >= 400 && isRefusal(body)) return null;
  // A gateway in between refuses too, such as for a wrong key: that says nothing about whose token it is.
  throw away(`/user answers ${status}, and not as a Supabase Auth service does`);
}

/** A token's claims. `signed` false: only the service can tell whether they are its own. */
type Read = { payload: JWTPayload; signed: boolean };

type Reader = (token: string) => Promise<Read | null>;

/** The header's algorithm chooses between ways that each know one kind of key: none is ever used as another. */
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
      // Of jose's faults and of what a malformed token throws; the service's own are passed on.
      if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
      throw error;
    }
  };
}

/** A service that only signs with a shared secret lists no keys, or has no list. */
async function fetchKeys(service: HostedService): Promise<Response> {
  const { status, body } = await service.get('/.well-known/jwks.json');
  if (status === 404) return Response.json({ keys: [] });
  if (status === 200 && isKeyList(body)) return Response.json(body);
  throw away(`The list of public keys answers ${status}, and not with a list`);
}

function fitsService(payload: JWTPayload, url: string, now: Date): boolean {
  const parsed = unsignedShape.safeParse(payload);
  if (!parsed.success) return false;
  const { iss, aud, exp } = parsed.data;
  return iss === url && [aud].flat().includes(AUDIENCE) && exp + LEEWAY_SECONDS > now.getTime() / 1000;
}
