// Tests erasures that run concurrently with redemptions, imports, mails and other owners. Runs on PostgreSQL only,
// because the embedded engine has one connection.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct, startSessionOf, utcDayOf } from '../../../test/factories.ts';
import { createTestDatabase, openTestPostgres } from '../../../test/open-test-database.ts';
import { createUploadTools } from '../../../test/test-jobs.ts';
import { closeAccount } from '../../auth/sessions.ts';
import { importCsv } from '../../bulk/uploads.ts';
import type { Database, Db } from '../../db/database.ts';
import { MAIL_LOG } from '../../mail/mail-log.ts';
import { createGrants } from '../access/grants.ts';
import { lockPeopleById } from '../cohorts/cohorts.sql.ts';
import { prepareCodeMail } from '../people/mails.ts';
import { createUsers } from '../people/people.sql.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { findCaller, type Member } from '../team/callers.sql.ts';
import { setRole } from '../team/team.ts';
import { erasePerson } from './erase.ts';

let db: Database;
let other: Database;
let owner: Member;
beforeAll(async () => {
  const url = await createTestDatabase();
  [db, other] = await Promise.all([openTestPostgres(url), openTestPostgres(url)]);
  owner = await addOwner('owner@example.org');
});
afterAll(async () => {
  await other.close();
  await db.close();
});

const now = () => new Date();
const tools = { now, adminEmails: [], forgetAddress: closeAccount };
const redeemTools = { now, dayOf: utcDayOf, supportEmail: 'help@example.org' };

async function addOwner(email: string): Promise<Member> {
  await setRole(db, { actor: 'operator', email, team_role: 'owner' }, { adminEmails: [] });
  const session = await startSessionOf(db, { email, name: null });
  return (await findCaller(db, session)) as Member;
}

const newEmail = () => `person-${randomUUID().slice(0, 8)}@example.org`;
const erase = (email: string, actor = owner) =>
  erasePerson(other, { named: email, email, reason: 'asked', actor }, tools);
const codeOf = (error: unknown) => (error as { code?: string }).code;

async function findPeople(email: string, user_id: string) {
  const { rows } = await db.query<{ email: string; grants: number; is_erased: boolean }>(
    `select u.email, u.erased_at is not null as is_erased, (
       select count(*)::int from access_grant g where g.user_id = u.id and g.withdrawn_at is null) as grants
     from app_user u where u.id = $2 or u.email = $1 order by u.id`,
    [email, user_id],
  );
  return rows;
}

async function waitForLock(tx: Db): Promise<void> {
  await expect
    .poll(async () => (await tx.query('select from pg_locks where not granted')).rows.length)
    .toBeGreaterThan(0);
}

test('R-PRIV-03: of a redemption and an erasure at once, the code stays with the erased row, or nobody gets it', async () => {
  const product = await addProduct(db, { codes: 60 });
  const outcomes: unknown[] = [];
  for (let round = 0; round < 30; round += 1) {
    const learner = await addLearner(db, [product], newEmail());
    const session = await startSessionOf(db, learner);
    const press = { productId: product.product_id, caller: session };
    const redeem = () => redeemCoupon(db, press, redeemTools).catch(codeOf);
    const [redeemed, erased] = await Promise.all([redeem(), erase(learner.email)]);
    const { rows } = await db.query('select 1 from coupon where holder = $1', [learner.user_id]);
    const isGiven = typeof redeemed === 'object';
    expect(isGiven ? 1 : 0).toBe(rows.length);
    if (!isGiven) expect(redeemed).toBe('authentication_required');
    expect(erased.codes_kept).toBeLessThanOrEqual(rows.length);
    expect(await redeem()).toBe('authentication_required');
    outcomes.push(isGiven);
  }
  const { rows } = await db.query<{ held: number; redeemed: number }>(
    `select (select count(*)::int from coupon where holder is not null) as held,
       (select count(*)::int from audit where action = 'coupon.redeem') as redeemed`,
  );
  expect(rows[0]?.held).toBe(rows[0]?.redeemed);
});

test.each([null, 'cohort'])(
  'R-PRIV-03: an import that waits for an erasure makes a new person (%s)',
  async (given) => {
    const product = await addProduct(db);
    const learner = await addLearner(db, [product], newEmail());
    const cohort_id = given === null ? undefined : await addCohort();
    const upload = {
      ...{ kind: 'users' as const, csvData: `email,name\n${learner.email},New\n`, actor: owner.email },
      ...{ product_ids: [product.product_id], cohort_id },
    };
    let importing: Promise<unknown> = Promise.resolve();
    // A transaction that has locked the person keeps the import and the erasure waiting.
    let erasing: Promise<unknown> = Promise.resolve();
    await db.transaction(async (tx) => {
      await lockPeopleById(tx, [learner.user_id ?? '']);
      erasing = erase(learner.email);
      await waitForLock(tx);
      importing = importCsv(other, upload, createUploadTools(other));
      await expect
        .poll(async () => (await tx.query('select from pg_locks where not granted')).rows.length)
        .toBeGreaterThan(1);
    });
    await Promise.all([erasing, importing]);
    expect(await findPeople(learner.email, learner.user_id ?? '')).toEqual([
      { email: expect.stringContaining('@erased.invalid'), grants: 0, is_erased: true },
      { email: learner.email, grants: 1, is_erased: false },
    ]);
  },
);

async function addCohort(): Promise<string> {
  const { rows } = await db.query<{ cohort_id: string }>(
    'insert into cohort (name, created_by) values ($1, $2) returning cohort_id',
    [randomUUID(), owner.email],
  );
  return rows[0]?.cohort_id ?? '';
}

test('R-PRIV-03: an erasure waits for an import that has named the address, and withdraws what it gave', async () => {
  const email = newEmail();
  const row = { email, name: null, phone_number: null, payment_id: null };
  await createUsers(db, [row], { actor: owner.email });
  let erasing: Promise<unknown> = Promise.resolve();
  const { rows } = await db.query<{ id: string }>('select id from app_user where email = $1', [email]);
  const { id = '' } = rows[0] ?? {};
  await db.transaction(async (tx) => {
    await lockPeopleById(tx, [id]);
    erasing = erase(email);
    await waitForLock(tx);
    await tx.query(
      "insert into access_grant (user_id, starts_on, granted_by) values ($1, '2000-01-01', $2)",
      [id, owner.email],
    );
  });
  await erasing;
  expect(await findPeople(email, id)).toMatchObject([{ grants: 0, is_erased: true }]);
});

test('R-PRIV-03: a grant that waits for an erasure finds nobody', async () => {
  const product = await addProduct(db);
  const learner = await addLearner(db, [product], newEmail());
  const given = { email: learner.email, product_ids: [product.product_id] };
  let giving: Promise<unknown> = Promise.resolve();
  let erasing: Promise<unknown> = Promise.resolve();
  await db.transaction(async (tx) => {
    await lockPeopleById(tx, [learner.user_id ?? '']);
    erasing = erase(learner.email);
    await waitForLock(tx);
    giving = createGrants(db, { actor: owner.email, given }, { now, dayOf: utcDayOf }).catch(codeOf);
    await expect
      .poll(async () => (await tx.query('select from pg_locks where not granted')).rows.length)
      .toBeGreaterThan(1);
  });
  await erasing;
  expect(await giving).toBe('user_not_found');
  expect(await findPeople(learner.email, learner.user_id ?? '')).toMatchObject([{ grants: 0 }]);
});

test('R-PRIV-03: a mail that is being sent during an erasure is dropped, or gone, and leaves no address behind', async () => {
  const product = await addProduct(db);
  const learner = await addLearner(db, [product], newEmail());
  const { rows } = await db.query<{ user_id: string }>('select user_id from app_user where id = $1', [
    learner.user_id,
  ]);
  const data = {
    about: learner.email,
    user_id: rows[0]?.user_id,
    product_id: product.product_id,
    language: 'en',
  };
  const job = {
    id: '1',
    kind: 'code-mail',
    key: 'k',
    data,
    created_at: now().toISOString(),
    tries: 1,
    reason: null,
  };
  const site = { publicUrl: 'http://localhost', brand: { name: 'A', accent: '#000', support_email: '' } };
  await prepareCodeMail(db, job as never, site);
  await erase(learner.email);
  // The mail server accepts the mail now.
  await db.transaction(async (tx) => MAIL_LOG.onDone(tx, job as never, `250 ${learner.email}`));
  await expect(prepareCodeMail(db, job as never, site)).rejects.toThrow('The address was changed');
  const { rows: lines } = await db.query('select 1 from audit where detail::text like $1 or actor = $2', [
    `%${learner.email}%`,
    learner.email,
  ]);
  expect(lines).toEqual([]);
});

test('R-PRIV-02: of two owners who erase each other at once, one stays', async () => {
  const [one, two] = [await addOwner('one@example.org'), await addOwner('two@example.org')];
  await setRole(db, { actor: 'operator', email: owner.email, team_role: 'manager' }, { adminEmails: [] });
  const results = await Promise.allSettled([
    erasePerson(db, { named: two.email, email: two.email, reason: 'asked', actor: one }, tools),
    erasePerson(other, { named: one.email, email: one.email, reason: 'asked', actor: two }, tools),
  ]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const { rows } = await db.query("select 1 from app_user where team_role = 'owner'");
  expect(rows).toHaveLength(1);
  const left = results[0]?.status === 'fulfilled' ? one : two;
  const last = erasePerson(db, { named: left.email, email: left.email, reason: 'asked', actor: left }, tools);
  await expect(last).rejects.toMatchObject({ code: 'last_owner' });
  const { rows: refused } = await db.query("select 1 from audit where action = 'team.refused_last_owner'");
  expect(refused).toHaveLength(1);
});
