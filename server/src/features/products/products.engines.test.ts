// Tests the API calls for products: creating, lists, the record of one product, and refused requests.
import { randomUUID } from 'node:crypto';
import { PRODUCT_FACTS, PRODUCT_TEXTS } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProduct } from '../../../test/factories.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';

let portal: TestApp;
let admin: string;
beforeAll(async () => {
  portal = await openTestApp();
  admin = await portal.signInAdmin();
});
afterAll(() => portal.close());

const post = (url: string, body: unknown, token = admin) => portal.call('POST', url, { body, token });
const get = (url: string, token = admin) => portal.call('GET', url, { token });
const details = { name: 'Tarnquill', description: 'A writing workspace.', url: 'tarnquill.example/redeem' };
const listIds = async (url: string) =>
  ((await get(url)).body as { product_id: string }[]).map((row) => row.product_id);

test('R-LIFE-12: archived products are listed apart, with status, days and version', async () => {
  const { product_id: current } = await addProduct(portal.db);
  const { product_id: gone } = await addProduct(portal.db);
  const archived = await post(`/api/admin/products/${gone}/status`, { status: 'archived' });
  expect(archived).toMatchObject({ status: 200, body: { product_id: gone, status: 'archived' } });
  expect(await listIds('/api/products')).toEqual([current]);
  expect(await listIds('/api/products?archived=false')).toEqual([current]);
  expect(await get('/api/products?archived=true')).toMatchObject({
    body: [
      {
        product_id: gone,
        status: 'archived',
        opens_on: null,
        closes_on: null,
        use_by_default: null,
        version: 1,
      },
    ],
  });
  expect(await get('/api/products?archived=yes')).toMatchObject({
    status: 400,
    body: { message: 'archived must be true or false' },
  });
});

test('R-LIFE-11: a stale page does not bring back a product that somebody else has archived meanwhile', async () => {
  const { product_id } = await addProduct(portal.db);
  const set = (body: object) => post(`/api/admin/products/${product_id}/status`, body);
  await set({ status: 'paused', was: 'live' });
  expect((await set({ status: 'archived', was: 'paused' })).status).toBe(200);
  expect(await set({ status: 'live', was: 'paused' })).toMatchObject({
    status: 409,
    body: { code: 'edit_conflict' },
  });
  expect(await set({ status: 'archived', was: 'paused' })).toMatchObject({ body: { status: 'archived' } });
  expect(await set({ status: 'live', was: 'archived' })).toMatchObject({ body: { status: 'live' } });
});

test('R-LIFE-12: a visitor can read an archived or paused product, without note and version', async () => {
  const { product_id } = await addProduct(portal.db);
  await post(`/api/admin/products/${product_id}/status`, { status: 'paused', note: 'Between us' });
  const paused = await portal.call('GET', `/api/products/${product_id}`);
  expect(paused).toMatchObject({ status: 200, body: { status: 'paused', opens_on: null, closes_on: null } });
  await post(`/api/admin/products/${product_id}/status`, { status: 'archived' });
  const archived = await portal.call('GET', `/api/products/${product_id}`);
  expect(archived).toMatchObject({ status: 200, body: { status: 'archived' } });
  for (const name of ['pause_note', 'paused_by', 'version', 'use_by_default'])
    expect([paused.body, archived.body]).not.toContainEqual(
      expect.objectContaining({ [name]: expect.anything() }),
    );
});

test('N-100: the record has the status, the last edit and the numbers of codes', async () => {
  const { product_id } = await addProduct(portal.db, { codes: ['A', 'B', 'C'] });
  const fields = { ...details, closes_on: '2999-12-31', version: 1 };
  const edited = await post(`/api/admin/products/${product_id}/edit`, fields);
  expect(edited).toMatchObject({
    status: 200,
    body: { version: 2, status: 'live', closes_on: '2999-12-31' },
  });
  await post(`/api/admin/products/${product_id}/status`, { status: 'paused', note: ' Moves ' });
  expect(await get(`/api/admin/products/${product_id}`)).toMatchObject({
    status: 200,
    body: {
      product_id,
      ...fields,
      status: 'paused',
      opens_on: null,
      use_by_default: null,
      version: 2,
      paused_at: expect.any(String),
      paused_by: 'staff@example.org',
      pause_note: 'Moves',
      archived_at: null,
      archived_by: null,
      changed_by: 'staff@example.org',
      changed_at: expect.any(String),
      held: 0,
      left: 3,
      void: 0,
    },
  });
});

test('R-LIFE-10, C-4: a wrong day, or a closing day before the opening day, is refused and names the field', async () => {
  const { product_id } = await addProduct(portal.db);
  const refused = async (more: object) =>
    (await post(`/api/admin/products/${product_id}/edit`, { ...details, version: 1, ...more })).body;
  for (const opens_on of ['2026-02-30', '1999-12-31', '3000-01-01', '20 Nov 2026', 'incomplete', 5])
    expect(await refused({ opens_on })).toMatchObject({
      code: 'invalid_request',
      message: 'opens_on must be a day such as 2026-12-31',
    });
  expect(await refused({ opens_on: '2026-12-02', closes_on: '2026-12-01' })).toMatchObject({
    code: 'invalid_request',
    message: 'closes_on must not be before opens_on',
  });
  expect(await refused({ version: 'one' })).toMatchObject({ message: 'version must be a whole number' });
  expect(await refused({ name: ' ' })).toMatchObject({ message: 'Please fill in all required fields' });
});

test('R-LIFE-11: an unknown status or an invalid note is refused, and the product stays as it is', async () => {
  const { product_id } = await addProduct(portal.db);
  const refused = async (body: object) => (await post(`/api/admin/products/${product_id}/status`, body)).body;
  const invalid = (message: string) => ({ code: 'invalid_request', message });
  for (const status of [undefined, null, 'ended', 'scheduled', 'LIVE', 1])
    expect(await refused({ status })).toMatchObject(invalid('status must be live, paused or archived'));
  const pause = (note: unknown) => refused({ status: 'paused', note });
  expect(await pause(5)).toMatchObject(invalid('note must be text'));
  expect(await pause('x'.repeat(201))).toMatchObject(invalid('note must be at most 200 characters'));
  expect(await pause('a\u0000b')).toMatchObject(invalid('note must not contain control characters'));
  expect(await get(`/api/admin/products/${product_id}`)).toMatchObject({
    body: { status: 'live', pause_note: null },
  });
});

test('R-LIFE-10 to R-LIFE-12, C-12: unknown ids are not found, and only administrators may call', async () => {
  const learner = await portal.signIn('amara@example.org');
  const { product_id } = await addProduct(portal.db);
  const calls = (id: string, token: string) => [
    get(`/api/admin/products/${id}`, token),
    post(`/api/admin/products/${id}/edit`, { ...details, version: 1 }, token),
    post(`/api/admin/products/${id}/status`, { status: 'archived' }, token),
  ];
  for (const id of ['00000000-0000-4000-8000-000000000000', 'nope', '1']) {
    for (const answer of await Promise.all(calls(id, admin)))
      expect(answer).toMatchObject({ status: 404, body: { code: 'product_not_found' } });
  }
  for (const { status } of await Promise.all(calls(product_id, learner))) expect(status).toBe(403);
  expect(await get(`/api/admin/products/${product_id}`)).toMatchObject({
    body: { version: 1, status: 'live' },
  });
});

test('R-API-02, R-API-05, R-ENT-03, R-VAL-11: a product with only the required fields is created, and a visitor can read it', async () => {
  const created = await post('/api/products', details);
  expect(created).toMatchObject({ status: 201 });
  const product = {
    ...Object.fromEntries([...PRODUCT_TEXTS, ...PRODUCT_FACTS].map(({ name }) => [name, null])),
    perks: null,
    logo: null,
    ...details,
    product_id: expect.any(String),
    shared_coupon: false,
    status: 'live',
    opens_on: null,
    closes_on: null,
  };
  // Staff also get the version and the default last day of the product; learners do not (R-LIFE-12).
  expect(created.body).toEqual({ ...product, use_by_default: null, position: 0, version: 1 });
  const { product_id } = created.body as { product_id: string };
  const read = await portal.call('GET', `/api/products/${product_id}`);
  expect(read.status).toBe(200);
  expect(read.body).toEqual(product);
});

test('a product that is sent again with its id is answered as it is now; a different one with this id is refused', async () => {
  const sent = { ...details, id: randomUUID() };
  const inUse = { status: 409, body: { code: 'id_in_use' } };
  const created = await post('/api/products', sent);
  expect(created).toMatchObject({ status: 201, body: { product_id: sent.id, status: 'live' } });
  expect(await post('/api/products', sent)).toMatchObject({ status: 201, body: created.body });
  for (const more of [{ name: 'Other' }, { url: 'other.example' }])
    expect(await post('/api/products', { ...sent, ...more })).toMatchObject(inUse);
  await post(`/api/admin/products/${sent.id}/status`, { status: 'archived' });
  expect(await post('/api/products', sent)).toMatchObject({ status: 201, body: { status: 'archived' } });
  // The id of a product that was created in another way.
  await portal.db.query('delete from sent_form');
  expect(await post('/api/products', sent)).toMatchObject(inUse);
});

test('R-API-03: an unknown or malformed id is a 404 with a message', async () => {
  for (const id of ['00000000-0000-4000-8000-000000000000', 'nope', '%00', 'x'.repeat(250)]) {
    const { status, body } = await portal.call('GET', `/api/products/${id}`);
    expect(status).toBe(404);
    expect(body).toMatchObject({ message: expect.any(String) });
  }
  expect(await portal.call('GET', '/api/products/nope')).toMatchObject({
    status: 404,
    body: { message: 'Product not found' },
  });
});

test('R-VAL-10: a missing or invalid field is refused with a message that names the field', async () => {
  const refused = async (more: object) => (await post('/api/products', { ...details, ...more })).body;
  expect(await refused({ name: ' ' })).toMatchObject({ message: 'Please fill in all required fields' });
  expect(await refused({ url: undefined })).toMatchObject({
    message: 'Please fill in all required fields',
  });
  expect(await refused({ url: 'javascript:alert(1)' })).toMatchObject({
    message: 'url must be a web address',
  });
  expect(await refused({ name: 'x'.repeat(201) })).toMatchObject({
    message: 'name must be at most 200 characters',
  });
  expect(await refused({ name: 'a\u0000b' })).toMatchObject({
    message: 'name must not contain control characters',
  });
  expect(await refused({ shared_coupon: 'yes' })).toMatchObject({
    message: 'shared_coupon must be true or false',
  });
});

test('R-API-04: all products are listed, newest first', async () => {
  const { product_id: older } = await addProduct(portal.db);
  const { product_id: newer } = await addProduct(portal.db);
  expect((await listIds('/api/products')).slice(0, 2)).toEqual([newer, older]);
});

test('R-APROD-03: a form that is sent several times with one id creates one product, which each call returns', async () => {
  const body = { ...details, name: 'Once', id: randomUUID() };
  const replies = await Promise.all([1, 2, 3, 4].map(() => post('/api/products', body)));
  expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(replies.map((reply) => reply.body)).toEqual(Array(4).fill(replies[0]?.body));
  expect(replies[0]?.body).toMatchObject({ product_id: body.id, name: 'Once' });
  const { rows } = await portal.db.query(
    "select 1 from audit where action = 'product.create' and product_id = $1",
    [body.id],
  );
  expect(rows).toHaveLength(1);
  expect((await post('/api/products', { ...details, id: 'x' })).status).toBe(400);
});
