// Issues and verifies access tokens: JWTs (RFC 7519) signed with ES256. Verified tokens are cached for five minutes at
// most.

import { hash } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { isFresh } from '../gateways/is-fresh.ts';
import { listProviders, presentMetadata } from './present-user.ts';
import { SIGNING_ALGORITHM, type SigningKeys } from './signing-keys.ts';
import type { UserRow } from './users.sql.ts';

/**
 * The user and session that an access token names. The session may have ended since the token was issued; the token
 * does not show that.
 */
export type Identity = { auth_id: string; email: string; name: string | null; session_id: string };

/** The claim `amr` (RFC 8176): the user's sign-in methods, newest first. `timestamp` is in Unix seconds. */
export type Amr = { method: string; timestamp: number }[];

export type IssuedToken = { access_token: string; expires_in: number; expires_at: number };

export type AccessTokens = {
  issue(user: UserRow, session: { id: string; amr: Amr }): Promise<IssuedToken>;
  /**
   * Returns the user and session that `token` names. Returns null if the token is altered, expired or issued by another
   * service.
   */
  verify(token: string): Promise<Identity | null>;
};

const AUDIENCE = 'authenticated';
const MAX_CACHED = 20_000;
const CACHE_MS = 5 * 60_000;

/**
 * Returns the functions that issue and verify access tokens. `issuer` is the address of this service: PUBLIC_URL +
 * '/auth/v1'.
 */
export function openAccessTokens({
  keys,
  issuer,
  tokenSeconds,
  now,
}: {
  keys: SigningKeys;
  issuer: string;
  tokenSeconds: number;
  now: () => Date;
}): AccessTokens {
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
    issue: async (user, session) => {
      const { kid, key } = await keys.getSigningKey();
      const issuedAt = Math.floor(now().getTime() / 1000);
      const expires_at = issuedAt + tokenSeconds;
      const access_token = await new SignJWT({
        ...writeClaims(user),
        amr: session.amr,
        session_id: session.id,
      })
        .setProtectedHeader({ alg: SIGNING_ALGORITHM, kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setSubject(user.id)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expires_at)
        .sign(key);
      return { access_token, expires_in: tokenSeconds, expires_at };
    },
    verify: async (token) => {
      const digest = hash('sha256', token, 'base64');
      const known = cache.get(digest);
      // A cached token is valid only if its key still exists: the key may have been revoked after the token was cached.
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

function writeClaims(user: UserRow) {
  return {
    email: user.email,
    phone: '',
    app_metadata: listProviders(user),
    user_metadata: presentMetadata(user),
    role: AUDIENCE,
    aal: 'aal1',
    is_anonymous: false,
  };
}

function readIdentity(claims: JWTPayload): Identity | null {
  const { sub, email, session_id, user_metadata } = claims;
  if (typeof sub !== 'string' || typeof email !== 'string' || typeof session_id !== 'string') return null;
  return { auth_id: sub, email, name: readName(user_metadata), session_id };
}

// Returns the user's name, or null if the user has none. Users can edit their name, so the portal displays the name but
// makes no decision with it.
function readName(metadata: unknown): string | null {
  if (typeof metadata !== 'object' || metadata === null) return null;
  const { name, full_name } = metadata as { name?: unknown; full_name?: unknown };
  const text = name ?? full_name;
  return typeof text === 'string' && text !== '' ? text : null;
}
