// Tests rate limits on PostgreSQL. All processes share one count in a table. If the table cannot be used, each process
// counts by itself.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { createEmail, openTestSignIn, type TestSignIn } from '../../test/open-test-sign-in.ts';
import type { Database } from '../db/database.ts';
import { deleteRateCounts } from './rate-counts.sql.ts';

let db: Database;
let first: TestSignIn;
let second: TestSignIn;

beforeEach(async () => {
  db = await openTestDatabase();
  first = await openTestSignIn(db, { settings: { rateLimits: true } });
  second = await openTestSignIn(db, { settings: { rateLimits: true } });
});

afterEach(async () => {
  await first.close();
  await second.close();
  await db.close();
});

async function guess(signIn: TestSignIn): Promise<number> {
  const body = { type: 'magiclink', token_hash: 'no-such-link' };
  return (await signIn.call('/verify', { body })).status;
}

test('two processes share the count of an IP address, and both refuse over the limit', async () => {
  for (let count = 0; count < 15; count += 1) {
    for (const process of [first, second]) expect(await guess(process)).toBe(403);
  }
  for (const process of [first, second, first]) expect(await guess(process)).toBe(429);
});

test('two processes share the count of a mailed address; a request that enqueued no mail does not count', async () => {
  const email = createEmail();
  const ask = (signIn: TestSignIn) => signIn.call('/otp', { body: { email } });
  expect((await ask(first)).status).toBe(200);
  for (const process of [first, second]) expect((await ask(process)).status).toBe(429);
  const { rows } = await db.query('select points from auth_rate where key = $1', [`mail:${email}`]);
  expect(rows).toEqual([{ points: 1 }]);

  await db.query('update auth_rate set points = 30 where key = $1', [`mail:${email}`]);
  second.clock.advance(60);
  const refused = await ask(second);
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ msg: 'email rate limit exceeded' });
});

test('after a thousand wrong codes an hour for all addresses no code is checked; the mailed link still works', async () => {
  const email = createEmail();
  const { token, code } = await first.requestMail(email);
  const type = (typed: string) => second.call('/verify', { body: { type: 'email', email, token: typed } });
  const count = (points: number) =>
    db.query(
      `insert into auth_rate (key, points, expire) values ('wrong-codes:all', $1, $2)
       on conflict (key) do update set points = excluded.points`,
      [points, Date.now() + 3_600_000],
    );
  await count(998);
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
  expect((await type(wrong)).status).toBe(403);
  expect((await type(wrong)).status).toBe(403);
  const refused = await type(code);
  expect([refused.status, await refused.json()]).toMatchObject([
    429,
    { error_code: 'over_request_rate_limit' },
  ]);
  expect((await first.call('/verify', { body: { type: 'magiclink', token_hash: token } })).status).toBe(200);
});

test('after twenty thousand mails in five minutes to all addresses none is enqueued', async () => {
  const ask = () => second.call('/otp', { body: { email: createEmail() } });
  expect((await ask()).status).toBe(200);
  const { rowCount } = await db.query(
    "update auth_rate set points = 19999 where key = 'mails:all' and points = 1",
  );
  expect(rowCount).toBe(1);
  expect((await ask()).status).toBe(200);
  const refused = await ask();
  expect([refused.status, await refused.json()]).toMatchObject([
    429,
    { error_code: 'over_request_rate_limit' },
  ]);
});

test('over the limit a process refuses without a statement', async () => {
  for (let count = 0; count < 35; count += 1) await guess(first);
  const { rows } = await db.query("select points from auth_rate where key like 'verify:%'");
  // The database has counted the 30 allowed requests and the first refused one. After that refusal, the process refused
  // the other requests from memory, so the database did not count them.
  expect(rows).toEqual([{ points: 31 }]);
});

test('if the table cannot be used, each process limits by itself, other clients are not refused, and this is logged once', async () => {
  await db.execute('alter table auth_rate rename to auth_rate_away');
  for (let count = 0; count < 30; count += 1) expect(await guess(first)).toBe(403);
  for (let count = 0; count < 2; count += 1) expect(await guess(first)).toBe(429);
  const said = () => first.lines.filter(({ message }) => /counted in this process only/.test(message));
  expect(said()).toEqual([{ level: 'error', message: 'Requests are counted in this process only' }]);

  const email = createEmail();
  expect((await first.call('/otp', { body: { email } })).status).toBe(200);
  const { token } = await first.readMail(email);
  expect((await second.call('/verify', { body: { type: 'magiclink', token_hash: token } })).status).toBe(200);

  await db.execute('alter table auth_rate_away rename to auth_rate');
  expect(await guess(first)).toBe(403);
});

test('expired counts are deleted, others stay', async () => {
  await guess(first);
  const now = Date.now();
  await db.query("insert into auth_rate (key, points, expire) values ('otp:192.0.2.9', 3, $1)", [now - 1]);
  await deleteRateCounts(db, new Date(now));
  const { rows } = await db.query<{ key: string }>('select key from auth_rate');
  expect(rows.map(({ key }) => key)).toEqual(['verify:127.0.0.1']);
});
