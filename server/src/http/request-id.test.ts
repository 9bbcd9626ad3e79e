// Tests that the request id is in the response and in each log line of the request.
import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';
import { createLog } from '../log.ts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const host = 'localhost:3000';

type Line = { msg: string; level: number; request_id?: string; statement?: string };

let lines: Line[] = [];
let portal: TestApp;
let behindProxy: TestApp;

const stream = new Writable({
  write(chunk, _encoding, done) {
    for (const line of String(chunk).trim().split('\n')) {
      expect(line.split('"request_id"').length, line).toBeLessThanOrEqual(2);
      lines.push(JSON.parse(line) as Line);
    }
    done();
  },
});

beforeAll(async () => {
  portal = await openTestApp({ log: createLog('debug', stream) });
  behindProxy = await openTestApp({ trustedProxies: 1 });
});

afterAll(async () => {
  await portal.close();
  await behindProxy.close();
});

beforeEach(() => {
  lines = [];
});

test.each(['/healthz', '/', '/api/nothing', '/api/products', '/auth/v1/user'])(
  'a response of %s has the request id, whatever its status',
  async (url) => {
    const { headers } = await portal.app.inject({ url, headers: { host, 'x-request-id': 'chosen-outside' } });
    expect(headers['x-request-id']).toMatch(UUID);
    expect(lines.map(({ request_id }) => request_id)).toContain(headers['x-request-id']);
    expect(JSON.stringify(lines)).not.toContain('chosen-outside');
  },
);

test('a trusted proxy may choose the id', async () => {
  const { headers } = await behindProxy.app.inject({
    url: '/healthz',
    headers: { host, 'x-request-id': 'Proxy_1.2-abcdef' },
  });
  expect(headers['x-request-id']).toBe('Proxy_1.2-abcdef');
});

test.each(['', 'short', 'x'.repeat(65), 'with a space', 'line\tbreak', '"quoted"', 'a,b,c,d,e,f'])(
  'an invalid id of a trusted proxy is replaced: %j',
  async (id) => {
    const { headers } = await behindProxy.app.inject({
      url: '/healthz',
      headers: { host, 'x-request-id': id },
    });
    expect(headers['x-request-id']).toMatch(UUID);
  },
);

test('a 5xx response has the request id in its body, and each log line has the id, also after a request with a body', async () => {
  const token = await portal.signInAdmin();
  await portal.db.execute('alter table product rename to product_away');
  lines = [];
  const failed = await portal.call('POST', '/api/redeem-secure', {
    token,
    body: { productId: crypto.randomUUID() },
  });
  const refused = await portal.call('POST', '/api/redeem-secure', { token, body: {} });
  const signIn = await portal.call('POST', '/auth/v1/verify', { body: {} });
  await portal.db.execute('alter table product_away rename to product');
  const id = failed.headers['x-request-id'];
  expect(failed).toMatchObject({ status: 500, body: { code: 'internal_error', request_id: id } });
  expect(refused.status).toBe(400);
  expect(refused.body).not.toHaveProperty('request_id');
  expect(signIn.status).toBe(400);
  const ids = lines.map(({ request_id }) => request_id);
  expect(lines.filter(({ request_id }) => request_id === id).map(({ msg }) => msg)).toEqual(
    expect.arrayContaining(['request failed', 'request']),
  );
  expect(ids).not.toContain(undefined);
});

test('a slow statement is logged with the request id, also after a request with a body', async () => {
  await portal.db.execute(`
    create function dawdle() returns trigger language plpgsql as $$ begin perform pg_sleep(0.6); return new; end $$;
    create trigger dawdle before insert on auth_mail_window for each row execute function dawdle();`);
  // This test needs a real connection. In an injected request, the body arrives together with the headers, but here it
  // must arrive later.
  const origin = await portal.app.listen({ port: 0, host: '127.0.0.1' });
  const response = await fetch(`${origin}/auth/v1/otp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'slow@example.org' }),
  });
  await portal.db.execute('drop trigger dawdle on auth_mail_window');
  expect(response.status).toBe(200);
  const slow = lines.filter(({ statement }) => statement?.startsWith('with turn as'));
  expect(slow.map(({ request_id }) => request_id)).toEqual([response.headers.get('x-request-id')]);
  expect(slow[0]?.msg).toBe('slow statement');
  expect(JSON.stringify(lines)).not.toContain('slow@example.org');
});
