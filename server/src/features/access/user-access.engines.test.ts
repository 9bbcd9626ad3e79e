// Tests the call with which staff read a user's products: the grants and the code of each product, and which products
// are listed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCohort, addGrant, type Learner } from '../../../test/lifecycle.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { createStaffCalls, inDays } from '../../../test/staff-calls.ts';

let portal: TestApp;
let staff: ReturnType<typeof createStaffCalls>;
beforeAll(async () => {
  portal = await openTestApp();
  staff = createStaffCalls(portal, await portal.signInAdmin());
});
afterAll(() => portal.close());

test('R-LIFE-24: user-access has the grants of each product, and state, last day and id of the code', async () => {
  const [product_id, other] = [await staff.addProduct({ name: 'A' }), await staff.addProduct({ name: 'B' })];
  const email = await staff.addPerson(product_id);
  await staff.post('/api/admin/coupons/single', { coupon_code: 'HELD-1', product_id });
  await portal.db.query('update coupon set use_by = $2 where product_id = $1', [product_id, inDays(30)]);
  await staff.post('/api/admin/generate-coupon', { email, productId: product_id });
  const { rows } = await portal.db.query<{ id: string }>('select id from app_user where email = $1', [email]);
  const user_id = rows[0]?.id ?? '';
  const cohort_id = await addCohort(portal.db, [{ user_id } as Learner]);
  await addGrant(portal.db, { cohort_id, product_id: other, ends_on: inDays(5) });
  await addGrant(portal.db, { user_id, starts_on: inDays(3), purchase_id: '17' });
  await addGrant(portal.db, {
    user_id,
    product_id,
    starts_on: '2020-01-01',
    ends_on: '2020-12-31',
    withdrawn_on: '2020-06-01',
  });
  const coupon = {
    id: expect.stringMatching(/^\d+$/),
    coupon_code: 'HELD-1',
    assigned_at: expect.stringMatching(/Z$/),
    state: 'held',
    use_by: inDays(30),
    revoked_at: null,
    has_earlier: false,
  };
  const found = (await staff.readAccess(email)).filter((row) => [product_id, other].includes(row.product_id));
  expect(found).toMatchObject([
    {
      product_id,
      hasCoupon: true,
      coupon,
      grants: [
        { product_id, via: 'direct', state: 'withdrawn' },
        { product_id: null, product_name: null, via: 'purchase', state: 'future' },
        { product_id, product_name: 'A', via: 'direct', state: 'live', starts_on: inDays(0), ends_on: null },
      ],
    },
    {
      product_id: other,
      hasCoupon: false,
      coupon: null,
      grants: [
        { product_id: null, via: 'purchase', state: 'future' },
        { product_id: other, via: 'cohort', state: 'live', ends_on: inDays(5) },
      ],
    },
  ]);
  // `hasCoupon` is also true if the user's current code is revoked.
  await portal.db.query(
    "update coupon set revoked_at = now(), revoked_by = 'staff@example.org', revoke_reason = 'Leaked' where product_id = $1",
    [product_id],
  );
  const [revoked] = (await staff.readAccess(email)).filter((row) => row.product_id === product_id);
  expect(revoked).toMatchObject({
    hasCoupon: true,
    coupon: { ...coupon, state: 'revoked', revoked_at: expect.stringMatching(/Z$/) },
  });
});

describe('N-64: user-access lists a product while any grant ever was, or a code is held', () => {
  /** Returns the id of a new user without grants, and a function that lists the user's products by name. */
  async function addBare() {
    const email = await staff.addPerson(await staff.addProduct());
    const { rows } = await portal.db.query<{ id: string }>('select id from app_user where email = $1', [
      email,
    ]);
    const user_id = rows[0]?.id ?? '';
    await portal.db.query('delete from access_grant where user_id = $1', [user_id]);
    const list = async () =>
      (await staff.readAccess(email)).map(({ name, grants }) => [name, ...grants.map(({ state }) => state)]);
    return { email, user_id, list };
  }
  const over = { starts_on: '2020-01-01', ends_on: '2020-12-31' };
  const archive = (product_id: string) =>
    portal.db.query('update product set archived_at = now() where product_id = $1', [product_id]);

  test('also with grants that are over or withdrawn, which come last', async () => {
    const { user_id, list } = await addBare();
    const add = async (name: string, days: object) =>
      addGrant(portal.db, { user_id, product_id: await staff.addProduct({ name }), ...days });
    await add('A withdrawn', { withdrawn_on: '2020-06-01' });
    await add('B over', over);
    await add('C later', { starts_on: inDays(1) });
    await add('D withdrawn before it began', { starts_on: inDays(9), withdrawn_on: '2020-06-01' });
    await add('E now', {});
    const archived = await staff.addProduct({ name: 'A archived' });
    await addGrant(portal.db, { user_id, product_id: archived });
    await archive(archived);
    expect(await list()).toEqual([
      ['E now', 'live'],
      ['C later', 'future'],
      ['A archived', 'live'],
      ['A withdrawn', 'withdrawn'],
      ['B over', 'over'],
      ['D withdrawn before it began', 'withdrawn'],
    ]);
  });

  test('by a cohort that the user is in, also an archived one, until the user leaves', async () => {
    const { user_id, list } = await addBare();
    const member = [{ user_id } as Learner];
    const [cohort_id, archived] = [
      await addCohort(portal.db, member),
      await addCohort(portal.db, member, { archived: true }),
    ];
    await addGrant(portal.db, { cohort_id, product_id: await staff.addProduct({ name: 'F' }), ...over });
    await addGrant(portal.db, { cohort_id: archived, product_id: await staff.addProduct({ name: 'G' }) });
    expect(await list()).toEqual([
      ['F', 'over'],
      ['G', 'archived'],
    ]);
    await portal.db.query('delete from cohort_member where user_id = $1', [user_id]);
    expect(await list()).toEqual([]);
  });

  test.each([
    ['over', over],
    ['withdrawn', { withdrawn_on: '2020-06-01' }],
  ])(
    'N-64: a grant of all products that is %s lists each product, also archived ones',
    async (state, days) => {
      const { email, user_id, list } = await addBare();
      const [some, held, archived] = [
        await staff.addProduct({ name: `${state} some` }),
        await staff.addProduct({ name: `${state} held` }),
        await staff.addProduct({ name: `${state} archived` }),
      ];
      const id = await addGrant(portal.db, { user_id, product_id: held });
      await staff.post('/api/admin/generate-coupon', { email, productId: held });
      await portal.db.query('delete from access_grant where id = $1', [id]);
      await archive(held);
      await archive(archived);
      expect(await list()).toEqual([[`${state} held`]]);
      await addGrant(portal.db, { user_id, ...days });
      const listed = await list();
      expect(listed).toContainEqual([`${state} some`, state]);
      expect(listed).toContainEqual([`${state} held`, state]);
      expect(listed).toContainEqual([`${state} archived`, state]);
      const statuses = (await staff.readAccess(email)).map(({ product_id, status }) => [product_id, status]);
      expect(statuses).toContainEqual([some, 'live']);
      expect(statuses).toContainEqual([held, 'archived']);
    },
  );
});

test('R-LIFE-24, N-46: user-access says whether an earlier code would become current again', async () => {
  const [product_id, other] = [await staff.addProduct(), await staff.addProduct()];
  const email = await staff.addPerson(product_id, { product_ids: [product_id, other] });
  const issue = (how: 'generate' | 'regenerate', productId = product_id) =>
    staff.post(`/api/admin/${how}-coupon`, { email, productId });
  const find = async () =>
    (await staff.readAccess(email)).find((row) => row.product_id === product_id)?.coupon as {
      id: string;
      coupon_code: string;
      has_earlier: boolean;
    };
  await issue('generate', other);
  await issue('generate');
  const first = await find();
  expect(first.has_earlier).toBe(false);
  await issue('regenerate');
  const second = await find();
  expect(second.has_earlier).toBe(true);
  await staff.post(`/api/admin/coupons/${second.id}/revoke`, { reason: 'Leaked' });
  expect(await find()).toMatchObject({ coupon_code: first.coupon_code, has_earlier: false });
});
