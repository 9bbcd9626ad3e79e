// Tests which fields of responses and which actions depend on the role in the team.
import { randomUUID } from 'node:crypto';
import { TEAM_ROLES, type TeamRole } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../../test/factories.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';

let portal: TestApp;
const tokens = {} as Record<TeamRole | 'learner', string>;
beforeAll(async () => {
  portal = await openTestApp();
  for (const role of TEAM_ROLES) tokens[role] = await portal.signInAdmin(`${role}@example.org`, role);
  tokens.learner = await portal.signIn('learner@example.org');
});
afterAll(() => portal.close());

const get = async (who: keyof typeof tokens, path: string) =>
  (await portal.call('GET', path, { token: tokens[who] })).body;

test('R-TEAM-03: the check and the current user contain the role; it is null for a learner', async () => {
  for (const role of TEAM_ROLES) {
    expect(await get(role, '/api/admin/check')).toMatchObject({
      user: { user_role: 'admin', team_role: role },
    });
    expect(await get(role, '/api/auth/user')).toMatchObject({ user_role: 'admin', team_role: role });
  }
  expect(await get('learner', '/api/auth/user')).toMatchObject({ user_role: 'user', team_role: null });
});

test('R-TEAM-04: a viewer gets no address of staff from a product', async () => {
  const { product_id } = await addProduct(portal.db);
  for (const status of ['paused', 'archived'])
    await portal.call('POST', `/api/admin/products/${product_id}/status`, {
      token: tokens.owner,
      body: { status },
    });
  const path = `/api/admin/products/${product_id}`;
  const names = { paused_by: 'owner@example.org', archived_by: 'owner@example.org' };
  expect(await get('support', path)).toMatchObject(names);
  const seen = await get('viewer', path);
  expect(seen).toMatchObject({ status: 'archived', paused_by: null, archived_by: null, changed_by: null });
  expect(JSON.stringify(seen)).not.toContain('@');
});

test('R-TEAM-04, N-06: below manager, an import has counts, but no file name, reason or rows', async () => {
  const body = {
    csvData: 'name,description,url\nTool,Text,tool.example\nBad,,\n',
    import_id: randomUUID(),
    file_name: 'of-ada@example.org.csv',
  };
  await portal.call('POST', '/api/admin/products/bulk', { token: tokens.manager, body });
  const counts = { kind: 'products', state: 'done', errors_count: 1, results: { success: 1, failures: 1 } };
  expect(await get('manager', '/api/admin/imports')).toMatchObject([
    { ...counts, file_name: body.file_name, errors: [{ content: 'Bad' }] },
  ]);
  for (const role of ['viewer', 'support'] as const)
    expect(await get(role, '/api/admin/imports')).toMatchObject([
      { ...counts, file_name: null, reason: null, errors: [] },
    ]);
});

test('N-12: support revokes a code only if another one replaces it', async () => {
  const product = await addProduct(portal.db, { codes: 3 });
  const learner = await addLearner(portal.db, [product]);
  const { product_id } = product;
  const issued = await portal.call('POST', '/api/admin/generate-coupon', {
    token: tokens.support,
    body: { email: learner.email, productId: product_id },
  });
  expect(issued.status).toBe(200);
  const list = (await get('support', `/api/coupons?limit=10&status=assigned&product_id=${product_id}`)) as {
    id: string;
  }[];
  const revoke = (replace: boolean, token: string) =>
    portal.call('POST', `/api/admin/coupons/${list[0]?.id}/revoke`, {
      token,
      body: { reason: 'Partner says used', replace },
    });
  expect(await revoke(false, tokens.support)).toMatchObject({ status: 403, body: { code: 'role_too_low' } });
  expect(await revoke(true, tokens.support)).toMatchObject({ status: 200 });
});
