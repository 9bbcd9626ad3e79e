// Tests that an owner stays, if four owners demote and remove each other at the same moment, each at another process of
// the portal (R-TEAM-40).
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { startPostgres } from '../server/test/postgres.ts';
import { signIn } from './harness/api.ts';
import { openMailbox } from './harness/mailbox.ts';
import { type Portal, startPortal } from './harness/portal.ts';

const ROUNDS = 200;
const OWNERS = ['ada', 'bob', 'cleo', 'dan'].map((name) => `${name}@provider.example`);
const REFUSALS = ['last_owner', 'role_too_low', 'access_restricted', 'user_not_found'];

test('R-TEAM-40: four owners at four processes demote and remove each other: one always stays', async () => {
  const server = await startPostgres();
  onTestFinished(server.stop);
  const mailbox = await openMailbox();
  onTestFinished(() => mailbox.close());
  const env = {
    DATABASE_URL: server.url,
    SECRET_KEY: randomBytes(32).toString('base64'),
    // Tokens contain this address, so all processes need the same address.
    PUBLIC_URL: 'http://127.0.0.1:3000',
    ADMIN_EMAILS: '',
  };
  const portals: Portal[] = [];
  for (const _owner of OWNERS) {
    const portal = await startPortal({ mailbox, env });
    onTestFinished(() => portal.kill());
    portals.push(portal);
  }
  const db = await openPostgres({ url: server.url });
  onTestFinished(() => db.close());
  const tokens: string[] = [];
  for (const email of OWNERS) {
    await portals[0]?.operate('admin', 'add', email);
    tokens.push((await signIn(portals[0] as Portal, email)).access_token);
  }
  const { rows } = await db.query<{ email: string; user_id: string }>('select email, user_id from app_user');
  const ids = OWNERS.map((owner) => rows.find(({ email }) => email === owner)?.user_id ?? '');

  const readOwners = async () =>
    (await db.query<{ email: string }>("select email from app_user where team_role = 'owner'")).rows;
  /** The owner `by` demotes or removes the owner `whom`. Returns 'done', or the code of the refusal. */
  const act = async (by: number, whom: number, demotes: boolean) => {
    const { url } = portals[by] as Portal;
    const path = `/api/admin/team/${ids[whom]}/${demotes ? 'role' : 'remove'}`;
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[by]}`, 'content-type': 'application/json' },
      body: JSON.stringify(demotes ? { team_role: 'viewer' } : { sign_out: false }),
    });
    return response.ok ? 'done' : ((await response.json()) as { code: string }).code;
  };
  const counts: Record<string, number> = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    await db.query("update app_user set team_role = 'owner', user_role = 'admin' where email = any($1)", [
      OWNERS,
    ]);
    // In every second round, each owner steps down. In the other rounds, each owner acts on the next owner.
    const step = round % 2;
    const results = await Promise.all(
      OWNERS.map((_owner, by) => act(by, (by + step) % OWNERS.length, (by + (round >> 1)) % 2 === 0)),
    );
    const left = await readOwners();
    expect(left.length, `round ${round}: ${results}`).toBeGreaterThan(0);
    const done = results.filter((result) => result === 'done').length;
    expect(left).toHaveLength(OWNERS.length - done);
    expect(results.filter((result) => result !== 'done' && !REFUSALS.includes(result))).toEqual([]);
    for (const result of results) counts[result] = (counts[result] ?? 0) + 1;
  }
  // When all step down, the last one is refused in each round.
  expect(counts.last_owner).toBeGreaterThanOrEqual(ROUNDS / 2);
});
