// Tests requests whose body arrives slowly, over real connections.
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { openTestApp } from '../../test/open-test-app.ts';
import { limitArrival } from './request-bodies.ts';

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

/**
 * Sends the headers and half of the body. `response` resolves when the server has closed the connection; `finish` sends
 * the other half.
 */
function begin(path: string, headers = ['Authorization: x']) {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
  let received = '';
  socket.on('data', (chunk: string) => (received += chunk));
  const response = once(socket, 'close').then(() => received);
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'Content-Type: application/json',
    'Content-Length: 4',
    ...headers,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\ntr`);
  return { response, finish: () => socket.write('ue') };
}

test('a body that does not arrive gets 408, and the connection is closed', async () => {
  expect(await begin('/form').response).toMatch(/^HTTP\/1\.1 408 /);
});

test('an upload may take longer', async () => {
  const upload = begin('/upload', ['Authorization: x', 'Connection: close']);
  expect(await begin('/form').response).toMatch(/^HTTP\/1\.1 408 /);
  upload.finish();
  expect(await upload.response).toMatch(/^HTTP\/1\.1 200 /);
});

test('an upload without authentication may not take longer', async () => {
  expect(await begin('/upload', []).response).toMatch(/^HTTP\/1\.1 401 /);
});

test('an injected request, which has no connection to close, leaves no timer', async () => {
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
