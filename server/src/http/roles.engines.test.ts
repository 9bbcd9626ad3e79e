// Calls every API endpoint as a visitor, a learner and each role of the team, and with invalid tokens.
import { createHmac, randomUUID } from 'node:crypto';
import { type Endpoint, endpoints, TEAM_ROLES, type TeamRole } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../test/factories.ts';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';
import { setRole } from '../features/team/team.ts';

// The least role that may make each call (R-TEAM-01). Written here a second time, so that a mistake in the contract is
// found.
const LEAST: Record<string, 'visitor' | 'learner' | TeamRole> = {
  'GET /api/auth/user': 'learner',
  'GET /api/admin/check': 'viewer',
  'POST /api/admin/me': 'viewer',
  'GET /api/products/:id': 'visitor',
  'GET /api/products': 'viewer',
  'GET /api/admin/products/:id': 'viewer',
  'POST /api/products': 'manager',
  'POST /api/admin/products/:id/edit': 'manager',
  'POST /api/admin/products/:id/status': 'manager',
  'PUT /api/admin/products/:id/logo': 'manager',
  'DELETE /api/admin/products/:id/logo': 'manager',
  'GET /api/products/:id/logo/:sha256': 'visitor',
  'GET /api/my/products': 'learner',
  'GET /api/users': 'support',
  'POST /api/admin/people/:user_id/erase': 'owner',
  'GET /api/admin/people/:user_id/data.json': 'manager',
  'POST /api/admin/users/single': 'manager',
  'POST /api/admin/users/act': 'manager',
  'POST /api/admin/users/count': 'manager',
  'GET /api/admin/user-access/:email': 'support',
  'GET /api/admin/user-access/:email/why/:product_id': 'support',
  'GET /api/admin/view-as/:user_id': 'support',
  'GET /api/coupons': 'support',
  'POST /api/admin/coupons/single': 'manager',
  'POST /api/admin/generate-coupon': 'support',
  'POST /api/admin/regenerate-coupon': 'support',
  'POST /api/admin/coupons/:id/revoke': 'support',
  'POST /api/admin/coupons/:id/reveal': 'support',
  'POST /api/admin/coupons/:id/issue': 'support',
  'POST /api/admin/coupons/:id/void': 'manager',
  'POST /api/admin/coupons/:id/confirm': 'support',
  'POST /api/admin/products/:id/confirm': 'support',
  'GET /api/admin/batches': 'support',
  'GET /api/admin/batches/:id': 'support',
  'POST /api/admin/batches/:id/void': 'manager',
  'POST /api/admin/batches/:id/use-by': 'manager',
  'POST /api/admin/grants': 'manager',
  'POST /api/admin/grants/:id/edit': 'manager',
  'POST /api/admin/grants/:id/withdraw': 'manager',
  'GET /api/admin/cohorts': 'viewer',
  'GET /api/admin/cohorts/progress': 'viewer',
  'GET /api/admin/cohorts/:id': 'viewer',
  'POST /api/admin/cohorts': 'manager',
  'POST /api/admin/cohorts/:id/edit': 'manager',
  'POST /api/admin/cohorts/:id/dates': 'manager',
  'POST /api/admin/cohorts/:id/members': 'manager',
  'POST /api/admin/cohorts/:id/members/remove': 'manager',
  'POST /api/admin/cohorts/:id/members/move': 'manager',
  'POST /api/redeem-secure': 'learner',
  'POST /api/admin/products/bulk': 'manager',
  'POST /api/admin/users/bulk': 'manager',
  'POST /api/admin/coupons/bulk': 'manager',
  'GET /api/admin/imports': 'viewer',
  'GET /api/admin/imports/:id': 'manager',
  'POST /api/admin/imports/:id/cancel': 'manager',
  'POST /api/admin/imports/:id/start': 'manager',
  'POST /api/admin/imports/:id/discard': 'manager',
  'GET /api/admin/imports/:id/errors.csv': 'manager',
  'GET /api/admin/imports/:id/duplicates.csv': 'manager',
  'GET /api/admin/imports/:id/generated.csv': 'manager',
  'GET /api/admin/imports/:id/undo': 'manager',
  'POST /api/admin/imports/:id/undo': 'manager',
  'POST /api/admin/imports/:id/tell': 'manager',
  'GET /api/admin/jobs/failed': 'manager',
  'POST /api/admin/jobs/retry': 'manager',
  'GET /api/admin/stats': 'viewer',
  'POST /api/admin/setup/hide': 'viewer',
  'GET /api/admin/team': 'owner',
  'POST /api/admin/team': 'owner',
  'POST /api/admin/team/:user_id/role': 'owner',
  'POST /api/admin/team/:user_id/remove': 'owner',
  'POST /api/admin/team/:user_id/sign-out': 'owner',
  'GET /api/admin/people/:user_id': 'support',
  'GET /api/admin/coupons/:id': 'support',
  'POST /api/admin/notes': 'support',
  'POST /api/admin/people/:user_id/sign-in-mail': 'support',
  'POST /api/admin/people/:user_id/code-mail': 'support',
  'POST /api/admin/people/:user_id/edit': 'manager',
  'POST /api/admin/people/:user_id/mail-retry': 'support',
  'GET /api/admin/audit': 'support',
  'GET /api/admin/audit.csv': 'manager',
  'GET /api/admin/export/codes.csv': 'manager',
  'GET /api/admin/export/users.csv': 'manager',
  'GET /api/admin/export/redemptions.csv': 'viewer',
  'GET /api/admin/export/codes.xlsx': 'manager',
  'GET /api/admin/export/users.xlsx': 'manager',
  'GET /api/admin/export/redemptions.xlsx': 'viewer',
  'GET /api/admin/find': 'viewer',
};
const isOfTeam = (least: string): least is TeamRole => (TEAM_ROLES as readonly string[]).includes(least);

let portal: TestApp;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  portal = await openTestApp();
  tokens.admin = await portal.signInAdmin();
  for (const role of TEAM_ROLES) tokens[role] = await portal.signInAdmin(`${role}@example.org`, role);
  // The token of a manager who becomes a viewer, and the token of a manager who loses the role.
  tokens.demoted = await portal.signInAdmin('demoted@example.org', 'manager');
  tokens.removed = await portal.signInAdmin('removed@example.org', 'manager');
  for (const who of ['demoted', 'removed'])
    expect((await portal.call('GET', '/api/admin/jobs/failed', { token: tokens[who] ?? '' })).status).toBe(
      200,
    );
  const change = { actor: 'operator', adminEmails: [] };
  await setRole(portal.db, { ...change, email: 'demoted@example.org', team_role: 'viewer' }, change);
  await setRole(portal.db, { ...change, email: 'removed@example.org', team_role: null }, change);
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

const filled = (path: string) =>
  path
    .replace(/:((user|product)_)?id/, randomUUID())
    .replace(':sha256', '0'.repeat(64))
    .replace(':email', 'someone%40example.org');
// The body is invalid on purpose: callers without access must get 401 or 403 before the body is validated.
const bodyOf = ({ method }: Endpoint) => (method === 'POST' ? { body: { wrong: true } } : {});

async function countEverything(): Promise<unknown> {
  const { rows } = await portal.db.query(
    `select (select count(*) from app_user) as users, (select count(*) from product) as products,
            (select count(*) from coupon) as coupons, (select count(*) from access_grant) as grants`,
  );
  return rows[0];
}

/** The types of the files that calls respond with, by the ending of the path. */
const TYPES: Record<string, string> = {
  '.csv': 'text/csv; charset=utf-8',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

test('the table above names every endpoint', () => {
  expect(Object.keys(LEAST).sort()).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).sort());
});

describe.each(
  endpoints.map((endpoint): [string, Endpoint] => [`${endpoint.method} ${endpoint.path}`, endpoint]),
)('%s', (name, endpoint) => {
  const least = LEAST[name] ?? 'owner';
  const send = (token?: string) =>
    portal.call(endpoint.method, filled(endpoint.path), { ...bodyOf(endpoint), ...(token && { token }) });

  const unauthenticated = ['visitor', 'signedOut', 'forged', 'malformed'];
  test.each(unauthenticated)(
    `R-API-19, R-API-23: ${least === 'visitor' ? 'is open to' : 'is 401 for'} %s`,
    async (who) => {
      const { status, body } = await send(tokens[who]);
      if (least === 'visitor') {
        expect(status).not.toBe(401);
      } else {
        expect(status).toBe(401);
        expect(body).toMatchObject({
          message: expect.stringMatching(/Authentication required|Please log in/),
        });
      }
    },
  );

  test.each(['learner', 'removed'])(
    `R-API-20, R-API-21: ${isOfTeam(least) ? 'is 403 for' : 'is open to'} a learner (%s), and a refusal changes nothing`,
    async (who) => {
      const before = await countEverything();
      const { status, body } = await send(tokens[who]);
      if (isOfTeam(least)) {
        expect(status).toBe(403);
        expect(body).toMatchObject({ code: 'access_restricted', message: 'Access restricted' });
      } else {
        expect([200, 400, 403, 404]).toContain(status);
      }
      expect(await countEverything()).toEqual(before);
    },
  );

  test.each([...TEAM_ROLES, 'demoted'] as const)(
    `R-TEAM-01, R-TEAM-02, R-TEAM-20, R-API-22, R-API-25: needs at least the role ${least}, and invalid input gets 4xx in JSON; %s`,
    async (who) => {
      const role = who === 'demoted' ? 'viewer' : who;
      const before = await countEverything();
      const { status, body, headers } = await send(tokens[who]);
      if (isOfTeam(least) && TEAM_ROLES.indexOf(role) < TEAM_ROLES.indexOf(least)) {
        expect(status).toBe(403);
        expect(body).toMatchObject({
          code: 'role_too_low',
          message: `Your role (${role}) may not do this. Ask an owner.`,
          user: { email: `${who}@example.org`, user_role: 'admin', team_role: role },
        });
        expect(await countEverything()).toEqual(before);
        return;
      }
      expect([200, 400, 404]).toContain(status);
      if (status !== 200) expect(body).toMatchObject({ message: expect.any(String) });
      const ending = status === 200 ? endpoint.path.slice(endpoint.path.lastIndexOf('.')) : '';
      expect(headers['content-type']).toBe(TYPES[ending] ?? 'application/json; charset=utf-8');
      expect(headers['cache-control']).toBe('no-store');
    },
  );
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
    body: { user: { email: 'staff@example.org', user_role: 'admin', team_role: 'owner' } },
  });
  await portal.db.query(
    "update app_user set user_role = 'user', team_role = null where email = 'staff@example.org'",
  );
  expect((await portal.call('GET', '/api/admin/check', { token: tokens.admin ?? '' })).body).toMatchObject({
    message: 'Access restricted',
    user: { email: 'staff@example.org', user_role: 'user' },
  });
});
