// Tests /metrics: who may read the metrics, which events are counted, and that no personal data appears.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct } from '../../test/factories.ts';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';
import { readSamples, type Sample, sumSamples } from '../../test/read-samples.ts';

const TOKEN = 'a-token-of-the-scraper';

let open: TestApp;
let closed: TestApp;
let published: TestApp;

beforeAll(async () => {
  open = await openTestApp();
  closed = await openTestApp({ metricsToken: TOKEN });
  published = await openTestApp({ publicUrl: 'https://benefits.example.org' });
});

afterAll(async () => {
  await open.close();
  await closed.close();
  await published.close();
});

type Client = { headers?: Record<string, string>; remoteAddress?: string };

function fetchMetrics(portal: TestApp, { headers = {}, remoteAddress = '127.0.0.1' }: Client = {}) {
  return portal.app.inject({
    url: '/metrics',
    remoteAddress,
    headers: { host: 'localhost:3000', ...headers },
  });
}

async function scrape(): Promise<Sample[]> {
  return readSamples((await fetchMetrics(open)).body);
}

test.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])(
  'without a token set, %s may read the metrics',
  async (remoteAddress) => {
    const response = await fetchMetrics(open, { remoteAddress });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(sumSamples(readSamples(response.body), 'portal_database_up')).toBe(1);
  },
);

test.each<[string, Client]>([
  ['another machine', { remoteAddress: '192.168.1.7' }],
  [
    'another machine with a token',
    { remoteAddress: '192.168.1.7', headers: { authorization: 'Bearer null' } },
  ],
  ['a proxy that sends X-Forwarded-For', { headers: { 'x-forwarded-for': '127.0.0.1' } }],
  ['a proxy that sends Forwarded', { headers: { forwarded: 'for=127.0.0.1' } }],
  ['a proxy that sends X-Real-IP', { headers: { 'x-real-ip': '127.0.0.1' } }],
  ['a website whose name resolves to this machine', { headers: { host: 'evil.example:3000' } }],
])('without a token set, %s gets 404', async (_who, client) => {
  const response = await fetchMetrics(open, client);
  expect(response.statusCode).toBe(404);
  expect(response.json()).toEqual({ code: 'not_found', message: 'Not found' });
});

// If a proxy on this machine adds no header, the requests that it forwards look like requests of a Prometheus server on
// this machine.
test.each(['benefits.example.org', 'localhost:3000', '127.0.0.1:3000'])(
  'without a token set, a portal with a public address responds with 404, even on this machine with Host %s',
  async (host) => {
    const response = await fetchMetrics(published, { headers: { host } });
    expect(response.statusCode).toBe(404);
  },
);

test('without a token set, a portal that trusts a proxy responds with 404, even on this machine', async () => {
  const proxied = await openTestApp({ trustedProxies: 1 });
  expect((await fetchMetrics(proxied)).statusCode).toBe(404);
  await proxied.close();
});

test('with a token set, a client with the token may read the metrics from any machine', async () => {
  const headers = { authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': '192.0.2.1' };
  expect((await fetchMetrics(closed, { headers, remoteAddress: '192.0.2.9' })).statusCode).toBe(200);
});

test.each([undefined, TOKEN, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, 'Bearer ', 'Basic YTpi'])(
  'with a token set, a client on this machine that sends %s gets 404',
  async (authorization) => {
    const response = await fetchMetrics(closed, {
      headers: authorization === undefined ? {} : { authorization },
    });
    expect(response.statusCode).toBe(404);
    expect(response.json()).toEqual({ code: 'not_found', message: 'Not found' });
  },
);

test('each redemption is counted by its outcome, and the free codes fall by the assigned ones', async () => {
  const name = 'Tarnquill "Pro" \\ plus';
  const product = await addProduct(open.db, { name, codes: ['WREN-1'] });
  const withheld = await addProduct(open.db, { codes: 3 });
  const [first, second] = [await addLearner(open.db, [product]), await addLearner(open.db, [product])];
  const [token, late, stranger] = [
    await open.signIn(first.email),
    await open.signIn(second.email),
    await open.signIn('nobody@example.org'),
  ];
  const redeem = (token: string, productId: string) =>
    open.call('POST', '/api/redeem-secure', { token, body: { productId } });
  const outcomes = async () => {
    const samples = await scrape();
    const counted = samples.filter((sample) => sample.name === 'portal_redemptions_total');
    return Object.fromEntries(counted.map(({ labels, value }) => [labels.outcome, value]));
  };
  const none = {
    issued: 0,
    repeated: 0,
    none_left: 0,
    no_access: 0,
    not_registered: 0,
    not_found: 0,
    unavailable: 0,
    failed: 0,
  };
  expect(await outcomes()).toEqual(none);
  const { product_id } = product;
  const stock = { product_id, product: 'Tarnquill \\"Pro\\" \\\\ plus' };
  expect(sumSamples(await scrape(), 'portal_product_codes_free', stock)).toBe(1);

  await redeem(token, product_id);
  await redeem(token, product_id);
  await redeem(token, product_id);
  await redeem(late, product_id);
  await redeem(late, withheld.product_id);
  await redeem(stranger, product_id);
  await redeem(token, randomUUID());
  await redeem('no token', product_id);
  expect(await outcomes()).toEqual({
    ...none,
    issued: 1,
    repeated: 2,
    none_left: 1,
    no_access: 1,
    not_registered: 1,
    not_found: 1,
  });
  let samples = await scrape();
  expect(sumSamples(samples, 'portal_product_codes', stock)).toBe(1);
  expect(sumSamples(samples, 'portal_product_codes_free', stock)).toBe(0);

  await addCodes(open.db, product, ['WREN-2', 'WREN-3']);
  samples = await scrape();
  expect(sumSamples(samples, 'portal_product_codes', stock)).toBe(3);
  expect(sumSamples(samples, 'portal_product_codes_free', stock)).toBe(2);
  expect(sumSamples(samples, 'portal_product_codes_free', { product_id: withheld.product_id })).toBe(3);
});

test('a product with a shared code has no stock metrics', async () => {
  const { product_id } = await addProduct(open.db, { shared_coupon: true, codes: ['FOR-ALL'] });
  const samples = await scrape();
  expect(samples.filter(({ labels }) => labels.product_id === product_id)).toEqual([]);
});

test('a sign-in is counted once, and a refresh is not counted', async () => {
  const count = async () => sumSamples(await scrape(), 'portal_sign_ins_total', { method: 'otp' });
  const before = await count();
  const email = `count-${randomUUID()}@example.org`;
  await open.call('POST', '/auth/v1/otp', { body: { email } });
  const read = async () =>
    (await open.call('GET', '/dev/outbox.json')).body as { to: string; links: string[] }[];
  await expect.poll(async () => (await read()).some(({ to }) => to === email)).toBe(true);
  const link = (await read()).find(({ to }) => to === email)?.links[0] ?? '';
  const token_hash = new URL(link).searchParams.get('token_hash');
  const verified = await open.call('POST', '/auth/v1/verify', { body: { type: 'magiclink', token_hash } });
  const { refresh_token } = verified.body as { refresh_token: string };
  const refreshed = await open.call('POST', '/auth/v1/token?grant_type=refresh_token', {
    body: { refresh_token },
  });
  expect(refreshed.status).toBe(200);
  expect(await count()).toBe(before + 1);
});

test('waiting, running and failed jobs are counted by kind, with the age of the oldest', async () => {
  const now = Date.now();
  const read = async () => {
    const samples = await scrape();
    const ofStock = samples.filter(({ labels }) => labels.kind === 'stock-mail');
    return ['waiting', 'running', 'failed', 'oldest_seconds'].map((name) =>
      sumSamples(ofStock, `portal_jobs_${name}`),
    );
  };
  expect(await read()).toEqual([0, 0, 0, 0]);
  // The jobs were enqueued ten minutes ago. They are due tomorrow, so that no worker claims them.
  await open.db.query(
    `insert into job (kind, key, lane, priority, state, due_at, created_at, ended_at, reason)
     select 'stock-mail', state, 'mail', 5, state, $1, $2, case state when 'failed' then now() end, 'no answer'
     from unnest(array['waiting', 'running', 'failed']) state`,
    [new Date(now + 86_400_000), new Date(now - 600_000)],
  );
  const [waiting, running, failed, oldest] = await read();
  expect([waiting, running, failed]).toEqual([1, 1, 1]);
  expect(oldest).toBeGreaterThanOrEqual(600);
});

test('responses are timed by route pattern and status, and the metrics contain no address, code or token', async () => {
  const product = await addProduct(open.db, { codes: ['SECRET-HERON-1'] });
  const learner = await addLearner(open.db, [product]);
  const token = await open.signIn(learner.email);
  await open.call('POST', '/api/redeem-secure', { token, body: { productId: product.product_id } });
  const admin = await open.signInAdmin();
  await open.call('GET', `/api/coupons?search=${learner.email}`, { token: admin });
  await open.call('GET', `/api/product/${product.product_id}`, { token });
  await open.app.inject({ url: `/nowhere/${learner.email}`, headers: { host: 'localhost:3000' } });
  await open.app.inject({ url: `/api/${learner.email}`, headers: { host: 'localhost:3000' } });
  const { body } = await fetchMetrics(open);
  for (const secret of [learner.email, '@', 'SECRET-HERON', token, admin]) {
    expect(body.includes(secret), secret).toBe(false);
  }
  const samples = readSamples(body);
  const requests = 'portal_http_request_duration_seconds_count';
  const redeemed = { method: 'POST', route: '/api/redeem-secure', status: '200' };
  expect(sumSamples(samples, requests, redeemed)).toBeGreaterThanOrEqual(1);
  expect(
    sumSamples(samples, requests, { method: 'GET', route: 'page', status: '404' }),
  ).toBeGreaterThanOrEqual(1);
  const routes = new Set(samples.filter(({ name }) => name === requests).map(({ labels }) => labels.route));
  const leaking = [...routes].filter((route) => route?.includes(product.product_id));
  expect(leaking).toEqual([]);
});

test('if the database fails, portal_database_up is 0 at once, and no earlier values are sent', async () => {
  const portal = await openTestApp();
  await portal.db.execute('alter table product rename to product_away');
  const samples = readSamples((await fetchMetrics(portal)).body);
  expect(sumSamples(samples, 'portal_database_up')).toBe(0);
  expect(samples.filter(({ name }) => name.startsWith('portal_product'))).toEqual([]);
  expect(samples.some(({ name }) => name === 'process_resident_memory_bytes')).toBe(true);
  await portal.close();
});
