// Tests that owners who demote and remove each other at the same time never leave the portal without an owner. Runs on
// PostgreSQL only, because the embedded engine has one connection.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, openTestPostgres } from '../../test/open-test-database.ts';
import type { Database } from '../db/database.ts';
import type { Member } from '../stores/callers.ts';
import { linkAuthIdentity } from '../stores/users.ts';
import { setRole } from './change-team.ts';
import { removeMember, setMemberRole } from './manage-team.ts';

const ROUNDS = 200;
const tools = { now: () => new Date(), adminEmails: [], rateLimits: true, endSessions: async () => 0 };

let db: Database;
// Four connection pools. They stand for four processes of the portal.
let processes: Database[];
beforeAll(async () => {
  const url = await createTestDatabase();
  db = await openTestPostgres(url);
  processes = await Promise.all([0, 1, 2, 3].map(() => openTestPostgres(url)));
});
afterAll(async () => {
  for (const each of [...processes, db]) await each.close();
});

type Owner = Member & { public_id: string };

async function addOwner(email: string): Promise<Owner> {
  await setRole(db, { actor: 'operator', email, team_role: 'owner' }, tools);
  const { rows } = await db.query<{ id: string; user_id: string }>(
    'select id, user_id from app_user where email = $1',
    [email],
  );
  const { id = '', user_id: public_id = '' } = rows[0] ?? {};
  const auth_id = randomUUID();
  await linkAuthIdentity(db, id, auth_id);
  return { auth_id, email, name: null, user_id: id, user_role: 'admin', team_role: 'owner', public_id };
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
        // In half of the rounds each owner steps down, in the others each removes or demotes the next owner.
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

test('R-TEAM-41: a demoted owner whose call was waiting for the lock is refused', async () => {
  const [ada, bob] = [await addOwner('ada@example.org'), await addOwner('bob@example.org')];
  let waiting: Promise<string> | undefined;
  await db.transaction(async (tx) => {
    await tx.query("select 1 from app_user where team_role = 'owner' order by id for update");
    waiting = act(1, { actor: bob, target: ada });
    await expect
      .poll(async () => {
        const { rowCount } = await db.query(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rowCount;
      })
      .toBe(1);
    await tx.query("update app_user set team_role = 'support' where email = 'bob@example.org'");
  });
  expect(await waiting).toBe('role_too_low');
  expect(await listOwners()).toContain('ada@example.org');
});
