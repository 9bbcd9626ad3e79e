// Tests pages, built files, redirects and health checks over HTTP.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';
import { VERSION } from '../version.ts';

let portal: TestApp;
beforeAll(async () => {
  portal = await openTestApp();
});
afterAll(() => portal.close());

const get = (url: string, headers = {}) =>
  portal.app.inject({ method: 'GET', url, headers: { host: 'localhost:3000', ...headers } });

test('R-ROUTE-22: every path that is not a call of the API returns a page', async () => {
  for (const url of ['/', '/fellowship', '/admin/coupons', '/no/such/page', '/auth/callback?next=/']) {
    const { statusCode, headers } = await get(url);
    expect([url, statusCode, headers['content-type']]).toEqual([url, 200, 'text/html; charset=utf-8']);
  }
});

test('a URL that cannot be decoded gets 404', async () => {
  expect(await get('/product/%E0%A4%A')).toMatchObject({ statusCode: 404 });
  const call = await get('/api/products/%E0%A4%A');
  expect([call.statusCode, call.json()]).toEqual([
    404,
    { code: 'product_not_found', message: 'Product not found' },
  ]);
});

test('a missing built file gets a 404, not a page', async () => {
  expect(await get('/assets/gone.js')).toMatchObject({ statusCode: 404 });
  expect((await get('/auth/v1/gone')).headers['content-type']).toMatch(/json/);
});

test('a request with another Host is redirected to the public address, with its path', async () => {
  const { statusCode, headers } = await get('/product/7?x=1', { host: '127.0.0.1:3000' });
  expect([statusCode, headers.location]).toEqual([302, 'http://localhost:3000/product/7?x=1']);
  const away = await get('//evil.example/', { host: 'evil.example' });
  expect(new URL(String(away.headers.location)).origin).toBe('http://localhost:3000');
});

test('a language chosen in the query is stored in a cookie, and the redirect removes only that parameter', async () => {
  const { statusCode, headers } = await get('/product/7?x=1&lang=de&y=%26');
  expect([statusCode, headers.location]).toEqual([303, 'http://localhost:3000/product/7?x=1&y=%26']);
  expect(headers['set-cookie']).toBe('lang=de; Path=/; Max-Age=31536000; SameSite=Lax');
  const away = await get('//evil.example/?lang=de');
  expect(new URL(String(away.headers.location)).origin).toBe('http://localhost:3000');
  expect((await get('/?lang=de')).headers.location).toBe('http://localhost:3000/');
  expect(await get('/?lang=tlh')).toMatchObject({ statusCode: 200 });
});

test('pages have a strict content security policy, and the callback sends no referrer', async () => {
  const { headers } = await get('/');
  expect(headers['content-security-policy']).toContain("default-src 'self'");
  expect(headers['content-security-policy']).not.toMatch(/unsafe|upgrade-insecure/);
  expect(headers['referrer-policy']).toBe('strict-origin-when-cross-origin');
  expect((await get('/auth/callback')).headers['referrer-policy']).toBe('no-referrer');
});

test('a browser with a cached page gets 304, unless the page differs', async () => {
  const { headers } = await get('/');
  const again = await get('/', { 'if-none-match': `"other", ${headers.etag}` });
  expect([again.statusCode, again.body]).toEqual([304, '']);
  expect(again.headers['cache-control']).toBe('no-cache');
  expect(await get('/', { 'if-none-match': '"other"' })).toMatchObject({ statusCode: 200 });
  expect(await get('/admin', { 'if-none-match': headers.etag })).toMatchObject({ statusCode: 200 });
});

test('a page is compressed with an encoding that the browser accepts, and HEAD returns its uncompressed length', async () => {
  const { body, rawPayload } = await get('/');
  for (const [accepted, encoding, decode] of [
    ['gzip, br', 'br', brotliDecompressSync],
    ['gzip;q=0.5', 'gzip', gunzipSync],
  ] as const) {
    const { headers, ...response } = await get('/', { 'accept-encoding': accepted });
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      vary: expect.stringContaining('accept-encoding'),
    });
    expect(decode(response.rawPayload).toString()).toBe(body);
  }
  const head = await portal.app.inject({ method: 'HEAD', url: '/', headers: { host: 'localhost:3000' } });
  expect([head.statusCode, head.body]).toEqual([200, '']);
  expect(Number(head.headers['content-length'])).toBe(rawPayload.length);
});

test('pages of staff and of sign-ins are not for search engines, and shared links have a picture', async () => {
  for (const path of ['/admin', '/admin-login', '/auth/callback', '/no/such/page', '/product/nope']) {
    expect((await get(path)).body, path).toContain('<meta name="robots" content="noindex">');
  }
  expect((await get('/')).body).not.toContain('noindex');
  expect((await get('/robots.txt')).body).toContain('Disallow: /admin\n');
  const picture = await get('/share.png');
  expect(picture.headers['content-type']).toBe('image/png');
  expect(picture.rawPayload.length).toBeLessThan(60_000);
  // Bytes 16 to 23 of a PNG file are its width and height.
  expect([picture.rawPayload.readUInt32BE(16), picture.rawPayload.readUInt32BE(20)]).toEqual([1200, 630]);
  expect((await get('/favicon.ico')).headers['content-type']).toMatch(/^image\//);
});

test('the files with which the server renders pages are not served', async () => {
  for (const path of ['/server/render-page.js', '/.vite/manifest.json']) {
    expect((await get(path)).headers['content-type'], path).toMatch(/^text\/html/);
  }
});

test('R-DAY-55: /healthz and /readyz respond with 200, and /healthz names the version', async () => {
  const health = await get('/healthz');
  expect(health.statusCode).toBe(200);
  expect(health.json()).toEqual({ status: 'ok', version: VERSION });
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+$/);
  expect(await get('/readyz')).toMatchObject({ statusCode: 200 });
});

test('the OpenAPI description contains the calls of the API, and no others', async () => {
  const { paths } = (await get('/api/openapi.json')).json();
  expect(Object.keys(paths)).toContain('/api/redeem-secure');
  expect(Object.keys(paths).every((path) => path.startsWith('/api/'))).toBe(true);
  expect((await get('/api/docs')).statusCode).toBeLessThan(400);
});
