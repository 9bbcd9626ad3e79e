// Tests the pages of lists by number, which begin at an offset (N-206).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../test/factories.ts';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';
import { createStaffCalls } from '../../test/staff-calls.ts';

let portal: TestApp;
let staff: ReturnType<typeof createStaffCalls>;
let product_id: string;
beforeAll(async () => {
  portal = await openTestApp();
  staff = createStaffCalls(portal, await portal.signInAdmin());
  const product = await addProduct(portal.db, { codes: 12 });
  product_id = product.product_id;
  const { user_id } = await addLearner(portal.db, [product], 'number-0@example.org');
  for (let number = 1; number < 12; number += 1) {
    await addLearner(portal.db, [], `number-${number}@example.org`);
    await addProduct(portal.db, { name: `P${number}`, codes: [`A${number}`, `B${number}`] });
  }
  await portal.db.query(
    `update coupon set holder = $1, assigned_at = now(), assigned_by = 'learner' where product_id = $2 and id % 3 = 0`,
    [user_id, product_id],
  );
});
afterAll(() => portal.close());

async function get(path: string) {
  const { status, body, headers } = await staff.get(path);
  expect(status, JSON.stringify(body)).toBe(200);
  return { rows: body as { id: string }[], next: headers['x-next-cursor'] };
}

test.each([
  '/api/users?',
  '/api/users?sort=-email&role=user&',
  '/api/users?sort=name&',
  '/api/users?q=number&',
  '/api/coupons?',
  '/api/coupons?archived=false&status=available&',
  '/api/coupons?status=assigned&',
  '/api/coupons?q=code&',
  '/api/coupons?q=number&',
  'assigned',
  '-use_by&status=available',
  '/api/admin/batches?',
])('N-206: a page of %s at an offset has the rows after so many rows, and leads on', async (list) => {
  const path = list.startsWith('/') ? list : `/api/coupons?product_id=${product_id}&sort=${list}&`;
  const { rows } = await get(`${path}limit=500`);
  expect(rows.length).toBeGreaterThan(3);
  for (const offset of [0, 1, 3, rows.length - 1]) {
    const page = await get(`${path}limit=2&offset=${offset}`);
    // All columns are there, also those that a skipped row lacks.
    expect(page.rows, `${offset}`).toEqual(rows.slice(offset, offset + 2));
    if (page.next === undefined) expect(offset + 2).toBeGreaterThanOrEqual(rows.length);
    else
      expect((await get(`${path}limit=2&cursor=${page.next}`)).rows).toEqual(
        rows.slice(offset + 2, offset + 4),
      );
  }
  for (const offset of [rows.length, 2_000])
    expect(await get(`${path}limit=2&offset=${offset}`)).toEqual({ rows: [], next: undefined });
});

test('N-206: an offset that is no number, too large, without a limit or beside a cursor is refused', async () => {
  const refused = async (query: string) => {
    const { status, body } = await staff.get(`/api/users?${query}`);
    return [status, (body as { message: string }).message];
  };
  for (const [query, message] of [
    ['limit=5&offset=x', 'offset must be a whole number'],
    ['limit=5&offset=1.5', 'offset must be a whole number'],
    ['limit=5&offset=-1', 'offset must be from 0 to 2000'],
    ['limit=5&offset=2001', 'offset must be from 0 to 2000'],
    ['offset=20', 'limit is required with offset'],
    ['cursor=20', 'limit is required with cursor and q'],
    ['limit=5&offset=20&cursor=20', 'offset cannot be combined with cursor'],
  ] as const)
    expect(await refused(query), query).toEqual([400, message]);
});
