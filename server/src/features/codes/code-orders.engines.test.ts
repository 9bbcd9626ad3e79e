// Tests the orders of the codes of a product (R-DAY-12, N-205).
import type { ListedCoupon } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct } from '../../../test/factories.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { createStaffCalls } from '../../../test/staff-calls.ts';

let portal: TestApp;
let staff: ReturnType<typeof createStaffCalls>;
let product_id: string;
beforeAll(async () => {
  portal = await openTestApp();
  staff = createStaffCalls(portal, await portal.signInAdmin());
  const product = await addProduct(portal.db);
  product_id = product.product_id;
  // One day is shared by several codes of several states; some codes have no last day.
  const day = ['2999-01-01', 'infinity', '2998-12-31', '2999-01-01'];
  for (let number = 0; number < 24; number += 1)
    await addCodes(portal.db, product, [`C${number}`], day[number % day.length]);
  await addCodes(portal.db, await addProduct(portal.db), ['OTHER'], '2999-01-01');
  const { user_id } = await addLearner(portal.db, [product]);
  const change = (set: string, codes: number[]) =>
    portal.db.query(`update coupon set ${set} where coupon_code = any($1)`, [
      codes.map((code) => `C${code}`),
    ]);
  const hold = (codes: number[], at: string) =>
    change(`holder = ${user_id}, assigned_by = 'learner', assigned_at = '${at}'`, codes);
  await hold([2, 3, 13], '2026-03-01 10:00:00.000001+00');
  await hold([1, 8, 20], '2026-03-01 10:00:00.000002+00');
  await hold([5], '2025-01-01');
  await change("revoked_at = now(), revoked_by = 'x', revoke_reason = 'y'", [3, 8]);
  await change("voided_at = now(), voided_by = 'x', void_reason = 'dead'", [4, 6]);
  await change("voided_at = now(), voided_by = 'x', void_reason = 'expired', use_by = '2026-01-01'", [7, 9]);
  // Expired, but the job has not made it void yet.
  await change("use_by = '2026-01-02'", [10]);
});
afterAll(() => portal.close());

/** Returns the rows of all pages. */
async function readPages(query: string, limit = 2): Promise<ListedCoupon[]> {
  const rows: ListedCoupon[] = [];
  for (let cursor = ''; ; ) {
    const reply = await staff.get(`/api/coupons?limit=${limit}&product_id=${product_id}${query}${cursor}`);
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    rows.push(...(reply.body as ListedCoupon[]));
    const next = reply.headers['x-next-cursor'];
    if (next === undefined) return rows;
    cursor = `&cursor=${next}`;
  }
}

const codesOf = (rows: ListedCoupon[]) => rows.map(({ coupon_code }) => coupon_code);

const STATUSES = [
  '',
  '&status=available',
  '&status=assigned',
  '&status=revoked',
  '&status=void',
  '&status=expired',
];
test.each(STATUSES)('N-205: in each order%s, pages follow each other without gaps', async (status) => {
  const newest = await readPages(status, 500);
  // JSON has milliseconds, the database has microseconds.
  const { rows: exact } = await portal.db.query<{ id: string; at: string }>(
    'select id, assigned_at::text as at from coupon where assigned_at is not null',
  );
  const times = new Map(exact.map(({ id, at }) => [id, at]));
  const keyOf = ({ id, use_by }: ListedCoupon, field: string) =>
    (field === 'use_by' ? use_by : times.get(id)) ?? '';
  expect(newest.length).toBeGreaterThan(0);
  for (const [sort, field] of [
    ['assigned', 'assigned_at'],
    ['use_by', 'use_by'],
  ] as const) {
    if (sort === 'use_by' && status !== '&status=available') continue;
    // By the value, then in the order in which the codes were added.
    const ascending = newest
      .toReversed()
      .filter((row) => row[field] !== null)
      .sort((one, other) =>
        keyOf(one, field) < keyOf(other, field) ? -1 : Number(keyOf(one, field) > keyOf(other, field)),
      );
    const without = codesOf(newest.filter((row) => row[field] === null));
    const [up, down] = [codesOf(ascending), codesOf(ascending.toReversed())];
    const [first, second] = sort === 'use_by' ? [up, down] : [down, up];
    for (const limit of [2, 7]) {
      expect(codesOf(await readPages(`${status}&sort=${sort}`, limit)), sort).toEqual([...first, ...without]);
      expect(codesOf(await readPages(`${status}&sort=-${sort}`, limit)), `-${sort}`).toEqual([
        ...second,
        ...without,
      ]);
    }
  }
});

test('N-205: a page begins after a code that was assigned or made void since the page before', async () => {
  const path = `/api/coupons?limit=3&product_id=${product_id}&status=available&sort=use_by`;
  const whole = (await staff.get(path.replace('limit=3', 'limit=500'))).body as ListedCoupon[];
  const { headers } = await staff.get(path);
  await portal.db.query(
    "update coupon set voided_at = now(), voided_by = 'x', void_reason = 'dead' where id = $1",
    [whole[2]?.id],
  );
  const { body } = await staff.get(`${path}&cursor=${headers['x-next-cursor']}`);
  expect(codesOf(body as ListedCoupon[])).toEqual(codesOf(whole.slice(3, 6)));
});

test('N-205: an unknown order is refused, and one that would read all codes', async () => {
  const refused = async (query: string) => {
    const { status, body } = await staff.get(`/api/coupons?${query}`);
    return { status, message: (body as { message: string }).message };
  };
  const of = `product_id=${product_id}`;
  expect(await refused(`limit=5&${of}&sort=created`)).toEqual({
    status: 400,
    message: 'sort must be one of assigned, -assigned, use_by, -use_by',
  });
  for (const query of [`${of}&sort=use_by`, 'limit=5&sort=use_by', `limit=5&${of}&q=c&sort=use_by`])
    expect(await refused(query), query).toEqual({
      status: 400,
      message: 'sort needs limit and product_id, and cannot be combined with q or generated',
    });
  expect((await refused(`limit=5&${of}&generated=true&sort=assigned`)).status).toBe(400);
  for (const status of ['', '&status=assigned'])
    expect(await refused(`limit=5&${of}&sort=-use_by${status}`)).toEqual({
      status: 400,
      message: 'sort by use_by needs status=available',
    });
});

test.each(['5', '5-0', '5-0ff', '5-061', '5-0393939393939393939', '5-1'])(
  'N-205: the cursor %s of another list begins at a row of this list',
  async (cursor) => {
    for (const sort of ['assigned', '-use_by&status=available'])
      expect(
        (await staff.get(`/api/coupons?limit=5&product_id=${product_id}&sort=${sort}&cursor=${cursor}`))
          .status,
      ).toBe(200);
  },
);
