// Tests pairs of concurrent actions on one person or one product; docs/concurrency.md lists all pairs.
// Runs on PostgreSQL only, because the embedded engine has one connection.
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { addLearner, addProduct, startSessionOf, utcDayOf, utcToday } from '../../../test/factories.ts';
import { comeBack, leave, REDIRECT_URI } from '../../../test/leave-for-google.ts';
import { createTestDatabase, openTestPostgres } from '../../../test/open-test-database.ts';
import { openTestProvider } from '../../../test/open-test-provider.ts';
import { createEmail, openTestSignIn, type TestSignIn } from '../../../test/open-test-sign-in.ts';
import { createUploadTools } from '../../../test/test-jobs.ts';
import { authenticationRequired } from '../../app-error.ts';
import { voidBatch } from '../../bulk/batch-acts.ts';
import { findJobState } from '../../bulk/bulk-jobs.sql.ts';
import { CHUNK_ROWS } from '../../bulk/read-file.ts';
import { undoImport } from '../../bulk/undo.ts';
import { importCsv } from '../../bulk/uploads.ts';
import type { Database, Db } from '../../db/database.ts';
import { editPerson } from '../people/person.ts';
import { claimCoupon } from '../redeem/redeem.sql.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { findCaller, type Identity, type Member } from '../team/callers.sql.ts';
import { removeMember, setMemberRole, setRole } from '../team/team.ts';

const STAFF = 'staff@example.org';

let db: Database;
let other: Database;
let signIn: TestSignIn;
let owner: Member;
beforeAll(async () => {
  const url = await createTestDatabase();
  [db, other] = await Promise.all([openTestPostgres(url), openTestPostgres(url)]);
  signIn = await openTestSignIn(db);
  owner = await addMember('owner@example.org', 'owner');
});
afterAll(async () => {
  await signIn?.close();
  await other?.close();
  await db?.close();
});

async function addMember(email: string, team_role: 'owner' | 'manager'): Promise<Member> {
  await setRole(db, { actor: 'operator', email, team_role }, { adminEmails: [] });
  return (await findCaller(db, await startSessionOf(db, { email, name: null }))) as Member;
}

const teamTools = () => ({
  now: () => new Date(),
  adminEmails: [],
  rateLimits: false,
  endSessions: signIn.service.endSessions,
});

async function publicIdOf(id: string | null): Promise<string> {
  const { rows } = await db.query<{ user_id: string }>('select user_id from app_user where id = $1', [id]);
  return rows[0]?.user_id ?? '';
}

async function countWaiting(): Promise<number> {
  const { rowCount } = await db.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rowCount;
}

/** Starts the action. Resolves when it waits for a lock or has ended. The caller handles the action's error. */
async function begin<T>(act: () => Promise<T>): Promise<{ ended: Promise<T> }> {
  const before = await countWaiting();
  const ended = act();
  let isEnded = false;
  const end = () => {
    isEnded = true;
  };
  ended.then(end, end);
  while (!isEnded && (await countWaiting()) <= before) await nextTurn();
  return { ended };
}

const asCode = (error: { code?: string }) => error.code ?? String(error);
const outcomeOf = (act: Promise<unknown>) => act.then(() => 'done', asCode);

/** Edits the person's address, and calls `during` before the edit commits. Returns the outcomes of both. */
async function editWhile<T>(id: string | null, email: string, during: () => Promise<T>) {
  let begun: { ended: Promise<T> } | undefined;
  const user_id = await publicIdOf(id);
  const edit = { user_id, email, name: 'Amara Okafor', phone_number: null, actor: owner };
  const closeAccount = async (tx: Db, old: string) => {
    await signIn.service.closeAccount?.(tx, old);
    begun = await begin(during);
  };
  const edited = await outcomeOf(editPerson(other, edit, { adminEmails: [], closeAccount }));
  return { edited, second: await outcomeOf(begun?.ended ?? Promise.reject(new Error('not begun'))) };
}

/** Starts the actions in this order, while the person's row is locked. Returns their outcomes. */
async function queueFor(id: string | null, acts: readonly (() => Promise<unknown>)[]): Promise<string[]> {
  const outcomes: Promise<string>[] = [];
  await db.transaction(async (tx) => {
    await tx.query('select 1 from app_user where id = $1 for update', [id]);
    for (const act of acts) outcomes.push(outcomeOf((await begin(act)).ended));
  });
  return Promise.all(outcomes);
}

async function move(id: string | null, email: string) {
  const edit = { user_id: await publicIdOf(id), email, name: 'Amara Okafor', phone_number: null };
  const { closeAccount } = signIn.service;
  return editPerson(other, { ...edit, actor: owner }, { adminEmails: [], closeAccount });
}

const upload = (emails: readonly string[], { product_id }: Product, actor = STAFF) =>
  importCsv(
    db,
    { kind: 'users', csvData: `email\n${emails.join('\n')}\n`, product_ids: [product_id], actor },
    createUploadTools(db),
  );

const uploadCodes = (codes: readonly string[], { product_id }: Product) =>
  importCsv(
    db,
    {
      kind: 'coupons',
      csvData: `coupon_code\n${codes.join('\n')}\n`,
      product_ids: [product_id],
      actor: STAFF,
    },
    createUploadTools(db),
  );

async function listHoldersOfAccess({ product_id }: Product) {
  const { rows } = await db.query<{ email: string }>(
    `select u.email from access_grant g join app_user u on u.id = g.user_id
     where g.product_id = $1 and g.withdrawn_at is null order by u.email`,
    [product_id],
  );
  return rows.map(({ email }) => email);
}

async function listHeld({ product_id }: Product) {
  const { rows } = await db.query<{ holder: string; coupon_code: string }>(
    'select holder, coupon_code from coupon where product_id = $1 and holder is not null',
    [product_id],
  );
  return rows;
}

type Learner = Identity & { user_id: string | null };
/** Redeems a code after checking the session, as a request does. */
async function redeem(learner: Learner, { product_id: productId }: Product): Promise<string> {
  const caller = await findCaller(db, learner);
  if (caller === null) throw authenticationRequired();
  const tools = { dayOf: utcDayOf, now: () => new Date(), supportEmail: 'help@example.org' };
  return (await redeemCoupon(db, { caller, productId }, tools)).coupon.couponCode;
}

async function addSignedIn(product: Product, email?: string) {
  const { user_id, ...learner } = await addLearner(db, [product], email);
  return { user_id, ...(await startSessionOf(db, learner)) };
}

/** Calls `during` before a claim of the learner commits. Returns the outcome of `during`. */
async function claimWhile({ user_id }: Learner, { product_id }: Product, during: () => Promise<unknown>) {
  const begun = await db.transaction(async (tx) => {
    const order = { user_id: user_id ?? '', assigned_by: 'learner', action: 'coupon.redeem' };
    await claimCoupon(tx, { product_id, ...order, at: new Date(), today: utcToday() });
    return begin(during);
  });
  return outcomeOf(begun.ended);
}

describe('an edit of an address', () => {
  test('R-TRAIL-35: while the person redeems, the code is the person’s, and the new address gets it again', async () => {
    const product = await addProduct(db, { codes: ['ONE', 'TWO'] });
    const learner = await addSignedIn(product);
    const email = createEmail();
    expect(await claimWhile(learner, product, () => move(learner.user_id, email))).toBe('done');
    expect(await listHeld(product)).toEqual([{ holder: learner.user_id, coupon_code: 'ONE' }]);
    const again = { user_id: learner.user_id, ...(await startSessionOf(db, { email, name: null })) };
    expect(await redeem(again, product)).toBe('ONE');
  });

  test('R-TRAIL-35: while the old session presses before the edit commits, the person has one code, and that session ends', async () => {
    const product = await addProduct(db, { codes: ['ONE', 'TWO'] });
    const learner = await addSignedIn(product);
    const email = createEmail();
    const { edited } = await editWhile(learner.user_id, email, () => redeem(learner, product));
    expect(edited).toBe('done');
    expect(await outcomeOf(redeem(learner, product))).toBe('authentication_required');
    const again = { user_id: learner.user_id, ...(await startSessionOf(db, { email, name: null })) };
    const code = await redeem(again, product);
    expect(await listHeld(product)).toEqual([{ holder: learner.user_id, coupon_code: code }]);
  });

  test('R-TRAIL-35: while a file with the old address comes, the access goes to who has the address then', async () => {
    for (const isImportFirst of [true, false]) {
      const product = await addProduct(db);
      const [old, email] = [createEmail(), createEmail()];
      const { user_id } = await addLearner(db, [], old);
      const acts = [() => upload([old], product), () => move(user_id, email)];
      const outcomes = await queueFor(user_id, isImportFirst ? acts : acts.toReversed());
      expect(outcomes).toEqual(['done', 'done']);
      expect(await listHoldersOfAccess(product)).toEqual([isImportFirst ? email : old]);
    }
  });

  test('R-TRAIL-35: while a file with the new address comes, one person has the address and the access', async () => {
    const product = await addProduct(db);
    const [first, second] = [createEmail(), createEmail()];
    const { user_id } = await addLearner(db, []);
    expect(await editWhile(user_id, first, () => upload([first], product))).toEqual({
      edited: 'done',
      second: 'done',
    });
    expect(await listHoldersOfAccess(product)).toEqual([first]);
    // The edit waits for the lock. Meanwhile the upload adds a person with the new address.
    const acts = [() => move(user_id, second), () => upload([second], product)];
    expect(await queueFor(user_id, acts)).toEqual(['duplicate_email', 'done']);
    expect(await listHoldersOfAccess(product)).toEqual([first, second].toSorted());
  });

  test('R-TRAIL-35, R-IMP-28: while an upload is taken back, the access of the person ends', async () => {
    for (const isUndoFirst of [true, false]) {
      const product = await addProduct(db);
      const old = createEmail();
      const { user_id } = await addLearner(db, [], old);
      const { id } = await upload([old], product);
      const undo = () => undoImport(db, { id, actor: STAFF, expected: 1 }, createUploadTools(db));
      const acts = [undo, () => move(user_id, createEmail())];
      expect(await queueFor(user_id, isUndoFirst ? acts : acts.toReversed())).toEqual(['done', 'done']);
      expect(await listHoldersOfAccess(product)).toEqual([]);
    }
  });

  test('R-TRAIL-35: of two people to the address of the other, at once: both are refused, and nothing changes', async () => {
    const [ada, bob] = [await addLearner(db, []), await addLearner(db, [])];
    for (let round = 0; round < 10; round += 1)
      expect(
        await Promise.all([outcomeOf(move(ada.user_id, bob.email)), outcomeOf(move(bob.user_id, ada.email))]),
      ).toEqual(['duplicate_email', 'duplicate_email']);
  });
});

describe('a job goes on when the member who started it', () => {
  const removeRole = (user_id: string, by = owner) =>
    removeMember(other, { actor: by, user_id, sign_out: true }, teamTools());
  const lowerRole = (user_id: string) =>
    setMemberRole(other, { actor: owner, user_id, team_role: 'viewer' }, teamTools());

  test.each([
    ['leaves the team', removeRole],
    ['gets a lower role', lowerRole],
  ])('R-TEAM-12, R-IMP-10: %s: import and void are done to the end', async (_what, takeRole) => {
    const member = await addMember(createEmail(), 'manager');
    const user_id = await publicIdOf(member.user_id);
    const product = await addProduct(db);
    // Enough for two steps of the import and of the void job. The actor's role is removed in the first step.
    const emails = Array.from({ length: CHUNK_ROWS.postgres + 1 }, createEmail);
    const known = await addLearner(db, [], emails[0]);
    const tools = createUploadTools(db);
    /** Starts the job while the row is locked, and removes the actor's role while the job waits for the row. */
    const takeRoleWhile = async <T>(select: string, id: string | null, job: () => Promise<T>): Promise<T> => {
      const { ended } = await db.transaction(async (tx) => {
        await tx.query(select, [id]);
        const begun = await begin(job);
        expect(await countWaiting()).toBe(1);
        await takeRole(user_id);
        return begun;
      });
      return ended;
    };
    const { id } = await takeRoleWhile('select 1 from app_user where id = $1 for update', known.user_id, () =>
      upload(emails, product, member.email),
    );
    expect(await findJobState(db, id, 0)).toMatchObject({ state: 'done', rows_done: emails.length });
    expect(new Set(await listHoldersOfAccess(product))).toEqual(new Set(emails));
    await setRole(db, { actor: 'operator', email: member.email, team_role: 'manager' }, { adminEmails: [] });
    const codes = Array.from({ length: 1_001 }, (_, n) => `CODE-${n}`);
    const { batch_id } = await uploadCodes(codes, product);
    const order = { id: batch_id ?? '', actor: member.email, expected: codes.length };
    const job = await takeRoleWhile(
      'select 1 from coupon where batch_id = $1 limit 1 for update',
      batch_id,
      () => voidBatch(db, { ...order, reason: 'dead', note: null }, tools),
    );
    expect(await findJobState(db, job, 0)).toMatchObject({ state: 'done', results: { voided: 1_001 } });
  });
});

describe('a sign-in', () => {
  const callerOf = async (token: string) => findCaller(db, (await signIn.service.verify(token)) as Identity);

  test('R-IMP-10: by mail while a file adds the address: neither fails, and the person has the access', async () => {
    for (let round = 0; round < 10; round += 1) {
      const product = await addProduct(db);
      const email = createEmail();
      const { token } = await signIn.requestMail(email);
      const verify = signIn.createClient().verifyOtp({ type: 'email', token_hash: token });
      const [{ data }] = await Promise.all([verify, upload([email], product)]);
      const caller = await callerOf(data.session?.access_token ?? '');
      expect(caller).toMatchObject({ email, user_id: expect.any(String) });
      expect(await listHoldersOfAccess(product)).toEqual([email]);
    }
  });

  test('R-TRAIL-35: with Google while a file adds the address, or its member leaves the team: one person, one role', async () => {
    const provider = await openTestProvider({ redirectUri: REDIRECT_URI });
    const service = await openTestSignIn(db, { settings: { google: provider.settings } });
    onTestFinished(async () => {
      await service.close();
      await provider.close();
    });
    const prepare = async (email: string) => {
      const sub = randomUUID();
      provider.setAccount(sub, { sub, email, email_verified: true });
      const { address, cookie } = await leave(service);
      const back = await provider.signIn(address, sub);
      return () => comeBack(service, back, cookie);
    };
    const arrive = async (back: Awaited<ReturnType<typeof comeBack>>) => {
      const token = back.fragment.get('access_token') ?? '';
      const identity = await service.service.verify(token);
      return identity === null ? null : findCaller(db, identity as Identity);
    };
    for (let round = 0; round < 10; round += 1) {
      const product = await addProduct(db);
      const email = createEmail();
      const come = await prepare(email);
      const [back] = await Promise.all([come(), upload([email], product)]);
      expect(await arrive(back)).toMatchObject({ email, user_id: expect.any(String) });
      expect(await listHoldersOfAccess(product)).toEqual([email]);

      const member = await addMember(createEmail(), 'manager');
      const user_id = await publicIdOf(member.user_id);
      const comeAsMember = await prepare(member.email);
      const order = { actor: owner, user_id, sign_out: true };
      const [arrived] = await Promise.all([comeAsMember(), removeMember(other, order, teamTools())]);
      // The removal may have ended the session. If the session still exists, it has no role.
      expect((await arrive(arrived))?.team_role ?? null).toBeNull();
    }
  });
});

describe('a press', () => {
  test('R-REDEEM-04, R-REDEEM-05: while codes are imported: each learner gets one code, nobody the same', async () => {
    const product = await addProduct(db, { codes: 5 });
    const learners = await Promise.all(Array.from({ length: 30 }, () => addSignedIn(product)));
    const codes = Array.from({ length: 25 }, (_, n) => `LATE-${n}`);
    const press = () => Promise.all(learners.map((learner) => redeem(learner, product).catch(asCode)));
    const [early] = await Promise.all([press(), uploadCodes([...codes, 'CODE-0'], product)]);
    const late = await press();
    early.forEach((code, at) => {
      expect([late[at], 'no_coupon_left']).toContain(code);
    });
    expect(new Set(late).size).toBe(30);
    expect((await listHeld(product)).map(({ coupon_code }) => coupon_code).sort()).toEqual(late.sort());
  });

  test('R-IMP-28: while the upload of the access is taken back: a code from before stays, afterwards there is none', async () => {
    const product = await addProduct(db, { codes: ['ONE', 'TWO'] });
    const [early, late] = [createEmail(), createEmail()];
    await addLearner(db, [], early);
    await addLearner(db, [], late);
    const { id } = await upload([early, late], product);
    const [holder, loser] = await Promise.all(
      [early, late].map(async (email) => {
        const caller = await findCaller(db, await startSessionOf(db, { email, name: null }));
        return caller as Identity & { user_id: string | null };
      }),
    );
    if (holder === undefined || loser === undefined) throw new Error('two learners are needed');
    const undo = () => undoImport(db, { id, actor: STAFF, expected: 2 }, createUploadTools(db));
    expect(await claimWhile(holder, product, undo)).toBe('done');
    expect(await listHeld(product)).toEqual([{ holder: holder.user_id, coupon_code: 'ONE' }]);
    expect(await listHoldersOfAccess(product)).toEqual([]);
    expect(await outcomeOf(redeem(loser, product))).toBe('access_ended');
    expect(await listHeld(product)).toHaveLength(1);
  });
});

test('R-LIFE-51, R-IMP-28: of an upload of codes that is made void and taken back at once, each code is void once', async () => {
  const product = await addProduct(db);
  const codes = Array.from({ length: 60 }, (_, n) => `VOID-${n}`);
  const { batch_id } = await uploadCodes(codes, product);
  const order = { id: batch_id ?? '', actor: STAFF, expected: 60, note: null };
  const tools = createUploadTools(db);
  const acts = [
    () => voidBatch(db, { ...order, reason: 'dead' }, tools),
    () => voidBatch(other, { ...order, reason: 'mistake' }, tools),
  ];
  expect(await Promise.all(acts.map((act) => outcomeOf(act())))).toContain('done');
  const { rows } = await db.query(
    `select (select sum(n)::int from tally_now where what = 'void' and product_id = $1) as counted,
       (select sum((detail ->> 'voided')::int)::int from audit where product_id = $1) as audited`,
    [product.product_id],
  );
  expect(rows).toEqual([{ counted: 60, audited: 60 }]);
  expect(await listHeld(product)).toEqual([]);
});
