// Tests the HTTP API of the sign-in service: error bodies of both API versions, refused requests, unsupported routes,
// and GET /settings.
import { describe, expect, test } from 'vitest';
import { keepTestSignIn } from '../../test/keep-test-sign-in.ts';
import { createEmail, openTestSignIn, PUBLIC_URL } from '../../test/open-test-sign-in.ts';
import type { Database } from '../db/database.ts';

const { db, signIn } = keepTestSignIn();

describe('an error', () => {
  const ask = (headers: Record<string, string>) =>
    signIn.call('/verify', { body: { type: 'email', token_hash: 'x' }, headers });

  test.each(['', '2023-12-31', 'yesterday', '2024-13-01'])(
    'has the old body for version "%s"',
    async (version) => {
      const response = await ask(version === '' ? {} : { 'x-supabase-api-version': version });
      expect(response.status).toBe(403);
      expect(response.headers.get('x-sb-error-code')).toBe('otp_expired');
      expect(response.headers.get('x-supabase-api-version')).toBeNull();
      expect(await response.json()).toEqual({
        code: 403,
        error_code: 'otp_expired',
        msg: 'Email link is invalid or has expired',
      });
    },
  );

  test.each(['2024-01-01', '2030-02-03'])('has the new body and the version for %s', async (version) => {
    const response = await ask({ 'x-supabase-api-version': version });
    expect(response.headers.get('x-supabase-api-version')).toBe('2024-01-01');
    expect(response.headers.get('x-sb-error-code')).toBe('otp_expired');
    expect(await response.json()).toEqual({
      code: 'otp_expired',
      message: 'Email link is invalid or has expired',
    });
  });
});

describe('a body', () => {
  const send = (body: string, type = 'application/json') =>
    fetch(`${signIn.url}/otp`, { method: 'POST', headers: { 'content-type': type }, body });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'of type %s is refused, so that no other site can have mails sent',
    async (type) => {
      const email = createEmail();
      const response = await send(JSON.stringify({ email }), type);
      expect(response.status).toBe(415);
      expect((await db.query('select 1 from auth_mail_window where email = $1', [email])).rows).toEqual([]);
    },
  );

  test.each([
    '{',
    '',
    '[]',
    '"x"',
    'null',
    '{"email":5}',
    '{"email":{"a":1}}',
    '{"email":"a@b.co","create_user":"no"}',
  ])('that is not the expected JSON gets a 400: %s', async (body) => {
    const response = await send(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 400, error_code: 'bad_json' });
  });

  test('of more than 100 kB is refused, with the limit (A-77)', async () => {
    const body = JSON.stringify({ email: 'nobody' });
    expect((await send(body.padEnd(100_000))).status).toBe(400);
    const response = await send(body.padEnd(100_001));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      error_code: 'request_entity_too_large',
      msg: expect.stringContaining('100 kB'),
    });
  });

  test.each([
    {},
    { email: '' },
    { email: 'nobody' },
    { email: 'a@b' },
    { email: 'a@example.org,b@example.org' },
    { email: 'Ada <a@example.org>' },
    { email: 'a@example.org\r\nBcc: b@example.org' },
    { email: `${'a'.repeat(250)}@example.org` },
    { email: 'a\u0000@example.org' },
    { email: 'a@example.org', phone: '+491234' },
    { email: 'a@example.org', channel: 'sms' },
  ])('without exactly one valid address is refused: %j', async (body) => {
    const response = await signIn.call('/otp', { body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error_code: 'validation_failed' });
  });

  test.each([
    { token_hash: 'x' },
    { type: 'magiclink' },
    { type: 'magiclink', token: '123456', token_hash: 'x' },
    { type: 'magiclink', token: '123456' },
    { type: 'magiclink', token: '123456', email: 'a@example.org', phone: '+491234' },
    { type: 'magiclink', token_hash: 'x', email: 'a@example.org' },
    { type: 'nonsense', token_hash: 'x' },
  ])('of /verify with two tokens or none is refused: %j', async (body) => {
    const response = await signIn.call('/verify', { body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error_code: 'validation_failed' });
  });
});

describe('a call', () => {
  test.each([
    ['GET', '/nothing', 404],
    ['POST', '/signup', 404],
    ['GET', '/', 404],
    ['GET', '/otp/', 404],
    ['POST', '//otp', 404],
    ['GET', '/admin/users', 404],
    ['GET', '/otp', 405],
    ['DELETE', '/user', 405],
    ['HEAD', '/health', 405],
    ['HEAD', '/confirm', 405],
    ['PUT', '/verify?type=x', 405],
  ])('%s %s gets %i with JSON, not a page', async (method, path, status) => {
    const response = await signIn.call(path, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toContain('application/json');
  });

  test('with a wrong method gets the allowed methods', async () => {
    const response = await signIn.call('/user', { method: 'PATCH' });
    expect(response.headers.get('allow')).toBe('GET, PUT');
  });

  test.each([
    ['password', 'Invalid login credentials'],
    ['id_token', 'unsupported_grant_type'],
    ['web3', 'unsupported_grant_type'],
    ['', 'unsupported_grant_type'],
  ])('for a session by grant "%s" is refused', async (grant, msg) => {
    const response = await signIn.call(`/token?grant_type=${grant}`, {
      body: { email: 'a@example.org', password: 'x' },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error_code: 'invalid_credentials', msg });
  });

  test('with a password from auth-js is refused', async () => {
    const client = signIn.createClient();
    const { error } = await client.signInWithPassword({ email: 'a@example.org', password: 'x' });
    expect(error).toMatchObject({ status: 400, code: 'invalid_credentials' });
  });

  test.each(['google', 'github', 'nonsense', ''])('for provider "%s" is refused', async (provider) => {
    const response = await signIn.call(`/authorize?provider=${provider}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ msg: expect.stringMatching(/^Unsupported provider: /) });
  });

  test.each(['x-forwarded-host', 'x-forwarded-server', 'x-original-host', 'x-host', 'origin', 'referer'])(
    'with a forged %s header gets a mail that links to the portal',
    async (header) => {
      const email = createEmail();
      const headers = { [header]: 'https://evil.example', 'x-forwarded-proto': 'http' };
      expect((await signIn.call('/otp', { body: { email }, headers })).status).toBe(200);
      const { link, redirect_to } = await signIn.readMail(email);
      expect(link.origin).toBe(PUBLIC_URL);
      expect(redirect_to).toBe(`${PUBLIC_URL}/`);
    },
  );

  test('to the older /magiclink requests a mail too', async () => {
    const email = createEmail();
    const response = await signIn.call('/magiclink', { body: { email } });
    expect([response.status, await response.json()]).toEqual([200, {}]);
    expect((await signIn.readMail(email)).token).not.toBe('');
    expect((await signIn.call('/magiclink', { body: {} })).status).toBe(422);
  });

  test.each([
    [undefined, 401, 'no_authorization'],
    ['Basic abc', 401, 'no_authorization'],
    ['Bearer', 401, 'no_authorization'],
    ['Bearer abc', 403, 'bad_jwt'],
  ])('with authorization %j is refused', async (authorization, status, code) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    for (const [method, path] of [
      ['GET', '/user'],
      ['PUT', '/user'],
      ['POST', '/logout'],
    ] as const) {
      const response = await signIn.call(path, { method, headers });
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ error_code: code });
    }
  });

  test('gets a response that caches must not store and other sites cannot read', async () => {
    const response = await signIn.call('/otp', {
      body: { email: createEmail() },
      headers: { origin: 'https://evil.example' },
    });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('the service reports', () => {
  test('its health', async () => {
    expect(await (await signIn.call('/health')).json()).toMatchObject({ name: 'GoTrue' });
  });

  test('that email is the only sign-in method, and that addresses are confirmed', async () => {
    const response = await signIn.call('/settings');
    const settings = (await response.json()) as { external: Record<string, boolean> };
    expect(settings).toMatchObject({ disable_signup: false, mailer_autoconfirm: false });
    const open = Object.entries(settings.external).filter(([, on]) => on);
    expect(open).toEqual([['email', true]]);
    expect(settings.external.google).toBe(false);
  });

  test('its public keys, without private parts', async () => {
    const response = await signIn.call('/.well-known/jwks.json');
    expect(response.headers.get('cache-control')).toBe('public, max-age=600');
    const { keys } = (await response.json()) as { keys: Record<string, unknown>[] };
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual([
      'alg',
      'crv',
      'key_ops',
      'kid',
      'kty',
      'use',
      'x',
      'y',
    ]);
    expect(keys[0]).toMatchObject({ alg: 'ES256', use: 'sig', key_ops: ['verify'] });
  });

  test('503, which clients retry, if the database is unavailable', async () => {
    const down: Database = {
      ...db,
      transaction: () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })),
    };
    const service = await openTestSignIn(down);
    const typed = { type: 'email' as const, email: createEmail(), token: '000000' };
    const { error } = await service.createClient().verifyOtp(typed);
    expect(error).toMatchObject({ name: 'AuthRetryableFetchError', status: 503 });
    expect(error?.message).not.toContain('gone');
    const answer = await service.call('/verify', { body: typed });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
    await service.close();
  });
});
