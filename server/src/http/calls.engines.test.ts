// Tests that the API calls return the JSON that the specification describes.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';

let portal: TestApp;
let admin: string;
let learner: string;

beforeAll(async () => {
  portal = await openTestApp();
  admin = await portal.signInAdmin();
  learner = await portal.signIn('amara@example.org');
});
afterAll(() => portal.close());

const post = (url: string, body: unknown, token = admin) => portal.call('POST', url, { body, token });
const get = (url: string, token = admin) => portal.call('GET', url, { token });

const details = { name: 'Tarnquill', description: 'A writing workspace.', url: 'tarnquill.example/redeem' };
async function addProduct(more: object = {}): Promise<string> {
  const { body } = await post('/api/products', { ...details, ...more });
  return (body as { product_id: string }).product_id;
}
async function grant(email: string, ...product_ids: string[]): Promise<void> {
  const saved = await post('/api/admin/users/single', {
    email,
    name: 'Amara',
    phone_number: null,
    product_ids,
  });
  expect(saved.status).toBe(200);
}

describe('users', () => {
  test('R-API-08, R-API-09, R-AUSER-15, R-VAL-18, R-ENT-07, R-ENT-08: saving creates, then updates; the role is always user, and the case of an address does not matter', async () => {
    const product_ids = [await addProduct()];
    const user = {
      email: ' New@Example.org ',
      name: 'New',
      phone_number: '',
      product_ids,
      user_role: 'admin',
    };
    const saved = await post('/api/admin/users/single', user);
    expect(saved).toMatchObject({ status: 200, body: { message: 'User created/updated successfully' } });
    await post('/api/admin/users/single', {
      ...user,
      email: 'new@example.org',
      name: 'Renamed',
      phone_number: '+1 5',
    });
    const users = (await get('/api/users')).body as { email: string }[];
    expect(users.filter(({ email }) => email === 'new@example.org')).toEqual([
      {
        id: expect.any(String),
        user_id: expect.any(String),
        email: 'new@example.org',
        name: 'Renamed',
        phone_number: '+1 5',
        user_role: 'user',
        team_role: null,
      },
    ]);
  });

  test('A-05: saving an administrator does not take the role away', async () => {
    await grant('staff@example.org', await addProduct());
    expect(await get('/api/admin/check')).toMatchObject({
      status: 200,
      body: { user: { user_role: 'admin' } },
    });
  });

  test('a product that does not exist is refused and nothing is saved', async () => {
    const product_ids = [await addProduct(), '00000000-0000-4000-8000-000000000000'];
    const refused = await post('/api/admin/users/single', {
      email: 'half@example.org',
      name: 'Half',
      product_ids,
    });
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('product_ids') } });
    expect(await get('/api/admin/user-access/half%40example.org')).toMatchObject({
      status: 404,
      body: { message: 'User not found' },
    });
  });

  test('an archived product is a 404 in the form and in the file of users, and nothing is saved', async () => {
    const product_ids = [await addProduct(), await addProduct()];
    await portal.db.query('update product set archived_at = now() where product_id = $1', [product_ids[1]]);
    const user = { email: 'half@example.org', name: 'Half', product_ids };
    const notFound = { status: 404, body: { code: 'product_not_found', message: 'Product not found' } };
    expect(await post('/api/admin/users/single', user)).toMatchObject(notFound);
    const file = { csvData: 'email,name\nhalf@example.org,Half\n', product_ids };
    expect(await post('/api/admin/users/bulk', file)).toMatchObject(notFound);
    expect(await get('/api/admin/user-access/half%40example.org')).toMatchObject({ status: 404 });
  });

  test.each([
    ['email', { email: 'nowhere' }, 'email must be an address such as name@example.org'],
    ['name', { name: '  ' }, 'name is required'],
    ['product_ids', { product_ids: [] }, 'product_ids must name at least one product'],
  ])('R-VAL-16: %s is checked', async (_field, invalid, message) => {
    const user = { email: 'x@example.org', name: 'X', product_ids: [await addProduct()], ...invalid };
    expect(await post('/api/admin/users/single', user)).toMatchObject({ status: 400, body: { message } });
  });
});

test('C-7: failed jobs are tried again by their reason, or the job of one import by its id', async () => {
  const retry = (body: object) => post('/api/admin/jobs/retry', { kind: 'import', ...body });
  expect(await retry({})).toMatchObject({ status: 400, body: { message: 'reason is required' } });
  expect(await retry({ reason: ' ' })).toMatchObject({
    status: 400,
    body: { message: 'reason is required' },
  });
  for (const which of [{ reason: 'no such host' }, { import_id: randomUUID() }])
    expect(await retry(which)).toMatchObject({ status: 200, body: { retried: 0 } });
});

describe('redeeming', () => {
  test('R-API-01, R-API-07, R-API-11, R-UAC-09, R-ENT-05, R-ENT-10: staff and the learner see the code that the learner has redeemed', async () => {
    const product_id = await addProduct({ name: 'Redeemed' });
    await grant('amara@example.org', product_id);
    await post('/api/admin/coupons/single', { coupon_code: 'ABC-123', product_id });
    expect((await get('/api/my/products', learner)).body).toContainEqual(
      expect.objectContaining({ product_id, assigned_at: null, sold_out: false }),
    );
    const redeemed = await post('/api/redeem-secure', { productId: product_id }, learner);
    expect(redeemed).toMatchObject({
      status: 200,
      body: { success: true, coupon: { couponCode: 'ABC-123' }, productUrl: details.url },
    });
    expect((await post('/api/redeem-secure', { productId: product_id }, learner)).body).toEqual({
      ...(redeemed.body as object),
      is_new: false,
    });
    expect((await get('/api/my/products', learner)).body).toContainEqual(
      expect.objectContaining({ product_id, assigned_at: expect.stringMatching(/Z$/), sold_out: false }),
    );
    expect((await get('/api/coupons')).body).toContainEqual({
      id: expect.any(String),
      coupon_code: 'ABC-123',
      product_id,
      email: 'amara@example.org',
      assigned_at: expect.stringMatching(/Z$/),
      usage_limit: null,
      state: 'held',
      unconfirmed: false,
      use_by: null,
      batch_id: expect.any(String),
    });
    const { name, description } = { ...details, name: 'Redeemed' };
    expect((await get('/api/admin/user-access/Amara%40Example.org')).body).toEqual({
      user: {
        email: 'amara@example.org',
        name: 'Amara',
        last_sign_in_at: expect.stringMatching(/^\d{4}-.*Z$/),
        cohorts: [],
      },
      products: [
        {
          product_id,
          name,
          description,
          shared_coupon: false,
          status: 'live',
          hasCoupon: true,
          coupon: {
            id: expect.any(String),
            coupon_code: 'ABC-123',
            assigned_at: expect.stringMatching(/Z$/),
            state: 'held',
            unconfirmed: false,
            use_by: null,
            revoked_at: null,
            has_earlier: false,
          },
          grants: [expect.objectContaining({ product_id, via: 'direct', state: 'live' })],
          access: 'live',
          why: expect.objectContaining({ verdict: 'holds_code' }),
        },
      ],
    });
  });

  test('administrators see when a user last signed in, and null for a user who never did', async () => {
    const lastSignIn = async (email: string) => {
      const { body } = await get(`/api/admin/user-access/${encodeURIComponent(email)}`);
      return (body as { user: { last_sign_in_at?: string | null } }).user.last_sign_in_at;
    };
    const email = 'newcomer@example.org';
    await post('/api/admin/users/single', { email, name: 'New', product_ids: [await addProduct()] });
    expect(await lastSignIn(email)).toBeNull();
    await portal.signIn(email);
    const { rows } = await portal.db.query('select last_sign_in_at from auth_user where email = $1', [email]);
    expect(await lastSignIn(email)).toBe(rows[0]?.last_sign_in_at);
    // These statements make the user like a user of a hosted sign-in service: with an `auth_id`, but without a row in
    // `auth_user`. Such a service does not report sign-ins to the portal. So the response has no `last_sign_in_at`;
    // null would mean that the user never signed in.
    await portal.db.query('update app_user set auth_id = gen_random_uuid() where email = $1', [email]);
    await portal.db.query('delete from auth_user where email = $1', [email]);
    expect(await lastSignIn(email)).toBeUndefined();
  });

  test('R-REDEEM-10, R-REDEEM-11, R-GEN-06, R-GEN-16: refusals carry title and message', async () => {
    expect(await post('/api/redeem-secure', { productId: 7 }, learner)).toMatchObject({
      status: 400,
      body: { success: false, title: 'Error', message: 'Product information not available' },
    });
    expect(await portal.call('POST', '/api/redeem-secure', { body: { productId: 'x' } })).toMatchObject({
      status: 401,
      body: { success: false, title: 'Authentication Required', message: 'Please log in to redeem coupons.' },
    });
    const stranger = await portal.signIn('stranger@example.org');
    expect(await post('/api/redeem-secure', { productId: await addProduct() }, stranger)).toMatchObject({
      status: 403,
      body: {
        success: false,
        code: 'email_not_registered',
        title: 'Email not registered',
        message: 'Your email is not in our database.',
      },
    });
    expect(await get('/api/my/products', stranger)).toMatchObject({ status: 200, body: [] });
    expect((await get('/api/users')).body).not.toContainEqual(
      expect.objectContaining({ email: 'stranger@example.org' }),
    );
  });

  test('a product without free codes is sold out for a learner who has no code', async () => {
    const product_id = await addProduct({ name: 'Empty' });
    await grant('amara@example.org', product_id);
    expect((await get('/api/my/products', learner)).body).toContainEqual(
      expect.objectContaining({ product_id, assigned_at: null, sold_out: true }),
    );
    expect(await post('/api/redeem-secure', { productId: product_id }, learner)).toMatchObject({
      status: 409,
      body: { success: false, code: 'no_coupon_left', title: 'No codes left' },
    });
  });
});

describe('coupons', () => {
  test('R-API-15, R-API-36, R-API-35: a code is unique in its product, unless the product shares codes', async () => {
    const product_id = await addProduct();
    const shared = await addProduct({ shared_coupon: true });
    const add = (id: string) => post('/api/admin/coupons/single', { coupon_code: 'TWICE', product_id: id });
    expect(await add(product_id)).toMatchObject({ status: 201, body: { coupon_code: 'TWICE', email: null } });
    expect(await add(product_id)).toMatchObject({
      status: 409,
      body: { message: 'This coupon code already exists for the product' },
    });
    expect(await add(shared)).toMatchObject({ status: 201 });
    expect(await add(shared)).toMatchObject({ status: 201 });
  });

  test('R-VAL-26, R-VAL-27, R-ENT-06: a code is generated for a blank one, and a usage limit is a whole number or null', async () => {
    const product_id = await addProduct();
    const made = await post('/api/admin/coupons/single', {
      coupon_code: '  ',
      product_id,
      usage_limit: '12 times',
    });
    expect(made).toMatchObject({ status: 201, body: { usage_limit: 12 } });
    expect((made.body as { coupon_code: string }).coupon_code).toMatch(
      /^[2-9A-HJKMNP-Z]{4}(-[2-9A-HJKMNP-Z]{4}){2}$/,
    );
    expect(await post('/api/admin/coupons/single', { coupon_code: 'X' })).toMatchObject({
      status: 400,
      body: { message: 'Please select a product' },
    });
    expect(await post('/api/admin/coupons/single', { coupon_code: 'X', product_id: 'nope' })).toMatchObject({
      status: 404,
      body: { message: 'Product not found' },
    });
  });

  test('R-API-12, R-API-13: generating twice returns the same code, regenerating returns another, and the learner keeps both', async () => {
    const product_id = await addProduct();
    await grant('jonas@example.org', product_id);
    await post('/api/admin/coupons/single', { coupon_code: 'ONE', product_id });
    await post('/api/admin/coupons/single', { coupon_code: 'TWO', product_id });
    const request = { email: 'JONAS@example.org', productId: product_id };
    const issued = (code: string) => ({
      status: 200,
      body: {
        success: true,
        coupon: {
          coupon_code: code,
          product_id,
          email: 'jonas@example.org',
          assigned_at: expect.any(String),
        },
      },
    });
    expect(await post('/api/admin/generate-coupon', request)).toMatchObject(issued('ONE'));
    expect(await post('/api/admin/generate-coupon', request)).toMatchObject(issued('ONE'));
    expect(await post('/api/admin/regenerate-coupon', request)).toMatchObject(issued('TWO'));
    const jonas = await portal.signIn('jonas@example.org');
    expect((await post('/api/redeem-secure', { productId: product_id }, jonas)).body).toMatchObject({
      coupon: { couponCode: 'TWO' },
    });
    const generated = await post('/api/admin/regenerate-coupon', request);
    expect(generated.body).toMatchObject({
      warning: expect.stringContaining('No available coupon was left'),
    });
    const assigned = ((await get('/api/coupons')).body as { product_id: string; email: string }[]).filter(
      (coupon) => coupon.product_id === product_id,
    );
    expect(assigned.map(({ email }) => email)).toEqual(Array.from({ length: 3 }, () => 'jonas@example.org'));
  });

  test('R-LIFE-24: the reply has the last day of the issued code, be it a free, a generated or a shared one', async () => {
    const [single, shared] = [await addProduct(), await addProduct({ shared_coupon: true })];
    const email = 'use-by@example.org';
    for (const product_id of [single, shared]) {
      await grant(email, product_id);
      const coupon = { coupon_code: 'DAY', product_id };
      await post('/api/admin/coupons/single', coupon);
    }
    await portal.db.query("update coupon set use_by = '2098-12-31' where product_id = any($1::uuid[])", [
      [single, shared],
    ]);
    await portal.db.query("update product set use_by_default = '2097-06-30' where product_id = $1", [single]);
    const issue = async (how: 'generate' | 'regenerate', productId: string) =>
      ((await post(`/api/admin/${how}-coupon`, { email, productId })).body as { coupon: object }).coupon;
    const first = { coupon_code: 'DAY', use_by: '2098-12-31' };
    expect(await issue('generate', single)).toMatchObject(first);
    expect(await issue('generate', single)).toMatchObject(first);
    expect(await issue('regenerate', single)).toMatchObject({ use_by: '2097-06-30' });
    expect(await issue('generate', shared)).toMatchObject(first);
  });

  test('A-30: issuing is refused for an unknown user, for an unknown product, and without access', async () => {
    const product_id = await addProduct();
    await grant('jonas@example.org', await addProduct());
    const generate = (email: string, productId: string) =>
      post('/api/admin/generate-coupon', { email, productId });
    expect(await generate('who@example.org', product_id)).toMatchObject({
      status: 404,
      body: { message: 'User not found' },
    });
    expect(await generate('jonas@example.org', 'nope')).toMatchObject({
      status: 404,
      body: { message: 'Product not found' },
    });
    expect(await generate('jonas@example.org', product_id)).toMatchObject({ status: 400 });
    expect(
      await post('/api/admin/regenerate-coupon', { email: 'jonas@example.org', productId: 'nope' }),
    ).toMatchObject({ status: 404 });
  });
});

test('R-CONST-08: a hundred calls of one learner at once all return the same code', async () => {
  const product_id = await addProduct();
  await grant('amara@example.org', product_id);
  await post('/api/admin/coupons/single', { coupon_code: 'AGAIN', product_id, usage_limit: 1 });
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => post('/api/redeem-secure', { productId: product_id }, learner)),
  );
  const codes = answers.map(({ body }) => (body as { coupon?: { couponCode: string } }).coupon?.couponCode);
  expect(new Set(codes)).toEqual(new Set(['AGAIN']));
});

describe('requests', () => {
  test('R-API-18, R-ENT-01: the current user has the role that the portal stores', async () => {
    expect(await get('/api/auth/user', learner)).toMatchObject({
      status: 200,
      body: {
        id: expect.any(String),
        email: 'amara@example.org',
        name: 'Amara',
        user_role: 'user',
        identities: [expect.objectContaining({ provider: 'email', email: 'amara@example.org' })],
        factors: [],
      },
    });
  });
});
