// Tests who can sign in after staff have changed the address of a person. A local OpenID Connect provider stands in for
// Google.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, startSessionOf } from '../../test/factories.ts';
import { comeBack, expectFault, leave, REDIRECT_URI } from '../../test/leave-for-google.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { openTestProvider, type TestProvider } from '../../test/open-test-provider.ts';
import { createEmail, openTestSignIn, type TestSignIn } from '../../test/open-test-sign-in.ts';
import type { Database } from '../db/database.ts';
import { linkAuthIdentity } from '../features/people/people.sql.ts';
import { editPerson } from '../features/people/person.ts';
import { findCaller, type Identity, type Member } from '../features/team/callers.sql.ts';
import { setRole } from '../features/team/team.ts';
import { revokeSessions } from './auth-service.ts';

let db: Database;
let provider: TestProvider;
let signIn: TestSignIn;
let owner: Member;

beforeAll(async () => {
  db = await openTestDatabase();
  provider = await openTestProvider({ redirectUri: REDIRECT_URI });
  signIn = await openTestSignIn(db, { settings: { google: provider.settings } });
  await setRole(
    db,
    { actor: 'operator', email: 'owner@example.org', team_role: 'owner' },
    { adminEmails: [] },
  );
  const session = await startSessionOf(db, { email: 'owner@example.org', name: null });
  owner = (await findCaller(db, session)) as Member;
});

afterAll(async () => {
  await signIn?.close();
  await provider?.close();
  await db?.close();
});

/** Sets the address that Google reports for an account, and signs in with the account. */
async function signInWithGoogle(sub: string, email: string) {
  provider.setAccount(sub, { sub, email, email_verified: true, name: 'Name At Google' });
  const { address, cookie } = await leave(signIn);
  return comeBack(signIn, await provider.signIn(address, sub), cookie);
}

/** Signs in with Google, and returns the caller that the portal finds for the session, or the error code. */
async function arriveByGoogle(sub: string, email: string) {
  const { target, fragment } = await signInWithGoogle(sub, email);
  const token = fragment.get('access_token');
  return token === null ? target.searchParams.get('error_code') : callerOf(token);
}

async function callerOf(token: string) {
  const identity = (await signIn.service.verify(token)) as Identity;
  return findCaller(db, identity);
}

async function signInByMail(email: string) {
  const { token } = await signIn.requestMail(email);
  const { data } = await signIn.createClient().verifyOtp({ type: 'email', token_hash: token });
  return data;
}

async function changeAddress(person: { user_id: string | null }, email: string, closes = true) {
  const { rows } = await db.query<{ user_id: string }>('select user_id from app_user where id = $1', [
    person.user_id,
  ]);
  const edit = { user_id: rows[0]?.user_id ?? '', email, name: 'Amara Okafor', phone_number: null };
  const closeAccount = closes ? signIn.service.closeAccount : null;
  await editPerson(db, { ...edit, actor: owner }, { adminEmails: [], closeAccount });
}

const REFUSED = 'identity_already_exists';

describe('R-TRAIL-35: after the edit of an address, an account at Google', () => {
  test('never signs in as the next holder of the address, who gets an own account with nothing of the old one', async () => {
    const [office, alice, sub] = [createEmail(), createEmail(), randomUUID()];
    await setRole(db, { actor: 'operator', email: office, team_role: 'owner' }, { adminEmails: [] });
    const first = await arriveByGoogle(sub, office);
    expect(first).toMatchObject({ email: office, team_role: 'owner' });
    await changeAddress(first as Member, alice);
    await setRole(db, { actor: 'operator', email: alice, team_role: null, force: true }, { adminEmails: [] });
    await setRole(db, { actor: 'operator', email: office, team_role: 'owner' }, { adminEmails: [] });
    expect(await arriveByGoogle(sub, office)).toBe(REFUSED);

    const { user, session } = await signInByMail(office);
    expect(user).toMatchObject({ identities: [{ provider: 'email' }] });
    expect(user?.user_metadata.name).toBeUndefined();
    expect(user?.id).not.toBe((first as Member).auth_id);
    expect(await callerOf(session?.access_token ?? '')).toMatchObject({ email: office, team_role: 'owner' });
    expect(await arriveByGoogle(sub, office)).toBe(REFUSED);
    expect(await arriveByGoogle(randomUUID(), office)).toMatchObject({ email: office, team_role: 'owner' });
  });

  test('signs in as the person, once Google reports the new address, too', async () => {
    const [before, after, sub] = [createEmail(), createEmail(), randomUUID()];
    const person = await addLearner(db, [], before);
    expect(await arriveByGoogle(sub, before)).toMatchObject({ user_id: person.user_id });
    await changeAddress(person, after);
    expect(await arriveByGoogle(sub, after)).toMatchObject({ user_id: person.user_id, email: after });
    // The account is linked to the person, so the address of the account at Google may change to any other address.
    expect(await arriveByGoogle(sub, createEmail())).toMatchObject({ user_id: person.user_id });
    expect((await db.query('select 1 from auth_user where email = $1', [before])).rows).toEqual([]);
  });

  test('of a stranger, whose address was mistyped for the person, does not sign in as the person', async () => {
    const [mistyped, right, sub] = [createEmail(), createEmail(), randomUUID()];
    const person = await addLearner(db, [], mistyped);
    await arriveByGoogle(sub, mistyped);
    await changeAddress(person, right);
    const { target } = await signInWithGoogle(sub, mistyped);
    expectFault(target, { error: 'access_denied', error_code: REFUSED });
    expect(await arriveByGoogle(sub, createEmail())).toBe(REFUSED);
    // The stranger can still sign in by mail.
    const { session } = await signInByMail(mistyped);
    expect(await callerOf(session?.access_token ?? '')).toMatchObject({ user_id: null });
    expect(await arriveByGoogle(sub, mistyped)).toBe(REFUSED);
  });

  test('signs in again after the edit was undone', async () => {
    const [email, sub] = [createEmail(), randomUUID()];
    const person = await addLearner(db, [], email);
    await arriveByGoogle(sub, email);
    await changeAddress(person, createEmail());
    await changeAddress(person, email);
    expect(await arriveByGoogle(sub, email)).toMatchObject({ user_id: person.user_id });
  });

  test('is found by its address again, once the operator has unlinked it', async () => {
    const [before, after, sub] = [createEmail(), createEmail(), randomUUID()];
    const person = await addLearner(db, [], before);
    await arriveByGoogle(sub, before);
    await changeAddress(person, after);
    const next = await addLearner(db, [], before);
    expect(await arriveByGoogle(sub, before)).toBe(REFUSED);
    expect(await revokeSessions({ db }, { email: after, unlink: true })).toEqual({
      sessions: 0,
      unlinked: 1,
    });
    expect(await arriveByGoogle(sub, before)).toMatchObject({ user_id: next.user_id });
  });
});

test('R-TRAIL-35: an account that Google reports with another address meanwhile gets nothing of a person who is added later', async () => {
  const [email, sub] = [createEmail(), randomUUID()];
  expect(await arriveByGoogle(sub, email)).toMatchObject({ user_id: null });
  const person = await addLearner(db, [], email);
  expect(await arriveByGoogle(sub, createEmail())).toBe(REFUSED);
  // An account with the address of the person signs in as this person.
  expect(await arriveByGoogle(sub, email)).toMatchObject({ user_id: person.user_id });
});

test('R-TRAIL-35: an account at Google that signed in before its person was added never signs in as the next holder of the address', async () => {
  const [office, alice, sub] = [createEmail(), createEmail(), randomUUID()];
  expect(await arriveByGoogle(sub, office)).toMatchObject({ user_id: null });
  const person = await addLearner(db, [], office);
  await changeAddress(person, alice);
  const next = await addLearner(db, [], office);
  expect(await arriveByGoogle(sub, office)).toBe(REFUSED);
  expect(await arriveByGoogle(sub, alice)).toMatchObject({ user_id: person.user_id });
  expect(await arriveByGoogle(randomUUID(), office)).toMatchObject({ user_id: next.user_id });
});

test('R-TRAIL-35: a session of the old address ends, and its tokens cannot be refreshed', async () => {
  const email = createEmail();
  const person = await addLearner(db, [], email);
  const { session } = await signInByMail(email);
  await changeAddress(person, createEmail());
  expect(await callerOf(session?.access_token ?? '')).toBeNull();
  const body = { refresh_token: session?.refresh_token };
  expect((await signIn.call('/token?grant_type=refresh_token', { body })).status).toBe(400);
});

describe('R-TRAIL-35: with a hosted sign-in service, after the edit of an address', () => {
  const now = Date.now();
  const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();

  /**
   * Creates a person with a linked account, edits the person's address, and adds a person (`next`) with the old
   * address. With `isOld`, a process of the previous version links the account, in app_user only.
   */
  async function moveHosted(isOld = false) {
    const [office, alice] = [createEmail(), createEmail()];
    const person = await addLearner(db, [], office);
    const account: Identity = { auth_id: randomUUID(), email: office, name: null, session_id: null };
    const link = { user_id: person.user_id ?? '', auth_id: account.auth_id };
    await linkAuthIdentity(db, { ...link, hosted: !isOld });
    await changeAddress(person, alice, false);
    const next = await addLearner(db, [], office);
    return { account, alice, person, next };
  }

  test('the account does not reach the next holder by Google or by a session that is older than the edit', async () => {
    const { account, next } = await moveHosted();
    for (const mailed_at of [undefined, null, at(-60)])
      expect(await findCaller(db, { ...account, mailed_at })).toMatchObject({
        user_id: null,
        user_role: 'user',
      });
    const later = { ...account, mailed_at: at(3600) };
    expect(await findCaller(db, later)).toMatchObject({ user_id: next.user_id });
    // Links the account to the new holder of the address. A session without a mail finds no person all the same,
    // because Google does not prove who reads the mailbox.
    await linkAuthIdentity(db, { user_id: next.user_id ?? '', auth_id: account.auth_id, hosted: true });
    expect(await findCaller(db, account)).toMatchObject({ user_id: null });
    await changeAddress(next, createEmail(), false);
    const third = await addLearner(db, [], account.email);
    expect(await findCaller(db, { ...account, mailed_at: at(0) })).toMatchObject({ user_id: null });
    expect(await findCaller(db, later)).toMatchObject({ user_id: third.user_id });
  });

  test('the account does not reach the next holder if a process of the previous version has linked it', async () => {
    const { account, alice, person } = await moveHosted(true);
    expect(await findCaller(db, account)).toMatchObject({ user_id: null });
    expect(await findCaller(db, { ...account, email: alice })).toMatchObject({ user_id: person.user_id });
  });

  test('the account reaches the person, once the service has the new address; other accounts are free', async () => {
    const { account, alice, person, next } = await moveHosted();
    expect(await findCaller(db, { ...account, email: alice })).toMatchObject({ user_id: person.user_id });
    const other = { ...account, auth_id: randomUUID() };
    expect(await findCaller(db, other)).toMatchObject({ user_id: next.user_id });
  });
});
