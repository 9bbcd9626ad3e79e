// Tests the rate limits: requests per IP address, and mails and wrong codes per hour.
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { createEmail, openTestSignIn, SECRET_KEY } from '../../test/open-test-sign-in.ts';
import type { Database } from '../db/database.ts';
import { findNetwork, openLimits } from './limits.ts';
import { deriveSecrets } from './secrets.ts';
import { writeRefreshToken } from './tokens.ts';

const SILENT = pino({ level: 'silent' });

let db: Database;

beforeAll(async () => {
  db = await openTestDatabase();
});

beforeEach(() => db.query('delete from auth_rate'));

afterAll(() => db.close());

test.each([
  ['otp', 300],
  ['verify', 30],
  ['token', 30],
] as const)('%s: the request after a burst of %d is refused, from that address only', async (kind, burst) => {
  const limits = openLimits({ on: true, db, log: SILENT });
  for (let count = 0; count < burst; count += 1) {
    expect(await limits.countRequest(kind, '192.0.2.1')).toBe(true);
  }
  expect(await limits.countRequest(kind, '192.0.2.1')).toBe(false);
  expect(await limits.countRequest(kind, '192.0.2.2')).toBe(true);
});

test('an address gets at most thirty mails an hour; checking the limit does not count', async () => {
  const limits = openLimits({ on: true, db, log: SILENT });
  const email = createEmail();
  for (let count = 0; count < 30; count += 1) {
    for (let look = 0; look < 2; look += 1) expect(await limits.mayMail(email)).toBe(true);
    await limits.countMail(email);
  }
  expect(await limits.mayMail(email)).toBe(false);
  expect(await limits.mayMail(createEmail())).toBe(true);
});

test('a class behind one IP address can sign in: right codes and mails refused by address do not count', async () => {
  const signIn = await openTestSignIn(db, { settings: { rateLimits: true } });
  const email = createEmail();
  expect((await signIn.call('/otp', { body: { email } })).status).toBe(200);
  for (let count = 0; count < 310; count += 1) {
    const again = await signIn.call('/otp', { body: { email } });
    expect(((await again.json()) as { error_code: string }).error_code).toBe('over_email_send_rate_limit');
  }
  for (let count = 0; count < 40; count += 1) {
    const learner = createEmail();
    const { code } = await signIn.requestMail(learner);
    const body = { type: 'email', email: learner, token: code };
    expect((await signIn.call('/verify', { body })).status).toBe(200);
  }
  await signIn.close();
});

test('with limits off nothing is counted', async () => {
  const limits = openLimits({ on: false, db, log: SILENT });
  for (let count = 0; count < 100; count += 1) {
    expect(await limits.countRequest('otp', '192.0.2.1')).toBe(true);
    await limits.countMail('a@example.org');
    expect(await limits.mayMail('a@example.org')).toBe(true);
  }
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['2001:0DB8:0001:0002:a:b:c:d', '2001:db8:1:2'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('%s counts as %s: all addresses of an IPv6 network count together', (ip, network) => {
  expect(findNetwork(ip)).toBe(network);
});

test('over the limit the service responds 429 and enqueues no mail', async () => {
  const signIn = await openTestSignIn(db, { settings: { rateLimits: true } });
  for (let count = 0; count < 300; count += 1) {
    expect((await signIn.call('/otp', { body: { email: createEmail() } })).status).toBe(200);
  }
  const email = createEmail();
  const { error } = await signIn.createClient().signInWithOtp({ email });
  expect(error).toMatchObject({ status: 429, code: 'over_request_rate_limit' });
  expect((await db.query('select 1 from auth_mail_window where email = $1', [email])).rows).toEqual([]);
  await signIn.close();
});

test('successful refreshes do not count, only refused ones', async () => {
  const signIn = await openTestSignIn(db, { settings: { rateLimits: true } });
  const startSession = async () => {
    const { token } = await signIn.requestMail(createEmail());
    const { data } = await signIn.createClient().verifyOtp({ type: 'email', token_hash: token });
    return data.session?.refresh_token ?? '';
  };
  const refresh = async (refresh_token?: string) => {
    const answer = await signIn.call('/token?grant_type=refresh_token', { body: { refresh_token } });
    const { refresh_token: next } = (await answer.json()) as { refresh_token?: string };
    return { status: answer.status, next };
  };
  const [first, other] = [await startSession(), await startSession()];
  let live: string | undefined = first;
  for (let count = 0; count < 40; count += 1) {
    const { status, next } = await refresh(live);
    expect(status).toBe(200);
    live = next;
  }

  const nowhere = { session_id: randomUUID(), counter: 0 };
  const forged = writeRefreshToken(Buffer.alloc(32), nowhere);
  const unknown = writeRefreshToken(deriveSecrets(SECRET_KEY).refreshKey, nowhere);
  for (let count = 0; count < 7; count += 1) {
    for (const bad of ['malformed', forged, unknown, undefined])
      expect((await refresh(bad)).status).toBe(400);
  }
  signIn.clock.advance(11);
  expect((await refresh(first)).status).toBe(400);
  expect((await refresh(live)).status).toBe(400);
  for (const bad of ['malformed', forged, unknown, live]) expect((await refresh(bad)).status).toBe(429);
  expect((await refresh(other)).status).toBe(200);
  await signIn.close();
});

test('wrong links and codes count together, and over the limit a right code is refused too', async () => {
  const signIn = await openTestSignIn(db, { settings: { rateLimits: true } });
  const email = createEmail();
  const { code } = await signIn.requestMail(email);
  for (let count = 0; count < 30; count += 1) {
    const guess = { type: 'magiclink', token_hash: String(count) };
    expect((await signIn.call('/verify', { body: guess })).status).toBe(403);
  }
  const right = await signIn.call('/verify', { body: { type: 'email', email, token: code } });
  expect(right.status).toBe(429);
  expect(right.headers.get('content-type')).toContain('application/json');
  await signIn.close();
});
