// Tests which client IP address the rate limits use: the socket's, or with TRUSTED_PROXIES one from X-Forwarded-For.
import { afterAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';

const portals: TestApp[] = [];

afterAll(() => Promise.all(portals.map((portal) => portal.close())));

async function open(trustedProxies: number): Promise<TestApp> {
  const portal = await openTestApp({ rateLimits: true, trustedProxies });
  portals.push(portal);
  return portal;
}

/** Tries a sign-in link that does not exist, from the IP address `socket` with `headers`. Returns the HTTP status. */
async function guess(portal: TestApp, socket: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await portal.app.inject({
    method: 'POST',
    url: '/auth/v1/verify',
    remoteAddress: socket,
    headers: { host: 'localhost:3000', ...headers },
    payload: { type: 'magiclink', token_hash: 'no-such-link' },
  });
  return response.statusCode;
}

async function useUp(
  portal: TestApp,
  socket: string,
  makeHeaders: (count: number) => Record<string, string>,
) {
  for (let count = 0; count < 30; count += 1)
    expect(await guess(portal, socket, makeHeaders(count))).toBe(403);
}

test('without trusted proxies, a forged header neither avoids the limit nor counts for another address', async () => {
  const portal = await open(0);
  const headers = [
    'x-forwarded-for',
    'x-real-ip',
    'forwarded',
    'cf-connecting-ip',
    'true-client-ip',
    'x-client-ip',
  ];
  for (const [index, header] of headers.entries()) {
    const socket = `192.0.2.${index + 1}`;
    await useUp(portal, socket, (count) => ({ [header]: `198.51.100.${count}` }));
    expect(await guess(portal, socket, { [header]: '198.51.100.77' }), header).toBe(429);
    expect(await guess(portal, '198.51.100.5'), header).toBe(403);
  }
});

test('behind one proxy, the address that the proxy added counts, not those that the client wrote before it', async () => {
  const portal = await open(1);
  const via = (count: number, client: string) => ({ 'x-forwarded-for': `198.51.100.${count}, ${client}` });
  await useUp(portal, '10.0.0.1', (count) => via(count, '192.0.2.1'));
  expect(await guess(portal, '10.0.0.1', via(77, '192.0.2.1'))).toBe(429);
  expect(await guess(portal, '10.0.0.1', via(77, '192.0.2.2'))).toBe(403);
});

test('behind two proxies, the address that the outer one added counts', async () => {
  const portal = await open(2);
  const via = (count: number, client: string) => ({
    'x-forwarded-for': `198.51.100.${count}, ${client}, 10.0.0.2`,
  });
  await useUp(portal, '10.0.0.1', (count) => via(count, '192.0.2.1'));
  expect(await guess(portal, '10.0.0.1', via(77, '192.0.2.1'))).toBe(429);
  expect(await guess(portal, '10.0.0.1', via(77, '192.0.2.2'))).toBe(403);
});
