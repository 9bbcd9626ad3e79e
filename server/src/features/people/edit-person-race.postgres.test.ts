// Tests edits of a person that run concurrently with sign-ins, mails and other edits. Runs on PostgreSQL only, because
// the embedded engine has one connection.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startSessionOf } from '../../../test/factories.ts';
import { comeBack, leave, REDIRECT_URI } from '../../../test/leave-for-google.ts';
import { createTestDatabase, openTestPostgres } from '../../../test/open-test-database.ts';
import { openTestProvider } from '../../../test/open-test-provider.ts';
import { createEmail, openTestSignIn, type TestSignIn } from '../../../test/open-test-sign-in.ts';
import type { Database } from '../../db/database.ts';
import { openOutbox } from '../../gateways/mailer.ts';
import { lockPeopleById } from '../cohorts/cohorts.sql.ts';
import { findCaller, type Member } from '../team/callers.sql.ts';
import { setRole } from '../team/team.ts';
import { createUsers } from './people.sql.ts';
import { editPerson } from './person.ts';

const ROUNDS = 40;
const refusal = Object.assign(new Error('550 5.1.1 unknown'), { final: true, refusesRecipient: true });

let db: Database;
let other: Database;
let signIn: TestSignIn;
let manager: Member;
// While true, the mail server permanently rejects all recipients.
let refuses = false;
beforeAll(async () => {
  const url = await createTestDatabase();
  [db, other] = await Promise.all([openTestPostgres(url), openTestPostgres(url)]);
  const outbox = openOutbox({ log: { info: () => undefined }, now: () => new Date() });
  const mailer = {
    ...outbox,
    send: (mail: Parameters<typeof outbox.send>[0]) =>
      refuses ? Promise.reject(refusal) : outbox.send(mail),
  };
  signIn = await openTestSignIn(db, { mailer, outbox });
  await setRole(
    db,
    { actor: 'operator', email: 'manager@example.org', team_role: 'manager' },
    { adminEmails: [] },
  );
  const session = await startSessionOf(db, { email: 'manager@example.org', name: null });
  manager = (await findCaller(db, session)) as Member;
});
afterAll(async () => {
  await signIn.close();
  await other.close();
  await db.close();
});

async function addPerson(email: string): Promise<string> {
  const { rows } = await db.query<{ user_id: string }>(
    'insert into app_user (email, mail_refused_at) values ($1, now()) returning user_id',
    [email],
  );
  return rows[0]?.user_id ?? '';
}

const moveTo = (user_id: string, email: string) =>
  editPerson(
    other,
    { user_id, email, name: null, phone_number: null, actor: manager },
    { adminEmails: [], closeAccount: signIn.service.closeAccount },
  );

test('R-TRAIL-35: while a file that adds the new address has not committed, the edit waits, and is refused then', async () => {
  const [email, next] = [createEmail(), createEmail()];
  const user_id = await addPerson(email);
  const refused = await db.transaction(async (tx) => {
    const row = { email: next, name: null, phone_number: null, payment_id: null };
    await createUsers(tx, [row], { actor: 'staff@example.org' });
    const edited = moveTo(user_id, next).catch((error: unknown) => error);
    const waiting =
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await expect.poll(async () => (await db.query(waiting)).rowCount).toBe(1);
    return { edited };
  });
  expect(await refused.edited).toMatchObject({ code: 'duplicate_email' });
});

test('R-TRAIL-35: while the person signs in, neither fails, and no session of the old address reaches the record', async () => {
  refuses = false;
  for (let round = 0; round < ROUNDS; round += 1) {
    const [email, next] = [createEmail(), createEmail()];
    const user_id = await addPerson(email);
    const { token } = await signIn.requestMail(email);
    const [edited, verified] = await Promise.allSettled([
      moveTo(user_id, next),
      signIn.createClient().verifyOtp({ type: 'email', token_hash: token }),
    ]);
    expect(edited.status).toBe('fulfilled');
    expect(verified.status === 'fulfilled' ? (verified.value.error?.code ?? null) : 'failed').toBeOneOf([
      null,
      'otp_expired',
    ]);
    const { rows } = await db.query(
      'select 1 from signed_in s join app_user u on u.email = s.email where u.user_id = $1',
      [user_id],
    );
    expect(rows).toEqual([]);
  }
});

test('R-TRAIL-35: while the person signs in with Google, neither fails, and no session of the old address belongs to the account', async () => {
  const provider = await openTestProvider({ redirectUri: REDIRECT_URI });
  const service = await openTestSignIn(db, { settings: { google: provider.settings } });
  onTestFinished(async () => {
    await service.close();
    await provider.close();
  });
  // Starts a sign-in, and returns a function that makes its last request.
  const prepare = async (sub: string) => {
    const { address, cookie } = await leave(service);
    const back = await provider.signIn(address, sub);
    return () => comeBack(service, back, cookie);
  };
  for (let round = 0; round < 20; round += 1) {
    const [email, sub] = [createEmail(), randomUUID()];
    const user_id = await addPerson(email);
    provider.setAccount(sub, { sub, email, email_verified: true });
    // In half of the rounds the account has signed in before.
    if (round % 2 === 0) await (await prepare(sub))();
    const signInNow = await prepare(sub);
    const [edited, arrived] = await Promise.all([moveTo(user_id, createEmail()), signInNow()]);
    expect(edited.user_id).toBe(user_id);
    expect(arrived.status).toBe(302);
    const { rows } = await db.query(
      `select 1 from signed_in s join identity_person p on p.provider_id = $2 where s.email = $1`,
      [email, sub],
    );
    expect(rows).toEqual([]);
  }
});

test('R-TRAIL-35: while a mail to the old address is refused for good, neither fails, and the new address is not marked', async () => {
  refuses = true;
  for (let round = 0; round < ROUNDS; round += 1) {
    const [email, next] = [createEmail(), createEmail()];
    const user_id = await addPerson(email);
    await signIn.call('/otp', { body: { email } });
    await moveTo(user_id, next);
    await expect
      .poll(
        async () =>
          (await db.query("select 1 from job where state in ('waiting', 'running') and key = $1", [email]))
            .rows,
      )
      .toEqual([]);
    const { rows } = await db.query('select email, mail_refused_at from app_user where user_id = $1', [
      user_id,
    ]);
    expect(rows).toEqual([{ email: next, mail_refused_at: null }]);
  }
  expect(signIn.lines.filter(({ message }) => message.includes('cannot be worked on'))).toEqual([]);
});

test('R-TRAIL-35: of edits of one person that were made from one version, one succeeds', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const user_id = await addPerson(createEmail());
    const results = await Promise.allSettled(
      [db, other, db, other].map((from) =>
        editPerson(
          from,
          { user_id, email: createEmail(), name: null, phone_number: null, version: 1, actor: manager },
          { adminEmails: [], closeAccount: signIn.service.closeAccount },
        ),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'edit_conflict' });
  }
});

test('R-TRAIL-35: of edits of many people to one address, one succeeds, the others name that person', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const email = createEmail();
    const ids = await Promise.all([1, 2, 3, 4].map(() => addPerson(createEmail())));
    const results = await Promise.allSettled(ids.map((id) => moveTo(id, email)));
    const winners = ids.filter((_id, index) => results[index]?.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({ code: 'duplicate_email', user_id: winners[0] });
  }
});

test('R-TRAIL-35: while an import locks the person and an owner who came later, both succeed', async () => {
  const user_id = await addPerson(createEmail());
  const owner = createEmail();
  await setRole(db, { actor: 'operator', email: owner, team_role: 'owner' }, { adminEmails: [] });
  const { rows } = await db.query<{ id: string }>(
    'select id from app_user where user_id = $1 or email = $2 order by id',
    [user_id, owner],
  );
  const next = createEmail();
  let edited: Promise<unknown> = Promise.resolve();
  await db.transaction(async (tx) => {
    // Locks the people in the order of their ids, as an import does.
    for (const [at, { id }] of rows.entries()) {
      await lockPeopleById(tx, [id]);
      if (at > 0) break;
      edited = moveTo(user_id, next);
      await expect
        .poll(async () => (await db.query('select from pg_locks where not granted')).rows.length)
        .toBeGreaterThan(0);
    }
  });
  await expect(edited).resolves.toMatchObject({ email: next });
});
