// Tests incomplete and slow requests: the server closes their connections, stores no data and serves other requests.
import { connect, type Socket } from 'node:net';
import { createProduct } from '@portal/contract';
import { expect, onTestFinished, test } from 'vitest';
import { openAdmin, signIn } from './harness/api.ts';
import { openMailbox } from './harness/mailbox.ts';
import { ADMIN_EMAIL, startPortal } from './harness/portal.ts';
import { SHORT_WAITS } from './harness/short-waits.ts';

const SLOW_REQUESTS = 200;

function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  return socket;
}

function writeHead(url: string, token: string, length: number): string {
  return [
    `POST ${createProduct.path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    '\r\n',
  ].join('\r\n');
}

test('the server closes slow and incomplete requests, writes nothing, and serves others meanwhile', async () => {
  const mailbox = await openMailbox();
  onTestFinished(() => mailbox.close());
  const env = { TEST_ARRIVAL_MS: '5000' };
  const portal = await startPortal({ mailbox, program: SHORT_WAITS, env });
  onTestFinished(async () => expect(await portal.stop()).toBe(0));
  const admin = await openAdmin(portal);
  const { access_token } = await signIn(portal, ADMIN_EMAIL);
  const before = (await admin.listProducts()).length;
  const body = JSON.stringify({ name: 'Half', description: 'written', url: 'partner.example' });
  const partialRequests = [
    'GET / HTTP/1.1\r\nHost: ',
    writeHead(portal.url, access_token, body.length),
    writeHead(portal.url, access_token, body.length) + body.slice(0, body.length - 1),
    '',
  ];
  const slow = Array.from({ length: SLOW_REQUESTS }, (_, index) => {
    const socket = openSocket(portal.url);
    socket.write(partialRequests[index % partialRequests.length] ?? '');
    return new Promise<void>((resolve) => socket.resume().once('close', () => resolve()));
  });
  for (let index = 0; index < 20; index += 1) {
    const socket = openSocket(portal.url);
    socket.write(writeHead(portal.url, access_token, body.length) + body.slice(0, 20), () =>
      socket.destroy(),
    );
  }
  expect((await fetch(`${portal.url}/healthz`)).status).toBe(200);
  expect(await admin.listProducts()).toHaveLength(before);

  let closed = 0;
  for (const socket of slow) void socket.then(() => (closed += 1));
  await expect.poll(() => closed).toBe(SLOW_REQUESTS);
  expect(await admin.listProducts()).toHaveLength(before);
  expect(portal.output()).not.toContain('"level":50');
});
