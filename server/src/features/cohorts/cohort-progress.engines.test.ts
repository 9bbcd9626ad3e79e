// Tests the numbers of a cohort's page: the members who hold a code of a product, and the free codes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { createStaffCalls, inDays } from '../../../test/staff-calls.ts';

let portal: TestApp;
let staff: ReturnType<typeof createStaffCalls>;
beforeAll(async () => {
  portal = await openTestApp();
  staff = createStaffCalls(portal, await portal.signInAdmin());
});
afterAll(() => portal.close());

type Numbers = { product_id: string | null; holding: number; free: number | null };
type Cohort = { cohort_id: string; members: number; holding: number; grants: Numbers[] };

async function addCodes(product_id: string, codes: string[], more: object = {}) {
  for (const coupon_code of codes) {
    const { status } = await staff.post('/api/admin/coupons/single', { product_id, coupon_code, ...more });
    expect(status).toBe(201);
  }
}

test('R-DAY-37, N-216: a cohort has per product the members who hold a code not revoked, and the free codes', async () => {
  const [one, two, shared] = [
    await staff.addProduct(),
    await staff.addProduct({ name: 'Lumenforge' }),
    await staff.addProduct({ name: 'Shared', shared_coupon: true }),
  ];
  await addCodes(one, ['A-1', 'A-2', 'A-3', 'A-4']);
  await addCodes(two, ['B-1']);
  await addCodes(shared, ['ALL']);
  const created = await staff.post('/api/admin/cohorts', { name: 'Autumn', product_ids: [one, two, shared] });
  const { cohort_id } = created.body as Cohort;
  const emails = Array.from({ length: 5 }, (_, at) => `member-${at}@example.org`);
  await staff.post(`/api/admin/cohorts/${cohort_id}/members`, { emails });
  const outsider = await staff.addPerson(one);
  const issue = (email: string | undefined, productId: string) =>
    staff.post('/api/admin/generate-coupon', { email, productId });
  for (const [email, product] of [
    [emails[0], one],
    [emails[1], one],
    [emails[1], two],
    [emails[2], shared],
    [outsider, one],
  ] as const)
    expect((await issue(email, product)).status).toBe(200);
  const readNumbers = async () => {
    const { members, holding, grants } = (await staff.get(`/api/admin/cohorts/${cohort_id}`)).body as Cohort;
    const byProduct = new Map(grants.map(({ product_id, ...numbers }) => [product_id, numbers]));
    return { members, holding, of: (id: string | null) => byProduct.get(id) };
  };
  const before = await readNumbers();
  expect(before).toMatchObject({ members: 5, holding: 3 });
  expect(before.of(one)).toMatchObject({ holding: 2, free: 1 });
  expect(before.of(two)).toMatchObject({ holding: 1, free: 0 });
  expect(before.of(shared)).toMatchObject({ holding: 1, free: null });

  // A free code whose last day is today or earlier cannot be claimed any more.
  await portal.db.query('update coupon set use_by = $1 where product_id = $2 and holder is null', [
    inDays(-1),
    one,
  ]);
  await portal.db.query(
    `update coupon set revoked_at = now(), revoked_by = 'x', revoke_reason = 'Lost'
     where product_id = $1 and holder = (select id from app_user where email = $2)`,
    [one, emails[0]],
  );
  await staff.post('/api/admin/grants', { cohort_id, product_ids: 'all' });
  const after = await readNumbers();
  expect(after).toMatchObject({ members: 5, holding: 2 });
  expect(after.of(one)).toMatchObject({ holding: 1, free: 0 });
  expect(after.of(null)).toMatchObject({ holding: 2, free: null });
});

type Progress = { cohort_id: string; due: number; claimed: number; short: number };

const readProgress = async (...ids: string[]) => {
  const { status, body } = await staff.get(`/api/admin/cohorts/progress?cohort_ids=${ids.join(',')}`);
  expect(status).toBe(200);
  return new Map((body as Progress[]).map(({ cohort_id, ...numbers }) => [cohort_id, numbers]));
};

async function addCohort(name: string, more: object, emails: string[]): Promise<string> {
  const { body } = await staff.post('/api/admin/cohorts', { name, ...more });
  const { cohort_id } = body as Cohort;
  await staff.post(`/api/admin/cohorts/${cohort_id}/members`, { emails });
  return cohort_id;
}

test('R-DAY-37, R-COHORT-10: the list of cohorts has the codes claimed and missing, which are the sums of each page', async () => {
  const [one, two, shared] = [
    await staff.addProduct({ name: 'One' }),
    await staff.addProduct({ name: 'Two' }),
    await staff.addProduct({ name: 'For all', shared_coupon: true }),
  ];
  await addCodes(one, ['P-1', 'P-2', 'P-3']);
  await addCodes(two, ['Q-1']);
  await addCodes(shared, ['EVERYBODY']);
  const emails = Array.from({ length: 4 }, (_, at) => `progress-${at}@example.org`);
  const live = await addCohort('Live', { product_ids: [one, two, shared] }, emails);
  const ended = await addCohort(
    'Ended',
    { product_ids: [one], starts_on: '2020-01-01', ends_on: '2020-02-01' },
    emails.slice(0, 2),
  );
  const empty = await addCohort('Without products', {}, emails);
  const [first, second] = emails;
  for (const [email, productId] of [
    [first, one],
    [first, shared],
    [second, one],
  ])
    expect((await staff.post('/api/admin/generate-coupon', { email, productId })).status).toBe(200);
  await portal.db.query(
    `update coupon set revoked_at = now(), revoked_by = 'x', revoke_reason = 'Lost'
     where product_id = $1 and holder = (select id from app_user where email = $2)`,
    [one, second],
  );

  const progress = await readProgress(live, ended, empty, 'nothing');
  // Two: 4 members, 1 free code. One: 4 members, 1 holds a code, 1 is free. The shared code is never short.
  expect(progress.get(live)).toEqual({ due: 12, claimed: 2, short: 5 });
  // Nobody gets a code of a cohort that has ended, so none is missing.
  expect(progress.get(ended)).toEqual({ due: 2, claimed: 1, short: 0 });
  expect([...progress.keys()].sort()).toEqual([live, ended].sort());
  const page = (await staff.get(`/api/admin/cohorts/${live}`)).body as Cohort;
  expect(page.grants.reduce((sum, { holding }) => sum + holding, 0)).toBe(2);

  const members = (await staff.get(`/api/users?limit=20&cohort_id=${live}`)).body as {
    email: string;
    codes_claimed?: number;
  }[];
  expect(Object.fromEntries(members.map(({ email, codes_claimed }) => [email, codes_claimed]))).toEqual({
    ...{ [emails[0] ?? '']: 2, [emails[1] ?? '']: 0, [emails[2] ?? '']: 0, [emails[3] ?? '']: 0 },
  });
});

test('R-COHORT-10: a removed member and an archived cohort count no more; a call names 1 to 100 cohorts', async () => {
  const product = await staff.addProduct({ name: 'Left' });
  await addCodes(product, ['L-1']);
  const emails = ['leaves@example.org', 'stays@example.org'];
  const id = await addCohort('Shrinks', { product_ids: [product] }, emails);
  await staff.post('/api/admin/generate-coupon', { email: emails[0], productId: product });
  expect((await readProgress(id)).get(id)).toEqual({ due: 2, claimed: 1, short: 1 });
  await staff.post(`/api/admin/cohorts/${id}/members/remove`, { emails: [emails[0]] });
  expect((await readProgress(id)).get(id)).toEqual({ due: 1, claimed: 0, short: 1 });
  const edit = { name: 'Shrinks', note: null, archived: true, version: 1, expected: 1 };
  expect((await staff.post(`/api/admin/cohorts/${id}/edit`, edit)).status).toBe(200);
  expect((await readProgress(id)).get(id)).toEqual({ due: 1, claimed: 0, short: 0 });

  for (const ids of ['', Array(101).fill(id).join(',')]) {
    const { status, body } = await staff.get(`/api/admin/cohorts/progress?cohort_ids=${ids}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ message: 'cohort_ids must name 1 to 100 cohorts, separated by commas' });
  }
});
