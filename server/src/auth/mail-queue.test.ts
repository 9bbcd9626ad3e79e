// The mail queue: answers do not wait for the mail server, and a promised mail is sent whatever happens in between.
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../test/open-test-database.ts';
import {
  createEmail,
  createTestClock,
  openTestSignIn,
  type TestClock,
} from '../../test/open-test-sign-in.ts';
import type { Database } from '../db/database.ts';
import { type Mail, type Mailer, openSmtpMailer } from '../gateways/mailer.ts';

const PATIENCE = { timeout: 10_000 };

let db: Database;
let clock: TestClock;

beforeAll(async () => {
  db = await openTestDatabase();
});

afterAll(() => db.close());

beforeEach(async () => {
  clock = createTestClock();
  await db.query('delete from auth_mail');
});

/** A mail server in the tests' hands: takes, refuses or keeps waiting. */
function createMailer() {
  const taken: Mail[] = [];
  const state = { attempts: 0, answer: async (): Promise<void> => undefined };
  const mailer: Mailer = {
    send: async (mail) => {
      state.attempts += 1;
      await state.answer();
      taken.push(mail);
    },
    close: async () => undefined,
  };
  return { mailer, taken, state };
}

async function listQueue() {
  const { rows } = await db.query<{ email: string; attempts: number }>(
    'select email, attempts from auth_mail',
  );
  return rows;
}

test('the answer does not wait for the mail server, and a stop lets the mail under way finish', async () => {
  const { mailer, taken, state } = createMailer();
  const held = Promise.withResolvers<void>();
  state.answer = () => held.promise;
  const signIn = await openTestSignIn(db, { mailer, clock });
  const response = await signIn.call('/otp', { body: { email: createEmail() } });
  expect(response.status).toBe(200);
  await vi.waitFor(() => expect(state.attempts).toBe(1));
  let closed = false;
  const closing = signIn.service.close().then(() => {
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

test('a mail that the server refuses for now is tried again after 1, 5, 30 and 120 seconds', async () => {
  const { mailer, taken, state } = createMailer();
  state.answer = () => Promise.reject(new Error('busy'));
  const signIn = await openTestSignIn(db, { mailer, clock });
  const email = createEmail();
  await signIn.call('/otp', { body: { email } });
  await expectAttempts(1);
  for (const [index, seconds] of [1, 5, 30, 120].entries()) {
    clock.advance(seconds - 0.001);
    // A poll that finds nothing due leaves the row alone; one that finds it due would count an attempt.
    await signIn.call('/otp', { body: { email: createEmail(), create_user: false } });
    await vi.waitFor(async () => expect((await listQueue()).map((mail) => mail.email)).toEqual([email]));
    expect(state.attempts).toBe(index + 1);
    clock.advance(0.001);
    await expectAttempts(index + 2);
  }
  state.answer = async () => undefined;
  clock.advance(300);
  await vi.waitFor(async () => expect(await listQueue()).toEqual([]), PATIENCE);
  expect(taken.map((mail) => mail.to)).toEqual([email]);
  const token =
    new URL(/https:\S+/.exec(taken[0]?.text ?? '')?.[0] ?? '').searchParams.get('token_hash') ?? '';
  const { error } = await signIn.createClient().verifyOtp({ type: 'email', token_hash: token });
  expect(error).toBeNull();
  await signIn.close();

  async function expectAttempts(count: number) {
    await vi.waitFor(async () => {
      expect(state.attempts).toBe(count);
      expect(await countPostponed()).toBe(1);
    }, PATIENCE);
  }

  async function countPostponed() {
    const lease = new Date(clock.now().getTime() + 600_000).toISOString();
    const { rows } = await db.query(
      'select 1 from auth_mail where email = $1 and attempts = $2 and due_at > $3 and due_at < $4 and due_at <> $5',
      [email, state.attempts, clock.now().toISOString(), lease, leaseEnd()],
    );
    return rows.length;
  }

  function leaseEnd() {
    return new Date(clock.now().getTime() + 90_000).toISOString();
  }
});

test('a mail is given up, and said so, when its link would be dead', async () => {
  const { mailer, state } = createMailer();
  state.answer = () => Promise.reject(new Error('busy'));
  const signIn = await openTestSignIn(db, { mailer, clock });
  await signIn.call('/otp', { body: { email: createEmail() } });
  await vi.waitFor(() => expect(state.attempts).toBe(1));
  clock.advance(3600);
  await vi.waitFor(async () => expect(await listQueue()).toEqual([]), PATIENCE);
  expect(state.attempts).toBe(1);
  expect(signIn.lines).toContainEqual({ level: 'error', message: expect.stringMatching(/given up/) });
  await signIn.close();
});

test('an address that the mail server refuses for good is not tried again', async () => {
  const { mailer, state } = createMailer();
  const refusal = Object.assign(new Error('no such person'), { command: 'RCPT TO', responseCode: 550 });
  state.answer = () => Promise.reject(refusal);
  const signIn = await openTestSignIn(db, { mailer, clock });
  await signIn.call('/otp', { body: { email: createEmail() } });
  await vi.waitFor(async () => {
    expect(state.attempts).toBe(1);
    expect(await listQueue()).toEqual([]);
  });
  await signIn.close();
});

describe('a restart', () => {
  test('between the promise and the sending loses no mail', async () => {
    const { mailer, state } = createMailer();
    state.answer = () => Promise.reject(new Error('busy'));
    const before = await openTestSignIn(db, { mailer, clock });
    const email = createEmail();
    await before.call('/otp', { body: { email } });
    await vi.waitFor(() => expect(state.attempts).toBe(1));
    await before.close();
    expect((await listQueue()).map((mail) => mail.email)).toEqual([email]);
    clock.advance(60);
    const after = await openTestSignIn(db, { clock });
    const { token } = await after.readMail(email);
    expect((await after.createClient().verifyOtp({ type: 'email', token_hash: token })).error).toBeNull();
    await after.close();
  });

  test('in the middle of the sending loses no mail', async () => {
    const { mailer, state } = createMailer();
    state.answer = () => new Promise(() => undefined);
    const crashed = await openTestSignIn(db, { mailer, clock });
    const email = createEmail();
    await crashed.call('/otp', { body: { email } });
    await vi.waitFor(() => expect(state.attempts).toBe(1));
    // As dead as a killed process: it neither finishes nor looks again.
    void crashed.service.close();
    const after = await openTestSignIn(db, { clock });
    expect(after.outbox.list()).toEqual([]);
    clock.advance(90);
    expect((await after.readMail(email)).token).not.toBe('');
    await after.close();
  });
});

test('a newer request takes the place of a mail that still waits', async () => {
  const { mailer, taken, state } = createMailer();
  state.answer = () => Promise.reject(new Error('busy'));
  const signIn = await openTestSignIn(db, { mailer, clock });
  const email = createEmail();
  await signIn.call('/otp?redirect_to=https://portal.example.org/old', { body: { email } });
  await vi.waitFor(() => expect(state.attempts).toBeGreaterThan(0));
  state.answer = async () => undefined;
  clock.advance(60);
  await signIn.call('/otp?redirect_to=https://portal.example.org/new', { body: { email } });
  await vi.waitFor(() => expect(taken.at(-1)?.text).toContain('%2Fnew'), PATIENCE);
  await vi.waitFor(async () => expect(await listQueue()).toEqual([]));
  await signIn.close();
});

test('a mail goes through a real mail server to the one who asked, with link and code', async () => {
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
  await vi.waitFor(() => expect(received).toHaveLength(1), PATIENCE);
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
