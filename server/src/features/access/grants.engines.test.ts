// Tests the JSON of the API calls that give, edit and withdraw access, and the days in the JSON of products.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCohort } from '../../../test/lifecycle.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { createStaffCalls, inDays } from '../../../test/staff-calls.ts';

let portal: TestApp;
let staff: ReturnType<typeof createStaffCalls>;
beforeAll(async () => {
  portal = await openTestApp();
  staff = createStaffCalls(portal, await portal.signInAdmin());
});
afterAll(() => portal.close());

const refused = (message: string) => ({ status: 400, body: { code: 'invalid_request', message } });

describe('R-LIFE-13, R-LIFE-14: grants', () => {
  test('are given, edited and withdrawn', async () => {
    const product_id = await staff.addProduct();
    const email = await staff.addPerson(await staff.addProduct());
    const given = await staff.post('/api/admin/grants', {
      email: ` ${email.toUpperCase()}`,
      product_ids: [product_id.toUpperCase(), product_id],
      starts_on: inDays(1),
      ends_on: inDays(9),
    });
    const grant = {
      id: expect.any(String),
      product_id,
      product_name: 'Tarnquill',
      starts_on: inDays(1),
      ends_on: inDays(9),
      granted_by: 'staff@example.org',
      granted_at: expect.stringMatching(/Z$/),
      via: 'direct',
      state: 'future',
      withdrawn_at: null,
    };
    expect(given.status).toBe(200);
    expect(given.body).toEqual({ grants: [grant], new: 1 });
    const [{ id }] = (given.body as { grants: [{ id: string }] }).grants;
    const edited = await staff.post(`/api/admin/grants/${id}/edit`, {
      starts_on: inDays(0),
      ends_on: inDays(9),
    });
    expect(edited).toMatchObject({ status: 200, body: { id, starts_on: inDays(0), state: 'live' } });
    expect(Object.keys(edited.body as object).sort()).toEqual(Object.keys(grant).sort());
    const withdraw = () => staff.post(`/api/admin/grants/${id}/withdraw`, { reason: ' Left the course ' });
    const withdrawn = await withdraw();
    expect(withdrawn).toMatchObject({
      status: 200,
      body: {
        ...(edited.body as object),
        state: 'withdrawn',
        withdrawn_at: expect.stringMatching(/Z$/),
      },
    });
    expect((await withdraw()).body).toEqual(withdrawn.body);
    expect(
      await staff.post(`/api/admin/grants/${id}/edit`, { starts_on: inDays(0), ends_on: null }),
    ).toMatchObject({
      status: 409,
      body: { code: 'grant_withdrawn', message: 'This access was removed. Give it again instead.' },
    });
    // The refused edit changed nothing.
    expect((await withdraw()).body).toEqual(withdrawn.body);
  });

  test('R-LIFE-14, N-62: `revoke_code` is refused for a grant of a cohort and for a grant of all products', async () => {
    const product_id = await staff.addProduct();
    const email = await staff.addPerson(product_id);
    const cohort_id = await addCohort(portal.db, []);
    for (const [whose, given] of [
      ['a cohort', { cohort_id, product_ids: [product_id] }],
      ['a cohort', { cohort_id, product_ids: 'all' }],
      ['all products', { email, product_ids: 'all' }],
    ] as const) {
      const { grants } = (await staff.post('/api/admin/grants', given)).body as { grants: [{ id: string }] };
      const withdraw = (revoke_code: boolean) =>
        staff.post(`/api/admin/grants/${grants[0].id}/withdraw`, {
          reason: 'Left',
          revoke_code,
          expected: 0,
        });
      expect(await withdraw(true)).toMatchObject(
        refused(`revoke_code is not possible for a grant of ${whose}`),
      );
      expect(await staff.post('/api/admin/grants', given)).toMatchObject({
        body: { grants: [{ state: 'live' }] },
      });
      expect(await withdraw(false)).toMatchObject({ status: 200, body: { state: 'withdrawn' } });
    }
  });

  test('N-62: `kept` says that a shared code was not revoked', async () => {
    const product_id = await staff.addProduct({ shared_coupon: true });
    await staff.post('/api/admin/coupons/single', { coupon_code: 'SHARED', product_id });
    const email = await staff.addPerson(product_id);
    expect((await staff.post('/api/admin/generate-coupon', { email, productId: product_id })).status).toBe(
      200,
    );
    const id = (await staff.readAccess(email))[0]?.grants[0]?.id;
    const withdrawn = await staff.post(`/api/admin/grants/${id}/withdraw`, {
      reason: 'Refunded',
      revoke_code: true,
    });
    expect(withdrawn).toMatchObject({
      status: 200,
      body: { state: 'withdrawn', kept: expect.stringMatching(/shared/) },
    });
  });

  test('C-4, C-12, N-56: invalid input is refused, and unknown ids are 404', async () => {
    const product_id = await staff.addProduct();
    const email = await staff.addPerson(product_id);
    const give = (body: object) =>
      staff.post('/api/admin/grants', { email, product_ids: [product_id], ...body });
    const noDay = (name: string) => refused(`${name} must be a day such as 2026-12-31`);
    expect(await give({ starts_on: '2026-02-30' })).toMatchObject(noDay('starts_on'));
    expect(await give({ ends_on: '1999-12-31' })).toMatchObject(noDay('ends_on'));
    expect(await give({ ends_on: '3000-01-01' })).toMatchObject(noDay('ends_on'));
    const order = refused('ends_on must not be before starts_on');
    expect(await give({ starts_on: '2026-02-02', ends_on: '2026-02-01' })).toMatchObject(order);
    expect(await give({ ends_on: inDays(-1) })).toMatchObject(order);
    expect(await give({ cohort_id: randomUUID() })).toMatchObject(refused('Name either email or cohort_id'));
    expect(await give({ email: undefined })).toMatchObject(refused('Name either email or cohort_id'));
    expect(await give({ product_ids: [] })).toMatchObject(
      refused('product_ids must name at least one product'),
    );
    const many = Array.from({ length: 1001 }, () => product_id);
    expect(await give({ product_ids: many })).toMatchObject(
      refused('product_ids must name at most 1000 products'),
    );
    expect(await give({ product_ids: 'some' })).toMatchObject({ status: 400 });
    expect(await give({ product_ids: [randomUUID()] })).toMatchObject({
      status: 404,
      body: { code: 'product_not_found' },
    });
    expect(await give({ email: 'who@example.org' })).toMatchObject({
      status: 404,
      body: { code: 'user_not_found' },
    });
    expect(await give({ email: undefined, cohort_id: randomUUID() })).toMatchObject({
      status: 404,
      body: { code: 'cohort_not_found' },
    });
    const days = { starts_on: '2026-02-01', ends_on: null };
    for (const id of ['1e3', '99999999', '9223372036854775808', randomUUID(), '%00']) {
      expect(await staff.post(`/api/admin/grants/${id}/edit`, days), id).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
      expect(await staff.post(`/api/admin/grants/${id}/withdraw`, { reason: 'Left' }), id).toMatchObject({
        status: 404,
      });
    }
    const id = (await staff.readAccess(email))[0]?.grants[0]?.id;
    const edit = (body: object) => staff.post(`/api/admin/grants/${id}/edit`, { ...days, ...body });
    expect(await edit({ starts_on: null })).toMatchObject(noDay('starts_on'));
    expect(await edit({ ends_on: '2026-01-31' })).toMatchObject(order);
    expect(await edit({ ends_on: '2026-12-31' })).toMatchObject(refused('reason is required'));
    expect(await edit({ ends_on: '2026-12-31', reason: 'no' })).toMatchObject(
      refused('reason must be at least 3 characters'),
    );
    const withdraw = (body: object) => staff.post(`/api/admin/grants/${id}/withdraw`, body);
    expect(await withdraw({})).toMatchObject(refused('reason is required'));
    expect(await withdraw({ reason: 'x'.repeat(201) })).toMatchObject({ status: 400 });
    expect(await withdraw({ reason: 'Left', revoke_code: 'yes' })).toMatchObject(
      refused('revoke_code must be true or false'),
    );
    expect((await staff.readAccess(email))[0]?.grants).toMatchObject([
      { starts_on: inDays(0), ends_on: null, state: 'live' },
    ]);
  });
});

describe('R-LIFE-03: days of the grants that saving and uploading users make', () => {
  const days = { starts_on: inDays(2), ends_on: inDays(30) };

  test('users/single', async () => {
    const product_id = await staff.addProduct();
    const email = await staff.addPerson(product_id, days);
    expect((await staff.readAccess(email))[0]?.grants).toMatchObject([{ ...days, state: 'future' }]);
    // This request names no days, so it gives access from today without end. The user's earlier grant is extended to
    // the union of both (R-LIFE-02).
    const again = { email, name: 'Amara', product_ids: [product_id] };
    expect((await staff.post('/api/admin/users/single', again)).status).toBe(200);
    expect((await staff.readAccess(email))[0]?.grants).toMatchObject([
      { starts_on: inDays(0), ends_on: null, state: 'live' },
    ]);
    for (const [wrong, message] of [
      [{ starts_on: '2026-02-30' }, 'starts_on must be a day such as 2026-12-31'],
      [{ ends_on: inDays(-1) }, 'ends_on must not be before starts_on'],
      [{ starts_on: inDays(2), ends_on: inDays(1) }, 'ends_on must not be before starts_on'],
    ] as const)
      expect(await staff.post('/api/admin/users/single', { ...again, ...wrong })).toMatchObject(
        refused(message),
      );
  });

  test('users/bulk: also for a payment_id, which gives all products', async () => {
    const product_id = await staff.addProduct();
    const csvData = 'email,name,payment_id\nbulk-1@example.org,One,\nbulk-2@example.org,Two,PAY-1\n';
    const upload = (more: object) =>
      staff.post('/api/admin/users/bulk', { csvData, product_ids: [product_id], ...more });
    expect(await upload(days)).toMatchObject({
      status: 200,
      body: { results: { success: 2, productAccess: 2 } },
    });
    const grantsOf = async (email: string) =>
      (await staff.readAccess(email)).find((row) => row.product_id === product_id)?.grants;
    expect(await grantsOf('bulk-1@example.org')).toMatchObject([{ product_id, ...days }]);
    expect(await grantsOf('bulk-2@example.org')).toMatchObject([
      { product_id, ...days },
      { product_id: null, ...days },
    ]);
    // An upload without days gives access from today without end. It only extends the grants of the first upload, so it
    // counts no new access.
    expect(await upload({})).toMatchObject({
      status: 200,
      body: { results: { success: 0, productAccess: 0 } },
    });
    expect(await grantsOf('bulk-1@example.org')).toMatchObject([{ starts_on: inDays(0), ends_on: null }]);
    expect(await upload({ ends_on: inDays(-1) })).toMatchObject(
      refused('ends_on must not be before starts_on'),
    );
    expect(await upload({ starts_on: 'soon' })).toMatchObject(
      refused('starts_on must be a day such as 2026-12-31'),
    );
  });
});

describe('R-LIFE-12: products', () => {
  test('the list has all but the archived ones, and with archived=true only those', async () => {
    const [current, archived] = [await staff.addProduct(), await staff.addProduct()];
    await portal.db.query('update product set archived_at = now(), opens_on = $2 where product_id = $1', [
      archived,
      inDays(3),
    ]);
    await portal.db.query('update product set paused_at = now(), use_by_default = $2 where product_id = $1', [
      current,
      inDays(9),
    ]);
    const read = async (query: string) => {
      const rows = (await staff.get(`/api/products${query}`)).body as {
        product_id: string;
        status: string;
      }[];
      return rows.filter(({ product_id }) => [current, archived].includes(product_id));
    };
    const days = { opens_on: null, closes_on: null };
    const live = { product_id: current, status: 'paused', ...days, use_by_default: inDays(9), version: 1 };
    expect(await read('')).toMatchObject([live]);
    expect(await read('?archived=false')).toMatchObject([live]);
    expect(await read('?archived=true')).toMatchObject([
      {
        product_id: archived,
        status: 'archived',
        ...days,
        opens_on: inDays(3),
        use_by_default: null,
        version: 1,
      },
    ]);
    expect(await staff.get('/api/products?archived=yes')).toMatchObject(
      refused('archived must be true or false'),
    );
  });

  test('anybody may read a product, also an archived one, with status and window but without what staff noted', async () => {
    const id = await staff.addProduct();
    const read = async () =>
      (await portal.call('GET', `/api/products/${id}`)).body as Record<string, unknown>;
    const set = (assignments: string) =>
      portal.db.query(`update product set ${assignments} where product_id = $1`, [id]);
    const statuses: unknown[] = [];
    for (const change of [
      'name = name',
      `opens_on = '${inDays(1)}'`,
      `opens_on = '${inDays(0)}', closes_on = '${inDays(0)}'`,
      `opens_on = null, closes_on = '${inDays(-1)}'`,
      "paused_at = now(), pause_note = 'Partner is moving'",
      'archived_at = now()',
    ]) {
      await set(change);
      statuses.push((await read()).status);
    }
    expect(statuses).toEqual(['live', 'scheduled', 'live', 'ended', 'paused', 'archived']);
    const shown = await read();
    expect(shown).toMatchObject({ product_id: id, opens_on: null, closes_on: inDays(-1) });
    for (const field of ['version', 'pause_note', 'use_by_default', 'archived_at'])
      expect(shown).not.toHaveProperty(field);
  });
});
