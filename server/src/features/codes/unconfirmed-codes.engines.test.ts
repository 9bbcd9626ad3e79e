// Tests the mark of codes that the portal made and whose partner may not know them yet (R-DAY-33, N-213).
import type { ListedCoupon, Product } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct } from '../../../test/factories.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { voidNamedCoupons } from './void.sql.ts';

let portal: TestApp;
let manager: string;
let support: string;
beforeAll(async () => {
  portal = await openTestApp();
  manager = await portal.signInAdmin('manager@example.org', 'manager');
  support = await portal.signInAdmin('support@example.org', 'support');
});
afterAll(() => portal.close());

const get = async (url: string, token = manager) => (await portal.call('GET', url, { token })).body;
const post = (url: string, body: object = {}, token = manager) => portal.call('POST', url, { token, body });
const listCodes = async ({ product_id }: Product) =>
  (await get(`/api/coupons?product_id=${product_id}`)) as ListedCoupon[];
const generate = (email: string, { product_id }: Product, more: object = {}) =>
  post('/api/admin/generate-coupon', { email, productId: product_id, ...more });
const confirmAll = ({ product_id }: Product, token = support) =>
  post(`/api/admin/products/${product_id}/confirm`, {}, token);

/** Creates a product without codes, and a learner with access who is signed in. */
async function addPair(given: Parameters<typeof addProduct>[1] = {}) {
  const product = await addProduct(portal.db, given);
  const learner = await addLearner(portal.db, [product]);
  const token = await portal.signIn(learner.email);
  const redeem = async () =>
    (await post('/api/redeem-secure', { productId: product.product_id }, token)).body;
  return { product, learner, token, redeem };
}

async function listLines(product: Product) {
  const { rows } = await portal.db.query<{
    coupon_id: string | null;
    user_id: string | null;
    detail: object;
  }>(
    `select coupon_id, user_id, detail from audit where action = 'coupon.confirm' and product_id = $1 order by id`,
    [product.product_id],
  );
  return rows;
}

test('R-DAY-33: each code that the portal makes is unconfirmed, and codes of the partner are not', async () => {
  const product = await addProduct(portal.db, { codes: ['PARTNER-1'] });
  const { product_id } = product;
  const single = { product_id, usage_limit: null };
  const blank = await post('/api/admin/coupons/single', { ...single, coupon_code: '' });
  const typed = await post('/api/admin/coupons/single', { ...single, coupon_code: 'TYPED' });
  expect([blank.body, typed.body]).toMatchObject([{ unconfirmed: true }, { unconfirmed: false }]);
  const csvData = 'coupon_code,use_by\nFILE-1,\n,2999-01-01\n';
  await post('/api/admin/coupons/bulk', { productId: product_id, csvData, blanks: 'generate' });
  const marks = (await listCodes(product)).map(({ coupon_code, unconfirmed }) => [
    /^(PARTNER-1|TYPED|FILE-1)$/.test(coupon_code ?? '') ? coupon_code : 'generated',
    unconfirmed,
  ]);
  expect(marks.toSorted()).toEqual([
    ['FILE-1', false],
    ['PARTNER-1', false],
    ['TYPED', false],
    ['generated', true],
    ['generated', true],
  ]);
});

test('R-DAY-33: issued, regenerated and replaced codes are unconfirmed only if the portal made them', async () => {
  const { product, learner } = await addPair({ codes: ['PARTNER-1'] });
  const { email } = learner;
  const body = { email, productId: product.product_id };
  const coupon = { unconfirmed: true };
  expect((await generate(email, product)).body).toMatchObject({ coupon: { unconfirmed: false } });
  expect((await post('/api/admin/regenerate-coupon', body)).body).toMatchObject({ coupon });
  expect((await generate(email, product)).body).toMatchObject({ coupon });
  const replace = async () => {
    const current = (await listCodes(product)).find(({ state }) => state === 'held');
    const url = `/api/admin/coupons/${current?.id}/revoke`;
    const revoke = () => post(url, { reason: 'Does not work', replace: true });
    const { body: revoked } = await revoke();
    // A second call returns the same replacement.
    const { replacement } = revoked as { replacement: object };
    expect((await revoke()).body).toMatchObject({ replacement });
    return replacement;
  };
  expect(await replace()).toMatchObject({ unconfirmed: true });
  await addCodes(portal.db, product, ['PARTNER-2']);
  expect(await replace()).toMatchObject({ coupon_code: 'PARTNER-2', unconfirmed: false });
});

test('R-DAY-33: the mark is shown beside the state in all calls that show a code', async () => {
  const { product, learner, token, redeem } = await addPair();
  const { email } = learner;
  const { product_id } = product;
  await generate(email, product);
  const [code] = await listCodes(product);
  const read = async () => {
    const person = (await get(`/api/admin/people/${email}`)) as {
      coupons: object[];
      user: { user_id: string };
    };
    const access = (await get(`/api/admin/user-access/${email}`)) as { products: { coupon: object }[] };
    const view = (await get(`/api/admin/view-as/${person.user.user_id}`)) as {
      tickets: Record<string, object>;
      products: object[];
    };
    const { stock } = (await get('/api/admin/stats')) as {
      stock: { product_id: string; unconfirmed: number }[];
    };
    return [
      (await listCodes(product))[0],
      await get(`/api/admin/coupons/${code?.id}`),
      person.coupons[0],
      access.products[0]?.coupon,
      ((await get(`/api/admin/user-access/${email}/why/${product_id}`)) as { code: object }).code,
      ((await get(`/api/admin/find?q=${code?.coupon_code}`)) as { code: object }).code,
      view.tickets[product_id],
      view.products[0],
      ((await get('/api/my/products', token)) as object[])[0],
      await redeem(),
      { unconfirmed: stock.find((each) => each.product_id === product_id)?.unconfirmed === 1 },
    ].map((each) => (each as { unconfirmed: boolean }).unconfirmed);
  };
  expect(await read()).toEqual(Array(11).fill(true));
  expect((await post(`/api/admin/coupons/${code?.id}/confirm`, {}, support)).body).toEqual({ confirmed: 1 });
  expect(await read()).toEqual(Array(11).fill(false));
});

test('R-DAY-33: a learner who redeems a generated code reads at once that the partner may not know it', async () => {
  const { product, redeem, token } = await addPair();
  const single = { product_id: product.product_id, coupon_code: '', usage_limit: null };
  expect(((await get('/api/my/products', token)) as object[])[0]).toMatchObject({ unconfirmed: false });
  await post('/api/admin/coupons/single', single);
  expect(await redeem()).toMatchObject({ is_new: true, unconfirmed: true });
  expect(await redeem()).toMatchObject({ is_new: false, unconfirmed: true });
  await confirmAll(product);
  expect(await redeem()).toMatchObject({ unconfirmed: false });
});

test('R-DAY-33: with generate false, no code is made: 409 no_coupon_left', async () => {
  const { product, learner } = await addPair();
  const { email } = learner;
  const refused = { status: 409, body: { code: 'no_coupon_left' } };
  expect(await generate(email, product, { generate: false })).toMatchObject(refused);
  expect(await listCodes(product)).toEqual([]);
  expect(await generate(email, product, { generate: 'no' })).toMatchObject({
    status: 400,
    body: { message: 'generate must be true or false' },
  });
  await addCodes(portal.db, product, ['LATE-1']);
  const given = await generate(email, product, { generate: false });
  expect(given.body).toMatchObject({ coupon: { coupon_code: 'LATE-1', unconfirmed: false } });
  // The person's own code comes back as before.
  expect((await generate(email, product, { generate: false })).body).toEqual(given.body);
  const shared = await addPair({ shared_coupon: true });
  expect(await generate(shared.learner.email, shared.product, { generate: false })).toMatchObject(refused);
  expect(await generate(shared.learner.email, shared.product)).toMatchObject({
    body: { coupon: { unconfirmed: true }, warning: expect.stringContaining('The partner must accept it') },
  });
});

test('R-DAY-33: confirming clears the mark once, with one line of the log', async () => {
  const { product, learner } = await addPair();
  await generate(learner.email, product);
  const single = { product_id: product.product_id, coupon_code: '', usage_limit: null };
  for (let count = 0; count < 3; count += 1) await post('/api/admin/coupons/single', single);
  const codes = await listCodes(product);
  const held = codes.find(({ state }) => state === 'held');
  const confirm = () => post(`/api/admin/coupons/${held?.id}/confirm`, {}, support);
  expect(await confirm()).toMatchObject({ status: 200, body: { confirmed: 1 } });
  expect((await confirm()).body).toEqual({ confirmed: 0 });
  expect(await listLines(product)).toEqual([{ coupon_id: held?.id, user_id: learner.user_id, detail: {} }]);
  const marked = async () => (await listCodes(product)).filter(({ unconfirmed }) => unconfirmed).length;
  expect(await marked()).toBe(3);
  // One more than the page showed.
  expect(await post(`/api/admin/products/${product.product_id}/confirm`, { expected: 2 })).toMatchObject({
    status: 409,
    body: { code: 'count_changed', count: 3 },
  });
  expect(await marked()).toBe(3);
  expect(await confirmAll(product)).toMatchObject({ status: 200, body: { confirmed: 3 } });
  expect((await confirmAll(product)).body).toEqual({ confirmed: 0 });
  expect(await marked()).toBe(0);
  expect((await listLines(product)).slice(1)).toEqual([
    { coupon_id: null, user_id: null, detail: { count: 3 } },
  ]);
  expect(await post('/api/admin/coupons/999999999/confirm')).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
  for (const id of ['nothing', '00000000-0000-4000-8000-000000000000'])
    expect(await post(`/api/admin/products/${id}/confirm`)).toMatchObject({
      status: 404,
      body: { code: 'product_not_found' },
    });
});

test('R-DAY-33: all rows of a shared code have the same mark, also rows that are added later', async () => {
  const { product, redeem } = await addPair({ shared_coupon: true });
  const second = await addLearner(portal.db, [product]);
  const third = await addLearner(portal.db, [product]);
  const single = { product_id: product.product_id, coupon_code: '', usage_limit: null };
  await post('/api/admin/coupons/single', single);
  expect(await redeem()).toMatchObject({ unconfirmed: true });
  const given = await generate(second.email, product);
  expect(given.body).toMatchObject({ coupon: { unconfirmed: true } });
  const [code] = await listCodes(product);
  expect((await post(`/api/admin/coupons/${code?.id}/confirm`)).body).toEqual({ confirmed: 2 });
  expect(await redeem()).toMatchObject({ unconfirmed: false });
  expect((await generate(third.email, product)).body).toMatchObject({ coupon: { unconfirmed: false } });
});

test('R-DAY-33: a generated code that an upload adds again is a code of the partner', async () => {
  const product = await addProduct(portal.db);
  const { product_id } = product;
  const blank = async () =>
    (await post('/api/admin/coupons/single', { product_id, coupon_code: '', usage_limit: null })).body as {
      coupon_code: string;
    };
  const codes = [(await blank()).coupon_code, (await blank()).coupon_code];
  const [first = '', second = ''] = codes;
  const marking = { actor: 'staff@example.org', reason: 'mistake', at: new Date() } as const;
  await voidNamedCoupons(portal.db, { ...marking, product_id, codes });
  await post('/api/admin/coupons/bulk', { productId: product_id, csvData: `coupon_code\n${first}\n` });
  await post('/api/admin/coupons/single', { product_id, coupon_code: second, usage_limit: null });
  expect(await listCodes(product)).toMatchObject(Array(2).fill({ state: 'free', unconfirmed: false }));
});
