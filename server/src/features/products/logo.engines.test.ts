// Tests the logo of a product: upload, address, headers, log, and uploads that meet.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProduct } from '../../../test/factories.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { makePng, sample } from '../../../test/pictures.ts';

let portal: TestApp;
let admin: string;

beforeAll(async () => {
  portal = await openTestApp();
  admin = await portal.signInAdmin();
});
afterAll(() => portal.close());

const ADDRESS = /^\/api\/products\/[\da-f-]{36}\/logo\/[\da-f]{64}$/;

async function put(product_id: string, payload: Buffer, type = 'image/png') {
  const response = await portal.app.inject({
    method: 'PUT',
    url: `/api/admin/products/${product_id}/logo`,
    headers: { authorization: `Bearer ${admin}`, 'content-type': type },
    payload,
  });
  return { status: response.statusCode, body: response.json<{ logo: string; message: string }>() };
}
const remove = (product_id: string) =>
  portal.call('DELETE', `/api/admin/products/${product_id}/logo`, { token: admin });
const fetchLogo = (address: string) => portal.app.inject({ method: 'GET', url: address });
const readProduct = async (product_id: string) =>
  (await portal.call('GET', `/api/products/${product_id}`)).body as { logo: string | null };
async function listLines(product_id: string) {
  const { rows } = await portal.db.query<{ detail: unknown }>(
    "select detail from audit where product_id = $1 and action = 'product.logo' order by id",
    [product_id],
  );
  return rows.map(({ detail }) => detail);
}

test('R-CAT-01, R-CAT-02, N-240: a logo is set, served with its own type, changed and removed; each change is audited once', async () => {
  const { product_id } = await addProduct(portal.db);
  expect(await readProduct(product_id)).toMatchObject({ logo: null });

  const first = await put(product_id, makePng());
  expect(first).toEqual({ status: 200, body: { logo: expect.stringMatching(ADDRESS) } });
  expect(await put(product_id, makePng())).toEqual(first);
  expect(await readProduct(product_id)).toMatchObject({ logo: first.body.logo });
  const served = await fetchLogo(first.body.logo);
  expect(served.statusCode).toBe(200);
  expect(served.rawPayload.equals(makePng())).toBe(true);
  expect(served.headers).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'",
  });

  const second = await put(product_id, sample('transparent'));
  expect(second.body.logo).not.toBe(first.body.logo);
  expect((await fetchLogo(second.body.logo)).headers).toMatchObject({ 'content-type': 'image/webp' });
  const gone = await fetchLogo(first.body.logo);
  expect(gone.statusCode).toBe(404);
  expect(gone.headers).toMatchObject({ 'cache-control': 'no-store' });

  const record = await portal.call('GET', `/api/admin/products/${product_id}`, { token: admin });
  expect(record.body).toMatchObject({ version: 1, logo: second.body.logo });

  expect(await remove(product_id)).toMatchObject({ status: 200, body: { logo: null } });
  expect(await remove(product_id)).toMatchObject({ status: 200, body: { logo: null } });
  expect((await fetchLogo(second.body.logo)).statusCode).toBe(404);
  expect(await readProduct(product_id)).toMatchObject({ logo: null });
  expect(await listLines(product_id)).toEqual([
    { logo: [null, 'PNG, 64 × 64'] },
    { logo: ['PNG, 64 × 64', 'WEBP, 32 × 40'] },
    { logo: ['WEBP, 32 × 40', null] },
  ]);
});

const SIZE = 'The picture must be 32 to 1024 pixels wide and high; it is ';
test.each([
  ['HTML that calls itself a PNG', Buffer.from('<html></html>'), 'The file is no PNG, JPEG or WebP picture'],
  ['SVG that calls itself a PNG', Buffer.from('<svg/>'), 'The file is no PNG, JPEG or WebP picture'],
  ['nothing', Buffer.alloc(0), 'The file is no PNG, JPEG or WebP picture'],
  [
    'a picture with HTML behind it',
    Buffer.concat([makePng(), Buffer.from('<html>')]),
    'The picture must end with its last byte: other data follows it',
  ],
  ['a picture that is cut', makePng().subarray(0, -6), 'The picture is damaged or incomplete'],
  ['one pixel', makePng({ width: 1, height: 1 }), `${SIZE}1 × 1`],
  ['31 pixels', makePng({ width: 31, height: 64 }), `${SIZE}31 × 64`],
  ['1025 pixels', makePng({ width: 64, height: 1025 }), `${SIZE}64 × 1025`],
  ['10,000 pixels a side', makePng({ width: 10_000, height: 10_000 }), `${SIZE}10000 × 10000`],
])('R-CAT-01: %s is refused with its fault, and the logo stays', async (_name, bytes, message) => {
  const { product_id } = await addProduct(portal.db);
  const { body } = await put(product_id, makePng());
  expect(await put(product_id, bytes)).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', message },
  });
  expect(await readProduct(product_id)).toMatchObject({ logo: body.logo });
});

test.each([
  ['R-CAT-01: 32 pixels', makePng({ width: 32, height: 1024 }), 'image/png'],
  ['N-240: a JPEG that calls itself a PNG', sample('jpeg'), 'image/png'],
])('%s is accepted', async (_name, bytes, type) => {
  const { product_id } = await addProduct(portal.db);
  expect(await put(product_id, bytes, type)).toMatchObject({ status: 200 });
});

test('N-240: a declared type that is no picture gets 415, more than 200 kB 413', async () => {
  const { product_id } = await addProduct(portal.db);
  for (const type of ['image/svg+xml', 'image/gif', 'application/json', 'text/html', 'multipart/form-data'])
    expect(await put(product_id, makePng(), type), type).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type' },
    });
  expect(await put(product_id, Buffer.alloc(200_001))).toMatchObject({
    status: 413,
    body: { message: 'The request must not be larger than 200 kB' },
  });
  expect(await listLines(product_id)).toEqual([]);
});

test('N-240: no other call accepts a picture', async () => {
  const { statusCode } = await portal.app.inject({
    method: 'POST',
    url: '/api/products',
    headers: { authorization: `Bearer ${admin}`, 'content-type': 'image/png' },
    payload: makePng(),
  });
  expect(statusCode).toBe(415);
});

test('R-CAT-01: of uploads that meet, one stays, and each line begins where the one before ended', async () => {
  const { product_id } = await addProduct(portal.db);
  const sent = [64, 65, 66].map((width) => makePng({ width }));
  const replies = await Promise.all(sent.map((bytes) => put(product_id, bytes)));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  const { logo } = await readProduct(product_id);
  const served = await fetchLogo(logo ?? '');
  expect(sent.some((bytes) => served.rawPayload.equals(bytes))).toBe(true);
  const lines = (await listLines(product_id)) as { logo: [string | null, string] }[];
  expect(lines).toHaveLength(3);
  lines.reduce<string | null>((before, line) => {
    expect(line.logo[0]).toBe(before);
    return line.logo[1];
  }, null);
});

test('R-CAT-02, C-12: an archived product keeps its logo and can get another; an unknown product is not found', async () => {
  const { product_id } = await addProduct(portal.db);
  const { body } = await put(product_id, makePng());
  await portal.call('POST', `/api/admin/products/${product_id}/status`, {
    token: admin,
    body: { status: 'archived' },
  });
  expect((await fetchLogo(body.logo)).statusCode).toBe(200);
  expect(await put(product_id, makePng({ red: 9 }))).toMatchObject({ status: 200 });
  for (const id of [randomUUID(), 'no-id']) {
    expect(await put(id, makePng())).toMatchObject({ status: 404, body: { code: 'product_not_found' } });
    expect(await remove(id)).toMatchObject({ status: 404, body: { code: 'product_not_found' } });
    expect((await fetchLogo(`/api/products/${id}/logo/${'0'.repeat(64)}`)).statusCode).toBe(404);
  }
  for (const wrong of ['x', 'A'.repeat(64), '%00', `${'0'.repeat(64)}x`])
    expect((await fetchLogo(`/api/products/${product_id}/logo/${wrong}`)).statusCode).toBe(404);
});
