// Tests the list of a cohort's users, and the cohorts that a page of users shows for each user (R-COHORT-15).
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { createStaffCalls } from '../../../test/staff-calls.ts';

let portal: TestApp;
let staff: ReturnType<typeof createStaffCalls>;
beforeAll(async () => {
  portal = await openTestApp();
  staff = createStaffCalls(portal, await portal.signInAdmin());
});
afterAll(() => portal.close());

const addCohort = async (name: string) =>
  ((await staff.post('/api/admin/cohorts', { name })).body as { cohort_id: string }).cohort_id;
const join = (cohort_id: string, emails: string[]) =>
  staff.post(`/api/admin/cohorts/${cohort_id}/members`, { emails });
type Listed = { email: string; joined_at?: string; cohorts?: { name: string }[]; cohorts_more?: number };
async function list(query: string) {
  const { body, headers, status } = await staff.get(`/api/users?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  const users = body as Listed[];
  return { users, emails: users.map(({ email }) => email), headers };
}

test('the list has the members of a cohort, newest first, in pages, by role and by search', async () => {
  const cohort_id = await addCohort('Autumn');
  const other = await addCohort('Spring');
  const emails = ['a', 'b', 'c', 'd'].map((name) => `${name}-list@example.org`);
  await join(other, [...emails, 'outside-list@example.org']);
  await join(cohort_id, [...emails.toReversed(), 'staff@example.org']);
  const all = (await list(`cohort_id=${cohort_id}`)).users;
  expect(all.map(({ email }) => email)).toEqual([...emails.toReversed(), 'staff@example.org']);
  // Without `limit`, the list has no cohorts, as in earlier versions.
  expect(all[0]).not.toHaveProperty('cohorts');
  const first = await list(`cohort_id=${cohort_id}&limit=3`);
  expect(first.headers).toMatchObject({ 'x-total-count': '5', 'x-total-count-relation': 'eq' });
  const second = await list(`cohort_id=${cohort_id}&limit=3&cursor=${first.headers['x-next-cursor']}`);
  expect([...first.emails, ...second.emails]).toEqual(all.map(({ email }) => email));
  expect(second.headers).not.toHaveProperty('x-next-cursor');
  const { rows: joins } = await portal.db.query<{ joined_at: string }>(
    'select joined_at from cohort_member where cohort_id = $1 order by user_id desc limit 3',
    [cohort_id],
  );
  expect(first.users.map(({ joined_at }) => joined_at)).toEqual(joins.map(({ joined_at }) => joined_at));

  const admins = await list(`cohort_id=${cohort_id}&limit=3&role=admin`);
  expect(admins).toMatchObject({ emails: ['staff@example.org'], headers: { 'x-total-count': '1' } });
  const learners = await list(`cohort_id=${cohort_id}&limit=9&role=user`);
  expect(learners).toMatchObject({ emails: emails.toReversed(), headers: { 'x-total-count': '4' } });
  expect((await list(`cohort_id=${other}&limit=9&role=admin`)).headers).toMatchObject({
    'x-total-count': '0',
  });

  const found = await list(`cohort_id=${cohort_id}&limit=2&q=b-li`);
  expect(found).toMatchObject({ emails: [emails[1]], headers: { 'x-total-count': '1' } });
  expect((await list(`cohort_id=${cohort_id}&limit=2&q=outside`)).headers).toMatchObject({
    'x-total-count': '0',
  });
  expect((await list(`cohort_id=${other}&limit=2&q=outside&role=user`)).emails).toHaveLength(1);

  await staff.post(`/api/admin/cohorts/${cohort_id}/members/remove`, { emails: [emails[0]] });
  expect((await list(`cohort_id=${cohort_id}&limit=1`)).headers).toMatchObject({ 'x-total-count': '4' });
  for (const id of [randomUUID(), 'none', '1'])
    expect(await staff.get(`/api/users?cohort_id=${id}&limit=5`)).toMatchObject({
      status: 404,
      body: { code: 'cohort_not_found', message: 'Cohort not found' },
    });
  expect((await list(`cohort_id=${cohort_id.toUpperCase()}&limit=9`)).emails).toHaveLength(4);
});

test('N-66: each user of a page carries at most five cohorts by name, and how many more there are', async () => {
  const names = ['beta', 'Alpha', 'gamma', 'Epsilon', 'Delta', 'zeta'];
  for (const name of names) await join(await addCohort(name), ['many@example.org']);
  const read = async () => (await list('limit=1&q=many@')).users[0];
  const sorted = ['Alpha', 'beta', 'Delta', 'Epsilon', 'gamma'].map((name) => ({
    cohort_id: expect.any(String),
    name,
  }));
  expect(await read()).toMatchObject({ cohorts: sorted, cohorts_more: 1 });
  // The list does not contain archived cohorts.
  const { rows } = await portal.db.query(
    "update cohort set archived_at = now() where name = 'Alpha' returning 1",
  );
  expect(rows).toHaveLength(1);
  expect(await read()).toMatchObject({
    cohorts: [...sorted.slice(1), { name: 'zeta' }],
    cohorts_more: 0,
  });
  const alone = await staff.addPerson(await staff.addProduct());
  expect((await list(`limit=1&q=${alone}`)).users[0]).toMatchObject({ cohorts: [], cohorts_more: 0 });
});
