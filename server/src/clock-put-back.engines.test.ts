// Tests a clock that was three days ahead and is put right: each stored time in the future is limited when it is read,
// so that nobody waits for days.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../test/open-test-database.ts';
import { createEmail, createTestClock, openTestSignIn } from '../test/open-test-sign-in.ts';
import { createTestJobs } from '../test/test-jobs.ts';
import { openRateCounts } from './auth/rate-counts.sql.ts';
import type { Database } from './db/database.ts';
import { countReveals, MAX_REVEALS } from './features/codes/codes.sql.ts';
import { findNextReadyMail } from './features/people/mails.sql.ts';
import { countAct } from './features/team/team.sql.ts';
import { JOB_KINDS, type JobKind, policyOf } from './jobs/job-kinds.ts';
import { listJobs } from './jobs/job-lists.sql.ts';
import { enqueueJob, enqueueRunningJob, limitDueTimes, renewJob } from './jobs/jobs.sql.ts';

const THREE_DAYS = 3 * 86_400;

let db: Database;

beforeAll(async () => {
  db = await openTestDatabase();
});

afterAll(() => db.close());

/** Adds a person and returns the id of the row. */
async function addPerson(): Promise<{ id: string }> {
  const { rows } = await db.query<{ id: string }>('insert into app_user (email) values ($1) returning id', [
    createEmail(),
  ]);
  return { id: rows[0]?.id ?? '' };
}

/** Starts the sign-in service with a clock that is ahead. */
async function openAhead() {
  const clock = createTestClock();
  const signIn = await openTestSignIn(db, { clock });
  clock.advance(THREE_DAYS);
  return { clock, signIn, putRight: () => clock.advance(-THREE_DAYS) };
}

test('an address gets its next mail after the interval, and not after days', async () => {
  const { clock, signIn, putRight } = await openAhead();
  const email = createEmail();
  await signIn.requestMail(email);
  putRight();
  const { error } = await signIn.createClient().signInWithOtp({ email });
  expect(error?.message).toBe('For security purposes, you can only request this after 60 seconds.');
  clock.advance(60);
  expect((await signIn.createClient().signInWithOtp({ email })).error).toBeNull();
  await signIn.close();
});

test('wrong codes lock an address for a day at most', async () => {
  const { clock, signIn, putRight } = await openAhead();
  const email = createEmail();
  await db.query('insert into auth_wrong_code (email, since, wrong) values ($1, $2, 20)', [
    email,
    clock.now().toISOString(),
  ]);
  putRight();
  const mails = () => signIn.outbox.list().filter((mail) => mail.to === email).length;
  const type = async () => {
    const before = mails();
    await signIn.requestMail(email);
    await expect.poll(mails).toBe(before + 1);
    const { code } = await signIn.readMail(email);
    return (await signIn.createClient().verifyOtp({ type: 'email', email, token: code })).error?.code;
  };
  expect(await type()).toBe('otp_expired');
  clock.advance(86_400);
  expect(await type()).toBeUndefined();
  await signIn.close();
});

test('a mailed link, a session and a used refresh token do not live longer after the next purge', async () => {
  const { clock, signIn, putRight } = await openAhead();
  const { token } = await signIn.requestMail(createEmail());
  const client = signIn.createClient();
  const { token: other } = await signIn.requestMail(createEmail());
  const used =
    (await client.verifyOtp({ type: 'email', token_hash: other })).data.session?.refresh_token ?? '';
  await client.refreshSession();
  await client.refreshSession();
  putRight();
  await signIn.service.purgeExpired();
  clock.advance(11);
  const refresh = { body: { refresh_token: used } };
  const reused = await signIn.call('/token?grant_type=refresh_token', refresh);
  expect(reused.status).toBe(400);
  clock.advance(3600 - 11);
  const late = await signIn.createClient().verifyOtp({ type: 'email', token_hash: token });
  expect(late.error?.code).toBe('otp_expired');
  await signIn.close();
});

test('limits of acts and of calls end after their period', async () => {
  const clock = createTestClock();
  const limit = { key: `invite:${createEmail()}`, most: 1, seconds: 3600 };
  const ahead = new Date(clock.now().getTime() + THREE_DAYS * 1000);
  await countAct(db, limit, ahead);
  const refused = await countAct(db, limit, clock.now());
  expect(refused.allowed).toBe(false);
  expect(refused.until).toEqual(new Date(clock.now().getTime() + 3_600_000));
  clock.advance(3600);
  expect((await countAct(db, limit, clock.now())).allowed).toBe(true);

  const counts = openRateCounts(db, 'ahead', { points: 1, duration: 60 });
  await db.query('insert into auth_rate (key, points, expire) values ($1, 5, $2)', [
    'ahead:a',
    Date.now() + THREE_DAYS * 1000,
  ]);
  expect((await counts.get('a'))?.msBeforeNext).toBeLessThanOrEqual(60_000);
  const { rows } = await db.query<{ expire: string }>("select expire from auth_rate where key = 'ahead:a'");
  expect(Number(rows[0]?.expire)).toBeLessThanOrEqual(Date.now() + 60_000);
});

test('staff who saw many codes see the next one after ten minutes', async () => {
  const { id } = await addPerson();
  await db.query(
    `insert into code_reveal (staff, refused, at)
     select $1, false, now() + interval '3 days' from generate_series(1, $2::integer)`,
    [id, MAX_REVEALS],
  );
  const { retry_after } = await countReveals(db, id);
  expect(retry_after).toBeGreaterThan(590);
  expect(retry_after).toBeLessThanOrEqual(600);
});

test('a person who was told of benefits is told again after a day', async () => {
  const now = new Date();
  const { id } = await addPerson();
  await db.query(
    `insert into ready_notice (user_id, product_ids, due_on, language, state, ended_at)
     values ($1, '{}', $2, 'en', 'sent', $3)`,
    [id, now.toISOString().slice(0, 10), new Date(now.getTime() + THREE_DAYS * 1000).toISOString()],
  );
  const next = (at: Date) => findNextReadyMail(db, { user: id, mail_id: '0', now: at });
  const tomorrow = new Date(now.getTime() + 86_400_000);
  expect(await next(now)).toEqual(tomorrow);
  expect(await next(tomorrow)).toBeNull();
});

test.each((Object.keys(JOB_KINDS) as JobKind[]).filter((kind) => kind !== 'ready-mail'))(
  'the job %s waits no longer than its own rule allows',
  async (kind) => {
    await db.query('delete from job');
    const now = new Date();
    await enqueueJob(db, { kind, key: 'waits' }, now, new Date(now.getTime() + THREE_DAYS * 1000));
    await limitDueTimes(db, now);
    const [job] = await listJobs(db, { failed: false, limit: 1 });
    const longest = Math.max(600, policyOf(kind).everySeconds ?? 0);
    expect(Date.parse(job?.due_at ?? '')).toBeLessThanOrEqual(now.getTime() + longest * 1000);
  },
);

test('a mail about access that begins on a later day waits for that day', async () => {
  await db.query('delete from job');
  const now = new Date();
  const due = new Date(now.getTime() + THREE_DAYS * 1000);
  await enqueueJob(db, { kind: 'ready-mail', key: 'a' }, now, due);
  await limitDueTimes(db, now);
  expect(await listJobs(db, { failed: false, limit: 1 })).toMatchObject([{ due_at: due.toISOString() }]);
});

test('the job of a process that died is claimed when a lease that begins now ends', async () => {
  await db.query('delete from job');
  const now = new Date();
  const ahead = new Date(now.getTime() + THREE_DAYS * 1000);
  const job = await enqueueRunningJob(db, { kind: 'import', key: 'a' }, ahead);
  if (job === null) throw new Error('not enqueued');
  await limitDueTimes(db, now);
  const [running] = await listJobs(db, { failed: false, limit: 1 });
  expect(running?.due_at).toBe(new Date(now.getTime() + 30_000).toISOString());
  expect(await renewJob(db, job, { now, progress: false })).toBe(true);
});

test('a worker notices that its clock was put back, and its recurring jobs go on', async () => {
  await db.query('delete from job');
  const clock = createTestClock();
  clock.advance(THREE_DAYS);
  let runs = 0;
  const run = async () => {
    runs += 1;
  };
  const jobs = createTestJobs(db, { 'check-stock': { run } }, { now: clock.now });
  await jobs.start();
  await expect.poll(() => runs).toBe(1);
  await expect.poll(async () => (await listJobs(db, { failed: false, limit: 1 }))[0]?.state).toBe('waiting');
  clock.advance(-THREE_DAYS);
  const due = async () => Date.parse((await listJobs(db, { failed: false, limit: 1 }))[0]?.due_at ?? '');
  await expect.poll(due).toBeLessThanOrEqual(clock.now().getTime() + 33_000);
  clock.advance(33);
  await expect.poll(() => runs).toBe(2);
  await jobs.close();
});
