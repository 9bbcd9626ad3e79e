// Tests that a portal that is stopping still responds to requests on connections that are already open.
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openTestApp } from '../test/open-test-app.ts';

test('a stopping process responds 503 to /readyz, and each response closes its connection', async () => {
  let stopping = false;
  const portal = await openTestApp({ isStopping: () => stopping });
  onTestFinished(portal.close);
  const look = async (path: string) => {
    const { status, headers } = await portal.call('GET', path);
    return [status, headers.connection];
  };
  expect(await look('/readyz')).toEqual([200, 'keep-alive']);
  stopping = true;
  expect(await look('/readyz')).toEqual([503, 'close']);
  expect(await look('/healthz')).toEqual([200, 'close']);
});

test('a request on an open connection gets a normal response while the server closes', async () => {
  const { app, close } = await openTestApp();
  const arrived = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  app.get('/first', () => {
    arrived.resolve();
    return answer.promise;
  });
  let second = false;
  app.get('/second', () => {
    second = true;
    return answer.promise;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const said = text(socket);
  const ask = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  ask('/first');
  await arrived.promise;
  const closed = close();
  await expect.poll(() => app.server.listening).toBe(false);
  ask('/second');
  await expect.poll(() => second).toBe(true);
  answer.resolve('told');
  socket.end();
  expect((await said).match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
  await closed;
});
