// Tests sessions: refresh with rotation of tokens and a reuse interval, sign-out, and metadata that users may edit.
import { describe, expect, test } from 'vitest';
import { keepTestSignIn } from '../../test/keep-test-sign-in.ts';
import { createEmail } from '../../test/open-test-sign-in.ts';
import { purgeExpired, revokeSessions } from './auth-service.ts';
import type { AuthContext } from './context.ts';
import { writeRefreshToken } from './tokens.ts';

const { db, signIn } = keepTestSignIn();

async function startSession(email = createEmail()) {
  const { token } = await signIn.requestMail(email);
  const client = signIn.createClient();
  const { data } = await client.verifyOtp({ type: 'email', token_hash: token });
  if (data.session === null || data.user === null) throw new Error('not signed in');
  return { client, email, session: data.session, user: data.user };
}

async function refresh(refresh_token: string) {
  const response = await signIn.call('/token?grant_type=refresh_token', { body: { refresh_token } });
  const body = (await response.json()) as { refresh_token: string; error_code?: string };
  return { status: response.status, body };
}

async function refreshTimes(token: string, times: number): Promise<string[]> {
  const tokens = [token];
  for (let turn = 0; turn < times; turn += 1) {
    tokens.push((await refresh(tokens.at(-1) ?? '')).body.refresh_token);
  }
  return tokens;
}

describe('refreshing', () => {
  test('returns a new refresh token and keeps the session and its sign-in method', async () => {
    const { client, session } = await startSession();
    signIn.clock.advance(1800);
    const { data, error } = await client.refreshSession();
    expect(error).toBeNull();
    expect(data.session?.refresh_token).not.toBe(session.refresh_token);
    const [before, after] = [readClaims(session.access_token), readClaims(data.session?.access_token ?? '')];
    expect(after.session_id).toBe(before.session_id);
    expect(after.amr).toEqual(before.amr);
    expect(after.exp).toBe(before.exp + 1800);
  });

  test('with the previous token returns the current one within the reuse interval, and later ends the session', async () => {
    const { session } = await startSession();
    const [first = '', second = ''] = await refreshTimes(session.refresh_token, 1);
    signIn.clock.advance(10);
    const again = await refresh(first);
    expect(again.status).toBe(200);
    expect(again.body.refresh_token).toBe(second);
    signIn.clock.advance(0.001);
    expect(await refresh(first)).toMatchObject({
      status: 400,
      body: { error_code: 'refresh_token_already_used' },
    });
    expect((await refresh(second)).body.error_code).toBe('refresh_token_not_found');
  });

  test('by thief and owner in turns ends the session', async () => {
    const { session } = await startSession();
    let [owner, thief] = [session.refresh_token, session.refresh_token];
    for (let turn = 0; turn < 2; turn += 1) {
      signIn.clock.advance(1800);
      owner = (await refresh(owner)).body.refresh_token;
      signIn.clock.advance(1800);
      thief = (await refresh(thief)).body.refresh_token;
    }
    for (const token of [owner, thief]) expect((await refresh(token ?? 'none')).status).toBe(400);
  });

  test('with a token used long ago ends the session, even right after another refresh', async () => {
    const { session } = await startSession();
    const [first = '', second = ''] = await refreshTimes(session.refresh_token, 1);
    signIn.clock.advance(3600);
    await refresh(second);
    expect((await refresh(first)).body.error_code).toBe('refresh_token_already_used');
  });

  test('is refused if the session was not refreshed for thirty days, or is 180 days old', async () => {
    const [idle, used] = [await startSession(), await startSession()];
    signIn.clock.advance(30 * 86_400);
    const [, live = ''] = await refreshTimes(used.session.refresh_token, 1);
    signIn.clock.advance(0.001);
    const refused = { status: 400, body: { error_code: 'session_expired' } };
    expect(await refresh(idle.session.refresh_token)).toMatchObject(refused);
    expect((await refresh(idle.session.refresh_token)).body.error_code).toBe('refresh_token_not_found');
    let token = live;
    for (let month = 2; month <= 6; month += 1) {
      signIn.clock.advance(30 * 86_400 - 1);
      token = (await refresh(token)).body.refresh_token;
    }
    expect(token).toBeDefined();
    signIn.clock.advance(5);
    expect(await refresh(token)).toMatchObject(refused);
  });

  test('ended sessions are deleted by the purge, others stay', async () => {
    const old = await startSession();
    signIn.clock.advance(30 * 86_400 + 1);
    const young = await startSession();
    await purgeExpired({
      db,
      now: signIn.clock.now,
      settings: {
        mailIntervalSeconds: 60,
        tokenSeconds: 3600,
        linkSeconds: 3600,
        sessionIdleDays: 30,
        sessionMaxDays: 180,
      },
    } as AuthContext);
    const { rows } = await db.query<{ user_id: string }>(
      'select user_id from auth_session where user_id = any($1)',
      [[old.user.id, young.user.id]],
    );
    expect(rows).toEqual([{ user_id: young.user.id }]);
  });

  test('with the token before the previous one works within the reuse interval', async () => {
    const { session } = await startSession();
    const [first = '', , third] = await refreshTimes(session.refresh_token, 2);
    signIn.clock.advance(10);
    const again = await refresh(first);
    expect(again.status).toBe(200);
    expect(again.body.refresh_token).toBe(third);
  });

  test('with that token after the reuse interval ends the session, with an audit row', async () => {
    const { client, session } = await startSession();
    const [first = '', second = '', third = ''] = await refreshTimes(session.refresh_token, 2);
    signIn.clock.advance(10.001);
    expect(await refresh(first)).toMatchObject({
      status: 400,
      body: { error_code: 'refresh_token_already_used' },
    });
    for (const dead of [second, third]) {
      expect(await refresh(dead)).toMatchObject({
        status: 400,
        body: { error_code: 'refresh_token_not_found' },
      });
    }
    expect((await client.getUser()).error?.name).toBe('AuthSessionMissingError');
    const { session_id } = readClaims(session.access_token);
    const { rows } = await db.query(
      `select actor from audit where action = 'session.reuse' and detail->>'session_id' = $1`,
      [session_id],
    );
    expect(rows).toEqual([{ actor: 'learner' }]);
  });

  test('by two clients at once keeps both signed in, with the same current token', async () => {
    const { session } = await startSession();
    const [one, other] = await Promise.all([refresh(session.refresh_token), refresh(session.refresh_token)]);
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(one.body.refresh_token).toBe(other.body.refresh_token);
    expect((await refresh(one.body.refresh_token)).status).toBe(200);
  });

  test('is refused for any text that is not a token', async () => {
    const { session } = await startSession();
    const token = session.refresh_token;
    const swapped = `${token.slice(0, 30)}${token[30] === 'A' ? 'B' : 'A'}${token.slice(31)}`;
    for (const malformed of ['x', 'abcdefghijkl', `${token}A`, `${token}=`, token.toLowerCase(), swapped]) {
      expect(await refresh(malformed)).toMatchObject({
        status: 400,
        body: { error_code: 'validation_failed' },
      });
    }
    expect(await refresh('')).toMatchObject({ status: 400, body: { error_code: 'validation_failed' } });
    expect((await refresh(token)).status).toBe(200);
  });

  test('is refused for a token made with another key', async () => {
    const { session } = await startSession();
    const { session_id } = readClaims(session.access_token);
    const forged = writeRefreshToken(Buffer.alloc(32), { session_id, counter: 0 });
    expect(await refresh(forged)).toMatchObject({
      status: 400,
      body: { error_code: 'refresh_token_not_found' },
    });
  });

  test('still works after the database was restored from a backup', async () => {
    const { session } = await startSession();
    const tokens = await refreshTimes(session.refresh_token, 3);
    const { session_id } = readClaims(session.access_token);
    await db.query('update auth_session set refresh_counter = 1 where id = $1', [session_id]);
    signIn.clock.advance(11);
    expect((await refresh(tokens.at(-1) ?? '')).status).toBe(200);
  });

  test('stores only a counter, no token', async () => {
    const { session } = await startSession();
    const tokens = await refreshTimes(session.refresh_token, 1);
    const { rows } = await db.query('select * from auth_session where user_id = $1', [session.user.id]);
    expect(rows).toHaveLength(1);
    for (const token of tokens) expect(JSON.stringify(rows)).not.toContain(token);
  });
});

describe('signing out', () => {
  async function startThree() {
    const email = createEmail();
    const sessions = [];
    for (let turn = 0; turn < 3; turn += 1) {
      signIn.clock.advance(60);
      const sent = signIn.outbox.list().filter((mail) => mail.to === email).length;
      await signIn.createClient().signInWithOtp({ email });
      await expect.poll(() => signIn.outbox.list().filter((mail) => mail.to === email).length).toBe(sent + 1);
      const { token } = await signIn.readMail(email);
      const client = signIn.createClient();
      await client.verifyOtp({ type: 'email', token_hash: token });
      const { data } = await client.getSession();
      sessions.push({ client, token: data.session?.refresh_token ?? '' });
    }
    return sessions;
  }

  test.each([
    ['global', [400, 400, 400]],
    ['local', [400, 200, 200]],
    ['others', [200, 400, 400]],
  ] as const)('with scope %s ends those sessions and no other (R-SESS-05)', async (scope, statuses) => {
    const sessions = await startThree();
    expect((await sessions[0]?.client.signOut({ scope }))?.error).toBeNull();
    const after = [];
    for (const { token } of sessions) after.push((await refresh(token)).status);
    expect(after).toEqual(statuses);
  });

  test('invalidates the access token at once', async () => {
    const { client, session } = await startSession();
    const headers = { authorization: `Bearer ${session.access_token}` };
    expect((await signIn.call('/user', { headers })).status).toBe(200);
    await client.signOut({ scope: 'local' });
    const response = await signIn.call('/user', { headers });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error_code: 'session_not_found' });
    const { rows } = await db.query('select 1 from signed_in where email = $1', [session.user.email]);
    expect(rows).toEqual([]);
  });

  test('with an unknown scope ends nothing', async () => {
    const { session } = await startSession();
    const headers = { authorization: `Bearer ${session.access_token}` };
    const response = await signIn.call('/logout?scope=everything', { method: 'POST', headers });
    expect(response.status).toBe(400);
    expect((await refresh(session.refresh_token)).status).toBe(200);
  });

  test('by the operator ends all sessions of the address, and its waiting mails', async () => {
    const { email, session } = await startSession();
    signIn.clock.advance(60);
    const pending = await signIn.requestMail(email);
    await expect.poll(() => signIn.outbox.list().filter((mail) => mail.to === email).length).toBe(2);
    const revoked = await revokeSessions({ db }, { email: ` ${email.toUpperCase()}`, unlink: false });
    expect(revoked).toEqual({ sessions: 1, unlinked: 0 });
    expect((await refresh(session.refresh_token)).status).toBe(400);
    const { token } = await signIn.readMail(email);
    for (const dead of [pending.token, token]) {
      const { error } = await signIn.createClient().verifyOtp({ type: 'email', token_hash: dead });
      expect(error?.code).toBe('otp_expired');
    }
  });
});

describe('the user', () => {
  test('may change the metadata, key by key', async () => {
    const { client } = await startSession();
    await client.updateUser({ data: { name: 'Ada', town: 'London' } });
    const { data, error } = await client.updateUser({ data: { town: null, note: 'a \\u0000 b' } });
    expect(error).toBeNull();
    expect(data.user?.user_metadata).toMatchObject({ name: 'Ada', note: 'a \\u0000 b' });
    expect(data.user?.user_metadata).not.toHaveProperty('town');
    const renewed = await client.refreshSession();
    const identity = await signIn.service.verify(renewed.data.session?.access_token ?? '');
    expect(identity?.name).toBe('Ada');
  });

  test('cannot change address or verification by metadata', async () => {
    const { client, email } = await startSession();
    const { data } = await client.updateUser({
      data: { email: 'other@example.org', email_verified: false, sub: 'x' },
    });
    expect(data.user?.email).toBe(email);
    expect(data.user?.user_metadata).toMatchObject({ email, email_verified: true, sub: data.user?.id });
    const renewed = await client.refreshSession();
    const identity = await signIn.service.verify(renewed.data.session?.access_token ?? '');
    expect(identity?.email).toBe(email);
  });

  test('cannot change address, phone or password', async () => {
    const { client, email } = await startSession();
    for (const change of [{ email: createEmail() }, { phone: '+4912345' }, { password: 'longenough1' }]) {
      expect((await client.updateUser(change)).error).toMatchObject({
        status: 422,
        code: 'validation_failed',
      });
    }
    expect((await client.getUser()).data.user?.email).toBe(email);
  });

  test('cannot store metadata that the database refuses or that is too large for a token', async () => {
    const { client } = await startSession();
    for (const data of [{ a: '\0' }, { a: '\ud800' }, { a: 'x'.repeat(5000) }, { a: nest(32) }]) {
      expect((await client.updateUser({ data })).error).toMatchObject({
        status: 400,
        code: 'validation_failed',
      });
    }
  });

  test('cannot break the database with deep metadata, even with a thousand calls', async () => {
    const { client, session, user } = await startSession();
    const change = (depth: number) =>
      fetch(`${signIn.url}/user`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${session.access_token}`, 'content-type': 'application/json' },
        body: `{"data":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`,
      });
    for (let turn = 0; turn < 20; turn += 1) {
      const depth = turn === 0 ? 49_000 : 8_000;
      const answers = await Promise.all(Array.from({ length: 50 }, () => change(depth)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
    }
    expect((await client.updateUser({ data: { a: nest(31), b: 1 } })).error).toBeNull();
    const { rows } = await db.query('select user_metadata from auth_user where id = $1', [user.id]);
    expect(rows).toEqual([{ user_metadata: { a: nest(31), b: 1 } }]);
  });

  test('cannot change app_metadata', async () => {
    const { session } = await startSession();
    const response = await signIn.call('/user', {
      method: 'PUT',
      headers: { authorization: `Bearer ${session.access_token}` },
      body: { app_metadata: { role: 'admin' } },
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error_code: 'not_admin' });
  });
});

function nest(depth: number): unknown {
  return depth === 0 ? 1 : [nest(depth - 1)];
}

function readClaims(token: string) {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
}
