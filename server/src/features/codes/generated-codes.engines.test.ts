// Tests the list and the export of the codes that the portal generated (R-IMP-15).
import type { ListedCoupon } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../../test/factories.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';

let portal: TestApp;
let manager: string;
beforeAll(async () => {
  portal = await openTestApp();
  manager = await portal.signInAdmin('manager@example.org', 'manager');
});
afterAll(() => portal.close());

const get = (url: string, token = manager) => portal.call('GET', url, { token });
const post = (url: string, body: object) => portal.call('POST', url, { token: manager, body });
const list = async (query: string, token = manager) => {
  const { body, headers } = await get(`/api/coupons?limit=20&generated=true&${query}`, token);
  return { rows: body as ListedCoupon[], total: headers['x-total-count'] };
};

test('R-IMP-15: the codes of blank rows, of the blank form and of empty products are listed, newest first', async () => {
  const product = await addProduct(portal.db, { codes: ['PARTNER'] });
  const other = await addProduct(portal.db);
  const learner = await addLearner(portal.db, [product, other]);
  const { product_id } = product;
  const file = { productId: product_id, csvData: 'coupon_code,use_by\nFILE,\n,2999-01-01\n,2999-01-02\n' };
  await post('/api/admin/coupons/bulk', { ...file, blanks: 'generate' });
  const single = { product_id, coupon_code: '', usage_limit: null };
  const blank = (await post('/api/admin/coupons/single', single)).body as ListedCoupon;
  await post('/api/admin/coupons/single', { ...single, coupon_code: 'FORM' });
  const issue = { email: learner.email, productId: other.product_id };
  const issued = (await post('/api/admin/generate-coupon', issue)).body as { coupon: ListedCoupon };

  const { rows, total } = await list(`product_id=${product_id}`);
  expect(total).toBe('3');
  expect(rows[0]?.id).toBe(blank.id);
  expect(rows.map(({ use_by }) => use_by)).toEqual([null, '2999-01-02', '2999-01-01']);
  expect(rows.map(({ coupon_code }) => coupon_code)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/PARTNER|FILE|FORM/)]),
  );
  expect(await list(`status=assigned&q=${learner.email}`)).toMatchObject({
    rows: [{ coupon_code: issued.coupon.coupon_code, email: learner.email, state: 'held' }],
    total: '1',
  });
  expect((await list(`status=available&product_id=${other.product_id}`)).rows).toEqual([]);
  const text = rows[1]?.coupon_code ?? '';
  expect((await list(`q=${text.slice(0, -1).toLowerCase()}`)).rows.map(({ id }) => id)).toEqual([
    rows[1]?.id,
  ]);
  expect((await list(`product_id=${product_id}&cursor=${rows[0]?.id}`)).rows).toEqual(rows.slice(1));

  // Callers who may not see codes cannot find them by a prefix.
  const support = await portal.signInAdmin('support@example.org', 'support');
  expect((await list(`q=${text.slice(0, -1)}`, support)).rows).toEqual([]);
  expect((await list(`q=${text}`, support)).rows).toMatchObject([{ coupon_code: null }]);

  const exported = async (query: string) => {
    const csv = String((await get(`/api/admin/export/codes.csv?generated=true&${query}`)).body);
    return csv.trimEnd().split('\r\n').slice(1);
  };
  expect(await exported(`product_id=${product_id}`)).toHaveLength(3);
  expect((await exported(''))[0]).toContain(`${issued.coupon.coupon_code},`);
  expect(await exported(`product_id=${product_id}&status=assigned`)).toEqual([]);
  expect((await get('/api/coupons?generated=false')).body).toMatchObject({
    message: "generated must be 'true'",
  });
});
