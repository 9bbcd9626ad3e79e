// Tests the actions of owners on the team: limits, mails, the last owner, and the audit log.
import { randomUUID } from 'node:crypto';
import type { TeamMember, TeamRole } from '@portal/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addLearner, addProduct, startSessionOf } from '../../../test/factories.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { createTestJobs, TEST_IMPORT_TOOLS } from '../../../test/test-jobs.ts';
import type { Database } from '../../db/database.ts';
import { createJobHandlers } from '../../jobs/job-handlers.ts';
import { type EditTools, editPerson } from '../people/person.ts';
import type { Member } from './callers.sql.ts';
import {
  inviteMember,
  listTeam,
  makeOwners,
  removeMember,
  setMemberRole,
  setRole,
  signOutMember,
  type TeamTools,
} from './team.ts';

const START = new Date('2026-11-20T14:00:00Z');

let db: Database;
let owner: Member;
let tools: TeamTools & EditTools;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.execute(
    "delete from auth_rate; delete from job; delete from auth_session; update app_user set user_role = 'user', team_role = null, left_team_at = null, auth_id = null",
  );
  tools = {
    now: () => START,
    adminEmails: [],
    rateLimits: true,
    endSessions: async () => 3,
    closeAccount: null,
  };
  owner = await add('noor@example.org', 'owner');
});

/** Gives a role to an address, as the operator does. Returns the member as a caller. */
async function add(email: string, team_role: TeamRole): Promise<Member> {
  await setRole(db, { actor: 'operator', email, team_role }, { adminEmails: [] });
  return callerOf(email, team_role);
}

async function callerOf(email: string, team_role: TeamRole): Promise<Member> {
  const { rows } = await db.query<{ id: string }>('select id from app_user where email = $1', [email]);
  const user_id = rows[0]?.id ?? '';
  const identity = { auth_id: randomUUID(), email, name: null, session_id: null };
  return { ...identity, user_id, user_role: 'admin', team_role };
}

const after = (minutes: number) => ({ ...tools, now: () => new Date(START.getTime() + minutes * 60_000) });
const invite = (
  email: string,
  more: { team_role?: TeamRole; mail?: boolean; name?: string } = {},
  at = tools,
) => inviteMember(db, { actor: owner, email, name: null, team_role: 'support', mail: true, ...more }, at);

async function findId(email: string): Promise<string> {
  const { rows } = await db.query<{ user_id: string }>('select user_id from app_user where email = $1', [
    email,
  ]);
  return rows[0]?.user_id ?? '';
}

async function listRoles(): Promise<string[]> {
  return (await listTeam(db, tools)).map(({ email, team_role }) => `${email} ${team_role}`);
}

async function listAudit(email: string): Promise<unknown[]> {
  const { rows } = await db.query<{ line: unknown[] }>(
    `select jsonb_build_array(a.actor, a.action, coalesce(a.detail->'team_role', a.detail->'sessions')) as line
     from audit a join app_user u on u.id = a.user_id where u.email = $1 and a.action like 'team.%' order by a.id`,
    [email],
  );
  return rows.map(({ line }) => line);
}

/** Sends the mails in the job queue. Returns them as 'address: subject', and the text of the last mail. */
async function sendMails(): Promise<{ mails: string[]; text: string }> {
  const mails: string[] = [];
  let text = '';
  const handlers = createJobHandlers({
    db,
    now: () => new Date(),
    importTools: TEST_IMPORT_TOOLS,
    sendMail: async (mail) => {
      mails.push(`${mail.to}: ${mail.subject}`);
      text = mail.text;
      return '250 OK';
    },
    publicUrl: 'https://benefits.example',
    brand: { name: 'Alderquay', accent: '#005f44', support_email: '' },
    retention: { importDays: 0, mailDays: 0 },
    purgeExpired: async () => undefined,
  });
  const jobs = createTestJobs(db, { 'team-mail': handlers['team-mail'] });
  jobs.wake('mail');
  await jobs.close();
  return { mails, text };
}

test('R-TEAM-11: an invitation gives the role, names who invited, and is mailed without a token', async () => {
  const { member, isNew } = await invite('ravi@example.org', { name: 'Ravi Menon' });
  expect(isNew).toBe(true);
  expect(member).toEqual({
    user_id: await findId('ravi@example.org'),
    email: 'ravi@example.org',
    name: 'Ravi Menon',
    team_role: 'support',
    invited_at: START.toISOString(),
    invited_by: 'noor@example.org',
    last_sign_in_at: null,
    sessions: 0,
  } satisfies TeamMember);
  const { mails, text } = await sendMails();
  expect(mails).toEqual(['ravi@example.org: You were invited to Alderquay']);
  expect(text).toContain('noor@example.org invited you to the team of Alderquay');
  expect(text).toContain('Support: you look people up, and give and replace codes.');
  expect(text.match(/https:\S+/g)).toEqual(['https://benefits.example/admin-login']);
  expect(await listAudit('ravi@example.org')).toEqual([
    ['noor@example.org', 'team.invite', [null, 'support']],
  ]);
});

test('R-TEAM-11: a learner who is invited keeps name, products and codes', async () => {
  const product = await addProduct(db);
  await addLearner(db, [product], 'lea@example.org');
  const { member, isNew } = await invite('lea@example.org', { name: 'Other' });
  expect({ isNew, name: member.name }).toEqual({ isNew: true, name: 'Amara Okafor' });
  const { rows } = await db.query(
    "select 1 from access_grant g join app_user u on u.id = g.user_id where u.email = 'lea@example.org'",
  );
  expect(rows).toHaveLength(1);
});

test('R-TEAM-11: repeated, it changes the role, and mails the same person at most once in 10 minutes', async () => {
  await invite('rita@example.org');
  expect((await sendMails()).mails).toHaveLength(1);
  const again = await invite('rita@example.org', {}, after(9));
  expect(again.isNew).toBe(false);
  expect(again.member.invited_at).toBe(START.toISOString());
  const higher = await invite('rita@example.org', { team_role: 'manager' }, after(9.5));
  expect([higher.isNew, higher.member.team_role]).toEqual([false, 'manager']);
  // The page compares `invited_at` to know whether a mail was sent.
  expect(higher.member.invited_at).toBe(START.toISOString());
  expect((await sendMails()).mails).toEqual([]);
  await invite('rita@example.org', { team_role: 'manager' }, after(10));
  expect((await sendMails()).mails).toEqual(['rita@example.org: You were invited to Alderquay']);
  expect((await listAudit('rita@example.org')).map((line) => (line as unknown[])[2])).toEqual([
    [null, 'support'],
    ['support', 'manager'],
    ['manager', 'manager'],
  ]);
});

test('R-TEAM-11: without mail none is sent, and a later invitation of that person sends one at once', async () => {
  await invite('ravi@example.org', { mail: false });
  expect((await sendMails()).mails).toEqual([]);
  await invite('ravi@example.org', {}, after(1));
  expect((await sendMails()).mails).toHaveLength(1);
});

test('R-TEAM-11: an owner sends 30 invitations an hour, and is told how long to wait', async () => {
  for (let index = 0; index < 30; index += 1) await invite(`new-${index}@example.org`);
  // These calls neither send a mail nor change a role, so they do not count towards the limit.
  await invite('new-1@example.org', {}, after(9));
  await expect(invite('one-more@example.org', {}, after(20))).rejects.toMatchObject({
    code: 'too_many_requests',
    message: 'You sent 30 invitations in the last hour. Please wait 40 min.',
  });
  expect(await findId('one-more@example.org')).toBe('');
  const other = await add('other@example.org', 'owner');
  const order = {
    actor: other,
    email: 'theirs@example.org',
    name: null,
    team_role: 'viewer',
    mail: true,
  } as const;
  expect((await inviteMember(db, order, after(20))).isNew).toBe(true);
  expect((await invite('no-limit@example.org', {}, { ...after(20), rateLimits: false })).isNew).toBe(true);
  expect((await invite('one-more@example.org', {}, after(60))).isNew).toBe(true);
});

test('R-TEAM-11, N-33: RATE_LIMITS=off keeps the limit of one mail in 10 minutes', async () => {
  tools = { ...tools, rateLimits: false };
  await invite('ravi@example.org');
  await sendMails();
  await invite('ravi@example.org', {}, after(9));
  expect((await sendMails()).mails).toEqual([]);
});

test('R-TEAM-10, R-TEAM-11: the team has at most 500 members', async () => {
  await db.query(
    `insert into app_user (email, user_role, team_role)
     select 'm' || n || '@example.org', 'admin', 'viewer' from generate_series(1, 498) n`,
  );
  await invite('the-500th@example.org');
  await expect(invite('the-501st@example.org')).rejects.toMatchObject({ code: 'too_many' });
  expect(await findId('the-501st@example.org')).toBe('');
  await addLearner(db, [], 'learner-501@example.org');
  await expect(invite('learner-501@example.org')).rejects.toMatchObject({ code: 'too_many' });
  // The maximum number of members does not matter for a person who already has a role.
  expect((await invite('m1@example.org')).isNew).toBe(false);
  expect(await listTeam(db, tools)).toHaveLength(500);
});

test('R-TEAM-11: nobody invites themselves', async () => {
  await expect(invite('noor@example.org', { team_role: 'viewer' })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

test('R-TEAM-12, R-TEAM-44: a role is changed and taken away, and the person stays a learner with the sessions', async () => {
  const ended: string[] = [];
  tools = { ...tools, endSessions: async (_tx, email) => ended.push(email) };
  await add('tomas@example.org', 'manager');
  const user_id = await findId('tomas@example.org');
  expect(await setMemberRole(db, { actor: owner, user_id, team_role: 'viewer' }, tools)).toMatchObject({
    email: 'tomas@example.org',
    team_role: 'viewer',
  });
  await setMemberRole(db, { actor: owner, user_id, team_role: 'viewer' }, tools);
  expect(await removeMember(db, { actor: owner, user_id, sign_out: false }, tools)).toMatchObject({
    email: 'tomas@example.org',
    team_role: null,
  });
  expect(ended).toEqual([]);
  const { rows } = await db.query("select user_role from app_user where email = 'tomas@example.org'");
  expect(rows).toEqual([{ user_role: 'user' }]);
  expect((await listAudit('tomas@example.org')).slice(1)).toEqual([
    ['noor@example.org', 'team.role', ['manager', 'viewer']],
    ['noor@example.org', 'team.remove', ['viewer', null]],
  ]);
});

test('R-TEAM-12, R-TEAM-44: sign-out, alone or with a removal, ends the sessions', async () => {
  const ended: string[] = [];
  tools = { ...tools, endSessions: async (_tx, email) => ended.push(email) };
  await add('ana@example.org', 'manager');
  const user_id = await findId('ana@example.org');
  await signOutMember(db, { actor: owner, user_id }, tools);
  await removeMember(db, { actor: owner, user_id, sign_out: true }, tools);
  expect(ended).toEqual(['ana@example.org', 'ana@example.org']);
  expect((await listAudit('ana@example.org')).slice(1)).toEqual([
    ['noor@example.org', 'team.sign_out', 1],
    ['noor@example.org', 'team.remove', ['manager', null]],
    ['noor@example.org', 'team.sign_out', 2],
  ]);
});

test('R-TEAM-12: somebody who is not in the team, and an unknown or malformed id, are not found', async () => {
  await addLearner(db, [], 'only-learner@example.org');
  const ids = [await findId('only-learner@example.org'), randomUUID(), 'no-uuid', '7', ''];
  for (const user_id of ids) {
    const acts = [
      () => setMemberRole(db, { actor: owner, user_id, team_role: 'viewer' }, tools),
      () => removeMember(db, { actor: owner, user_id, sign_out: false }, tools),
      () => signOutMember(db, { actor: owner, user_id }, tools),
    ];
    for (const act of acts) await expect(act()).rejects.toMatchObject({ code: 'user_not_found' });
  }
});

test('R-TEAM-15, N-03: ADMIN_EMAILS gives no role back that was taken away in the pages, an invitation does', async () => {
  await add('tomas@example.org', 'owner');
  await removeMember(
    db,
    { actor: owner, user_id: await findId('tomas@example.org'), sign_out: false },
    tools,
  );
  await makeOwners(db, ['tomas@example.org']);
  expect(await listRoles()).toEqual(['noor@example.org owner']);
  await invite('tomas@example.org', { team_role: 'viewer' });
  expect(await listRoles()).toEqual(['noor@example.org owner', 'tomas@example.org viewer']);
});

test.each([
  ['removed, and edited afterwards', true],
  ['edited, so that the role moved', false],
])(
  'R-TEAM-15, N-03: ADMIN_EMAILS makes no owner of the address of an owner who was %s',
  async (_how, removed) => {
    const office = `office-${removed}@example.org`;
    await add(office, 'owner');
    const user_id = await findId(office);
    if (removed) await removeMember(db, { actor: owner, user_id, sign_out: false }, tools);
    const edit = { user_id, name: null, phone_number: null, actor: owner };
    await editPerson(db, { ...edit, email: `alice-${removed}@example.org` }, tools);
    const roles = await listRoles();
    await makeOwners(db, [office]);
    expect(await listRoles()).toEqual(roles);
    expect(await findId(office)).toBe('');
    // Another person who gets this address does not get the role either.
    await addLearner(db, [], office);
    await makeOwners(db, [office]);
    expect(await listRoles()).toEqual(roles);
    await add(office, 'viewer');
    await setRole(db, { actor: 'operator', email: office, team_role: null }, tools);
    await makeOwners(db, [office]);
    expect(await listRoles()).toContain(`${office} owner`);
  },
);

test('R-TEAM-15: a member who moves to an address that left the team is in the team by this address', async () => {
  await add('bea@example.org', 'owner');
  const edit = { user_id: await findId('bea@example.org'), name: null, phone_number: null, actor: owner };
  await editPerson(db, { ...edit, email: 'bea@wrong.example' }, tools);
  await editPerson(db, { ...edit, email: 'bea@example.org' }, tools);
  await setRole(db, { actor: 'operator', email: 'bea@example.org', team_role: null }, tools);
  await makeOwners(db, ['bea@example.org', 'bea@wrong.example']);
  expect(await listRoles()).toEqual(['bea@example.org owner', 'noor@example.org owner']);
});

test('R-TEAM-15: a removal in a process of the previous version, which writes left_team_at only, is remembered', async () => {
  await add('dora@example.org', 'owner');
  const edit = { user_id: await findId('dora@example.org'), name: null, phone_number: null, actor: owner };
  await db.query(
    "update app_user set user_role = 'user', team_role = null, left_team_at = now() where email = 'dora@example.org'",
  );
  await makeOwners(db, ['dora@example.org']);
  await editPerson(db, { ...edit, email: 'dora@new.example' }, tools);
  await makeOwners(db, ['dora@example.org']);
  expect(await listRoles()).toEqual(['noor@example.org owner']);
});

test('R-TEAM-13: the last owner cannot step down, which is in the audit log; with another owner it is possible', async () => {
  const user_id = await findId('noor@example.org');
  const stepDown = () => setMemberRole(db, { actor: owner, user_id, team_role: 'viewer' }, tools);
  const leave = () => removeMember(db, { actor: owner, user_id, sign_out: true }, tools);
  // This owner has never signed in, and does not count (N-01).
  await add('mistyped@example.org', 'owner');
  const before = (await listAudit('noor@example.org')).length;
  for (const act of [stepDown, leave])
    await expect(act()).rejects.toMatchObject({
      code: 'last_owner',
      message: 'The portal needs an owner. Make somebody else owner first.',
    });
  expect(await listRoles()).toEqual(['mistyped@example.org owner', 'noor@example.org owner']);
  expect((await listAudit('noor@example.org')).slice(before)).toEqual([
    ['noor@example.org', 'team.refused_last_owner', ['owner', 'viewer']],
    ['noor@example.org', 'team.refused_last_owner', ['owner', null]],
  ]);
  tools = { ...tools, adminEmails: ['mistyped@example.org'] };
  expect(await stepDown()).toMatchObject({ team_role: 'viewer' });
});

test('N-01: an owner with a session counts, also if the portal has not linked the sign-in yet', async () => {
  await add('second@example.org', 'owner');
  await startSessionOf(db, await callerOf('second@example.org', 'owner'));
  const user_id = await findId('noor@example.org');
  expect(await removeMember(db, { actor: owner, user_id, sign_out: false }, tools)).toMatchObject({
    team_role: null,
  });
  expect(await listTeam(db, tools)).toMatchObject([
    { email: 'second@example.org', sessions: 1, last_sign_in_at: expect.any(String) },
  ]);
});

test('R-TEAM-41: the call of an owner who has just lost the role is refused, with the role that holds', async () => {
  const actor = await add('demoted@example.org', 'owner');
  const order = { actor, email: 'new@example.org', name: null, team_role: 'owner', mail: true } as const;
  await setRole(db, { actor: 'operator', email: actor.email, team_role: 'manager' }, tools);
  await expect(inviteMember(db, order, tools)).rejects.toMatchObject({
    code: 'role_too_low',
    user: { team_role: 'manager' },
  });
  await setRole(db, { actor: 'operator', email: actor.email, team_role: null }, tools);
  const removal = { actor, user_id: await findId('noor@example.org'), sign_out: false };
  await expect(removeMember(db, removal, tools)).rejects.toMatchObject({ code: 'access_restricted' });
  expect(await listRoles()).toEqual(['noor@example.org owner']);
});

test('R-TEAM-45: with a hosted sign-in service, sessions are unknown and nobody can be signed out', async () => {
  tools = { ...tools, endSessions: null };
  await add('ravi@example.org', 'support');
  expect((await listTeam(db, tools)).map(({ sessions }) => sessions)).toEqual([null, null]);
  const user_id = await findId('ravi@example.org');
  const message = "Sessions are the sign-in service's. Sign the person out there.";
  const refusal = { code: 'invalid_request', message };
  await expect(signOutMember(db, { actor: owner, user_id }, tools)).rejects.toMatchObject(refusal);
  await expect(removeMember(db, { actor: owner, user_id, sign_out: true }, tools)).rejects.toMatchObject(
    refusal,
  );
  expect(await removeMember(db, { actor: owner, user_id, sign_out: false }, tools)).toMatchObject({
    team_role: null,
    sessions: null,
  });
});
