// Tests the start of a sign-in with Google: the redirect to the provider, the cookie, and the page to return to.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { comeBack, expectFault, leave, REDIRECT_URI } from '../../test/leave-for-google.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { openTestProvider, type TestProvider } from '../../test/open-test-provider.ts';
import { createEmail, openTestSignIn, PUBLIC_URL, type TestSignIn } from '../../test/open-test-sign-in.ts';
import type { Database } from '../db/database.ts';

let db: Database;
let provider: TestProvider;
let signIn: TestSignIn;

beforeAll(async () => {
  db = await openTestDatabase();
  provider = await openTestProvider({ redirectUri: REDIRECT_URI });
  signIn = await openTestSignIn(db, { settings: { google: provider.settings } });
});

afterAll(async () => {
  await signIn?.close();
  await provider?.close();
  await db?.close();
});

test('the request has PKCE, nonce and state, and only the scopes for the identity', async () => {
  const { address, response } = await leave(signIn, {
    login_hint: 'lea@example.org',
    scopes: 'drive',
    client_id: 'evil',
    nonce: 'evil',
  });
  expect(response.status).toBe(302);
  const query = Object.fromEntries(new URL(address).searchParams);
  expect(query).toEqual({
    client_id: 'portal',
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'openid email profile',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
    login_hint: 'lea@example.org',
  });
});

test('a cookie that scripts and other hosts cannot read binds the sign-in to the browser', async () => {
  const { attributes } = await leave(signIn);
  expect(attributes).toMatch(
    /^__Host-portal-sign-in=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
  );
  const plain = await openTestSignIn(db, {
    settings: { google: provider.settings, publicUrl: 'http://localhost:3000' },
  });
  const local = await leave(plain);
  expect(local.attributes).toMatch(
    /^portal-sign-in=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
  );
  await plain.close();
});

test('sign-ins in two tabs at once work in both', async () => {
  const login = randomUUID();
  provider.setAccount(login, { sub: login, email: createEmail(), email_verified: true });
  const first = await leave(signIn);
  const second = await leave(signIn, {}, first.cookie);
  for (const { address } of [second, first]) {
    const { fragment } = await comeBack(signIn, await provider.signIn(address, login), second.cookie);
    expect(fragment.get('access_token')).not.toBeNull();
  }
});

test.each([
  'https://evil.example/auth/callback',
  '//evil.example',
  'https://portal.example.org@evil.example/',
  'https://portal.example.org.evil.example/',
  'https:/\\evil.example',
  'javascript:alert(1)',
  'http://portal.example.org/',
  'https://portal.example.org:444/',
  ' https://portal.example.org/auth/callback',
])('with the return address %j it leads to the home page', async (redirect_to) => {
  const { address, cookie } = await leave(signIn, { redirect_to });
  const { target } = await comeBack(signIn, await provider.refuse(address), cookie);
  expect(target.origin + target.pathname).toBe(`${PUBLIC_URL}/`);
});

test('a request with half of a PKCE pair is refused', async () => {
  const { response } = await leave(signIn, { code_challenge: 'a'.repeat(43) });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error_code: 'validation_failed' });
});

test('a request for another provider than Google is refused', async () => {
  const { response } = await leave(signIn, { provider: 'github' });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ msg: 'Unsupported provider: provider is not enabled' });
});

test('Google is in /settings if it is configured', async () => {
  const { external } = (await (await signIn.call('/settings')).json()) as {
    external: Record<string, boolean>;
  };
  expect(Object.keys(external).filter((name) => external[name])).toEqual(['google', 'email']);
  expect(signIn.service.google).toBe(true);
});

test('over the limit of the IP address the page gets an error', async () => {
  const limited = await openTestSignIn(db, {
    settings: { google: provider.settings, rateLimits: true },
  });
  for (let press = 0; press < 300; press += 1) await leave(limited);
  const { address } = await leave(limited);
  expectFault(new URL(address), {
    error: 'temporarily_unavailable',
    error_code: 'over_request_rate_limit',
  });
  await limited.close();
});

test('the database contains neither state nor nonce nor cookie', async () => {
  const { address, cookie } = await leave(signIn);
  const { rows } = await db.query('select * from auth_flow_state');
  const stored = JSON.stringify(rows);
  const { state, nonce } = Object.fromEntries(new URL(address).searchParams);
  for (const secret of [state, nonce, cookie.split('=')[1]]) expect(stored).not.toContain(secret);
});
