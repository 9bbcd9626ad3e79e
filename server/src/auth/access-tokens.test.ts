// Tests access tokens: their claims, the reasons for refusing a token, and the rotation of the signing keys.
import { randomBytes } from 'node:crypto';
import {
  base64url,
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportSPKI,
  generateKeyPair,
  importJWK,
  jwtVerify,
  SignJWT,
} from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/open-test-database.ts';
import {
  createEmail,
  openTestSignIn,
  PUBLIC_URL,
  SECRET_KEY,
  type TestSignIn,
} from '../../test/open-test-sign-in.ts';
import type { Database } from '../db/database.ts';
import { purgeExpired } from './auth-service.ts';
import { deriveSecrets } from './secrets.ts';
import { listSigningKeys } from './signing-keys.sql.ts';
import { openSigningKeys } from './signing-keys.ts';

const ISSUER = `${PUBLIC_URL}/auth/v1`;
const { sealKey } = deriveSecrets(SECRET_KEY);

let db: Database;
let signIn: TestSignIn;
let good: string;

beforeAll(async () => {
  db = await openTestDatabase();
  signIn = await openTestSignIn(db);
  good = await startSession();
});

afterAll(async () => {
  await signIn.close();
  await db.close();
});

async function startSession(email = createEmail()): Promise<string> {
  const { token } = await signIn.requestMail(email);
  const { data } = await signIn.createClient().verifyOtp({ type: 'email', token_hash: token });
  return data.session?.access_token ?? '';
}

/** Opens a second sign-in service on the same database, as another process of the portal would do. */
function openAnother() {
  return openTestSignIn(db, { clock: signIn.clock, outbox: signIn.outbox });
}

async function openKeys() {
  return openSigningKeys({ db, sealKey, now: signIn.clock.now });
}

/**
 * Signs the claims of the valid token `good`, changed by `claims` and `header`. The service's own key signs, so the
 * signature is valid.
 */
async function signLikeUs(claims: Record<string, unknown>, header: Record<string, unknown> = {}) {
  const { kid, key } = await (await openKeys()).getSigningKey();
  return new SignJWT({ ...decodeJwt(good), ...claims })
    .setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT', ...header })
    .sign(key);
}

describe('a token', () => {
  test('names user, time and sign-in method, and can be verified with the public keys', async () => {
    const email = createEmail();
    const token = await startSession(email);
    const keys = createRemoteJWKSet(new URL(`${signIn.url}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(token, keys, { currentDate: signIn.clock.now() });
    const now = Math.floor(signIn.clock.now().getTime() / 1000);
    expect(payload).toMatchObject({
      iss: ISSUER,
      aud: 'authenticated',
      role: 'authenticated',
      aal: 'aal1',
      email,
      phone: '',
      is_anonymous: false,
      iat: now,
      exp: now + 3600,
      amr: [{ method: 'otp', timestamp: now }],
      app_metadata: { provider: 'email', providers: ['email'] },
    });
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'JWT' });
    expect(await signIn.service.verify(token)).toEqual({
      auth_id: payload.sub,
      session_id: payload.session_id,
      email,
      name: null,
    });
  });

  test('expires on the second, also if it is cached', async () => {
    const token = await startSession();
    signIn.clock.advance(3599);
    expect(await signIn.service.verify(token)).not.toBeNull();
    signIn.clock.advance(1);
    expect(await signIn.service.verify(token)).toBeNull();
  });
});

describe('a token is refused', () => {
  test('but not if nothing in it is changed (control)', async () => {
    const exp = Math.floor(signIn.clock.now().getTime() / 1000) + 60;
    expect(await signIn.service.verify(await signLikeUs({ exp }))).not.toBeNull();
  });

  test.each([
    ['of another issuer', { iss: 'https://evil.example/auth/v1' }, {}],
    ['without issuer', { iss: undefined }, {}],
    ['for another audience', { aud: 'service_role' }, {}],
    ['without a session', { session_id: undefined }, {}],
    ['with a session id that is not text', { session_id: 5 }, {}],
    ['without a subject', { sub: undefined }, {}],
    ['without an address', { email: undefined }, {}],
    ['without an expiry', { exp: undefined }, {}],
    ['that is not valid yet', { nbf: 4_000_000_000 }, {}],
    ['of another token type', {}, { typ: 'at+jwt' }],
    ['of an unknown key', {}, { kid: 'unknown' }],
    ['without a key id', {}, { kid: undefined }],
  ])('%s', async (_what, claims, header) => {
    const exp = Math.floor(signIn.clock.now().getTime() / 1000) + 60;
    expect(await signIn.service.verify(await signLikeUs({ exp, ...claims }, header))).toBeNull();
  });

  test('whose signature or claims were altered', async () => {
    const token = await startSession();
    const [head, body, signature] = token.split('.') as [string, string, string];
    const claims = { ...decodeJwt(token), email: 'admin@example.org' };
    const flipped = `${signature.slice(0, -2)}${signature.endsWith('AA') ? 'BA' : 'AA'}`;
    const altered = [
      `${head}.${base64url.encode(JSON.stringify(claims))}.${signature}`,
      `${head}.${body}.${flipped}`,
      `${head}.${body}.`,
      `${head}.${body}`,
      `${token}.`,
      '',
      'a.b.c',
    ];
    for (const candidate of altered) expect(await signIn.service.verify(candidate)).toBeNull();
    expect(await signIn.service.verify(token)).not.toBeNull();
  });

  test('of no signature at all (alg none)', async () => {
    for (const alg of ['none', 'None', '']) {
      const head = base64url.encode(
        JSON.stringify({ alg, typ: 'JWT', kid: decodeProtectedHeader(good).kid }),
      );
      expect(await signIn.service.verify(`${head}.${good.split('.')[1]}.`)).toBeNull();
    }
  });

  test('signed with our public key as if it were a shared secret (HS256)', async () => {
    const [row] = await listSigningKeys(db);
    const publicKey = await importJWK(row?.public_jwk ?? {}, 'ES256', { extractable: true });
    if (publicKey instanceof Uint8Array) throw new Error('not a public key');
    const secrets = [await exportSPKI(publicKey), JSON.stringify(row?.public_jwk), row?.public_jwk.x ?? ''];
    for (const secret of secrets) {
      const forged = await new SignJWT(decodeJwt(await startSession()))
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: row?.kid })
        .sign(new TextEncoder().encode(secret.padEnd(32, ' ')));
      expect(await signIn.service.verify(forged)).toBeNull();
    }
  });

  test('that names the address of its own keys (jku)', async () => {
    const pair = await generateKeyPair('ES256', { extractable: true });
    const [row] = await listSigningKeys(db);
    const forged = await new SignJWT(decodeJwt(await startSession()))
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: row?.kid, jku: 'https://evil.example/jwks' })
      .sign(pair.privateKey);
    expect(await signIn.service.verify(forged)).toBeNull();
  });
});

describe('the signing keys', () => {
  test('can be rotated: old tokens stay valid, new ones have the new key, another process accepts both', async () => {
    const other = await openAnother();
    const old = await startSession();
    const kid = await signIn.service.rotateKeys({ revoke: false });
    const fresh = await startSession();
    expect(decodeProtectedHeader(old).kid).not.toBe(kid);
    expect(decodeProtectedHeader(fresh).kid).toBe(kid);
    // The service `other` does not know the key id of the new token. So `other` reloads its keys and accepts the token
    // immediately.
    for (const service of [signIn.service, other.service]) {
      expect(await service.verify(old)).not.toBeNull();
      expect(await service.verify(fresh)).not.toBeNull();
    }
    await other.close();
  });

  test('can be revoked: tokens of older keys are refused at once, and by another process within ten seconds', async () => {
    const other = await openAnother();
    const idle = await openAnother();
    const old = await startSession();
    // Each of the three services now has the token `old` in its cache.
    for (const { service } of [signIn, other, idle]) expect(await service.verify(old)).not.toBeNull();
    const kid = await signIn.service.rotateKeys({ revoke: true });
    expect(await signIn.service.verify(old)).toBeNull();
    expect(await signIn.service.verify(await startSession())).not.toBeNull();
    expect((await listSigningKeys(db)).map((key) => key.kid)).toEqual([kid]);

    // One second after the rotation, the service `other` signs with the new key. For up to ten seconds, `other` still
    // accepts cached tokens of the old key.
    signIn.clock.advance(1);
    const email = createEmail();
    const { token } = await other.requestMail(email);
    const { data } = await other.createClient().verifyOtp({ type: 'email', token_hash: token });
    expect(decodeProtectedHeader(data.session?.access_token ?? '').kid).toBe(kid);
    signIn.clock.advance(9);
    for (const process of [other, idle]) {
      expect(await process.service.verify(old)).toBeNull();
      await process.close();
    }
  });

  test('are deleted when all tokens that they signed have expired, except the signing key', async () => {
    await signIn.service.rotateKeys({ revoke: false });
    const context = {
      db,
      now: signIn.clock.now,
      settings: {
        tokenSeconds: 3600,
        linkSeconds: 3600,
        mailIntervalSeconds: 60,
        sessionIdleDays: 30,
        sessionMaxDays: 180,
      },
    } as Parameters<typeof purgeExpired>[0];
    signIn.clock.advance(7200);
    await purgeExpired(context);
    expect((await listSigningKeys(db)).length).toBeGreaterThan(1);
    signIn.clock.advance(1);
    await purgeExpired(context);
    expect((await listSigningKeys(db)).map((key) => key.retired_at)).toEqual([null]);
  });

  test('are encrypted in the database', async () => {
    const [row] = await listSigningKeys(db);
    expect(row?.private_key).not.toContain('"d"');
    expect(Buffer.from(row?.private_key ?? '', 'base64').toString('latin1')).not.toContain('"d"');
    expect(row?.public_jwk).not.toHaveProperty('d');
  });

  test('encrypted with another SECRET_KEY stop the start with an error that names it', async () => {
    await expect(openTestSignIn(db, { settings: { secretKey: randomBytes(32) } })).rejects.toThrow(
      /^SECRET_KEY /,
    );
  });
});
