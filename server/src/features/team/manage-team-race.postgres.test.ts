// Tests that owners who concurrently demote, remove, sign out or edit each other never leave the portal without an
// owner who can sign in. Runs on PostgreSQL only, because the embedded engine has one connection.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSessionOf } from '../../../test/factories.ts';
import { createTestDatabase, openTestPostgres } from '../../../test/open-test-database.ts';
import { openTestSignIn, type TestSignIn } from '../../../test/open-test-sign-in.ts';
import type { Database } from '../../db/database.ts';
import { lockPeopleById } from '../cohorts/cohorts.sql.ts';
import { type EditTools, editPerson } from '../people/person.ts';
import { findCaller, type Member } from './callers.sql.ts';
import { lockOwners } from './team.sql.ts';
import { inviteMember, removeMember, setMemberRole, setRole, signOutMember, type TeamTools } from './team.ts';

const ROUNDS = 200;

let db: Database;
let signIn: TestSignIn;
let tools: TeamTools & EditTools;
// Four connection pools, which simulate four processes of the portal.
let processes: Database[];
beforeAll(async () => {
  const url = await createTestDatabase();
  db = await openTestPostgres(url);
  processes = await Promise.all([0, 1, 2, 3].map(() => openTestPostgres(url)));
  signIn = await openTestSignIn(db);
  const { endSessions, closeAccount } = signIn.service;
  tools = { now: () => new Date(), adminEmails: [], rateLimits: false, endSessions, closeAccount };
});
afterAll(async () => {
  await signIn.close();
  for (const each of [...processes, db]) await each.close();
});

type Owner = Member & { public_id: string };

/** Makes the address an owner who has signed in. */
async function addOwner(email: string): Promise<Owner> {
  await setRole(db, { actor: 'operator', email, team_role: 'owner' }, tools);
  await db.query('delete from auth_user where email = $1', [email]);
  const session = await startSessionOf(db, { email, name: null });
  const caller = (await findCaller(db, session)) as Member;
  const { rows } = await db.query<{ user_id: string }>('select user_id from app_user where email = $1', [
    email,
  ]);
  return { ...caller, public_id: rows[0]?.user_id ?? '' };
}

async function listOwners(): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>("select email from app_user where team_role = 'owner'");
  return rows.map(({ email }) => email);
}

/** Demotes or removes `target`. Returns 'done', or the error code of the refusal. */
function act(index: number, { actor, target }: { actor: Owner; target: Owner }): Promise<string> {
  const process = processes[index % processes.length] as Database;
  const order = { actor, user_id: target.public_id };
  const call =
    index % 2 === 0
      ? setMemberRole(process, { ...order, team_role: 'viewer' }, tools)
      : removeMember(process, { ...order, sign_out: false }, tools);
  return call.then(
    () => 'done',
    (error: { code?: string }) => error.code ?? String(error),
  );
}

test('R-TEAM-40: of two owners who demote or remove each other at once, exactly one succeeds', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const [ada, bob] = [await addOwner('ada@example.org'), await addOwner('bob@example.org')];
    const results = await Promise.all([
      act(round, { actor: ada, target: bob }),
      act(round + 1, { actor: bob, target: ada }),
    ]);
    const refusals = ['last_owner', 'role_too_low', 'access_restricted', 'user_not_found'];
    expect(results.toSorted(), `round ${round}`).toEqual(
      ['done', results.find((result) => refusals.includes(result)) ?? 'a refusal'].toSorted(),
    );
    expect(await listOwners()).toHaveLength(1);
  }
});

test('R-TEAM-40: of four owners who all step down or remove the next one at once, one always stays', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const owners = await Promise.all(
      ['ada', 'bob', 'cleo', 'dan'].map((name) => addOwner(`${name}@example.org`)),
    );
    const results = await Promise.all(
      owners.map((actor, index) => {
        // In half of the rounds, each owner removes or demotes themselves; in the others, the next owner.
        const target = owners[round % 2 === 0 ? index : (index + 1) % owners.length] as Owner;
        return act(round + index, { actor, target });
      }),
    );
    const left = await listOwners();
    expect(left.length, `round ${round}: ${results.join(', ')}`).toBeGreaterThan(0);
    expect(left).toHaveLength(4 - results.filter((result) => result === 'done').length);
    if (round % 2 === 0) expect(results.toSorted()).toEqual(['done', 'done', 'done', 'last_owner']);
  }
});

/** Resolves when the given number of statements wait for a lock. */
async function waitForWaiting(count: number): Promise<void> {
  await expect
    .poll(async () => {
      const { rowCount } = await db.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rowCount;
    })
    .toBe(count);
}

test('R-TEAM-41: a demoted owner whose call was waiting for the lock is refused', async () => {
  const [ada, bob] = [await addOwner('ada@example.org'), await addOwner('bob@example.org')];
  let waiting: Promise<string> | undefined;
  await db.transaction(async (tx) => {
    await tx.query("select 1 from app_user where team_role = 'owner' order by id for update");
    waiting = act(1, { actor: bob, target: ada });
    await waitForWaiting(1);
    await tx.query("update app_user set team_role = 'support' where email = 'bob@example.org'");
  });
  expect(await waiting).toBe('role_too_low');
  expect(await listOwners()).toContain('ada@example.org');
});

type Act = (db: Database, pair: { actor: Owner; target: Owner }) => Promise<unknown>;

// Returns an address with which nobody can sign in.
const mistype = ({ email }: Owner) => `mistyped.${email}`;
const move: Act = (db, { actor, target }) =>
  editPerson(
    db,
    { user_id: target.public_id, email: mistype(target), name: null, phone_number: null, actor },
    tools,
  );

/** The actions of two owners on each other or on themselves, with what the target loses. */
const ACTS: Record<string, { act: Act; takes: 'role' | 'address' | 'sessions'; own?: boolean }> = {
  'demotes the other': {
    act: (db, { actor, target }) =>
      setMemberRole(db, { actor, user_id: target.public_id, team_role: 'manager' }, tools),
    takes: 'role',
  },
  'invites the other as viewer': {
    act: (db, { actor, target: { email } }) =>
      inviteMember(db, { actor, email, name: null, team_role: 'viewer', mail: false }, tools),
    takes: 'role',
  },
  'removes the other': {
    act: (db, { actor, target }) =>
      removeMember(db, { actor, user_id: target.public_id, sign_out: false }, tools),
    takes: 'role',
  },
  'signs the other out': {
    act: (db, { actor, target }) => signOutMember(db, { actor, user_id: target.public_id }, tools),
    takes: 'sessions',
  },
  'mistypes the address of the other': { act: move, takes: 'address' },
  'steps down': {
    act: (db, { actor }) =>
      setMemberRole(db, { actor, user_id: actor.public_id, team_role: 'support' }, tools),
    takes: 'role',
    own: true,
  },
  'mistypes the own address': {
    act: (db, { actor }) => move(db, { actor, target: actor }),
    takes: 'address',
    own: true,
  },
};
// The error code of a call whose actor has just lost this.
const REFUSALS = {
  role: ['role_too_low', 'access_restricted'],
  address: ['authentication_required'],
  sessions: ['authentication_required'],
};
const PAIRS = Object.keys(ACTS).flatMap((first) => Object.keys(ACTS).map((second) => [first, second]));

test.each(PAIRS)(
  'R-TEAM-40, R-TEAM-41: of two owners the first %s, the second %s: an owner who can sign in stays, and nobody acts with what was taken',
  async (...names) => {
    const [first, second] = names.map((name) => ACTS[name as string]) as [
      (typeof ACTS)[string],
      (typeof ACTS)[string],
    ];
    await db.query("update app_user set user_role = 'user', team_role = null");
    const [ada, bob] = [
      await addOwner(`ada-${randomUUID()}@example.org`),
      await addOwner(`bob-${randomUUID()}@example.org`),
    ];
    const asCode = (error: { code?: string }) => error.code ?? String(error);
    let results: Promise<unknown>[] = [];
    // Both calls wait for the team's lock, and get it in the order in which they requested it.
    await db.transaction(async (tx) => {
      await lockOwners(tx);
      const of = (index: number, { act }: (typeof ACTS)[string], pair: Parameters<Act>[1]) =>
        act(processes[index] as Database, pair).then(() => 'done', asCode);
      results = [of(0, first, { actor: ada, target: bob })];
      await waitForWaiting(1);
      results.push(of(1, second, { actor: bob, target: ada }));
      await waitForWaiting(2);
    });
    const [one, two] = await Promise.all(results);
    expect(one).toBe('done');
    // If the first owner's action was on themselves, the other's action succeeds, unless the other is now the last
    // owner.
    const allowed = first.own
      ? second.own
        ? ['last_owner']
        : ['done', 'user_not_found']
      : REFUSALS[first.takes];
    expect(allowed).toContain(two);
    const { rows } = await db.query(
      `select 1 from app_user u join auth_user s on s.email = u.email where team_role = 'owner' and u.email = any ($1)`,
      [[ada.email, bob.email]],
    );
    expect(rows.length).toBeGreaterThan(0);
  },
);

test('R-TEAM-12: while an import locks a member and an owner who came later, both succeed', async () => {
  await setRole(db, { actor: 'operator', email: 'early@example.org', team_role: 'viewer' }, tools);
  const actor = await addOwner('later@example.org');
  const { rows } = await db.query<{ id: string; user_id: string }>(
    "select id, user_id from app_user where email = 'early@example.org'",
  );
  const [member] = rows as [{ id: string; user_id: string }];
  let changed: Promise<unknown> = Promise.resolve();
  await db.transaction(async (tx) => {
    // Locks people in the order of their ids, as an import does.
    await lockPeopleById(tx, [member.id]);
    changed = setMemberRole(db, { actor, user_id: member.user_id, team_role: 'support' }, tools);
    await expect
      .poll(async () => (await db.query('select from pg_locks where not granted')).rows.length)
      .toBeGreaterThan(0);
    await lockPeopleById(tx, [actor.user_id]);
  });
  await expect(changed).resolves.toMatchObject({ team_role: 'support' });
});

test('R-TEAM-40: an invitation and a new role of one member, who is older than an owner, both succeed', async () => {
  await setRole(db, { actor: 'operator', email: 'older@example.org', team_role: 'viewer' }, tools);
  const actor = await addOwner('younger@example.org');
  const { rows } = await db.query<{ user_id: string }>(
    "select user_id from app_user where email = 'older@example.org'",
  );
  const [{ user_id }] = rows as [{ user_id: string }];
  const [first, second] = processes as [Database, Database];
  const acts: Promise<unknown>[] = [];
  await db.transaction(async (tx) => {
    await lockPeopleById(tx, [actor.user_id]);
    // This call locks the owners, then the member. The other call locks all of them in the order of their ids.
    const invitation = { email: 'older@example.org', name: null, team_role: 'support', mail: false } as const;
    acts.push(inviteMember(first, { actor, ...invitation }, tools));
    await waitForWaiting(1);
    acts.push(setMemberRole(second, { actor, user_id, team_role: 'manager' }, tools));
    await waitForWaiting(2);
  });
  expect(await Promise.all(acts)).toMatchObject([{ isNew: false }, { team_role: 'manager' }]);
});
