// Tests sign-in with Google. A local OpenID Connect provider stands in for Google; auth-js is the client.
import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { comeBack, expectFault, leave, REDIRECT_URI } from '../../test/leave-for-google.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { openTestProvider, type TestProvider } from '../../test/open-test-provider.ts';
import {
  CALLBACK,
  createEmail,
  openTestSignIn,
  PUBLIC_URL,
  type TestSignIn,
} from '../../test/open-test-sign-in.ts';
import type { Database } from '../db/database.ts';
import { revokeSessions } from './auth-service.ts';

const COOKIE = '__Host-portal-sign-in';

let db: Database;
let provider: TestProvider;
let signIn: TestSignIn;

beforeAll(async () => {
  db = await openTestDatabase();
  provider = await openTestProvider({ redirectUri: REDIRECT_URI });
  signIn = await openTestSignIn(db, { settings: { google: provider.settings } });
});

afterEach(() => {
  Object.assign(provider.faults, { changeClaims: null, forgeSignature: false, silentPaths: [] });
});

afterAll(async () => {
  await signIn?.close();
  await provider?.close();
  await db?.close();
});

function addAccount(given: { email?: string; email_verified?: unknown; name?: string } = {}) {
  const account = { sub: randomUUID(), email: createEmail(), email_verified: true, ...given };
  provider.setAccount(account.sub, account);
  return { ...account, login: account.sub };
}

async function signInWithGoogle(login: string, query: Record<string, string> = {}) {
  const { address, cookie } = await leave(signIn, query);
  return comeBack(signIn, await provider.signIn(address, login), cookie);
}

async function readUser(fragment: URLSearchParams) {
  const { data, error } = await signIn.createClient().setSession({
    access_token: fragment.get('access_token') ?? '',
    refresh_token: fragment.get('refresh_token') ?? '',
  });
  if (error) throw error;
  return data.user;
}

/** Returns the claim `amr` of an access token, which lists the user's sign-in methods. */
function readAmr(token: string | null | undefined): unknown {
  return decodeJwt(token ?? '').amr;
}

async function countUsers(email: string): Promise<number> {
  return (await db.query('select 1 from auth_user where email = $1', [email])).rows.length;
}

describe('an accepted response', () => {
  test('signs in a new address, and redirects back with the session in the fragment', async () => {
    const { login, email } = addAccount({ name: 'Lea Lerner' });
    const { status, target, fragment } = await signInWithGoogle(login);
    expect(status).toBe(302);
    expect(target.href.split('#')[0]).toBe(CALLBACK);
    expect([...fragment.keys()]).toEqual([
      'access_token',
      'expires_at',
      'expires_in',
      'refresh_token',
      'sb',
      'token_type',
    ]);
    const user = await readUser(fragment);
    expect(user).toMatchObject({
      email,
      app_metadata: { provider: 'google', providers: ['google'] },
      user_metadata: { name: 'Lea Lerner', email_verified: true },
    });
    expect(user?.identities?.[0]).toMatchObject({
      provider: 'google',
      id: login,
      identity_data: { iss: provider.issuer, sub: login, email, email_verified: true },
    });
    expect(readAmr(fragment.get('access_token'))).toEqual([
      { method: 'oauth', timestamp: expect.any(Number) },
    ]);
  });

  test('invalidates links and codes that were mailed to the address before', async () => {
    const { login, email } = addAccount();
    const { token, code } = await signIn.requestMail(email);
    await signInWithGoogle(login);
    for (const body of [
      { type: 'magiclink', token_hash: token },
      { type: 'email', email, token: code },
    ]) {
      expect((await signIn.call('/verify', { body })).status).toBe(403);
    }
  });

  test('with PKCE of auth-js redirects back with a code that only this client can exchange', async () => {
    const { login, email } = addAccount();
    const client = signIn.createClient('pkce');
    const { data } = await client.signInWithOAuth({
      provider: 'google',
      options: { redirectTo: CALLBACK, skipBrowserRedirect: true },
    });
    const query = Object.fromEntries(new URL(data.url ?? '').searchParams);
    const { target } = await signInWithGoogle(login, query);
    expect(target.hash).toBe('');
    expect(target.searchParams.get('next')).toBe('/product/1');
    const code = target.searchParams.get('code') ?? '';
    const stolen = await signIn.call('/token?grant_type=pkce', {
      body: { auth_code: code, code_verifier: 'x'.repeat(43) },
    });
    expect(await stolen.json()).toMatchObject({ error_code: 'bad_code_verifier' });
    const exchanged = await client.exchangeCodeForSession(code);
    expect(exchanged.error).toBeNull();
    expect(exchanged.data.user?.email).toBe(email);
    expect(readAmr(exchanged.data.session?.access_token)).toMatchObject([{ method: 'oauth' }]);
  });

  test('signs in with a provider that returns the address only from the userinfo endpoint', async () => {
    const strict = await openTestProvider({ redirectUri: REDIRECT_URI, atTheLetter: true });
    const service = await openTestSignIn(db, { settings: { google: strict.settings } });
    const email = createEmail();
    strict.setAccount('lea', { sub: randomUUID(), email, email_verified: true });
    const { address, cookie } = await leave(service);
    const { fragment } = await comeBack(service, await strict.signIn(address, 'lea'), cookie);
    expect((await readUser(fragment))?.email).toBe(email);
    await service.close();
    await strict.close();
  });
});

describe('the account of a sign-in', () => {
  test('is the account that signed in by mail with the same address', async () => {
    const email = createEmail();
    const { token } = await signIn.requestMail(email);
    const { data } = await signIn.createClient().verifyOtp({ type: 'email', token_hash: token });
    signIn.clock.advance(1);
    const { login } = addAccount({ email: email.toUpperCase() });
    const user = await readUser((await signInWithGoogle(login)).fragment);
    expect(user?.id).toBe(data.user?.id);
    expect(user?.app_metadata).toEqual({ provider: 'email', providers: ['email', 'google'] });
    const { rows } = await db.query(
      "select detail from audit where action = 'identity.link' and detail->>'auth_id' = $1",
      [user?.id],
    );
    expect(rows).toEqual([{ detail: { auth_id: user?.id, provider: 'google' } }]);
  });

  test('stays the same if the address at the provider changes', async () => {
    const { login, sub, email } = addAccount();
    const first = await readUser((await signInWithGoogle(login)).fragment);
    const moved = createEmail();
    provider.setAccount(login, { sub, email: moved, email_verified: true });
    const second = await readUser((await signInWithGoogle(login)).fragment);
    expect(second).toMatchObject({ id: first?.id, email });
    expect(second?.identities?.[0]?.identity_data).toMatchObject({ email: moved });
    expect(await countUsers(moved)).toBe(0);
  });

  test('is another one for the same identifier of another provider', async () => {
    const { login, sub } = addAccount();
    const first = await readUser((await signInWithGoogle(login)).fragment);
    const otherProvider = await openTestProvider({ redirectUri: REDIRECT_URI });
    const elsewhere = await openTestSignIn(db, { settings: { google: otherProvider.settings } });
    const email = createEmail();
    otherProvider.setAccount('other', { sub, email, email_verified: true });
    const { address, cookie } = await leave(elsewhere);
    const back = await otherProvider.signIn(address, 'other');
    const { fragment } = await comeBack(elsewhere, back, cookie);
    const second = await readUser(fragment);
    expect(second).toMatchObject({ email, identities: [{ id: sub }] });
    expect(second?.id).not.toBe(first?.id);
    await elsewhere.close();
    await otherProvider.close();
  });

  test('is found only by the proven address after the operator unlinked it', async () => {
    const { login, sub, email } = addAccount();
    const first = await readUser((await signInWithGoogle(login)).fragment);
    expect(await revokeSessions({ db }, { email, unlink: true })).toEqual({ sessions: 1, unlinked: 1 });
    const again = await readUser((await signInWithGoogle(login)).fragment);
    expect(again).toMatchObject({ id: first?.id, identities: [{ provider: 'google' }] });

    expect(await revokeSessions({ db }, { email, unlink: true })).toEqual({ sessions: 1, unlinked: 1 });
    const moved = createEmail();
    provider.setAccount(login, { sub, email: moved, email_verified: true });
    const other = await readUser((await signInWithGoogle(login)).fragment);
    expect(other?.email).toBe(moved);
    expect(other?.id).not.toBe(first?.id);
  });

  test('is created once, with one identity, by two concurrent first sign-ins', async () => {
    const { login, email } = addAccount();
    const flows = await Promise.all([leave(signIn), leave(signIn)]);
    const backs = await Promise.all(flows.map(({ address }) => provider.signIn(address, login)));
    const ends = await Promise.all(
      flows.map(({ cookie }, index) => comeBack(signIn, backs[index] as URL, cookie)),
    );
    const users = await Promise.all(ends.map(({ fragment }) => readUser(fragment)));
    expect(users[0]?.id).toBe(users[1]?.id);
    expect(users[0]?.identities).toHaveLength(1);
    expect(await countUsers(email)).toBe(1);
  });

  test('keeps the name that the user has set', async () => {
    const email = createEmail();
    const { token } = await signIn.requestMail(email);
    const client = signIn.createClient();
    await client.verifyOtp({ type: 'email', token_hash: token });
    await client.updateUser({ data: { name: 'My Own Name' } });
    const { login } = addAccount({ email, name: 'Name At Google' });
    const user = await readUser((await signInWithGoogle(login)).fragment);
    expect(user?.user_metadata.name).toBe('My Own Name');
  });

  test.each([
    ['false', { email_verified: false }],
    ['missing', { email_verified: undefined }],
    ['text', { email_verified: 'true' }],
    ['for no address', { email: undefined }],
    ['for an invalid address', { email: 'lea' }],
  ])('is not created if the proof of the address is %s', async (_title, given) => {
    const { login, email } = addAccount(given);
    const { status, target } = await signInWithGoogle(login);
    expect(status).toBe(302);
    expectFault(target, { error: 'access_denied', error_code: 'provider_email_needs_verification' });
    expect(await countUsers(email ?? '')).toBe(0);
  });
});

describe('a response is refused', () => {
  const refusedState = { error: 'invalid_request', error_code: 'bad_oauth_state' };

  test('if the person refuses, with the provider’s error', async () => {
    const { address, cookie } = await leave(signIn);
    const { status, target } = await comeBack(signIn, await provider.refuse(address), cookie);
    expect(status).toBe(302);
    expect(target.pathname + target.search).toMatch(/^\/auth\/callback\?next=%2Fproduct%2F1&error=/);
    expectFault(target, { error: 'access_denied' });
    expect(target.searchParams.get('error_description')).toBe('End-User aborted interaction');
  });

  test('in another browser, and stays valid in the one that started the sign-in', async () => {
    const { login, email } = addAccount();
    const { address, cookie } = await leave(signIn);
    const back = await provider.signIn(address, login);
    const stranger = await leave(signIn);
    for (const other of ['', stranger.cookie, `${COOKIE}=${'a'.repeat(43)}`, `${COOKIE}=%00`]) {
      const { status, target } = await comeBack(signIn, back, other);
      expect(status).toBe(303);
      expect(target.origin + target.pathname).toBe(`${PUBLIC_URL}/`);
      expectFault(target, refusedState);
    }
    expect(await countUsers(email)).toBe(0);
    expect((await comeBack(signIn, back, cookie)).fragment.get('access_token')).not.toBeNull();
  });

  test('the second time', async () => {
    const { login } = addAccount();
    const { address, cookie } = await leave(signIn);
    const back = await provider.signIn(address, login);
    const both = await Promise.all([comeBack(signIn, back, cookie), comeBack(signIn, back, cookie)]);
    expect(both.filter(({ fragment }) => fragment.has('access_token'))).toHaveLength(1);
    expectFault((await comeBack(signIn, back, cookie)).target, refusedState);
  });

  test('ten minutes after the start of the sign-in, on the second', async () => {
    const { login } = addAccount();
    const [early, late] = [await leave(signIn), await leave(signIn)];
    const backs = [await provider.signIn(early.address, login), await provider.signIn(late.address, login)];
    signIn.clock.advance(599);
    const inTime = await comeBack(signIn, backs[0] as URL, early.cookie);
    expect(inTime.fragment.get('access_token')).not.toBeNull();
    signIn.clock.advance(1);
    expectFault((await comeBack(signIn, backs[1] as URL, late.cookie)).target, refusedState);
  });

  test.each([
    ['nonce is different', { nonce: 'another' }],
    ['nonce is missing', { nonce: undefined }],
    ['issuer is different', { iss: 'https://accounts.evil.example' }],
    ['audience is different', { aud: 'another-client' }],
    ['token has expired', { exp: 1_000_000_000 }],
  ])('when its %s', async (_title, changed) => {
    const { login, email } = addAccount();
    provider.faults.changeClaims = (claims) => ({ ...claims, ...changed });
    const { status, target } = await signInWithGoogle(login);
    expect(status).toBe(302);
    expectFault(target, { error: 'server_error', error_code: 'unexpected_failure' });
    expect(await countUsers(email)).toBe(0);
  });

  test('if it has expired by the clock of the service', async () => {
    const { login } = addAccount();
    const { address, cookie } = await leave(signIn);
    const back = await provider.signIn(address, login);
    signIn.clock.advance(590);
    provider.faults.changeClaims = (claims) => ({
      ...claims,
      exp: Math.floor(signIn.clock.now().getTime() / 1000) - 60,
    });
    const { target } = await comeBack(signIn, back, cookie);
    expectFault(target, { error: 'server_error', error_code: 'unexpected_failure' });
  });

  test('if it is signed with a key that is not the provider’s', async () => {
    const { login } = addAccount();
    provider.faults.forgeSignature = true;
    const { target } = await signInWithGoogle(login);
    expectFault(target, { error: 'server_error', error_code: 'unexpected_failure' });
  });

  test('if its code belongs to the sign-in of another browser', async () => {
    const { login } = addAccount();
    const [victim, attacker] = [await leave(signIn), await leave(signIn)];
    const stolen = (await provider.signIn(victim.address, login)).searchParams.get('code') ?? '';
    const back = await provider.signIn(attacker.address, login);
    back.searchParams.set('code', stolen);
    const { target } = await comeBack(signIn, back, attacker.cookie);
    expectFault(target, { error: 'server_error', error_code: 'unexpected_failure' });
  });

  test.each(['', '?code=abc', '?error=access_denied&error_description=Hello'])(
    'without a state: callback%s',
    async (query) => {
      const { target } = await comeBack(signIn, new URL(`${REDIRECT_URI}${query}`), '');
      expect(target.origin + target.pathname).toBe(`${PUBLIC_URL}/`);
      expectFault(target, { error: 'invalid_request', error_code: 'bad_oauth_callback' });
      expect(target.href).not.toContain('Hello');
    },
  );

  test('and the provider’s error is cleaned and escaped in the return address', async () => {
    const { address, cookie } = await leave(signIn);
    const back = new URL(REDIRECT_URI);
    const words = '<script>&access_token=x#access_token=y\r\nSet-Cookie: a=b\u0000';
    back.search = new URLSearchParams({
      state: new URL(address).searchParams.get('state') ?? '',
      iss: provider.issuer,
      error: 'access_denied&error_code=otp_expired',
      error_description: words,
    }).toString();
    const { target } = await comeBack(signIn, back, cookie);
    expectFault(target, { error: 'server_error' });
    expect(target.href).not.toMatch(/<|[?&#]access_token|\r|\n|%0D|%00/i);
  });
});
