// Tests the mail queue: responses do not wait for the mail server, and a queued mail is sent even after a restart.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../test/open-test-database.ts';
import {
  createEmail,
  createTestClock,
  openTestSignIn,
  type TestClock,
} from '../../test/open-test-sign-in.ts';
import type { Database } from '../db/database.ts';
import { type Mail, type Mailer, openSmtpMailer } from '../gateways/mailer.ts';
import { listFailedJobs } from '../jobs/job-lists.sql.ts';

let db: Database;
let clock: TestClock;

beforeAll(async () => {
  db = await openTestDatabase();
});

afterAll(() => db.close());

afterEach(() => {
  vi.restoreAllMocks();
});

beforeEach(async () => {
  clock = createTestClock();
  await db.query("delete from job where kind = 'sign-in-mail'");
});

/** Creates a mailer for tests. The function `state.answer` decides whether a mail is accepted, refused or delayed. */
function createMailer() {
  const taken: Mail[] = [];
  const state = { attempts: 0, answer: async (): Promise<void> => undefined };
  const mailer: Mailer = {
    send: async (mail) => {
      state.attempts += 1;
      await state.answer();
      taken.push(mail);
      return '250 OK';
    },
    close: async () => undefined,
  };
  return { mailer, taken, state };
}

async function listQueue() {
  const { rows } = await db.query<{ email: string; state: string; tries: number }>(
    "select key as email, state, tries from job where kind = 'sign-in-mail'",
  );
  return rows;
}

test('the response does not wait for the mail server, and closing waits for the mail that is being sent', async () => {
  const { mailer, taken, state } = createMailer();
  const held = Promise.withResolvers<void>();
  state.answer = () => held.promise;
  const signIn = await openTestSignIn(db, { mailer, clock });
  const response = await signIn.call('/otp', { body: { email: createEmail() } });
  expect(response.status).toBe(200);
  await expect.poll(() => state.attempts).toBe(1);
  let closed = false;
  const closing = signIn.jobs.close().then(() => {
    closed = true;
  });
  await db.query('select 1');
  expect(closed).toBe(false);
  held.resolve();
  await closing;
  expect(taken).toHaveLength(1);
  expect(await listQueue()).toEqual([]);
  await signIn.close();
});

test('a mail that the server refuses temporarily is retried after 1, 5, 30 and 120 seconds', async () => {
  const { mailer, taken, state } = createMailer();
  state.answer = () => Promise.reject(new Error('busy'));
  const signIn = await openTestSignIn(db, { mailer, clock });
  const email = createEmail();
  await signIn.call('/otp', { body: { email } });
  await expectAttempts(1);
  for (const [index, seconds] of [1, 5, 30, 120].entries()) {
    clock.advance(seconds - 0.001);
    // This request for another mail makes the worker look for due mails. If the refused mail were due already, the
    // worker would send it again, and `state.attempts` would be higher.
    await signIn.call('/otp', { body: { email: createEmail(), create_user: false } });
    await expect.poll(async () => (await listQueue()).map((mail) => mail.email)).toEqual([email]);
    expect(state.attempts).toBe(index + 1);
    clock.advance(0.001);
    await expectAttempts(index + 2);
  }
  state.answer = async () => undefined;
  clock.advance(300);
  await expect.poll(() => listQueue()).toEqual([]);
  expect(taken.map((mail) => mail.to)).toEqual([email]);
  const token =
    new URL(/https:\S+/.exec(taken[0]?.text ?? '')?.[0] ?? '').searchParams.get('token_hash') ?? '';
  const { error } = await signIn.createClient().verifyOtp({ type: 'email', token_hash: token });
  expect(error).toBeNull();
  await signIn.close();

  async function expectAttempts(count: number) {
    await expect.poll(async () => [state.attempts, await countPostponed()]).toEqual([count, 1]);
  }

  async function countPostponed() {
    const queue = await listQueue();
    return queue.filter((mail) => mail.state === 'waiting' && mail.tries === state.attempts).length;
  }
});

test('a mail whose link would have expired fails with its reason and is not sent', async () => {
  const { mailer, state } = createMailer();
  state.answer = () => Promise.reject(new Error('busy'));
  const signIn = await openTestSignIn(db, { mailer, clock });
  await signIn.call('/otp', { body: { email: createEmail() } });
  await expect.poll(() => state.attempts).toBe(1);
  clock.advance(3600);
  await expect.poll(async () => (await listQueue()).map((mail) => mail.state)).toEqual(['failed']);
  expect(state.attempts).toBe(1);
  expect(signIn.lines).toContainEqual({ level: 'error', message: 'A job failed' });
  expect(await listFailedJobs(db, 10)).toMatchObject([{ kind: 'sign-in-mail', count: 1, reason: 'busy' }]);
  await signIn.close();
});

test('a mail to a permanently refused address fails without a retry, and its reason contains no address', async () => {
  const { mailer, state } = createMailer();
  const refusal = Object.assign(new Error('550 5.1.1 <somebody@example.org> no such person'), {
    final: true,
  });
  state.answer = () => Promise.reject(refusal);
  const signIn = await openTestSignIn(db, { mailer, clock });
  await signIn.call('/otp', { body: { email: createEmail() } });
  await expect.poll(async () => (await listQueue()).map((mail) => mail.state)).toEqual(['failed']);
  expect(state.attempts).toBe(1);
  expect(await listFailedJobs(db, 10)).toMatchObject([{ reason: '550 5.1.1 <…> no such person' }]);
  await signIn.close();
});

test('a waiting mail contains neither its link nor its code', async () => {
  const tried: Mail[] = [];
  const signIn = await openTestSignIn(db, {
    clock,
    mailer: {
      send: (mail) => {
        tried.push(mail);
        return Promise.reject(new Error('busy'));
      },
      close: async () => undefined,
    },
  });
  const email = createEmail();
  await signIn.call('/otp', { body: { email } });
  await expect.poll(() => signIn.lines.map((line) => line.level)).toContain('warn');
  const token = /token_hash=([\w-]+)/.exec(tried[0]?.text ?? '')?.[1] ?? '';
  const code = /^\d{6}$/m.exec(tried[0]?.text ?? '')?.[0] ?? '';
  expect([token.length, code.length]).toEqual([43, 6]);
  const { rows } = await db.query<Record<string, unknown>>("select * from job where kind = 'sign-in-mail'");
  expect(rows.map((row) => row.key)).toEqual([email]);
  const values = Object.values(rows[0] ?? {}).map((value) => JSON.stringify(value));
  for (const secret of [token, code]) expect(values.some((value) => value.includes(secret))).toBe(false);
  await signIn.close();
});

describe('a restart', () => {
  test('before the mail is sent loses no mail', async () => {
    const { mailer, state } = createMailer();
    state.answer = () => Promise.reject(new Error('busy'));
    const before = await openTestSignIn(db, { mailer, clock });
    const email = createEmail();
    await before.call('/otp', { body: { email } });
    await expect.poll(() => state.attempts).toBe(1);
    await before.close();
    expect((await listQueue()).map((mail) => mail.email)).toEqual([email]);
    clock.advance(60);
    const after = await openTestSignIn(db, { clock });
    const { token } = await after.readMail(email);
    expect((await after.createClient().verifyOtp({ type: 'email', token_hash: token })).error).toBeNull();
    await after.close();
  });

  test('while the mail is being sent loses no mail', async () => {
    const { mailer, state } = createMailer();
    state.answer = () => new Promise(() => undefined);
    const crashed = await openTestSignIn(db, { mailer, clock });
    const email = createEmail();
    await crashed.call('/otp', { body: { email } });
    await expect.poll(() => state.attempts).toBe(1);
    // From now on, `crashed` behaves like a killed process: its running job never ends, and it claims no other job.
    void crashed.jobs.close();
    const after = await openTestSignIn(db, { clock });
    if (db.engine === 'postgres') {
      // The worker claims due mails in the order of their due times. The mail to `email` became due before the mail to
      // `other`. So when the mail to `other` has arrived, the worker has skipped the mail to `email`, because the lease
      // of that mail has not ended.
      clock.advance(89.999);
      const other = createEmail();
      await after.requestMail(other);
      expect(after.outbox.list().map((mail) => mail.to)).toEqual([other]);
      expect(await listQueue()).toContainEqual({ email, state: 'running', tries: 1 });
      clock.advance(0.001);
    }
    // On PostgreSQL the mail is sent only after the lease of the crashed process has ended. The embedded engine has a
    // single process. When this process starts, it ends all leases, so it sends the mail immediately.
    expect((await after.readMail(email)).token).not.toBe('');
    await after.close();
  });
});

describe('a slow mail server', () => {
  test('is disconnected before another process may send the mail', async () => {
    const { mailer, taken, state } = createMailer();
    const deadline = new AbortController();
    const asked: number[] = [];
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      asked.push(ms);
      return deadline.signal;
    });
    const signIn = await openTestSignIn(db, {
      clock,
      mailer: {
        ...mailer,
        send: async (mail, signal) => {
          state.attempts += 1;
          await once(signal as AbortSignal, 'abort');
          throw new Error(`left: ${mail.to}`);
        },
      },
    });
    await signIn.call('/otp', { body: { email: createEmail() } });
    await expect.poll(() => state.attempts).toBe(1);
    // The lease of a job is 90 seconds. If sending is aborted after 80 seconds, 5 seconds remain for closing the
    // connection, and 5 are in reserve.
    expect(Math.max(...asked)).toBeLessThanOrEqual(80_000);
    deadline.abort();
    await expect
      .poll(() => signIn.lines)
      .toContainEqual({ level: 'warn', message: 'A job failed and will be tried again' });
    expect(taken).toEqual([]);
    await signIn.close();
  });

  test('that sends an endless response is disconnected too', async () => {
    const closed = Promise.withResolvers<void>();
    let lines = 0;
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write('220 slow\r\n');
      const dripping = setInterval(() => {
        lines += 1;
        socket.write('250-and another thing\r\n');
      }, 5);
      socket.once('end', () => {
        clearInterval(dripping);
        socket.end();
        closed.resolve();
      });
      socket.resume();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const mailer = openSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from: 'Portal <portal@example.org>' });
    const mail: Mail = { to: createEmail(), subject: 'Sign in', text: 'text', html: '<p>html</p>' };
    const deadline = new AbortController();
    const sending = mailer.send(mail, deadline.signal);
    sending.catch(() => undefined);
    // Waits until the fake mail server has sent some lines. Its response to the greeting never ends.
    await expect.poll(() => lines).toBeGreaterThan(5);
    deadline.abort();
    await expect(sending).rejects.toThrow(/aborted/);
    await closed.promise;
    await mailer.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  test('that refuses after another process has claimed the mail does not make it due for a third one', async () => {
    const { mailer, state } = createMailer();
    const held = Promise.withResolvers<void>();
    state.answer = () => held.promise;
    const first = await openTestSignIn(db, { mailer, clock });
    const email = createEmail();
    await first.call('/otp', { body: { email } });
    await expect.poll(() => state.attempts).toBe(1);
    // A closing worker claims no jobs, so it cannot claim this mail again.
    const closing = first.jobs.close();
    clock.advance(90);
    const second = createMailer();
    const sending = Promise.withResolvers<void>();
    second.state.answer = () => sending.promise;
    const other = await openTestSignIn(db, { mailer: second.mailer, clock });
    await expect.poll(() => second.state.attempts).toBe(1);
    held.reject(new Error('busy'));
    await closing;
    expect(first.lines.map((line) => line.level)).toContain('warn');
    const { rows } = await db.query<{ due_at: string }>("select due_at from job where kind = 'sign-in-mail'");
    expect(rows.map((row) => row.due_at)).toEqual([new Date(clock.now().getTime() + 90_000).toISOString()]);
    sending.resolve();
    await first.close();
    await other.close();
  });
});

test('a newer request replaces a waiting mail', async () => {
  const { mailer, taken, state } = createMailer();
  state.answer = () => Promise.reject(new Error('busy'));
  const signIn = await openTestSignIn(db, { mailer, clock });
  const email = createEmail();
  await signIn.call('/otp?redirect_to=https://portal.example.org/old', { body: { email } });
  await expect.poll(() => state.attempts).toBeGreaterThan(0);
  state.answer = async () => undefined;
  clock.advance(60);
  await signIn.call('/otp?redirect_to=https://portal.example.org/new', { body: { email } });
  await expect.poll(() => taken.at(-1)?.text).toContain('%2Fnew');
  await expect.poll(() => listQueue()).toEqual([]);
  await signIn.close();
});

test('the end of an older mail leaves the newer one in the queue', async () => {
  const { mailer, taken, state } = createMailer();
  const held = Promise.withResolvers<void>();
  state.answer = () => held.promise;
  const signIn = await openTestSignIn(db, { mailer, clock });
  const email = createEmail();
  await signIn.call('/otp?redirect_to=https://portal.example.org/old', { body: { email } });
  await expect.poll(() => state.attempts).toBe(1);
  state.answer = () => Promise.reject(new Error('busy'));
  clock.advance(60);
  await signIn.call('/otp?redirect_to=https://portal.example.org/new', { body: { email } });
  await expect.poll(() => signIn.lines.map((line) => line.level)).toContain('warn');
  state.answer = async () => undefined;
  held.resolve();
  // `close` waits for the running job, which is still sending the older mail.
  await signIn.close();
  expect(taken.map((mail) => mail.text)).toEqual([expect.stringContaining('%2Fold')]);
  expect(await listQueue()).toEqual([{ email, state: 'waiting', tries: 1 }]);
});

test('a mail with link and code is delivered by a real mail server', async () => {
  const received: { to: string[]; raw: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: async (stream, session, done) => {
      const raw = await text(stream);
      received.push({ to: session.envelope.rcptTo.map((recipient) => recipient.address), raw });
      done();
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const mailer = openSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from: 'Portal <portal@example.org>' });
  const signIn = await openTestSignIn(db, { mailer, clock });
  const email = createEmail();
  await signIn.createClient().signInWithOtp({ email });
  await expect.poll(() => received).toHaveLength(1);
  expect(received[0]?.to).toEqual([email]);
  const plain = (received[0]?.raw ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const code = /^(\d{6})\r$/m.exec(plain)?.[1] ?? '';
  const { data } = await signIn.createClient().verifyOtp({ type: 'email', email, token: code });
  expect(data.user?.email).toBe(email);
  expect(plain).toContain('https://portal.example.org/auth/v1/confirm?token_hash=');
  await signIn.close();
  await mailer.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});
