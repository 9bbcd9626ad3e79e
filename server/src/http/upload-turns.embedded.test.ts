// Tests that uploads of large files take turns on the embedded engine.
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { importCoupons } from '@portal/contract';
import fastify from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { addProduct } from '../../test/factories.ts';
import { openTestApp } from '../../test/open-test-app.ts';
import { endTurn, takeTurns } from './request-bodies.ts';

type Upload = { name: string; isHeld?: boolean };

/** Opens an app. The turn of an upload with `isHeld` ends when the test calls the function that `begun` returns. */
async function openUploads({ maxWaitingBytes = 10_000 } = {}) {
  const app = fastify({ bodyLimit: 20 });
  takeTurns(app, { smallBytes: 20, maxWaitingBytes });
  const stored: string[] = [];
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const ends = new Map<string, () => void>();
  app.post<{ Body: Upload }>('/upload', { bodyLimit: 1000 }, async (request) => {
    const { name, isHeld } = request.body;
    stored.push(name);
    if (isHeld) await new Promise<void>((resolve) => ends.set(name, resolve));
    endTurn(request);
    await finished;
    return 'done';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  const sendText = (payload: string) =>
    app.inject({ method: 'POST', url: '/upload', payload, headers: { 'content-type': 'application/json' } });
  const send = (name: string) => sendText(JSON.stringify({ name, isHeld: true }));
  const begun = (name: string) => vi.waitUntil(() => ends.get(name), { timeout: 30_000, interval: 1 });
  return { app, stored, finish, sendText, send, begun };
}

test('R-IMP-27: an upload is parsed when the one before is stored, and need not wait for its results', async () => {
  const { stored, finish, sendText, send, begun } = await openUploads();
  const uploads = ['first', 'second', 'third'].map(send);
  const endFirst = await begun('first');
  const short = sendText('{"name":"short"}');
  await vi.waitUntil(() => stored.includes('short'));
  expect(stored).toEqual(['first', 'short']);
  endFirst();
  (await begun('second'))();
  (await begun('third'))();
  expect(stored).toEqual(['first', 'short', 'second', 'third']);
  finish();
  for (const upload of [...uploads, short]) expect((await upload).statusCode).toBe(200);
});

test('R-IMP-27: an upload that is refused, that still arrives, or whose sender has left does not stop the next one', async () => {
  const { app, finish, sendText, send, begun } = await openUploads();
  const arrived: (string | undefined)[] = [];
  app.server.on('request', ({ headers }) => arrived.push(headers.host));
  const first = send('first');
  const endFirst = await begun('first');
  const refused = sendText('{"name": this is no JSON');
  const body = '{"name":"whose sender has left"}';
  const open = (host: string, text: string) => {
    const head = ['POST /upload HTTP/1.1', `Host: ${host}`, 'Content-Type: application/json'];
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${text}`);
    return socket;
  };
  const [left, slow] = [open('left', body), open('slow', body.slice(1))];
  await vi.waitUntil(() => arrived.includes('left') && arrived.includes('slow'));
  left.destroy();
  await once(left, 'close');
  const last = send('last');
  endFirst();
  (await begun('last'))();
  finish();
  expect((await refused).statusCode).toBe(400);
  expect((await first).statusCode).toBe(200);
  expect((await last).statusCode).toBe(200);
  slow.destroy();
});

test('R-IMP-27: an upload that is sent in chunks waits too, and is refused if it is longer than the limit', async () => {
  const { app, stored, finish, send, begun } = await openUploads();
  const first = send('first');
  const endFirst = await begun('first');
  const { port } = app.server.address() as AddressInfo;
  const post = (body: string) =>
    fetch(`http://127.0.0.1:${port}/upload`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: new Blob([body]).stream(),
      duplex: 'half',
    } as RequestInit);
  const chunked = post('{"name":"in chunks, one after the other"}');
  const long = await post(`{"name":"${'x'.repeat(2000)}"}`);
  expect(long.status).toBe(413);
  expect(stored).toEqual(['first']);
  endFirst();
  finish();
  expect((await first).statusCode).toBe(200);
  expect((await chunked).status).toBe(200);
  expect(stored).toEqual(['first', 'in chunks, one after the other']);
});

test('R-IMP-27: an upload is refused while too many bytes wait, and none is forgotten', async () => {
  const { app, sendText, finish, send, begun } = await openUploads({ maxWaitingBytes: 100 });
  const headers = { 'content-type': 'text/unknown' };
  const unread = await app.inject({ method: 'POST', url: '/upload', payload: 'x'.repeat(90), headers });
  expect(unread.statusCode).toBe(415);
  const first = send('first');
  const endFirst = await begun('first');
  // An injected request is sent only when its promise is awaited. `Promise.all` awaits it at once.
  const waiting = Promise.all([send('second, which is long enough to fill the rest of the place')]);
  const refused = await sendText('{"name":"one more than the place that is left"}');
  expect(refused.json()).toMatchObject({ message: expect.stringContaining('Too many files') });
  endFirst();
  (await begun('second, which is long enough to fill the rest of the place'))();
  finish();
  expect((await first).statusCode).toBe(200);
  expect((await waiting)[0]?.statusCode).toBe(200);
  expect((await sendText('{"name":"after the others were parsed"}')).statusCode).toBe(200);
});

test('R-IMP-27: of two large files at once, one is stored after the other', async () => {
  const portal = await openTestApp();
  onTestFinished(() => portal.close());
  const token = await portal.signInAdmin();
  const { product_id } = await addProduct(portal.db);
  const upload = (name: string) => {
    const rows = Array.from({ length: 24 }, (_, at) => `${name}-${at},${'x'.repeat(50_000)}`);
    const body = { csvData: `code,note\n${rows.join('\n')}\n`, productId: product_id, check: true };
    return portal.call('POST', importCoupons.path, { token, body });
  };
  const answers = await Promise.all([upload('A'), upload('B')]);
  expect(answers).toMatchObject(Array(2).fill({ status: 200, body: { preview: { new: 24 } } }));
  const { rows } = await portal.db.query<{ source_id: string }>(
    'select source_id from import_source order by stored_at',
  );
  const changes = rows.filter(({ source_id }, at) => at > 0 && rows[at - 1]?.source_id !== source_id);
  expect(rows).toHaveLength(6);
  expect(changes).toHaveLength(1);
});
