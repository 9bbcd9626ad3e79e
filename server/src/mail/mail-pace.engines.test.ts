// Tests mails at real SMTP servers that are slow, silent, or ask for fewer mails: each person gets one mail whose link
// works, or its failure is shown to staff.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openScriptedSmtp, type SmtpStep } from '../../test/open-scripted-smtp.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import {
  createEmail,
  createTestClock,
  openTestSignIn,
  type TestClock,
} from '../../test/open-test-sign-in.ts';
import { createTestJobs } from '../../test/test-jobs.ts';
import type { Database } from '../db/database.ts';
import { openSmtpMailer } from '../gateways/mailer.ts';
import { listFailedJobs } from '../jobs/job-lists.sql.ts';
import { enqueueJob } from '../jobs/jobs.sql.ts';
import { openMailPace } from './mail-pace.ts';
import { countAccepted, findMailPace, halvePace } from './mails.sql.ts';

const TIMEOUTS = { connect: 10_000, wait: 10_000, envelope: 10_000, content: 10_000, final: 10_000 };

let db: Database;
let clock: TestClock;
let claiming = 0;
const opened: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  db = await openTestDatabase();
});

afterAll(() => db.close());

beforeEach(() => {
  clock = createTestClock();
});

afterEach(async () => {
  for (const part of opened.splice(0).reverse()) await part.close();
  await db.query('delete from job');
  await db.query('delete from mail_pace');
});

type Options = { perMinute?: number | null; finalMs?: number };

/** Opens a mail server that sends the responses of `respond`, and a mailer that uses this server. */
async function openServer(
  respond: (step: SmtpStep, to: string) => string | null,
  { perMinute = null, finalMs = TIMEOUTS.final }: Options = {},
) {
  const smtp = await openScriptedSmtp(respond);
  const mailer = openPace(smtp.url, { perMinute, finalMs });
  opened.push(smtp, mailer);
  return { smtp, mailer };
}

function openPace(url: string, { perMinute = null, finalMs = TIMEOUTS.final }: Options) {
  const from = 'Portal <portal@example.org>';
  const timeouts = { ...TIMEOUTS, final: finalMs };
  const log = { warn: () => undefined };
  const mailer = openSmtpMailer({ url, from, timeouts });
  const pace = openMailPace({ db, mailer, perMinute, now: clock.now, log });
  const claim: typeof pace.claim = async (...call) => {
    claiming += 1;
    return pace.claim(...call).finally(() => {
      claiming -= 1;
    });
  };
  return { ...pace, claim };
}

/** Starts the sign-in service with this mailer. Each `step` sends the due mails, and resolves when no mail job runs. */
async function openSignIn({ mailer }: Awaited<ReturnType<typeof openServer>>) {
  const signIn = await openTestSignIn(db, { clock, mailer, claimMails: mailer.claim });
  opened.push(signIn);
  const step = async (seconds = 0) => {
    clock.advance(seconds);
    signIn.jobs.wake('mail');
    await becomeIdle();
  };
  return { signIn, step };
}

/** Waits until no mail job runs or is being claimed. */
async function becomeIdle(): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    await nextTurn();
    const { rows } = await db.query("select 1 from job where lane = 'mail' and state = 'running'");
    quiet = rows.length === 0 && claiming === 0 ? quiet + 1 : 0;
  }
}

async function listMails() {
  const { rows } = await db.query<{ state: string; tries: number; reason: string | null }>(
    "select state, tries, reason from job where lane = 'mail' order by id",
  );
  return rows;
}

async function readPace() {
  const { rows } = await db.query<{ per_minute: number | null }>('select per_minute from mail_pace');
  return rows[0]?.per_minute ?? null;
}

function readMail(raw: string | undefined) {
  const text = (raw ?? '').replaceAll('=\n', '').replaceAll('=3D', '=');
  return {
    id: /^Message-ID: (.*)$/im.exec(text)?.[1],
    token: /token_hash=([\w-]+)/.exec(text)?.[1] ?? '',
    code: /^(\d{6})$/m.exec(text)?.[1],
  };
}

describe('a mail whose acceptance is unknown', () => {
  test.each(['silence', 'hang up'])(
    'R-MAP-30: is sent again once, with the same Message-ID, link and code: %s after the last line',
    async (response) => {
      let mails = 0;
      const server = await openServer((at) => (at === '.' && ++mails === 1 ? response : null), {
        finalMs: 300,
      });
      const { signIn, step } = await openSignIn(server);
      await signIn.call('/otp', { body: { email: createEmail() } });
      await expect.poll(async () => (await listMails())[0]?.reason).toMatch(/did not say/);
      await step(1);
      await expect.poll(listMails).toEqual([]);
      const [first, second] = server.smtp.mails.map(({ raw }) => readMail(raw));
      expect(server.smtp.mails).toHaveLength(2);
      expect(first?.id).toMatch(/^<.+@example\.org>$/);
      expect(second).toEqual(first);
      const { error } = await signIn
        .createClient()
        .verifyOtp({ type: 'email', token_hash: first?.token ?? '' });
      expect(error).toBeNull();
    },
  );

  test('R-MAP-30: for the second time has failed, which staff see, and is sent no more', async () => {
    const server = await openServer((at) => (at === '.' ? 'silence' : null), { finalMs: 100 });
    const { signIn, step } = await openSignIn(server);
    await signIn.call('/otp', { body: { email: createEmail() } });
    await expect.poll(async () => (await listMails())[0]?.reason).toMatch(/did not say/);
    await step(1);
    await expect.poll(async () => (await listMails())[0]?.state).toBe('failed');
    await step(86_400);
    expect(server.smtp.mails).toHaveLength(2);
    expect(await listFailedJobs(db, 10)).toMatchObject([
      { reason: 'The mail server did not say whether it accepted the mail' },
    ]);
  });

  test('R-MAP-30: a mail server may take its time, and a mail that was not sent as a whole is just tried again', async () => {
    let calls = 0;
    const server = await openServer((at) => (at === 'DATA' && ++calls < 4 ? 'hang up' : null));
    const { signIn, step } = await openSignIn(server);
    await signIn.call('/otp', { body: { email: createEmail() } });
    for (const seconds of [0, 1, 5, 30]) await step(seconds);
    await expect.poll(listMails).toEqual([]);
    expect([calls, server.smtp.mails.length]).toEqual([4, 1]);
  });
});

describe('a mail server that asks for fewer mails', () => {
  test.each<[SmtpStep, string]>([
    ['connect', '421 4.3.2 too many connections'],
    ['AUTH', '454 4.7.0 try later'],
    ['MAIL', '421 4.7.0 try later'],
    ['MAIL', '450 4.7.1 slower'],
    ['RCPT', '421 4.7.0 try later'],
    ['DATA', '451 4.7.1 slower'],
    ['.', '452 4.3.1 no room'],
    ['.', '421 4.7.0 try later'],
  ])('R-MAP-31: at %s with %s slows down the portal, and the try does not count', async (at, response) => {
    let refusals = 0;
    const server = await openServer((asked) => (asked === at && ++refusals <= 3 ? response : null));
    const { signIn, step } = await openSignIn(server);
    const email = createEmail();
    await signIn.call('/otp', { body: { email } });
    await expect.poll(readPace).toBe(480);
    for (let more = 1; more < 3; more += 1) {
      await becomeIdle();
      expect(await listMails()).toEqual([{ state: 'waiting', tries: 0, reason: response }]);
      await step(12);
    }
    expect(await readPace()).toBe(120);
    await step(12);
    await expect.poll(listMails).toEqual([]);
    const accepted = server.smtp.mails.filter((mail) => mail.accepted);
    expect(accepted.map(({ to }) => to)).toEqual([email]);
    const { token } = readMail(accepted[0]?.raw);
    expect((await signIn.createClient().verifyOtp({ type: 'email', token_hash: token })).error).toBeNull();
  });

  test('R-MAP-31: a burst of refusals halves the pace once, and twenty accepted mails double it', async () => {
    let busy = true;
    const server = await openServer((at) => (at === 'MAIL' && busy ? '421 slower' : null));
    const { step } = await openSignIn(server);
    const enqueue = async (count: number) => {
      for (let more = 0; more < count; more += 1)
        await enqueueJob(db, signInMail(createEmail()), clock.now());
    };
    await enqueue(4);
    await step();
    expect(await readPace()).toBe(480);
    await step(10);
    expect(await readPace()).toBe(240);
    busy = false;
    await enqueue(34);
    for (const [sent, pace] of [
      [8, 240],
      [16, 240],
      [24, 480],
      [32, 480],
      [38, 480],
    ]) {
      for (let more = 0; server.smtp.mails.length < Number(sent) && more < 100; more += 1) await step(0.5);
      if (server.smtp.mails.length === sent) expect(await readPace()).toBe(pace);
    }
    await enqueue(10);
    for (let more = 0; more < 40; more += 1) await step(1);
    expect(await listMails()).toEqual([]);
    expect(await readPace()).toBeNull();
  });

  test('R-MAP-31: an hour after it asked for fewer mails, a new refusal halves the full pace, and accepted mails slow nothing', async () => {
    const forget = () => clock.advance(3_601);
    const halve = () => halvePace(db, { full: 960, begunAt: clock.now(), now: clock.now() });
    clock.advance(1);
    for (const pace of [480, 240]) {
      expect(await halve()).toBe(pace);
      clock.advance(1);
    }
    forget();
    expect(await halve()).toBe(480);
    forget();
    for (let more = 0; more < 20; more += 1) await countAccepted(db, 960, clock.now());
    expect(await findMailPace(db, clock.now())).toMatchObject({ per_minute: null });
  });

  test('R-MAP-31: that delays one mailbox while it accepts others does not slow them, and the try counts', async () => {
    const [full, other] = [createEmail(), createEmail()];
    const server = await openServer((at, to) =>
      at === 'RCPT' && to === full ? '452 4.2.2 mailbox full' : null,
    );
    const { signIn, step } = await openSignIn(server);
    await signIn.call('/otp', { body: { email: full } });
    await expect.poll(listMails).toMatchObject([{ state: 'waiting', tries: 1 }]);
    await signIn.call('/otp', { body: { email: other } });
    await expect.poll(() => server.smtp.mails.length).toBe(1);
    await step(1);
    expect(await listMails()).toMatchObject([{ state: 'waiting', tries: 2 }]);
    expect(await readPace()).toBeNull();
  });

  test('R-MAP-31: that delays every mailbox slows down the portal', async () => {
    const server = await openServer((at) => (at === 'RCPT' ? '450 4.7.1 slower' : null));
    const { signIn, step } = await openSignIn(server);
    for (let more = 0; more < 3; more += 1) {
      await signIn.call('/otp', { body: { email: createEmail() } });
      await becomeIdle();
    }
    for (let more = 0; more < 30; more += 1) await step(10);
    expect((await listMails()).map(({ tries }) => tries > 1)).toEqual([false, false, false]);
    expect(await readPace()).toBe(6);
  });

  test('R-MAP-31: for a day: the mail is given up with the words of the mail server', async () => {
    const server = await openServer((at) => (at === 'MAIL' ? '421 4.7.0 not today' : null));
    const write = () => ({ to: createEmail(), subject: 'Subject', text: 'Text' });
    const run = (_job: unknown, { signal }: { signal: AbortSignal }) => server.mailer.send(write(), signal);
    const jobs = createTestJobs(
      db,
      { 'stock-mail': { run } },
      { now: clock.now, claimMails: server.mailer.claim },
    );
    opened.push(jobs);
    await enqueueJob(db, { kind: 'stock-mail', key: 'a' }, clock.now());
    for (const [seconds, state] of [
      [0, 'waiting'],
      [86_399, 'waiting'],
      [11, 'failed'],
    ] as const) {
      clock.advance(seconds);
      jobs.wake('mail');
      await becomeIdle();
      await expect.poll(async () => (await listMails())[0]?.state).toBe(state);
    }
    expect(await listFailedJobs(db, 10)).toMatchObject([{ reason: '421 4.7.0 not today' }]);
  });

  test('R-MAP-31: 60 mails at a server that accepts 30 a minute arrive once each, and none fails', async () => {
    const accepted: number[] = [];
    const server = await openServer((at) => {
      if (at !== '.') return null;
      const now = clock.now().getTime();
      if (accepted.filter((time) => time > now - 60_000).length >= 30) return '451 4.7.1 too many';
      accepted.push(now);
      return null;
    });
    const { step } = await openSignIn(server);
    for (let more = 0; more < 60; more += 1) await enqueueJob(db, signInMail(createEmail()), clock.now());
    for (let seconds = 0; seconds < 1_200 && accepted.length < 60; seconds += 5) await step(5);
    expect(await listMails()).toEqual([]);
    const people = server.smtp.mails.filter((mail) => mail.accepted).map(({ to }) => to);
    expect([people.length, new Set(people).size]).toEqual([60, 60]);
  });
});

describe('a permanent refusal', () => {
  test.each<[SmtpStep, string]>([
    ['MAIL', '550 5.7.1 sender refused'],
    ['RCPT', '550 5.1.1 nobody here'],
    ['DATA', '554 5.7.1 no'],
    ['.', '554 5.6.0 refused after all'],
  ])('R-MAP-31: at %s is final, and staff see its words: %s', async (at, response) => {
    const server = await openServer((asked) => (asked === at ? response : null));
    const { signIn } = await openSignIn(server);
    await signIn.call('/otp', { body: { email: createEmail() } });
    await expect
      .poll(listMails)
      .toEqual([{ state: 'failed', tries: 1, reason: expect.stringContaining(response) }]);
    expect(await readPace()).toBeNull();
  });

  test('R-MAP-31: of the whole connection, such as a wrong password, is retried', async () => {
    const server = await openServer((at) => (at === 'AUTH' ? '535 5.7.8 wrong password' : null));
    const { signIn } = await openSignIn(server);
    await signIn.call('/otp', { body: { email: createEmail() } });
    await expect.poll(listMails).toMatchObject([{ state: 'waiting', tries: 1 }]);
  });
});

test('R-MAP-31: SMTP_PER_MINUTE holds in any minute over several processes, and sign-in mails go first', async () => {
  const sent: { at: number; kind: string }[] = [];
  const smtp = await openScriptedSmtp((at, to) => {
    if (at === '.') sent.push({ at: clock.now().getTime(), kind: to.split('@')[0] ?? '' });
    return null;
  });
  opened.push(smtp);
  const workers = [90, 90].map((perMinute) => {
    const pace = openPace(smtp.url, { perMinute });
    const send = (kind: string) => ({
      run: (_job: unknown, { signal }: { signal: AbortSignal }) =>
        pace.send({ to: `${kind}@example.org`, subject: 'Subject', text: 'Text' }, signal),
    });
    const handlers = { 'sign-in-mail': send('first'), 'stock-mail': send('later') };
    const jobs = createTestJobs(db, handlers, { now: clock.now, claimMails: pace.claim });
    opened.push(pace, jobs);
    return jobs;
  });
  for (let more = 0; more < 150; more += 1)
    await enqueueJob(db, { kind: 'stock-mail', key: `${more}` }, clock.now());
  for (let seconds = 0; seconds < 100; seconds += 1) {
    if (seconds === 30)
      for (let more = 0; more < 20; more += 1) await enqueueJob(db, signInMail(`${more}`), clock.now());
    for (const jobs of workers) jobs.wake('mail');
    await becomeIdle();
    clock.advance(1);
  }
  const busiest = Math.max(
    ...sent.map(({ at }) => sent.filter((mail) => mail.at >= at && mail.at < at + 60_000).length),
  );
  expect(busiest).toBeLessThanOrEqual(90);
  expect(busiest).toBeGreaterThan(80);
  const firstAt = sent.findIndex(({ kind }) => kind === 'first');
  expect(sent.slice(firstAt, firstAt + 20).map(({ kind }) => kind)).toEqual(Array(20).fill('first'));
});

function signInMail(email: string) {
  const data = {
    create_user: true,
    redirect_to: 'https://portal.example.org/',
    code_challenge: null,
    code_challenge_method: null,
    language: 'en',
  };
  return { kind: 'sign-in-mail' as const, key: email, data };
}
