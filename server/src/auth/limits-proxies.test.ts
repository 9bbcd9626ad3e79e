// Whose address a limit counts: the socket's, unless TRUSTED_PROXIES says that others stand in between.
import { afterEach, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';

let portal: TestApp;

afterEach(() => portal.close());

/** A guess that comes from `socket`, with the headers that its sender made up. */
async function guess(socket: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await portal.app.inject({
    method: 'POST',
    url: '/auth/v1/verify',
    remoteAddress: socket,
    headers: { host: 'localhost:3000', ...headers },
    payload: { type: 'magiclink', token_hash: 'no-such-link' },
  });
  return response.statusCode;
}

async function useUp(socket: string, makeHeaders: (count: number) => Record<string, string>) {
  for (let count = 0; count < 30; count += 1) expect(await guess(socket, makeHeaders(count))).toBe(403);
}

test.each(['x-forwarded-for', 'x-real-ip', 'forwarded', 'cf-connecting-ip', 'true-client-ip', 'x-client-ip'])(
  'without trusted proxies a made-up %s gives no new turn, and takes none from another',
  async (header) => {
    portal = await openTestApp({ rateLimits: true });
    await useUp('192.0.2.1', (count) => ({ [header]: `198.51.100.${count}` }));
    expect(await guess('192.0.2.1', { [header]: '198.51.100.77' })).toBe(429);
    expect(await guess('198.51.100.5')).toBe(403);
  },
);

test('behind one proxy the address that it added counts, and none that the sender wrote before it', async () => {
  portal = await openTestApp({ rateLimits: true, trustedProxies: 1 });
  const via = (count: number, client: string) => ({ 'x-forwarded-for': `198.51.100.${count}, ${client}` });
  await useUp('10.0.0.1', (count) => via(count, '192.0.2.1'));
  expect(await guess('10.0.0.1', via(77, '192.0.2.1'))).toBe(429);
  expect(await guess('10.0.0.1', via(77, '192.0.2.2'))).toBe(403);
});

test('behind two proxies the address that the outer one added counts', async () => {
  portal = await openTestApp({ rateLimits: true, trustedProxies: 2 });
  const via = (count: number, client: string) => ({
    'x-forwarded-for': `198.51.100.${count}, ${client}, 10.0.0.2`,
  });
  await useUp('10.0.0.1', (count) => via(count, '192.0.2.1'));
  expect(await guess('10.0.0.1', via(77, '192.0.2.1'))).toBe(429);
  expect(await guess('10.0.0.1', via(77, '192.0.2.2'))).toBe(403);
});
