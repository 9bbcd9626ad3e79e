// Tests the orders and further columns of the list of people (R-DAY-11, R-DAY-12, N-205).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { createStaffCalls } from '../../../test/staff-calls.ts';

type Listed = { email: string; name: string | null; last_sign_in_at: string | null; codes_held: number };
const NAMES = ['bob', 'Ada', null, 'Émile', 'ada', null, 'Zoë', 'b', 'Ada'];

let portal: TestApp;
let staff: ReturnType<typeof createStaffCalls>;
beforeAll(async () => {
  portal = await openTestApp();
  staff = createStaffCalls(portal, await portal.signInAdmin());
  await portal.db.query(
    `insert into app_user (email, name)
     select n || '-order@example.org', name from jsonb_array_elements_text($1::jsonb) with ordinality as list (name, n)
     order by n`,
    [JSON.stringify(NAMES)],
  );
});
afterAll(() => portal.close());

/** Returns the rows of all pages. */
async function readPages(query: string, limit = 2): Promise<Listed[]> {
  const rows: Listed[] = [];
  for (let cursor = ''; ; ) {
    const reply = await staff.get(`/api/users?limit=${limit}&${query}${cursor}`);
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    rows.push(...(reply.body as Listed[]));
    const next = reply.headers['x-next-cursor'];
    if (next === undefined) return rows;
    cursor = `&cursor=${next}`;
  }
}

const emailsOf = async (query: string, limit?: number) =>
  (await readPages(query, limit)).map(({ email }) => email);

test.each(['', '&role=user'])(
  'N-205: pages follow each other in each order%s, without gaps',
  async (role) => {
    const newest = await emailsOf(`sort=created${role}`);
    expect(newest.length).toBeGreaterThanOrEqual(NAMES.length);
    expect(newest).toEqual(await emailsOf(role.slice(1), 500));
    expect(await emailsOf(`sort=-created${role}`)).toEqual(newest.toReversed());
    const byBytes = newest.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(await emailsOf(`sort=email${role}`)).toEqual(byBytes);
    expect(await emailsOf(`sort=-email${role}`)).toEqual(byBytes.toReversed());

    const byName = await readPages(`sort=name${role}`);
    expect(new Set(byName.map(({ email }) => email))).toEqual(new Set(newest));
    const named = byName.filter(({ name }) => name !== null);
    // People without a name come last in both directions.
    const nameless = byName.slice(named.length).map(({ email }) => email);
    expect(nameless.slice(-2)).toEqual(['3-order@example.org', '6-order@example.org']);
    const names = named.filter(({ email }) => email.includes('-order')).map(({ name }) => name);
    expect(names).toEqual(['Ada', 'ada', 'Ada', 'b', 'bob', 'Zoë', 'Émile']);
    const reversed = await readPages(`sort=-name${role}`);
    expect(reversed.slice(0, named.length)).toEqual(named.toReversed());
    expect(reversed.slice(named.length)).toEqual(byName.slice(named.length));
  },
);

const signIn = (email: string, at: string) =>
  portal.db.query(
    `insert into auth_user (email, email_confirmed_at, last_sign_in_at, created_at, updated_at) values ($1, $2, $2, $2, $2)
     on conflict (email) do update set last_sign_in_at = excluded.last_sign_in_at`,
    [email, at],
  );
const setEmail = (from: string, to: string) =>
  portal.db.query('update app_user set email = $2 where email = $1', [from, to]);

test('N-205: by the last sign-in, newest first; the people who never signed in come last, oldest first', async () => {
  for (const [number, at] of [
    [4, '2026-03-01T10:00:00.000002Z'],
    [2, '2026-03-01T10:00:00.000001Z'],
    [7, '2026-03-01T10:00:00.000001Z'],
    [5, '2026-03-02T10:00:00Z'],
  ] as const)
    await signIn(`${number}-order@example.org`, at);
  const order = async (sort: string) =>
    (await emailsOf(`sort=${sort}&role=user`)).map((email) => email.replace('-order@example.org', ''));
  const never = ['1', '3', '6', '8', '9'];
  expect(await order('last_sign_in')).toEqual(['5', '4', '7', '2', ...never]);
  expect(await order('-last_sign_in')).toEqual(['2', '7', '4', '5', ...never]);
  // Another sign-in.
  await signIn('2-order@example.org', '2026-03-03T10:00:00Z');
  expect((await order('last_sign_in')).slice(0, 3)).toEqual(['2', '5', '4']);
  // A person who has signed in before staff added the person, and people who get another address.
  await signIn('early@example.org', '2026-03-04T10:00:00Z');
  await signIn('other@example.org', '2026-02-01T10:00:00Z');
  await portal.db.query("insert into app_user (email) values ('early@example.org')");
  await setEmail('5-order@example.org', 'other@example.org');
  await setEmail('4-order@example.org', 'unknown@example.org');
  expect(await order('last_sign_in')).toEqual([
    ...['early@example.org', '2', '7', 'other@example.org'],
    ...['1', '3', 'unknown@example.org', '6', '8', '9'],
  ]);
  for (const [from, to] of [
    ['other@example.org', '5-order@example.org'],
    ['unknown@example.org', '4-order@example.org'],
  ] as const)
    await setEmail(from, to);
});

test('the administrators alone are sorted too', async () => {
  const admins = await readPages('sort=-name&role=admin', 1);
  expect(admins.map(({ email }) => email)).toEqual(['staff@example.org']);
});

test('N-205: an unknown order, and one with a search, a cohort or no limit, is refused', async () => {
  const refused = async (query: string) => (await staff.get(`/api/users?${query}`)).body;
  expect(await refused('limit=5&sort=phone')).toMatchObject({
    message: 'sort must be one of email, -email, name, -name, last_sign_in, -last_sign_in, created, -created',
  });
  for (const query of [
    'sort=name',
    'limit=5&sort=name&q=ada',
    `limit=5&sort=name&cohort_id=${crypto.randomUUID()}`,
  ])
    expect(await refused(query)).toMatchObject({
      code: 'invalid_request',
      message: 'sort needs limit, and cannot be combined with q or cohort_id',
    });
});

test('R-DAY-11: each person of a page has the last sign-in and the number of held codes', async () => {
  const rows = await readPages('', 50);
  const find = (email: string) => rows.find((row) => row.email === email);
  expect(find('1-order@example.org')).toMatchObject({ last_sign_in_at: null, codes_held: 0 });
  expect(find('staff@example.org')).toMatchObject({ last_sign_in_at: expect.any(String), codes_held: 0 });

  const { body: product } = await staff.post('/api/products', {
    name: 'P',
    description: 'D',
    url: 'p.example',
  });
  const { product_id } = product as { product_id: string };
  await staff.post('/api/admin/coupons/single', { coupon_code: 'ORDER-1', product_id });
  await staff.post('/api/admin/users/single', { email: '1-order@example.org', product_ids: [product_id] });
  await staff.post('/api/admin/generate-coupon', {
    email: '1-order@example.org',
    productId: product_id,
  });
  const held = async () =>
    ((await staff.get('/api/users?limit=1&q=1-order')).body as Listed[])[0]?.codes_held;
  expect(await held()).toBe(1);
  // A revoked code is held no more.
  const { rows: codes } = await portal.db.query<{ id: string }>(
    "select id from coupon where coupon_code = 'ORDER-1'",
  );
  await staff.post(`/api/admin/coupons/${codes[0]?.id}/revoke`, { reason: 'Does not work' });
  expect(await held()).toBe(0);
});
