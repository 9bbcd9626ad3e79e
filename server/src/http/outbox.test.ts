// Tests that only clients on this machine may read the outbox.
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { handleOutbox } from './operations.ts';

const PUBLIC_URL = 'http://localhost:3000';
const MAIL = {
  to: 'ada@example.org',
  subject: '<b>Sign in</b>',
  text: 'text',
  html: '<p>html</p>',
  links: ['http://localhost:3000/auth/v1/confirm?a=1&b="><script>'],
  sent_at: '2026-01-01T00:00:00.000Z',
};

function fetchOutbox(url: string, { headers = {}, remoteAddress = '127.0.0.1' } = {}) {
  const app = fastify();
  handleOutbox(app, { outbox: { list: () => [MAIL] }, publicUrl: PUBLIC_URL });
  return app.inject({ method: 'GET', url, remoteAddress, headers: { host: 'localhost:3000', ...headers } });
}

test.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('responds to %s', async (remoteAddress) => {
  const response = await fetchOutbox('/dev/outbox.json', { remoteAddress });
  expect(response.json()).toEqual([MAIL]);
});

test.each([
  ['another machine', { remoteAddress: '192.168.1.7' }],
  ['an address that only begins like a loopback one', { remoteAddress: '127.0.0.1.evil' }],
  ['a proxy that sends X-Forwarded-For', { headers: { 'x-forwarded-for': '127.0.0.1' } }],
  ['a proxy that sends Forwarded', { headers: { forwarded: 'for=127.0.0.1' } }],
  ['another name for this machine', { headers: { host: 'evil.example:3000' } }],
  ['another port', { headers: { host: 'localhost:3001' } }],
])('responds with 404 to %s', async (_who, request) => {
  for (const url of ['/dev/outbox', '/dev/outbox.json']) {
    const response = await fetchOutbox(url, request);
    expect(response.statusCode).toBe(404);
    expect(response.body).not.toContain('ada@example.org');
  }
});

test('escapes the text of mails, and allows no scripts', async () => {
  const response = await fetchOutbox('/dev/outbox');
  expect(response.headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'/,
  );
  expect(response.body).toContain('&lt;b&gt;Sign in&lt;/b&gt;');
  expect(response.body).toContain('confirm?a=1&amp;b=&quot;&gt;&lt;script&gt;');
  expect(response.body).not.toContain('<script>');
});
