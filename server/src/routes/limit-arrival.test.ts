// Requests that take their time, over real connections.
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { openTestApp } from '../../test/open-test-app.ts';
import { limitArrival } from './limit-arrival.ts';

let app: FastifyInstance;

beforeAll(async () => {
  app = fastify({ bodyLimit: 100, forceCloseConnections: true });
  limitArrival(app, { patienceMs: 50, bodyLimitBytes: 100 });
  app.addHook('onRequest', async ({ headers }, reply) => {
    if (headers.authorization === undefined) await reply.code(401).send();
  });
  app.post('/form', async () => 'taken');
  app.post('/upload', { bodyLimit: 1000 }, async () => 'taken');
  await app.listen({ port: 0, host: '127.0.0.1' });
});

afterAll(() => app.close());

/** Sends a head and half of its body; `heard` is all that comes back, once the server has hung up. */
function begin(path: string, headers = ['Authorization: x']) {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
  let said = '';
  socket.on('data', (chunk: string) => (said += chunk));
  const heard = once(socket, 'close').then(() => said);
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'Content-Type: application/json',
    'Content-Length: 4',
    ...headers,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\ntr`);
  return { heard, finish: () => socket.write('ue') };
}

test('a body that does not come is answered 408 and hung up on', async () => {
  expect(await begin('/form').heard).toMatch(/^HTTP\/1\.1 408 /);
});

test('an upload may take longer', async () => {
  const upload = begin('/upload', ['Authorization: x', 'Connection: close']);
  expect(await begin('/form').heard).toMatch(/^HTTP\/1\.1 408 /);
  upload.finish();
  expect(await upload.heard).toMatch(/^HTTP\/1\.1 200 /);
});

test('but not one of somebody who was not let in', async () => {
  expect(await begin('/upload', []).heard).toMatch(/^HTTP\/1\.1 401 /);
});

test('an injected request, which has no connection to hang up on, leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const injected = { method: 'POST', url: '/form', payload: { any: 'thing' } } as const;
  expect((await app.inject(injected)).statusCode).toBe(401);
  const headers = { authorization: 'x' };
  expect((await app.inject({ ...injected, headers })).body).toBe('taken');
  expect(vi.getTimerCount()).toBe(0);
});

test('the portal gives a request half a minute to arrive', async () => {
  const portal = await openTestApp();
  onTestFinished(portal.close);
  expect(portal.app.server.headersTimeout).toBe(30_000);
});
