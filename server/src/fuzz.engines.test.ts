// Fuzz test of every API call. For any input, the response must have a status below 500. A call that is refused must
// leave the database unchanged.
import { randomUUID } from 'node:crypto';
import { confirmProduct, type Endpoint, endpoints, removeMember } from '@portal/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, addProduct } from '../test/factories.ts';
import { changeOneField, fuzzFor, fuzzText, fuzzValue } from '../test/fuzz-values.ts';
import { LIFECYCLE_CALLS, prepareRequest, type Request } from '../test/lifecycle-requests.ts';
import { openTestApp, type TestApp } from '../test/open-test-app.ts';

// The seed is fixed, so that each run tests the same inputs and a failure can be reproduced.
const RUNS = { numRuns: 40, seed: 20_261_121 };
const LEARNER = 'lea@example.org';

let portal: TestApp;
let token: string;
// Texts with which a call may succeed.
const known: string[] = [
  LEARNER,
  'CODE-1',
  'https://partner.example/',
  'true',
  '1',
  'all',
  '2026-12-31',
  '2999-12-31',
];

beforeAll(async () => {
  portal = await openTestApp();
  token = await portal.signInAdmin();
  const product = await addProduct(portal.db, { codes: 3 });
  await addLearner(portal.db, [product], LEARNER);
  known.push(product.product_id, randomUUID(), `coupon_code\nA-1\n"A\n2"\n`, `email,name\n${LEARNER},Lea\n`);
});
afterAll(() => portal.close());

const TABLES = [
  ...['app_user', 'product', 'coupon', 'access_grant', 'coupon_batch', 'bulk_job', 'audit'],
  ...['cohort', 'cohort_member', 'coupon_expiry', 'job'],
];

/** Returns the number of rows of each table, and a checksum of their contents. */
async function readContents(): Promise<unknown> {
  const sums = TABLES.map(
    (table) =>
      `(select count(*) || ' rows, ' || coalesce(sum(hashtextextended(t::text, 0)), 0) from ${table} t) as ${table}`,
  );
  return (await portal.db.query(`select ${sums.join(', ')}`)).rows[0];
}

async function countSignInMails(): Promise<number> {
  const { rows } = await portal.db.query<{ count: number }>(
    "select count(*)::int as count from job where kind = 'sign-in-mail' and state in ('waiting', 'running')",
  );
  return rows[0]?.count ?? 0;
}

function fill(path: string, [first, second]: [string, string]): string {
  return path.replace(/:\w+/, encode(first)).replace(/:\w+/, encode(second));
}

// Encodes a part of an address as a browser does: a browser replaces unpaired surrogates before it encodes the text.
function encode(part: string): string {
  return encodeURIComponent(part.toWellFormed()) || '-';
}

function writeQuery(query: unknown): string {
  if (typeof query !== 'object' || query === null) return `?${encode(String(query))}`;
  const pairs = Object.entries(query).map(
    ([name, value]) =>
      `${encode(name)}=${encode(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))}`,
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

async function send(method: Endpoint['method'], url: string, body?: unknown) {
  const response = await portal.app.inject({
    method,
    url,
    headers: {
      host: 'localhost:3000',
      authorization: `Bearer ${token}`,
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    },
    ...(method === 'POST' && { payload: JSON.stringify(body) ?? 'null' }),
  });
  return { status: response.statusCode, type: String(response.headers['content-type']), text: response.body };
}

describe.each(
  endpoints.map((endpoint): [string, Endpoint] => [`${endpoint.method} ${endpoint.path}`, endpoint]),
)('%s', (name, { method, path, query, body }) => {
  test('any input gets a response below 500, and a refused call changes nothing', async () => {
    const prepared = await prepareRequest(portal.db, name);
    const texts = [...known, ...(prepared?.ids ?? [])];
    const parts = fc.oneof(fc.constantFrom(...texts), fuzzText);
    const anything: fc.Arbitrary<Request> = fc.record({
      parts: fc.tuple(parts, parts),
      query: query === undefined ? fc.constant({}) : fuzzFor(query, texts),
      body: body === undefined ? fuzzValue : fuzzFor(body, texts),
    });
    const input = prepared === null ? anything : fc.oneof(anything, changeOneField(prepared.request, texts));
    let before = await readContents();
    let succeeded = 0;
    await fc.assert(
      fc.asyncProperty(input, async (sent) => {
        const url = fill(path, sent.parts) + writeQuery(sent.query);
        const { status, type, text } = await send(method, url, sent.body);
        expect(status, text).toBeLessThan(500);
        if (status < 400) {
          succeeded += 1;
          // A sign-in mail is sent after the reply, and writes a line of the log then.
          if (name.endsWith('/sign-in-mail')) await expect.poll(countSignInMails).toBe(0);
          before = await readContents();
          return;
        }
        expect(type).toBe('application/json; charset=utf-8');
        expect(JSON.parse(text)).toMatchObject({ message: expect.stringMatching(/\S/) });
        expect(await readContents()).toEqual(before);
      }),
      prepared === null ? RUNS : { ...RUNS, examples: [[prepared.request]] },
    );
    // The first input is a valid request. If it were refused, the other inputs would test little.
    if (prepared !== null) expect(succeeded).toBeGreaterThan(0);
  });
});

test('a valid request is known for each call of LIFECYCLE_CALLS, and each of them exists', () => {
  const names = endpoints.map(({ method, path }) => `${method} ${path}`);
  expect(names).toEqual(expect.arrayContaining(LIFECYCLE_CALLS));
});

describe.each([
  ['POST', '/otp', ['email', 'create_user', 'code_challenge', 'code_challenge_method', 'phone', 'channel']],
  ['POST', '/magiclink', ['email']],
  ['POST', '/verify', ['type', 'email', 'token', 'token_hash', 'redirect_to', 'phone']],
  ['POST', '/token?grant_type=refresh_token', ['refresh_token']],
  ['POST', '/token?grant_type=pkce', ['auth_code', 'code_verifier']],
  ['POST', '/logout?scope=everything', []],
  ['GET', '/authorize', ['provider', 'redirect_to', 'code_challenge', 'code_challenge_method', 'prompt']],
  ['GET', '/callback', ['state', 'code', 'error']],
  ['GET', '/verify', ['type', 'token', 'token_hash', 'redirect_to']],
  ['GET', '/confirm', ['token_hash', 'type', 'redirect_to']],
  ['GET', '/user', ['x']],
] as const)('%s /auth/v1%s', (method, path, fields) => {
  test('any input gets a response below 500', async () => {
    const value = fc.oneof(fc.constantFrom(...known, 'magiclink', 'email', 's256', 'google'), fuzzValue);
    const record = fc.record(Object.fromEntries(fields.map((name) => [name, value])), { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 5, arbitrary: record }, fuzzValue), async (sent) => {
        const url = `/auth/v1${path}${method === 'GET' ? writeQuery(sent) : ''}`;
        const { status, text } = await send(method, url, sent);
        expect(status, text).toBeLessThan(500);
      }),
      RUNS,
    );
  });
});

const DEEP = 20_000;

test.each([
  ['that is cut off', '{"email":"lea@exam'],
  ['that is empty', ''],
  ['with text after its end', '{"email":"a@b.example"}}'],
  ['with NaN as a number', '{"email":NaN}'],
  ['that is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['nested deep', `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`],
  ['nested deep in a field', `{"email":${'{"a":'.repeat(DEEP / 4)}1${'}'.repeat(DEEP / 4)}}`],
  [
    'that would change what all objects inherit',
    '{"__proto__":{"email":"a@b.example"},"email":"lea@example.org"}',
  ],
  ['whose constructor is replaced', '{"constructor":{"prototype":{"a":1}}}'],
])('a body %s is refused by every call that takes one', async (_what, payload) => {
  const before = await readContents();
  const paths = endpoints
    .filter((endpoint) => 'body' in endpoint && endpoint.bodyTypes === undefined)
    .map(({ path }) => path);
  for (const url of [
    ...paths,
    '/auth/v1/otp',
    '/auth/v1/verify',
    '/auth/v1/token?grant_type=refresh_token',
  ]) {
    const headers = {
      host: 'localhost:3000',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    };
    const response = await portal.app.inject({ method: 'POST', url, headers, payload });
    // These calls have no required field and ignore unknown fields. They refuse the id in their path.
    const refusals = [String(removeMember.path), confirmProduct.path].includes(url) ? [400, 404] : [400];
    expect(refusals, url).toContain(response.statusCode);
    expect(response.json()).toBeTypeOf('object');
  }
  expect(await readContents()).toEqual(before);
});

test.each([
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'email=lea%40example.org'],
  ['a file', { 'content-type': 'multipart/form-data; boundary=x' }, '--x\r\n\r\n--x--\r\n'],
  ['text', { 'content-type': 'text/plain' }, '{"email":"lea@example.org"}'],
  ['XML', { 'content-type': 'application/xml' }, '<email/>'],
])('a body of another type is refused with 415: %s', async (_what, type, payload) => {
  for (const { path } of endpoints.filter(({ method }) => method === 'POST')) {
    const headers = { host: 'localhost:3000', authorization: `Bearer ${token}`, ...type };
    const response = await portal.app.inject({ method: 'POST', url: path, headers, payload });
    expect(response.statusCode, path).toBe(415);
  }
});
