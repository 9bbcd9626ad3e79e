// Tests giving and removing roles in the team, and that the last owner keeps the role.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';
import { linkAuthIdentity } from '../people/people.sql.ts';
import { moveInTeam, type TeamMember } from './team.sql.ts';
import { changeRole, makeOwners, setRole } from './team.ts';

let db: Database;
let adminEmails: string[];
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  adminEmails = [];
  await db.query(
    "update app_user set user_role = 'user', team_role = null, left_team_at = null, auth_id = null",
  );
});

type Role = Parameters<typeof setRole>[1]['team_role'];
const set = (email: string, team_role: Role, more = {}) =>
  setRole(db, { actor: 'operator', email, team_role, ...more }, { adminEmails });

async function signIn(email: string): Promise<void> {
  const { rows } = await db.query<{ id: string }>('select id from app_user where email = $1', [email]);
  await linkAuthIdentity(db, { user_id: rows[0]?.id ?? '', auth_id: randomUUID() });
}

async function listRoles(): Promise<string[]> {
  const { rows } = await db.query<{ role: string }>(
    "select email || ' ' || user_role || ' ' || coalesce(team_role, 'none') as role from app_user where team_role is not null order by email",
  );
  return rows.map(({ role }) => role);
}

async function listAudit(email: string): Promise<unknown[]> {
  const { rows } = await db.query(
    `select a.actor, a.action, a.detail->'team_role' as roles from audit a join app_user u on u.id = a.user_id
     where u.email = $1 and a.action like 'team.%' order by a.id`,
    [email],
  );
  return rows;
}

test('R-TEAM-15: a role is given, changed and taken away, each with an audit line', async () => {
  expect(await set('new@example.org', 'support')).toBe('changed');
  expect(await set('new@example.org', 'support')).toBe('same');
  expect(await set('new@example.org', 'manager')).toBe('changed');
  expect(await listRoles()).toEqual(['new@example.org admin manager']);
  expect(await set('new@example.org', null)).toBe('changed');
  expect(await listRoles()).toEqual([]);
  expect(await set('nobody@example.org', null)).toBe('unknown');
  expect(await listAudit('new@example.org')).toEqual([
    { actor: 'operator', action: 'team.role', roles: [null, 'support'] },
    { actor: 'operator', action: 'team.role', roles: ['support', 'manager'] },
    { actor: 'operator', action: 'team.remove', roles: ['manager', null] },
  ]);
});

test('R-TEAM-13, N-01: the last owner who can sign in keeps the role, whoever else is owner', async () => {
  await set('ada@example.org', 'owner');
  await signIn('ada@example.org');
  // This owner has never signed in, so the address may be mistyped and the owner does not count.
  await set('mistyped@example.org', 'owner');
  expect(await set('ada@example.org', null)).toBe('last_owner');
  expect(await set('ada@example.org', 'viewer')).toBe('last_owner');
  expect(await listRoles()).toEqual(['ada@example.org admin owner', 'mistyped@example.org admin owner']);
  expect(await set('mistyped@example.org', null)).toBe('changed');
  expect((await listAudit('ada@example.org')).slice(1)).toEqual([
    { actor: 'operator', action: 'team.refused_last_owner', roles: ['owner', null] },
    { actor: 'operator', action: 'team.refused_last_owner', roles: ['owner', 'viewer'] },
  ]);
});

test.each([
  ['who has signed in', () => signIn('bob@example.org')],
  ['in ADMIN_EMAILS', async () => void adminEmails.push('bob@example.org')],
])('N-01: with another owner %s, an owner may lose the role', async (_which, count) => {
  await set('ada@example.org', 'owner');
  await set('bob@example.org', 'owner');
  await count();
  expect(await set('ada@example.org', 'manager')).toBe('changed');
  expect(await set('bob@example.org', 'manager')).toBe('last_owner');
});

test('N-01: an owner who has never signed in may lose the role, even as the only owner', async () => {
  await set('mistyped@example.org', 'owner');
  expect(await set('mistyped@example.org', null)).toBe('changed');
});

test('R-TEAM-15: with force, the operator takes the role from the last owner', async () => {
  await set('ada@example.org', 'owner');
  await signIn('ada@example.org');
  expect(await set('ada@example.org', null, { force: true })).toBe('changed');
  expect(await listRoles()).toEqual([]);
});

test('R-TEAM-15: ADMIN_EMAILS makes owners of those without a role, and changes no role', async () => {
  await set('viewer@example.org', 'viewer');
  await makeOwners(db, ['viewer@example.org', 'first@example.org']);
  await makeOwners(db, ['viewer@example.org', 'first@example.org']);
  expect(await listRoles()).toEqual(['first@example.org admin owner', 'viewer@example.org admin viewer']);
  expect(await listAudit('first@example.org')).toEqual([
    { actor: 'portal', action: 'team.role', roles: [null, 'owner'] },
  ]);
});

test('the database refuses a role that does not fit user_role', async () => {
  await set('ada@example.org', 'owner');
  for (const change of ["user_role = 'user'", 'team_role = null', "team_role = 'boss'"])
    await expect(db.query(`update app_user set ${change} where email = 'ada@example.org'`)).rejects.toThrow(
      /app_user_team/,
    );
});

test.each(['moved', 'removed'])(
  'R-TEAM-15, N-03: ADMIN_EMAILS makes no owner of the address of an owner who was %s, also if it was stored in another form',
  async (how) => {
    const canonical = `${how}@xn--bcher-kva.example`;
    for (const stored of [`${how}\u200b@bücher.example`, `${how}@bücher.example`]) {
      const { rows } = await db.query<TeamMember>(
        "insert into app_user (email, user_role, team_role) values ($1, 'admin', 'owner') returning id, user_id, email, team_role",
        [stored],
      );
      const member = rows[0] as TeamMember;
      const removal = { actor: 'operator', action: 'team.remove', member, team_role: null, isRefused: false };
      await db.transaction(async (tx) => {
        if (how === 'removed') await changeRole(tx, { ...removal, remembered: true });
        const to = `${randomUUID()}@example.org`;
        await moveInTeam(tx, { id: member.id, to });
        await tx.query('update app_user set email = $2, left_team_at = null where id = $1', [member.id, to]);
      });
      const roles = await listRoles();
      await makeOwners(db, [canonical]);
      expect(await listRoles()).toEqual(roles);
      // Earlier versions stored the address in the form of app_user.email.
      await db.query('update left_team set email = $1 where email = $2', [stored, canonical]);
      await makeOwners(db, [canonical]);
      expect(await listRoles()).toEqual(roles);
      await set(canonical, 'viewer');
      await set(canonical, null);
      await makeOwners(db, [canonical]);
      expect(await listRoles()).toContain(`${canonical} admin owner`);
      await set(canonical, null, { force: true });
      await db.query('update app_user set email = $2 where email = $1', [
        canonical,
        `${randomUUID()}@example.org`,
      ]);
    }
  },
);

test('N-03, N-303: a removal is remembered of a member whose address is stored in another form, until the next role', async () => {
  const [stored, canonical] = ['ge\u200Bne@example.org', 'gene@example.org'];
  const { rows } = await db.query<TeamMember>(
    "insert into app_user (email, user_role, team_role) values ($1, 'admin', 'owner') returning id, user_id, email, team_role",
    [stored],
  );
  const removal = { actor: 'operator', action: 'team.remove', team_role: null, isRefused: false };
  await changeRole(db, { ...removal, member: rows[0] as TeamMember, remembered: true });
  // Processes of this version read only left_team, not this column.
  await db.query('update app_user set left_team_at = null');
  await makeOwners(db, [canonical]);
  expect(await listRoles()).toEqual([]);
  await set(canonical, 'viewer');
  await set(canonical, null);
  await makeOwners(db, [canonical]);
  expect(await listRoles()).toEqual([`${stored} admin owner`]);
  // An owner counts if ADMIN_EMAILS has the address in any form.
  adminEmails.push(canonical);
  await set('ada@example.org', 'owner');
  await signIn('ada@example.org');
  expect(await set('ada@example.org', 'manager')).toBe('changed');
});
