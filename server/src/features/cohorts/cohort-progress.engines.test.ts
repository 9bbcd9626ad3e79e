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
