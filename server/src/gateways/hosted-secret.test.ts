// A hosted service that signs with a shared secret, what it says of itself, and what is asked of it.
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
  ['that is over', { exp: 1_000_000_000 }],
  ['without an end', { exp: undefined }],
  ['of a password', { amr: [{ method: 'password' }] }],
  ['of nobody in particular', { is_anonymous: true }],
];

describe('with the shared secret', () => {
  test('a token is checked here, and the service is not asked', async () => {
    const here = await openHere({ jwtSecret: there.secret });
    const token = await there.signIn({ amr: ['otp', 'totp'], user_metadata: { full_name: 'Ada' } });
    const { sub, email } = decodeJwt(token);
    expect(await here.verify(token)).toEqual({ auth_id: sub, email, name: 'Ada', session_id: null });
    expect(there.calls).toEqual(['/settings -']);
  });

  test.each(REFUSED)('refused is a token %s', async (_what, claims) => {
    const here = await openHere({ jwtSecret: there.secret });
    expect(await here.verify(await there.signIn(claims))).toBeNull();
  });

  test('refused is a token of another secret, also when the service is not to be asked', async () => {
    const here = await openHere({ jwtSecret: 'a secret of at least thirty-two characters' });
    expect(await here.verify(await there.signIn())).toBeNull();
    expect(there.calls).toEqual(['/settings -']);
  });

  test('an address is written small, as the portal knows it', async () => {
    const here = await openHere({ jwtSecret: there.secret });
    const token = await there.signIn({ email: 'Ada@Example.org' });
    expect(await here.verify(token)).toMatchObject({ email: 'ada@example.org' });
  });
});

describe('an address that the token does not prove', () => {
  test.each([
    ['of another provider', { amr: [{ method: 'oauth' }] }],
    ['of a user whose words deny it', { user_metadata: { email_verified: false } }],
    ['of a user with a telephone, who may have been sent an SMS', { phone: '4915112345678' }],
  ])('%s is taken when the service calls it confirmed, which it is asked once', async (_what, claims) => {
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
    ['is another user’s', { id: 'a2b8f8f0-5f0e-4f53-9a0c-111111111111' }],
    ['is of nobody in particular', { is_anonymous: true }],
  ])('is refused when the service says that it %s', async (_what, user) => {
    const here = await openHere({ jwtSecret: there.secret });
    const amr = [{ method: 'oauth' }];
    expect(await here.verify(await there.signIn({ amr }, user))).toBeNull();
    // The user may write that.
    const user_metadata = { email_verified: true };
    expect(await here.verify(await there.signIn({ amr, user_metadata }, user))).toBeNull();
  });
});

describe('with neither keys nor a secret', () => {
  test('the service is asked, once a minute for a token, with the public key', async () => {
    const here = await openHere({ anonKey: 'sb_publishable_1' });
    const token = await there.signIn();
    const { sub = '', email } = decodeJwt(token);
    const all = await Promise.all([here.verify(token), here.verify(token)]);
    expect(all).toEqual(Array(2).fill({ auth_id: sub, email, name: null, session_id: null }));
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

  test('a session that was ended there is refused within a minute, and stays so', async () => {
    const here = await openHere();
    const token = await there.signIn();
    expect(await here.verify(token)).not.toBeNull();
    there.signOut(token);
    clock.advance(60);
    expect(await here.verify(token)).toBeNull();
    expect(await here.verify(token)).toBeNull();
    expect(countCalls('/user')).toBe(2);
  });

  test.each(REFUSED)('refused is a token %s, without asking', async (_what, claims) => {
    const here = await openHere();
    expect(await here.verify(await there.signIn(claims))).toBeNull();
    expect(countCalls('/user')).toBe(0);
  });

  test('refused is what the service did not sign, and an address that it does not call confirmed', async () => {
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

  test('a service that lists keys is not asked about tokens of a shared secret', async () => {
    there.instead.set('/.well-known/jwks.json', { status: 200, body: { keys: [{ kty: 'EC', kid: 'a' }] } });
    const here = await openHere();
    expect(await here.verify(await there.signIn())).toBeNull();
    expect(countCalls('/user')).toBe(0);
  });

  test('a service without a list of keys is asked as well', async () => {
    there.instead.set('/.well-known/jwks.json', { status: 404 });
    expect(await (await openHere()).verify(await there.signIn())).not.toBeNull();
  });

  test.each([
    { status: 500 },
    { status: 429 },
    // What stands in front of the service.
    { status: 401, body: { message: 'Invalid API key' } },
    { status: 404 },
    { status: 200 },
    { status: 200, body: { message: 'Sign in to the network' } },
  ])('an answer of %j is no refusal: it is asked again at the next call', async (answer) => {
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
  ])('a list of keys that is answered with %j is none, and no token is refused for it', async (answer) => {
    const here = await openHere();
    const token = await there.signIn();
    there.instead.set('/.well-known/jwks.json', answer);
    await expect(here.verify(token)).rejects.toMatchObject({ statusCode: 503 });
    there.instead.clear();
    expect(await here.verify(token)).not.toBeNull();
  });

  test('while fifty tokens are being asked about, a further one is told to try again, and the settings are still read', async () => {
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

  test('unknown tokens, however many, do not use up the checks that a known person needs', async () => {
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
  test('that confirm addresses without asking stop the start, with a sentence', async () => {
    there.settings.mailer_autoconfirm = true;
    await expect(openHere()).rejects.toThrow(/confirms addresses without asking .*mailer_autoconfirm/);
  });

  test.each([
    ['need a key that was not given', { status: 401, body: { message: 'No API key found in request' } }],
    ['are kept from us', { status: 403, body: { mailer_autoconfirm: false } }],
    ['are not there', { status: 404 }],
    ['are a web page', { status: 200 }],
    ['do not say whether addresses are confirmed', { status: 200, body: { external: {} } }],
  ])('that %s stop the start', async (_what, answer) => {
    there.instead.set('/settings', answer);
    await expect(openHere()).rejects.toThrow(new RegExp(`/settings answers ${answer.status}`));
  });

  test('that begin to confirm without asking are noticed within ten minutes, and when that ends', async () => {
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

  test('are read later when the service is away at the start: until then no token is judged', async () => {
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

  test('that cannot be read again leave what was known', async () => {
    const here = await openHere({ jwtSecret: there.secret });
    there.instead.set('/settings', { status: 401 });
    clock.advance(600);
    const token = await there.signIn();
    expect(await here.verify(token)).not.toBeNull();
    await expect.poll(() => countCalls('/settings')).toBe(2);
    expect(await here.verify(token)).not.toBeNull();
  });
});
