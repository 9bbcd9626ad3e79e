// Issues and verifies the access token and the refresh token of a session. A client gets both at each sign-in and
// refresh.
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { isFresh } from '../gateways/is-fresh.ts';
import type { AuthContext } from './context.ts';
import type { OpenSession } from './sessions.ts';
import { SIGNING_ALGORITHM, type SigningKeys } from './signing-keys.ts';
import { findUser, type UserRow } from './users.sql.ts';
import { listProviders, presentMetadata, presentUser } from './users.ts';
import { authError } from './wire.ts';

// Access tokens are JWTs (RFC 7519) signed with ES256. A verified token is cached for five minutes at most.

/** The user and session that a valid access token names. The session may have ended since the token was issued. */
export type Identity = { auth_id: string; email: string; name: string | null; session_id: string };

/** The claim `amr` (RFC 8176): the user's sign-in methods, newest first. `timestamp` is in Unix seconds. */
export type Amr = { method: string; timestamp: number }[];

export type AccessTokens = ReturnType<typeof openAccessTokens>;

const AUDIENCE = 'authenticated';
const MAX_CACHED = 20_000;
const CACHE_MS = 5 * 60_000;

type TokenOptions = { keys: SigningKeys; issuer: string; tokenSeconds: number; now: () => Date };

/**
 * Returns the functions that issue and verify access tokens. `issuer` is the address of this service, such as
 * https://portal.example.org/auth/v1.
 */
export function openAccessTokens({ keys, issuer, tokenSeconds, now }: TokenOptions) {
  const cache = new LRUCache<string, { identity: Identity; kid: string; untilMs: number }>({
    max: MAX_CACHED,
  });

  async function readToken(token: string): Promise<{ claims: JWTPayload; kid: string } | null> {
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        async ({ kid }) => {
          const key = kid === undefined ? null : await keys.findPublicKey(kid);
          if (key === null) throw new errors.JWKSNoMatchingKey();
          return key;
        },
        {
          algorithms: [SIGNING_ALGORITHM],
          issuer,
          audience: AUDIENCE,
          requiredClaims: ['sub', 'email', 'exp', 'iat', 'session_id'],
          typ: 'JWT',
          currentDate: now(),
        },
      );
      return { claims: payload, kid: protectedHeader.kid ?? '' };
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }

  return {
    /** Creates an access token. Returns the fields of `TokenResponse` that describe it. */
    issue: async (user: UserRow, session: { session_id: string; amr: Amr }) => {
      const { kid, key } = await keys.getSigningKey();
      const issuedAt = Math.floor(now().getTime() / 1000);
      const expires_at = issuedAt + tokenSeconds;
      const access_token = await new SignJWT({
        email: user.email,
        phone: '',
        app_metadata: listProviders(user),
        user_metadata: presentMetadata(user),
        role: AUDIENCE,
        aal: 'aal1',
        is_anonymous: false,
        amr: session.amr,
        session_id: session.session_id,
      })
        .setProtectedHeader({ alg: SIGNING_ALGORITHM, kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setSubject(user.id)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expires_at)
        .sign(key);
      return { access_token, token_type: 'bearer' as const, expires_in: tokenSeconds, expires_at };
    },
    /**
     * Returns the user and session that `token` names; null if the token is altered, expired or issued by another
     * service.
     */
    verify: async (token: string): Promise<Identity | null> => {
      const digest = hash('sha256', token, 'base64');
      const known = cache.get(digest);
      // Tokens of a deleted key are refused: the key may have been revoked after the token was cached.
      if (known !== undefined && isFresh(known.untilMs, now(), CACHE_MS) && (await keys.hasKey(known.kid)))
        return known.identity;
      const read = await readToken(token);
      const identity = read === null ? null : readIdentity(read.claims);
      if (read === null || identity === null) return null;
      const untilMs = Math.min((read.claims.exp ?? 0) * 1000, now().getTime() + CACHE_MS);
      cache.set(digest, { identity, kid: read.kid, untilMs });
      return identity;
    },
  };
}

function readIdentity(claims: JWTPayload): Identity | null {
  const { sub, email, session_id, user_metadata } = claims;
  if (typeof sub !== 'string' || typeof email !== 'string' || typeof session_id !== 'string') return null;
  return { auth_id: sub, email, name: readName(user_metadata), session_id };
}

// Returns the name of the user. Users can edit this name, so it must not decide what they may do.
function readName(metadata: unknown): string | null {
  if (typeof metadata !== 'object' || metadata === null) return null;
  const { name, full_name } = metadata as { name?: unknown; full_name?: unknown };
  const text = name ?? full_name;
  return typeof text === 'string' && text !== '' ? text : null;
}

// Refresh tokens have the second format of Supabase Auth. A token is computed from its session and a counter, so the
// database stores no tokens.
// Layout in bytes: version 1, session id 16, counter 6, HMAC 16 (first half of HMAC-SHA-256), CRC-32 4.
const VERSION = 2;
const SESSION_AT = 1;
const COUNTER_AT = 17;
const COUNTER_BYTES = 6;
const MAC_AT = COUNTER_AT + COUNTER_BYTES;
const MAC_BYTES = 16;
const CHECKSUM_AT = MAC_AT + MAC_BYTES;
const TOKEN_BYTES = CHECKSUM_AT + 4;

type RefreshToken = { session_id: string; counter: number };

/** Returns the refresh token for a session and a counter. Always the same token, so that it can be sent again. */
export function writeRefreshToken(refreshKey: Buffer, { session_id, counter }: RefreshToken): string {
  const bytes = Buffer.alloc(TOKEN_BYTES);
  bytes.writeUInt8(VERSION);
  Buffer.from(session_id.replaceAll('-', ''), 'hex').copy(bytes, SESSION_AT);
  bytes.writeUIntBE(counter, COUNTER_AT, COUNTER_BYTES);
  signHead(refreshKey, bytes).copy(bytes, MAC_AT);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, CHECKSUM_AT)), CHECKSUM_AT);
  return bytes.toString('base64url');
}

/** Returns the session and counter in a token; 'malformed' for a wrong format, 'forged' for a wrong HMAC. */
export function readRefreshToken(refreshKey: Buffer, token: string): RefreshToken | 'malformed' | 'forged' {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== TOKEN_BYTES || bytes.toString('base64url') !== token) return 'malformed';
  if (bytes.readUInt8() !== VERSION) return 'malformed';
  if (bytes.readUInt32BE(CHECKSUM_AT) !== crc32(bytes.subarray(0, CHECKSUM_AT))) return 'malformed';
  if (!timingSafeEqual(signHead(refreshKey, bytes), bytes.subarray(MAC_AT, CHECKSUM_AT))) return 'forged';
  const id = bytes.toString('hex', SESSION_AT, COUNTER_AT);
  return {
    session_id: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    counter: bytes.readUIntBE(COUNTER_AT, COUNTER_BYTES),
  };
}

function signHead(refreshKey: Buffer, bytes: Buffer): Buffer {
  const sessionKey = createHmac('sha256', refreshKey).update(bytes.subarray(SESSION_AT, COUNTER_AT)).digest();
  return createHmac('sha256', sessionKey).update(bytes.subarray(0, MAC_AT)).digest().subarray(0, MAC_BYTES);
}

/** The token response of Supabase Auth's protocol (R-ENT-02). `expires_at` is in Unix seconds. */
export type TokenResponse = {
  access_token: string;
  token_type: 'bearer';
  expires_in: number;
  expires_at: number;
  refresh_token: string;
  user: ReturnType<typeof presentUser>;
};

/**
 * Creates the tokens of a session.
 * @throws session_not_found if the user has been deleted since the session was read.
 */
export async function issueTokens(
  { db, secrets, tokens, noteSignIn }: AuthContext,
  session: OpenSession,
): Promise<TokenResponse> {
  const { counter, amr } = session;
  const user = await findUser(db, session.user_id);
  if (user === null)
    throw authError(400, 'session_not_found', 'Session from session_id claim does not exist');
  // A session whose counter is 0 is new, and counts as a sign-in. Each refresh increments the counter.
  if (counter === 0 && amr[0] !== undefined) noteSignIn(amr[0].method);
  return {
    ...(await tokens.issue(user, session)),
    refresh_token: writeRefreshToken(secrets.refreshKey, session),
    user: presentUser(user),
  };
}
