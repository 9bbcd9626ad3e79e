// Calls every API endpoint as a visitor, a learner and an administrator, and with invalid tokens.
import { createHmac, randomUUID } from 'node:crypto';
import { type Endpoint, endpoints } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../test/factories.ts';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';

let portal: TestApp;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  portal = await openTestApp();
  tokens.admin = await portal.signInAdmin();
  tokens.learner = await portal.signIn('learner@example.org');
  tokens.signedOut = await portal.signIn('gone@example.org');
  await portal.app.inject({
    method: 'POST',
    url: '/auth/v1/logout?scope=local',
    headers: { authorization: `Bearer ${tokens.signedOut}` },
  });
  tokens.forged = forge(tokens.admin);
  tokens.malformed = 'no-token';
});
afterAll(() => portal.close());

/** Returns a token with the claims of `token`, signed with a wrong secret. */
function forge(token: string): string {
  const [, claims] = token.split('.');
  const head = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');
  const signature = createHmac('sha256', 'guessed').update(`${head}.${claims}`).digest('base64url');
  return `${head}.${claims}.${signature}`;
}

const filled = (path: string) => path.replace(':id', randomUUID()).replace(':email', 'someone%40example.org');
// The body is invalid on purpose: callers without access must get 401 or 403 before the body is validated.
const bodyOf = ({ method }: Endpoint) => (method === 'POST' ? { body: { wrong: true } } : {});

async function countEverything(): Promise<unknown> {
  const { rows } = await portal.db.query(
    `select (select count(*) from app_user) as users, (select count(*) from product) as products,
            (select count(*) from coupon) as coupons, (select count(*) from access_grant) as grants`,
  );
  return rows[0];
}

describe.each(
  endpoints.map((endpoint): [string, Endpoint] => [`${endpoint.method} ${endpoint.path}`, endpoint]),
)('%s', (_name, endpoint) => {
  const send = (token?: string) =>
    portal.call(endpoint.method, filled(endpoint.path), { ...bodyOf(endpoint), ...(token && { token }) });

  const unauthenticated = ['visitor', 'signedOut', 'forged', 'malformed'];
  test.each(unauthenticated)(
    `R-API-19, R-API-23: ${endpoint.access === 'visitor' ? 'is open to' : 'is 401 for'} %s`,
    async (who) => {
      const { status, body } = await send(tokens[who]);
      if (endpoint.access === 'visitor') {
        expect(status).not.toBe(401);
      } else {
        expect(status).toBe(401);
        expect(body).toMatchObject({
          message: expect.stringMatching(/Authentication required|Please log in/),
        });
      }
    },
  );

  test(`R-API-20, R-API-21: ${endpoint.access === 'admin' ? 'is 403 for' : 'is open to'} a learner, and a refusal changes nothing`, async () => {
    const before = await countEverything();
    const { status, body } = await send(tokens.learner);
    if (endpoint.access === 'admin') {
      expect(status).toBe(403);
      expect(body).toMatchObject({ message: 'Access restricted' });
    } else {
      expect([200, 400, 403, 404]).toContain(status);
    }
    expect(await countEverything()).toEqual(before);
  });

  test('R-API-22, R-API-25: an administrator gets a response; invalid input gets 4xx and a message in JSON', async () => {
    const { status, body, headers } = await send(tokens.admin);
    expect([200, 400, 404]).toContain(status);
    if (status !== 200) expect(body).toMatchObject({ message: expect.any(String) });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
  });
});

describe('calls that check the session in the statement that does their work (0016)', () => {
  const redeem = (body: unknown) => ({ method: 'POST' as const, url: '/api/redeem-secure', body });
  const list = { method: 'GET' as const, url: '/api/my/products', body: undefined };
  const addOffer = async (email: string) => {
    const product = await addProduct(portal.db, { codes: 1 });
    await addLearner(portal.db, [product], email);
    return redeem({ productId: product.product_id });
  };

  test('R-API-23: a caller whose session has ended gets 401 and no code, also for an invalid request', async () => {
    const bad = [
      redeem({ productId: 'no-uuid' }),
      redeem({ productId: randomUUID() }),
      redeem({}),
      redeem('{'),
    ];
    for (const { method, url, body } of [list, await addOffer('gone@example.org'), ...bad]) {
      expect(await portal.call(method, url, { body, token: tokens.signedOut ?? '' })).toMatchObject({
        status: 401,
        body: { code: 'authentication_required' },
      });
    }
    expect((await portal.db.query('select 1 from coupon where holder is not null')).rows).toEqual([]);
  });

  test('R-API-23: once a session has ended, the next call with the same token gets 401', async () => {
    const offer = await addOffer('leaving@example.org');
    const token = await portal.signIn('leaving@example.org');
    const send = async () => [
      (await portal.call(list.method, list.url, { token })).status,
      (await portal.call(offer.method, offer.url, { token, body: offer.body })).status,
    ];
    expect(await send()).toEqual([200, 200]);
    await portal.db.query(
      "delete from auth_session s using auth_user u where u.id = s.user_id and u.email = 'leaving@example.org'",
    );
    expect(await send()).toEqual([401, 401]);
  });

  test('R-API-22: a learner with a valid session gets the error of an invalid request', async () => {
    const statuses: number[] = [];
    for (const body of [{}, '{', { productId: 'no-uuid' }]) {
      const { status } = await portal.call('POST', '/api/redeem-secure', {
        body,
        token: tokens.learner ?? '',
      });
      statuses.push(status);
    }
    expect(statuses).toEqual([400, 415, 403]);
  });
});

test('R-API-24: an unknown path below /api gets a 404 in JSON', async () => {
  expect(await portal.call('GET', '/api/nothing-here')).toMatchObject({
    status: 404,
    body: { message: 'Not found' },
  });
  expect(await portal.call('POST', '/nothing-here', { body: {} })).toMatchObject({ status: 404 });
});

test('R-API-17, R-GEN-12: an administrator who loses the role loses access at once, with the same token', async () => {
  expect(await portal.call('GET', '/api/admin/check', { token: tokens.admin ?? '' })).toMatchObject({
    status: 200,
    body: { user: { email: 'staff@example.org', user_role: 'admin' } },
  });
  await portal.db.query("update app_user set user_role = 'user' where email = 'staff@example.org'");
  expect((await portal.call('GET', '/api/admin/check', { token: tokens.admin ?? '' })).body).toMatchObject({
    message: 'Access restricted',
    user: { email: 'staff@example.org', user_role: 'user' },
  });
});
