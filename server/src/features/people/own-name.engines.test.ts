// Tests the call with which members of the team change their own name (R-DAY-52).
import type { TeamRole } from '@portal/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';

const EMAIL = 'noor@example.org';

let portal: TestApp;
let token: string;
beforeAll(async () => {
  portal = await openTestApp();
  token = await portal.signInAdmin(EMAIL, 'viewer');
});
afterAll(() => portal.close());
beforeEach(async () => {
  await portal.db.query('update app_user set name = null where email = $1', [EMAIL]);
});

const rename = (body: unknown, by = token) => portal.call('POST', '/api/admin/me', { token: by, body });

async function readStored() {
  const { rows } = await portal.db.query<{
    name: string | null;
    phone_number: string | null;
    version: number;
  }>('select name, phone_number, version from app_user where email = $1', [EMAIL]);
  return rows[0];
}

async function listLines(): Promise<unknown[]> {
  const { rows } = await portal.db.query(
    `select a.actor, u.email, a.detail from audit a join app_user u on u.id = a.user_id
     where a.action = 'team.rename' order by a.id`,
  );
  return rows;
}

test('R-DAY-52, N-232: a viewer changes the own name, and the log has one line for it', async () => {
  const before = await readStored();
  const { status, body } = await rename({ name: '  Noor Haddad ' });
  expect(status).toBe(200);
  expect(body).toEqual({ user_id: expect.any(String), email: EMAIL, name: 'Noor Haddad' });
  const stored = await readStored();
  expect(stored).toMatchObject({ name: 'Noor Haddad', phone_number: null });
  expect(stored?.version).not.toBe(before?.version);
  const user = await portal.call('GET', '/api/auth/user', { token });
  expect(user.body).toMatchObject({ name: 'Noor Haddad', team_role: 'viewer' });
  expect(await rename({ name: 'Noor Haddad', was: 'Somebody' })).toMatchObject({ status: 200 });
  expect(await listLines()).toEqual([
    { actor: EMAIL, email: EMAIL, detail: { name: [null, 'Noor Haddad'] } },
  ]);
});

test('R-DAY-52: a name that the page did not show is not overwritten', async () => {
  expect(await rename({ name: 'First', was: null })).toMatchObject({ status: 200 });
  expect(await rename({ name: 'Second', was: null })).toMatchObject({
    status: 409,
    body: { code: 'edit_conflict', message: 'Somebody else changed your name meanwhile.' },
  });
  expect(await readStored()).toMatchObject({ name: 'First' });
  expect(await rename({ name: 'Second', was: 'First' })).toMatchObject({ status: 200 });
});

test.each([
  [{}, 'name is required'],
  [{ name: '   ' }, 'name is required'],
  [{ name: 7 }, 'name must be text'],
  [{ name: 'n'.repeat(201) }, 'name must be at most 200 characters'],
  [{ name: 'Noor', was: 7 }, 'was must be text or null'],
])('R-DAY-52: %j is a 400 that names the field', async (body, message) => {
  expect(await rename(body)).toMatchObject({ status: 400, body: { message } });
  expect(await readStored()).toMatchObject({ name: null });
});

test('R-DAY-52: the call changes nobody else, and nobody without a role', async () => {
  const learner = await portal.signIn('learner@example.org');
  expect(await rename({ name: 'Learner' }, learner)).toMatchObject({ status: 403 });
  const other = await portal.signInAdmin('other@example.org', 'owner' satisfies TeamRole);
  expect(await rename({ name: 'Other', user_id: 'noor@example.org', email: EMAIL }, other)).toMatchObject({
    body: { email: 'other@example.org', name: 'Other' },
  });
  expect(await readStored()).toMatchObject({ name: null });
});
