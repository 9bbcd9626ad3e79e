// Tests that the log contains no personal data and no secret with which a reader could sign in. Also tests the log
// lines about refused requests.
import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import { expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../test/open-test-app.ts';

type Tokens = { access_token: string; refresh_token: string };

test('at level trace the log contains no token, code or address of a sign-in, also when calls fail', async () => {
  const { lines, log: trace } = openLog('trace');
  const portal = await openTestApp({ log: trace });
  const { call, db } = portal;
  const email = 'whisper@example.org';
  const secrets: string[] = [email];

  await call('POST', '/auth/v1/otp', { body: { email } });
  const { token, code } = await readMail(portal);
  secrets.push(token, code);
  await portal.app.inject({
    url: `/auth/v1/confirm?token_hash=${token}`,
    headers: { host: 'localhost:3000' },
  });
  await call('POST', '/auth/v1/verify', { body: { type: 'email', email, token: '000000' } });
  const verified = await call('POST', '/auth/v1/verify', { body: { type: 'magiclink', token_hash: token } });
  const first = verified.body as Tokens;
  secrets.push(first.access_token, first.refresh_token);
  const refresh = (refresh_token: string) =>
    call('POST', '/auth/v1/token?grant_type=refresh_token', { body: { refresh_token } });
  const second = (await refresh(first.refresh_token)).body as Tokens;
  secrets.push(second.access_token, second.refresh_token);
  await call('GET', '/api/auth/user', { token: second.access_token });

  // Repeats the calls while some tables are missing. The calls then fail with errors of the database. These errors
  // could contain secrets, and the portal writes errors to the log.
  for (const table of ['app_user', 'auth_session', 'auth_mail_window', 'auth_one_time_token']) {
    await db.execute(`alter table ${table} rename to ${table}_away`);
  }
  const failed = [
    await call('POST', '/auth/v1/otp', { body: { email } }),
    await call('POST', '/auth/v1/verify', { body: { type: 'magiclink', token_hash: token } }),
    await call('POST', '/auth/v1/verify', { body: { type: 'email', email, token: code } }),
    await refresh(second.refresh_token),
    await call('GET', '/api/auth/user', { token: second.access_token }),
  ];
  expect(failed.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500]);
  await portal.close();

  const log = lines.join('');
  expect(lines.length).toBeGreaterThan(10);
  expect(log).toContain('The sign-in service failed');
  for (const secret of secrets) {
    // Searches for a six-digit code only as a whole word. A longer number in the log, for example a time, may by chance
    // contain the six digits.
    const found = /^\d{6}$/.test(secret) ? new RegExp(`\\b${secret}\\b`).test(log) : log.includes(secret);
    expect(found, secret).toBe(false);
  }
});

test('at level trace the log contains nothing that staff searched for, also when the search fails', async () => {
  const { lines, log } = openLog('trace');
  const portal = await openTestApp({ log });
  const token = await portal.signInAdmin();
  const search = (path: string) => portal.call('GET', `${path}q=TQWL-7K4M-92XF`, { token });
  const paths = ['/api/admin/find?', '/api/coupons?limit=5&', '/api/users?limit=5&'];
  for (const path of paths) expect((await search(path)).status).toBe(200);
  await portal.db.execute('alter table app_user rename column phone_number to phone_number_away');
  await portal.db.execute('alter table coupon rename to coupon_away');
  for (const path of paths) expect((await search(path)).status).toBe(500);
  await portal.close();
  expect(lines.join('')).toContain('/api/admin/find');
  expect(lines.join('').toUpperCase()).not.toContain('TQWL');
});

test('a full disk of the database is logged as one line without a stack trace, by the sign-in service and by other calls', async () => {
  const { lines, log } = openLog('warn');
  const portal = await openTestApp({ log });
  const token = await portal.signInAdmin();
  // Simulates a full disk: 53100 is PostgreSQL's error code for it. No separate test covers an unreachable database,
  // because the portal logs both errors in the same way.
  await portal.db.execute(`
    create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'no room' using errcode = '53100'; end $$;
    create trigger refuse before insert on auth_mail_window for each row execute function refuse();
    create trigger refuse before insert on product for each row execute function refuse();`);
  const product = { name: 'Tarnquill', description: 'A workspace.', url: 'tarnquill.example' };
  const answers = [
    await portal.call('POST', '/api/products', { token, body: product }),
    await portal.call('POST', '/auth/v1/otp', { body: { email: 'whisper@example.org' } }),
  ];
  await portal.close();
  expect(answers.map(({ status }) => status)).toEqual([503, 503]);
  const entries = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg !== 'slow statement');
  const refusal = { level: 40, reason: 'no room', code: '53100', msg: 'request refused for now' };
  expect(entries).toEqual([expect.objectContaining(refusal), expect.objectContaining(refusal)]);
  for (const line of entries) expect(line).not.toHaveProperty('err');
});

function openLog(level: string): { lines: string[]; log: Logger } {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, log: pino({ level }, stream) };
}

async function readMail({ call }: TestApp): Promise<{ token: string; code: string }> {
  const read = async () => {
    const [mail] = (await call('GET', '/dev/outbox.json')).body as { text: string; links: string[] }[];
    return mail;
  };
  await expect.poll(read).toBeDefined();
  const mail = await read();
  return {
    token: new URL(mail?.links[0] ?? '').searchParams.get('token_hash') ?? '',
    code: /^\d{6}$/m.exec(mail?.text ?? '')?.[0] ?? '',
  };
}
