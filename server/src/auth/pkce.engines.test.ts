// Tests PKCE: only the client that requested the mail can exchange the code for a session.
import { expect, test } from 'vitest';
import { keepTestSignIn } from '../../test/keep-test-sign-in.ts';
import { CALLBACK, createEmail } from '../../test/open-test-sign-in.ts';
import { revokeSessions } from './auth-service.ts';

const { db, signIn } = keepTestSignIn();

async function openLink() {
  const email = createEmail();
  const client = signIn.createClient('pkce');
  await client.signInWithOtp({ email, options: { emailRedirectTo: CALLBACK } });
  const { token } = await signIn.readMail(email);
  const query = new URLSearchParams({ token, type: 'magiclink', redirect_to: CALLBACK });
  const response = await signIn.call(`/verify?${query}`);
  const target = new URL(response.headers.get('location') ?? '');
  return { client, email, target, query, code: target.searchParams.get('code') ?? '' };
}

test('the opened link returns a code without a session, and the client exchanges it once', async () => {
  const { client, email, target, code } = await openLink();
  expect(target.hash).toBe('');
  expect(target.searchParams.get('next')).toBe('/product/1');
  const { data, error } = await client.exchangeCodeForSession(code);
  expect(error).toBeNull();
  expect(data.session?.user.email).toBe(email);
  const again = await signIn.call('/token?grant_type=pkce', {
    body: { auth_code: code, code_verifier: 'x'.repeat(43) },
  });
  expect(again.status).toBe(404);
  expect(await again.json()).toMatchObject({ error_code: 'flow_state_not_found' });
});

test('another client gets no session, and does not use the code up', async () => {
  const { client, code } = await openLink();
  const stolen = await signIn.call('/token?grant_type=pkce', {
    body: { auth_code: code, code_verifier: 'x'.repeat(43) },
  });
  expect(stolen.status).toBe(400);
  expect(await stolen.json()).toMatchObject({ error_code: 'bad_code_verifier' });
  expect((await client.exchangeCodeForSession(code)).error).toBeNull();
});

test('POST /verify with the link itself needs no verifier, as in Supabase Auth', async () => {
  const email = createEmail();
  await signIn.createClient('pkce').signInWithOtp({ email });
  const { token } = await signIn.readMail(email);
  expect(token).toMatch(/^pkce_/);
  const { data } = await signIn.createClient().verifyOtp({ type: 'magiclink', token_hash: token });
  expect(data.session?.user.email).toBe(email);
});

test('the code expires after five minutes', async () => {
  const { client, code } = await openLink();
  signIn.clock.advance(300);
  expect((await client.exchangeCodeForSession(code)).error).toMatchObject({
    status: 422,
    code: 'flow_state_expired',
  });
});

test('the code is invalid after the operator ends the sessions of its address', async () => {
  const { client, email, code } = await openLink();
  await revokeSessions({ db }, { email, unlink: false });
  expect((await client.exchangeCodeForSession(code)).error?.code).toBe('flow_state_not_found');
});

test('a used link returns its error in the query, which clients of this flow read', async () => {
  const { query } = await openLink();
  const target = new URL((await signIn.call(`/verify?${query}`)).headers.get('location') ?? '');
  expect(target.searchParams.get('error_code')).toBe('otp_expired');
  expect(target.hash).toContain('error_code=otp_expired');
});

test.each([
  [{ code_challenge: 'a'.repeat(43) }],
  [{ code_challenge_method: 's256' }],
  [{ code_challenge: 'a'.repeat(42), code_challenge_method: 's256' }],
  [{ code_challenge: 'a'.repeat(129), code_challenge_method: 's256' }],
  [{ code_challenge: `${'a'.repeat(42)}!`, code_challenge_method: 's256' }],
  [{ code_challenge: 'a'.repeat(43), code_challenge_method: 'md5' }],
])('a malformed challenge is refused: %j', async (challenge) => {
  const response = await signIn.call('/otp', { body: { email: createEmail(), ...challenge } });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error_code: 'validation_failed' });
});

test('an exchange without code or verifier is refused', async () => {
  const response = await signIn.call('/token?grant_type=pkce', { body: { auth_code: 'x' } });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error_code: 'validation_failed' });
});
