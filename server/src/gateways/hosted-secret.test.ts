// Tests the portal with a hosted sign-in service that signs tokens with a shared secret. Also tests how the portal
// reads the settings of the hosted service and calls the service.
import { decodeJwt } from 'jose';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSmallAuthService, type SmallAuthService } from '../../test/open-small-auth-service.ts';
import { createTestClock, type TestClock } from '../../test/open-test-sign-in.ts';
import { type HostedAuth, openHostedAuth } from './hosted-auth.ts';

let clock: TestClock;
let there: SmallAuthService;

beforeEach(async () => {
  clock = createTestClock();
  there = await openSmallAuthService({ clock });
});

afterEach(() => there.close());

function openHere(options: { jwtSecret?: string; anonKey?: string } = {}): Promise<HostedAuth> {
  return openHostedAuth({
    url: there.url,
    anonKey: null,
    jwtSecret: null,
    now: clock.now,
    log: pino({ level: 'silent' }),
    ...options,
  });
}

function countCalls(path: string): number {
  return there.calls.filter((call) => call.startsWith(`${path} `)).length;
}

const REFUSED: [string, Record<string, unknown>][] = [
  ['of another issuer', { iss: 'https://evil.example' }],
  ['for another audience', { aud: 'anon' }],
  ['without an audience', { aud: undefined }],
  ['that has expired', { exp: 1_000_000_000 }],
  ['without an expiry', { exp: undefined }],
  ['of a sign-in with a password', { amr: [{ method: 'password' }] }],
  ['of an anonymous user', { is_anonymous: true }],
];

describe('with the shared secret', () => {
  test('a token is checked without calling the service', async () => {
    const here = await openHere({ jwtSecret: there.secret });
    const token = await there.signIn({ amr: ['otp', 'totp'], user_metadata: { full_name: 'Ada' } });
    const { sub, email } = decodeJwt(token);
    expect(await here.verify(token)).toEqual({
      auth_id: sub,
      email,
      name: 'Ada',
      session_id: null,
      mailed_at: null,
    });
    expect(there.calls).toEqual(['/settings -']);
  });

  test.each(REFUSED)('a token %s is refused', async (_what, claims) => {
    const here = await openHere({ jwtSecret: there.secret });
    expect(await here.verify(await there.signIn(claims))).toBeNull();
  });

  test('a token signed with another secret is refused, without calling the service', async () => {
    const here = await openHere({ jwtSecret: 'a secret of at least thirty-two characters' });
    expect(await here.verify(await there.signIn())).toBeNull();
    expect(there.calls).toEqual(['/settings -']);
  });

  test('the address of a token is changed to lower case', async () => {
    const here = await openHere({ jwtSecret: there.secret });
    const token = await there.signIn({ email: 'Ada@Example.org' });
    expect(await here.verify(token)).toMatchObject({ email: 'ada@example.org' });
  });
});

describe('an address that the token does not prove', () => {
  test.each([
    ['of another provider', { amr: [{ method: 'oauth' }] }],
    ['of a user with email_verified false', { user_metadata: { email_verified: false } }],
    ['of a user with a phone number, who may have got the code by SMS', { phone: '4915112345678' }],
  ])('%s is accepted if the service says that it is confirmed, with one call', async (_what, claims) => {
    const here = await openHere({ jwtSecret: there.secret });
    const token = await there.signIn(claims);
    expect(await here.verify(token)).not.toBeNull();
    clock.advance(600);
    expect(await here.verify(token)).not.toBeNull();
    expect(countCalls('/user')).toBe(1);
  });

  test.each([
    ['is not confirmed', { email_confirmed_at: undefined }],
    ['is another', { email: 'other@example.org' }],
    ['belongs to another user', { id: 'a2b8f8f0-5f0e-4f53-9a0c-111111111111' }],
    ['belongs to an anonymous user', { is_anonymous: true }],
  ])('is refused when the service says that it %s', async (_what, user) => {
    const here = await openHere({ jwtSecret: there.secret });
    const amr = [{ method: 'oauth' }];
    expect(await here.verify(await there.signIn({ amr }, user))).toBeNull();
    // Users can edit `user_metadata`, so `email_verified` proves nothing.
    const user_metadata = { email_verified: true };
    expect(await here.verify(await there.signIn({ amr, user_metadata }, user))).toBeNull();
  });
});

describe('with neither keys nor a secret', () => {
  test('the service is called once a minute for each token, with the API key', async () => {
    const here = await openHere({ anonKey: 'sb_publishable_1' });
    const token = await there.signIn();
    const { sub = '', email } = decodeJwt(token);
    const all = await Promise.all([here.verify(token), here.verify(token)]);
    expect(all).toEqual(
      Array(2).fill({ auth_id: sub, email, name: null, session_id: null, mailed_at: expect.any(String) }),
    );
    expect(there.calls).toContain('/user sb_publishable_1');
    clock.advance(59);
    await here.verify(token);
    expect(countCalls('/user')).toBe(1);
    clock.advance(1);
    await here.verify(token);
    expect(countCalls('/user')).toBe(2);
    expect(await here.describeProofs(sub)).toEqual({
      identities: [{ provider: 'email', id: sub }],
      factors: [],
    });
  });

  test('a session that the service ended is refused within a minute, and stays refused', async () => {
    const here = await openHere();
    const token = await there.signIn();
    expect(await here.verify(token)).not.toBeNull();
    there.signOut(token);
    clock.advance(60);
    expect(await here.verify(token)).toBeNull();
    expect(await here.verify(token)).toBeNull();
    expect(countCalls('/user')).toBe(2);
  });

  test.each(REFUSED)('a token %s is refused without calling the service', async (_what, claims) => {
    const here = await openHere();
    expect(await here.verify(await there.signIn(claims))).toBeNull();
    expect(countCalls('/user')).toBe(0);
  });

  test('a token that the service did not sign is refused, and so is an unconfirmed address', async () => {
    const here = await openHere();
    const forged = await there.sign(
      decodeJwt(await there.signIn()),
      {},
      new TextEncoder().encode('x'.repeat(32)),
    );
    expect(await here.verify(forged)).toBeNull();
    expect(await here.verify(await there.signIn({}, { email_confirmed_at: null }))).toBeNull();
    expect(await here.verify(await there.signIn({ amr: ['oauth'] }))).not.toBeNull();
  });

  test('a service that lists keys is not called for tokens signed with a shared secret', async () => {
    there.instead.set('/.well-known/jwks.json', { status: 200, body: { keys: [{ kty: 'EC', kid: 'a' }] } });
    const here = await openHere();
    expect(await here.verify(await there.signIn())).toBeNull();
    expect(countCalls('/user')).toBe(0);
  });

  test('a service without a list of keys is called', async () => {
    there.instead.set('/.well-known/jwks.json', { status: 404 });
    expect(await (await openHere()).verify(await there.signIn())).not.toBeNull();
  });

  test.each([
    { status: 500 },
    { status: 429 },
    // The gateway in front of the hosted service sent this response, not the service itself.
    { status: 401, body: { message: 'Invalid API key' } },
    { status: 404 },
    { status: 200 },
    { status: 200, body: { message: 'Sign in to the network' } },
  ])('a response of %j is no refusal: the next check calls the service again', async (answer) => {
    const here = await openHere();
    const token = await there.signIn();
    there.instead.set('/user', answer);
    await expect(here.verify(token)).rejects.toMatchObject({ statusCode: 503 });
    there.instead.clear();
    expect(await here.verify(token)).not.toBeNull();
  });

  test.each([
    { status: 200 },
    { status: 200, body: { keys: 'none' } },
    { status: 200, body: { keys: [{}] } },
    { status: 401, body: { message: 'Invalid API key' } },
  ])(
    'a list of keys with the response %j is an error, and no token is refused because of it',
    async (answer) => {
      const here = await openHere();
      const token = await there.signIn();
      there.instead.set('/.well-known/jwks.json', answer);
      await expect(here.verify(token)).rejects.toMatchObject({ statusCode: 503 });
      there.instead.clear();
      expect(await here.verify(token)).not.toBeNull();
    },
  );

  test('while fifty tokens are being checked, a further one gets 503, and the settings are still read', async () => {
    const here = await openHere();
    const letGo = there.hold('/user');
    const tokens = await Promise.all(Array.from({ length: 51 }, () => there.signIn()));
    const judged = tokens.map((token) => here.verify(token));
    await expect(Promise.race(judged)).rejects.toMatchObject({ statusCode: 503 });
    clock.advance(600);
    await expect(here.verify(await there.signIn())).rejects.toMatchObject({ statusCode: 503 });
    await expect.poll(() => countCalls('/settings')).toBe(2);
    letGo();
    const taken = (await Promise.allSettled(judged)).filter(({ status }) => status === 'fulfilled');
    expect(taken).toHaveLength(50);
  });

  test('checks of unknown tokens do not use up the checks of a known person', async () => {
    const here = await openHere();
    const known = await there.signIn();
    expect(await here.verify(known)).not.toBeNull();
    clock.advance(61);
    const letGo = there.hold('/user');
    const unknown = await Promise.all(Array.from({ length: 60 }, () => there.signIn()));
    const judged = Promise.allSettled(unknown.map((token) => here.verify(token)));
    await expect.poll(() => countCalls('/user')).toBe(51);
    const again = here.verify(known);
    await expect.poll(() => countCalls('/user')).toBe(52);
    letGo();
    expect(await again).not.toBeNull();
    expect((await judged).filter(({ status }) => status === 'rejected')).toHaveLength(10);
  });
});

describe('the settings of the service', () => {
  test('that accept unconfirmed addresses stop the start, with one sentence', async () => {
    there.settings.mailer_autoconfirm = true;
    await expect(openHere()).rejects.toThrow(/confirms addresses without asking .*mailer_autoconfirm/);
  });

  test.each([
    ['need an API key that is not set', { status: 401, body: { message: 'No API key found in request' } }],
    ['are forbidden', { status: 403, body: { mailer_autoconfirm: false } }],
    ['do not exist', { status: 404 }],
    ['are a web page', { status: 200 }],
    ['do not say whether addresses are confirmed', { status: 200, body: { external: {} } }],
  ])('that %s stop the start', async (_what, answer) => {
    there.instead.set('/settings', answer);
    await expect(openHere()).rejects.toThrow(new RegExp(`/settings answers ${answer.status}`));
  });

  test('that begin to accept unconfirmed addresses are noticed within ten minutes, and so is the end of that', async () => {
    const here = await openHere({ jwtSecret: there.secret });
    const token = await there.signIn();
    expect(await here.verify(token)).not.toBeNull();
    there.settings.mailer_autoconfirm = true;
    clock.advance(600);
    await expect.poll(() => here.verify(token).catch(({ statusCode }) => statusCode)).toBe(503);
    there.settings.mailer_autoconfirm = false;
    clock.advance(30);
    await expect.poll(() => here.verify(token).catch(() => null)).not.toBeNull();
  });

  test('are read later if the service is unavailable at the start: until then each check gets 503', async () => {
    const port = Number(new URL(there.url).port);
    await there.close();
    const here = await openHere();
    expect(here.google).toBe(false);
    await expect(here.verify('a.b.c')).rejects.toMatchObject({ statusCode: 503 });
    there = await openSmallAuthService({ clock, port });
    there.instead.set('/settings', { status: 503 });
    await expect(here.verify('a.b.c')).rejects.toMatchObject({ statusCode: 503 });
    there.instead.clear();
    expect(await here.verify('a.b.c')).toBeNull();
    expect(await here.verify(await there.signIn())).not.toBeNull();
    expect(here.google).toBe(true);
  });

  test('that cannot be read again stay as they were', async () => {
    const here = await openHere({ jwtSecret: there.secret });
    there.instead.set('/settings', { status: 401 });
    clock.advance(600);
    const token = await there.signIn();
    expect(await here.verify(token)).not.toBeNull();
    await expect.poll(() => countCalls('/settings')).toBe(2);
    expect(await here.verify(token)).not.toBeNull();
  });
});

describe('a mail that staff ask for', () => {
  const ask = async (answer: { status: number; body?: unknown }) => {
    there.instead.set('/otp', answer);
    return (await openHere({ anonKey: 'public' })).requestMail(null, { email: 'ada@example.org' });
  };

  test('R-TRAIL-33: is requested from the service', async () => {
    expect(await ask({ status: 200, body: {} })).toEqual({ id: null });
    expect(there.calls).toContain('/otp public');
  });

  test('too soon after the last one: the seconds of the service are returned', async () => {
    const body = { code: 429, msg: 'For security purposes, you can only request this after 42 seconds.' };
    expect(await ask({ status: 429, body })).toEqual({ secondsLeft: 42 });
    expect(await ask({ status: 429, body: { msg: 'email rate limit exceeded' } })).toEqual({
      over: 'address',
    });
  });

  test.each([500, 404, 401])('a response %i means that the service is unavailable', async (status) => {
    await expect(ask({ status })).rejects.toMatchObject({ statusCode: 503 });
  });
});
