// Tests issuing one named free code to a person (R-DAY-32, N-212).
import type { IssuedCoupon, ListedCoupon, Product } from '@portal/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct, utcToday } from '../../../test/factories.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';

let portal: TestApp;
let manager: string;
let support: string;
beforeAll(async () => {
  portal = await openTestApp();
  manager = await portal.signInAdmin('manager@example.org', 'manager');
  support = await portal.signInAdmin('support@example.org', 'support');
});
afterAll(() => portal.close());

let product: Product;
let email: string;
let user_id: string;
beforeEach(async () => {
  product = await addProduct(portal.db, { codes: ['FIRST', 'SECOND', 'THIRD'] });
  const learner = await addLearner(portal.db, [product]);
  email = learner.email;
  user_id = learner.user_id ?? '';
});

const post = (url: string, body: object, token = manager) => portal.call('POST', url, { token, body });
const set = (columns: string, code: string) =>
  portal.db.query(`update coupon set ${columns} where product_id = $1 and coupon_code = $2`, [
    product.product_id,
    code,
  ]);
const setGrant = (columns: string) =>
  portal.db.query(`update access_grant set ${columns} where user_id = $1`, [user_id]);

async function findCode(code: string, of = product): Promise<ListedCoupon> {
  const query = `product_id=${of.product_id}&q=${code}&limit=20`;
  const { body } = await portal.call('GET', `/api/coupons?${query}`, { token: manager });
  return (body as ListedCoupon[])[0] as ListedCoupon;
}

async function send(code: string, to = email, token = support) {
  const { id } = await findCode(code);
  return post(`/api/admin/coupons/${id}/issue`, { email: to }, token);
}

async function listLines() {
  const { rows } = await portal.db.query(
    `select actor, action, user_id, coupon_id, detail from audit where product_id = $1 and action like 'coupon.%'`,
    [product.product_id],
  );
  return rows;
}

test('R-DAY-32: a free code, not the next one, becomes the current code of the person, and the log says so', async () => {
  await set("use_by = '2999-01-01'", 'THIRD');
  const { status, body } = await send('SECOND');
  expect(status).toBe(200);
  const { id, ...second } = await findCode('SECOND');
  expect(body).toEqual({
    success: true,
    coupon: {
      coupon_code: 'SECOND',
      product_id: product.product_id,
      email,
      assigned_at: expect.any(String),
      use_by: null,
      unconfirmed: false,
    },
  } satisfies IssuedCoupon);
  expect(second).toMatchObject({ email, state: 'held' });
  const line = { actor: 'support@example.org', action: 'coupon.issue', user_id, coupon_id: id, detail: {} };
  expect(await listLines()).toEqual([line]);
  const token = await portal.signIn(email);
  const redeemed = await post('/api/redeem-secure', { productId: product.product_id }, token);
  expect(redeemed.body).toMatchObject({ coupon: { couponCode: 'SECOND' }, is_new: false });
  // The next learner gets the code that expires first, and then the oldest one.
  const next = await addLearner(portal.db, [product]);
  const issue = { email: next.email, productId: product.product_id };
  expect((await post('/api/admin/generate-coupon', issue)).body).toMatchObject({
    coupon: { coupon_code: 'THIRD', use_by: '2999-01-01' },
  });
});

test.each(['paused_at = now()', "closes_on = '2020-01-01'", "opens_on = '2999-01-01'"])(
  'R-DAY-32, R-LIFE-07: staff issue a code of a product with %s',
  async (columns) => {
    await portal.db.query(`update product set ${columns} where product_id = $1`, [product.product_id]);
    expect(await send('FIRST')).toMatchObject({ status: 200 });
  },
);

type Case = [what: string, arrange: () => Promise<unknown>, status: number, code: string, message: string];
const REVOKED = "revoked_at = now(), revoked_by = 'staff', revoke_reason = 'Leaked'";
const VOID = "voided_at = now(), voided_by = 'staff', void_reason";
const GIVEN = 'This person holds a code of the product. Replace it instead.';
const refusals: Case[] = [
  ['a person who holds a code', () => send('FIRST'), 409, 'held', GIVEN],
  [
    'a person whose code is revoked',
    async () => {
      await send('FIRST');
      await set(REVOKED, 'FIRST');
    },
    409,
    'code_revoked',
    'The code of this person was withdrawn. Replace it instead.',
  ],
  [
    'a code of somebody else',
    async () => send('SECOND', (await addLearner(portal.db, [product])).email),
    409,
    'held',
    'Somebody holds this code already.',
  ],
  [
    'a revoked code',
    async () => {
      await send('SECOND', (await addLearner(portal.db, [product])).email);
      await set(REVOKED, 'SECOND');
    },
    409,
    'code_revoked',
    'This code was withdrawn from its holder.',
  ],
  ['a void code', () => set(`${VOID} = 'mistake'`, 'SECOND'), 409, 'void', 'This code is void.'],
  [
    'an expired code',
    () => set(`${VOID} = 'expired'`, 'SECOND'),
    409,
    'void',
    'The last day of this code has come.',
  ],
  [
    'a code on its last day',
    () => set(`use_by = '${utcToday()}'`, 'SECOND'),
    409,
    'void',
    'The last day of this code has come.',
  ],
  [
    'a person without access',
    () => portal.db.query('delete from access_grant where user_id = $1', [user_id]),
    400,
    'product_not_granted',
    "This product is not among the user's products",
  ],
  [
    'access that begins later',
    () => setGrant("starts_on = '2999-01-02'"),
    403,
    'access_not_started',
    'Access of this person begins on 2 Jan 2999.',
  ],
  [
    'access that is over',
    () => setGrant("starts_on = '2020-01-01', ends_on = '2020-01-31'"),
    403,
    'access_ended',
    'Access of this person ended on 31 Jan 2020.',
  ],
  [
    'an archived product',
    () =>
      portal.db.query('update product set archived_at = now() where product_id = $1', [product.product_id]),
    409,
    'product_ended',
    'Codes of this benefit are no longer handed out.',
  ],
];

test.each(refusals)(
  'R-DAY-32: %s is refused, and nothing changes',
  async (_what, arrange, status, code, message) => {
    await arrange();
    const before = [await findCode('SECOND'), (await listLines()).length];
    expect(await send('SECOND')).toMatchObject({ status, body: { code, message } });
    expect([await findCode('SECOND'), (await listLines()).length]).toEqual(before);
  },
);

test('R-DAY-32: an unknown code, an unknown person and a shared code are refused', async () => {
  const { id } = await findCode('FIRST');
  const issue = (of: string, to: string) => post(`/api/admin/coupons/${of}/issue`, { email: to });
  for (const unknown of ['999999999', 'nothing'])
    expect(await issue(unknown, email)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(await issue(id, 'nobody@example.org')).toMatchObject({
    status: 404,
    body: { code: 'user_not_found' },
  });
  expect(await issue(id, '')).toMatchObject({ status: 400 });
  const shared = await addProduct(portal.db, { shared_coupon: true });
  await addCodes(portal.db, shared, ['ALL']);
  const learner = await addLearner(portal.db, [shared]);
  expect(await issue((await findCode('ALL', shared)).id, learner.email)).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', message: expect.stringContaining('is shared') },
  });
});

test('R-DAY-32, R-IMP-45: support issues at most 30 codes in 10 minutes', async () => {
  const limited = await portal.signInAdmin('limited@example.org', 'support');
  await portal.db.query(
    `insert into code_reveal (staff, refused) select id, false from app_user, generate_series(1, 30)
     where email = 'limited@example.org'`,
  );
  expect(await send('FIRST', email, limited)).toMatchObject({
    status: 429,
    body: { code: 'too_many_requests' },
  });
  expect(await findCode('FIRST')).toMatchObject({ state: 'free' });
});
