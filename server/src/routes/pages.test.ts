import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';

let portal: TestApp;
beforeAll(async () => {
  portal = await openTestApp();
});
afterAll(() => portal.close());

const get = (url: string, headers = {}) =>
  portal.app.inject({ method: 'GET', url, headers: { host: 'localhost:3000', ...headers } });

test('R-ROUTE-22: every path that is no call of ours answers the page', async () => {
  for (const url of [
    '/',
    '/fellowship',
    '/product/x',
    '/admin/coupons',
    '/no/such/page',
    '/auth/callback?next=/',
  ]) {
    const { statusCode, headers } = await get(url);
    expect([url, statusCode, headers['content-type']]).toEqual([url, 200, 'text/html; charset=utf-8']);
  }
});

test('an address that cannot be decoded is one that is not there', async () => {
  expect(await get('/product/%E0%A4%A')).toMatchObject({ statusCode: 200 });
  const call = await get('/api/products/%E0%A4%A');
  expect([call.statusCode, call.json()]).toEqual([
    404,
    { code: 'product_not_found', message: 'Product not found' },
  ]);
});

test('a built file that is not there is a 404, not the page', async () => {
  expect(await get('/assets/gone.js')).toMatchObject({ statusCode: 404 });
  expect((await get('/auth/v1/gone')).headers['content-type']).toMatch(/json/);
});

test('a page asked for under another host is redirected to the public address, with its path', async () => {
  const { statusCode, headers } = await get('/product/7?x=1', { host: '127.0.0.1:3000' });
  expect([statusCode, headers.location]).toEqual([302, 'http://localhost:3000/product/7?x=1']);
  const away = await get('//evil.example/', { host: 'evil.example' });
  expect(new URL(String(away.headers.location)).origin).toBe('http://localhost:3000');
});

test('pages carry a content policy without anything inline, and the callback sends no referrer', async () => {
  const { headers } = await get('/');
  expect(headers['content-security-policy']).toContain("default-src 'self'");
  expect(headers['content-security-policy']).not.toMatch(/unsafe|upgrade-insecure/);
  expect(headers['referrer-policy']).toBe('strict-origin-when-cross-origin');
  expect((await get('/auth/callback')).headers['referrer-policy']).toBe('no-referrer');
});

test('alive and ready are told apart', async () => {
  expect(await get('/healthz')).toMatchObject({ statusCode: 200 });
  expect(await get('/readyz')).toMatchObject({ statusCode: 200 });
});

test('the calls are described from their own schemas', async () => {
  const { paths } = (await get('/api/openapi.json')).json();
  expect(Object.keys(paths)).toContain('/api/redeem-secure');
  expect(Object.keys(paths).every((path) => path.startsWith('/api/'))).toBe(true);
  expect((await get('/api/docs')).statusCode).toBeLessThan(400);
});
