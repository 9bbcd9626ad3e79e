// Tests the portal with a hosted sign-in service that signs tokens with its own key pair. A second embedded sign-in
// service acts as the hosted service. Supabase's client library auth-js signs users in to it.
import {
  base64url,
  decodeJwt,
  decodeProtectedHeader,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWK,
  SignJWT,
} from 'jose';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { createEmail, openTestSignIn, SECRET_KEY, type TestSignIn } from '../../test/open-test-sign-in.ts';
import { findFreePort } from '../../test/postgres.ts';
import { deriveSecrets } from '../auth/secrets.ts';
import { openSigningKeys } from '../auth/signing-keys.ts';
import type { Database } from '../db/database.ts';
import { type HostedAuth, openHostedAuth } from './hosted-auth.ts';

const log = pino({ level: 'silent' });

let db: Database;
let there: TestSignIn;
let here: HostedAuth;
let good: string;

beforeAll(async () => {
  db = await openTestDatabase();
  const port = await findFreePort();
  there = await openTestSignIn(db, { port, settings: { publicUrl: `http://127.0.0.1:${port}` } });
  here = await openHere();
  good = (await signInThere()).access_token;
});

afterAll(async () => {
  await there.close();
  await db.close();
});

afterEach(() => {
  vi.useRealTimers();
});

function openHere(options = {}): Promise<HostedAuth> {
  return openHostedAuth({
    url: there.url,
    anonKey: null,
    jwtSecret: null,
    now: there.clock.now,
    log,
    ...options,
  });
}

async function signInThere(email = createEmail(), from = there) {
  const { token } = await from.requestMail(email);
  const client = from.createClient();
  const { data } = await client.verifyOtp({ type: 'email', token_hash: token });
  return { client, email, access_token: data.session?.access_token ?? '' };
}

/**
 * Returns a token with the claims of a valid token, except for the changes in `claims` and `header`. The token is
 * signed with the hosted service's own key, so its signature is valid.
 */
async function signLikeThem(claims: Record<string, unknown>, header: Record<string, unknown> = {}) {
  const { sealKey } = deriveSecrets(SECRET_KEY);
  const keys = await openSigningKeys({ db, sealKey, now: there.clock.now });
  const { kid, key } = await keys.getSigningKey();
  const exp = Math.floor(there.clock.now().getTime() / 1000) + 60;
  return new SignJWT({ ...decodeJwt(good), exp, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT', ...header })
    .sign(key);
}

async function readPublicKey(): Promise<JWK & { kid: string }> {
  const { keys } = (await (await fetch(`${there.url}/.well-known/jwks.json`)).json()) as { keys: JWK[] };
  const key = keys.find(({ kid }) => kid === decodeProtectedHeader(good).kid);
  if (key?.kid === undefined) throw new Error('the key that signed is not listed');
  return { ...key, kid: key.kid };
}

describe('a session of the hosted service', () => {
  test('signs in to the portal with its address, without a session in the portal', async () => {
    const { access_token, email } = await signInThere();
    const auth_id = decodeJwt(access_token).sub ?? '';
    const mailed_at = new Date(Math.floor(there.clock.now().getTime() / 1000) * 1000).toISOString();
    const identity = { auth_id, email, name: null, session_id: null, mailed_at };
    expect(await here.verify(access_token)).toEqual(identity);
    expect(await here.describeProofs(auth_id)).toEqual({
      identities: [{ provider: 'email', user_id: auth_id, email }],
      factors: [],
    });
  });

  test('that the service refreshed is accepted by the portal', async () => {
    const { client, email } = await signInThere();
    there.clock.advance(1);
    const { data } = await client.refreshSession();
    expect(await here.verify(data.session?.access_token ?? '')).toMatchObject({ email });
  });

  test('that the service ended is accepted until its last token expires, plus five seconds', async () => {
    const { client, access_token } = await signInThere();
    await client.signOut();
    expect(await here.verify(access_token)).not.toBeNull();
    there.clock.advance(3604);
    expect(await here.verify(access_token)).not.toBeNull();
    there.clock.advance(1);
    expect(await here.verify(access_token)).toBeNull();
    expect((await client.refreshSession()).error).not.toBeNull();
  });
});

describe('R-TRAIL-35: the time at which a mail proved the address', () => {
  test.each([
    [
      'is that of the newest sign-in by mail',
      [
        { method: 'oauth', timestamp: 9 },
        { method: 'otp', timestamp: 7 },
        { method: 'magiclink', timestamp: 3 },
      ],
      {},
      new Date(7000).toISOString(),
    ],
    ['is unknown of a token without times', ['otp'], {}, null],
    [
      'is unknown of a time that is none',
      [
        { method: 'otp', timestamp: '7' },
        { method: 'otp', timestamp: 1e300 },
      ],
      {},
      null,
    ],
    [
      'is unknown of a user with a phone number, who perhaps got the code by SMS',
      [{ method: 'otp', timestamp: 7 }],
      { phone: '49' },
      null,
    ],
  ])('%s', async (_title, amr, claims, mailed_at) => {
    expect(await here.verify(await signLikeThem({ amr, ...claims }))).toMatchObject({ mailed_at });
  });
});

describe('a token is refused', () => {
  test('but not if nothing in it is changed (control)', async () => {
    expect(await here.verify(await signLikeThem({}))).not.toBeNull();
  });

  test.each([
    ['of another issuer', { iss: 'https://evil.example/auth/v1' }, {}],
    ['without issuer', { iss: undefined }, {}],
    ['for another audience', { aud: 'anon' }, {}],
    ['of another role', { role: 'service_role' }, {}],
    ['that has expired', { exp: 1_000_000_000 }, {}],
    ['without an expiry', { exp: undefined }, {}],
    ['that is not valid yet', { nbf: 4_000_000_000 }, {}],
    ['without a subject', { sub: undefined }, {}],
    ['whose subject is not a user id', { sub: 'somebody' }, {}],
    ['without an address', { email: undefined }, {}],
    ['of a user with only a phone number', { email: '' }, {}],
    ['of a sign-in with a password', { amr: [{ method: 'password', timestamp: 1 }] }, {}],
    ['of a sign-in with a password and a mail', { amr: [{ method: 'otp' }, { method: 'password' }] }, {}],
    ['of an anonymous user', { is_anonymous: true }, {}],
    ['of a session that began as anonymous', { amr: [{ method: 'anonymous' }, { method: 'otp' }] }, {}],
    ['of a second factor alone', { amr: [{ method: 'totp' }] }, {}],
    ['of a sign-in by SAML', { amr: [{ method: 'sso/saml' }] }, {}],
    [
      'for a program that a learner authorized (OAuth)',
      { amr: [{ method: 'oauth_provider/authorization_code' }] },
      {},
    ],
    ['without sign-in methods (amr)', { amr: undefined }, {}],
    ['with an empty list of sign-in methods', { amr: [] }, {}],
    ['of another token type', {}, { typ: 'at+jwt' }],
    ['of an unknown key', {}, { kid: 'unknown' }],
  ])('%s', async (_what, claims, header) => {
    expect(await here.verify(await signLikeThem(claims, header))).toBeNull();
  });

  test('of another service that has the same keys', async () => {
    const other = await openTestSignIn(db, { clock: there.clock, outbox: there.outbox });
    expect(await here.verify((await signInThere(createEmail(), other)).access_token)).toBeNull();
    await other.close();
  });

  test('whose signature or claims were altered', async () => {
    const [head, body, signature] = good.split('.') as [string, string, string];
    const claims = base64url.encode(JSON.stringify({ ...decodeJwt(good), email: 'admin@example.org' }));
    const altered = [
      `${head}.${claims}.${signature}`,
      `${head}.${body}.`,
      `${head}.${body}`,
      '',
      'a.b.c',
      '..',
    ];
    for (const token of altered) expect(await here.verify(token)).toBeNull();
  });

  test('of no signature at all (alg none)', async () => {
    for (const alg of ['none', 'None', '', undefined]) {
      const head = base64url.encode(JSON.stringify({ ...decodeProtectedHeader(good), alg }));
      for (const token of [
        `${head}.${good.split('.')[1]}.`,
        `${head}.${good.split('.').slice(1).join('.')}`,
      ]) {
        expect(await here.verify(token)).toBeNull();
      }
    }
  });

  test('signed with their public key as if it were a shared secret (HS256), also where there is such a secret', async () => {
    const jwk = await readPublicKey();
    const key = await importJWK(jwk, 'ES256', { extractable: true });
    if (key instanceof Uint8Array) throw new Error('not a public key');
    const withSecret = await openHere({ jwtSecret: 'a secret of at least thirty-two characters' });
    for (const secret of [await exportSPKI(key), JSON.stringify(jwk), String(jwk.x)]) {
      const forged = await new SignJWT(decodeJwt(await signLikeThem({})))
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: jwk.kid })
        .sign(new TextEncoder().encode(secret.padEnd(32, ' ')));
      expect(await here.verify(forged)).toBeNull();
      expect(await withSecret.verify(forged)).toBeNull();
    }
  });

  test('that names the address of its own keys (jku)', async () => {
    const pair = await generateKeyPair('ES256', { extractable: true });
    const { kid } = await readPublicKey();
    const forged = await new SignJWT(decodeJwt(await signLikeThem({})))
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid, jku: 'https://evil.example/jwks' })
      .sign(pair.privateKey);
    expect(await here.verify(forged)).toBeNull();
  });
});

describe('the keys of the hosted service', () => {
  test('may change: tokens of the new key are accepted, and those of the old one still', async () => {
    const old = (await signInThere()).access_token;
    expect(await here.verify(old)).not.toBeNull();
    await there.service.rotateKeys({ revoke: false });
    const fresh = (await signInThere()).access_token;
    expect(decodeProtectedHeader(fresh).kid).not.toBe(decodeProtectedHeader(old).kid);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5_001 });
    expect(await here.verify(fresh)).not.toBeNull();
    expect(await (await openHere()).verify(old)).not.toBeNull();
  });

  test('are loaded only once for several tokens with unknown keys', async () => {
    const asked = vi.spyOn(globalThis, 'fetch');
    const fresh = await openHere();
    for (let token = 0; token < 5; token += 1) {
      expect(await fresh.verify(await signLikeThem({}, { kid: `unknown-${token}` }))).toBeNull();
    }
    const lists = asked.mock.calls.filter(([address]) => String(address).endsWith('/jwks.json'));
    asked.mockRestore();
    expect(lists.length).toBe(1);
  });
});
