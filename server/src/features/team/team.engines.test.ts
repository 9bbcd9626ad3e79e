// Tests the API calls of the Team page: status, response, invalid input, and effects on sessions.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';

let portal: TestApp;
let token: string;
beforeAll(async () => {
  portal = await openTestApp();
  token = await portal.signInAdmin('noor@example.org');
});
afterAll(() => portal.close());

const post = (path: string, body?: unknown) =>
  portal.call('POST', `/api/admin/team${path}`, { token, ...(body !== undefined && { body }) });
const list = async () =>
  (await portal.call('GET', '/api/admin/team', { token })).body as Record<string, unknown>[];
const findId = async (email: string) => (await list()).find((member) => member.email === email)?.user_id;

test('R-TEAM-10, N-18: the list has owners first; each act responds with the entry of the list', async () => {
  const invited = await post('', { email: ' Ravi@Example.org', name: 'Ravi Menon', team_role: 'viewer' });
  expect(invited).toMatchObject({ status: 201, body: { email: 'ravi@example.org', team_role: 'viewer' } });
  const again = await post('', { email: 'ravi@example.org', team_role: 'support', mail: false });
  expect(again).toMatchObject({ status: 200, body: { team_role: 'support' } });
  expect(await list()).toEqual([
    {
      user_id: expect.any(String),
      email: 'noor@example.org',
      name: null,
      team_role: 'owner',
      invited_at: null,
      invited_by: null,
      last_sign_in_at: expect.any(String),
      sessions: 1,
    },
    again.body,
  ]);
  const id = await findId('ravi@example.org');
  expect(await post(`/${id}/role`, { team_role: 'manager' })).toMatchObject({
    status: 200,
    body: { ...(again.body as object), team_role: 'manager' },
  });
  expect(await post(`/${id}/remove`)).toMatchObject({ status: 200, body: { user_id: id, team_role: null } });
  expect(await post(`/${id}/remove`, {})).toMatchObject({ status: 404, body: { code: 'user_not_found' } });
});

test('R-TEAM-12, R-TEAM-20: a member who is signed out or demoted notices it with the next call', async () => {
  const theirs = await portal.signInAdmin('tomas@example.org', 'owner');
  const id = await findId('tomas@example.org');
  const call = async (path: string) => (await portal.call('GET', path, { token: theirs })).status;
  expect(await call('/api/admin/team')).toBe(200);
  await post(`/${id}/role`, { team_role: 'manager' });
  expect(await call('/api/admin/team')).toBe(403);
  expect(await call('/api/admin/jobs/failed')).toBe(200);
  expect(await post(`/${id}/sign-out`)).toMatchObject({ status: 200, body: { sessions: 0 } });
  expect(await call('/api/auth/user')).toBe(401);
});

test('R-TEAM-12: a stale page does not undo the role that another owner has given meanwhile', async () => {
  const { body } = await post('', { email: 'stale@example.org', team_role: 'support', mail: false });
  const { user_id } = body as { user_id: string };
  const set = (team_role: string, was: string) => post(`/${user_id}/role`, { team_role, was });
  expect((await set('viewer', 'support')).status).toBe(200);
  expect(await set('manager', 'support')).toMatchObject({ status: 409, body: { code: 'edit_conflict' } });
  // A repeated call changes nothing.
  expect(await set('viewer', 'support')).toMatchObject({ status: 200, body: { team_role: 'viewer' } });
  expect(await set('manager', 'viewer')).toMatchObject({ status: 200, body: { team_role: 'manager' } });
});

test('R-TEAM-44: a removal with sign_out ends the sessions; without it they stay as those of a learner', async () => {
  for (const [email, body, status] of [
    ['without-body@example.org', undefined, 200],
    ['empty-body@example.org', {}, 200],
    ['keeps@example.org', { sign_out: false }, 200],
    ['leaves@example.org', { sign_out: true }, 401],
  ] as const) {
    const theirs = await portal.signInAdmin(email, 'manager');
    expect(await post(`/${await findId(email)}/remove`, body)).toMatchObject({ status: 200 });
    expect((await portal.call('GET', '/api/auth/user', { token: theirs })).status).toBe(status);
  }
});

test('R-TEAM-13: refusing the last owner is 409 and changes nothing', async () => {
  const id = await findId('noor@example.org');
  for (const [path, body] of [
    [`/${id}/role`, { team_role: 'manager' }],
    [`/${id}/remove`, { sign_out: true }],
  ] as const)
    expect(await post(path, body)).toMatchObject({ status: 409, body: { code: 'last_owner' } });
  expect((await list())[0]).toMatchObject({ email: 'noor@example.org', team_role: 'owner', sessions: 1 });
});

test.each([
  [{ email: 'noor@example.org', team_role: 'viewer' }, 'You cannot invite yourself.'],
  [{ email: 'new@example.org', team_role: 'boss' }, 'team_role must be owner, manager, support or viewer'],
  [{ email: 'new@example.org' }, 'team_role must be owner, manager, support or viewer'],
  [{ email: 'no address', team_role: 'viewer' }, 'email must be an address such as name@example.org'],
  [{ email: 'new@example.org', team_role: 'viewer', mail: 'no' }, 'mail must be true or false'],
])('R-TEAM-11: the invitation %j is 400', async (body, message) => {
  expect(await post('', body)).toMatchObject({ status: 400, body: { code: 'invalid_request', message } });
});

test.each(['no-uuid', '1', randomUUID(), '%00', '🙂'])('R-TEAM-12: the id %s is 404', async (id) => {
  for (const [act, body] of [
    ['role', { team_role: 'viewer' }],
    ['remove', { sign_out: true }],
    ['sign-out', undefined],
  ] as const)
    expect(await post(`/${encodeURI(id)}/${act}`, body)).toMatchObject({ status: 404 });
});
