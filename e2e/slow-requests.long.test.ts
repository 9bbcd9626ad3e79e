// Requests that never end, or end too soon: they hold nobody up, write nothing, and are hung up on.
import { connect, type Socket } from 'node:net';
import { createProduct } from '@portal/contract';
import { expect, test } from 'vitest';
import { signIn } from './harness/api.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { setOwnScene } from './harness/scene.ts';

const SLOW_ONES = 200;
// Half a minute for a request to arrive, and as long until the server looks (Node's own interval).
const PATIENCE_MS = 180_000;

const scene = setOwnScene();

function dial(): Socket {
  const { hostname, port } = new URL(scene.portal.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  return socket;
}

function writeHead(token: string, length: number): string {
  return [
    `POST ${createProduct.path} HTTP/1.1`,
    `Host: ${new URL(scene.portal.url).host}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    '\r\n',
  ].join('\r\n');
}

test('slow and cut-off requests: others are served meanwhile, the slow are hung up on, and nothing is written', async () => {
  const { access_token } = await signIn(scene.portal, ADMIN_EMAIL);
  const before = (await scene.admin.listProducts()).length;
  const body = JSON.stringify({
    name: 'Half',
    description: 'written',
    url: 'partner.example',
    page_title: null,
    header_text: null,
    instructions: null,
  });
  const beginnings = [
    'GET / HTTP/1.1\r\nHost: ',
    writeHead(access_token, body.length),
    writeHead(access_token, body.length) + body.slice(0, body.length - 1),
    '',
  ];
  const slow = Array.from({ length: SLOW_ONES }, (_, index) => {
    const socket = dial();
    socket.write(beginnings[index % beginnings.length] ?? '');
    return new Promise<void>((resolve) => socket.resume().once('close', () => resolve()));
  });
  for (let index = 0; index < 20; index += 1) {
    const socket = dial();
    socket.write(writeHead(access_token, body.length) + body.slice(0, 20), () => socket.destroy());
  }
  expect((await fetch(`${scene.portal.url}/healthz`)).status).toBe(200);
  expect(await scene.admin.listProducts()).toHaveLength(before);

  let closed = 0;
  for (const socket of slow) void socket.then(() => (closed += 1));
  await expect.poll(() => closed, { timeout: PATIENCE_MS, interval: 500 }).toBe(SLOW_ONES);
  expect(await scene.admin.listProducts()).toHaveLength(before);
  expect(scene.portal.output()).not.toContain('"level":50');
});
