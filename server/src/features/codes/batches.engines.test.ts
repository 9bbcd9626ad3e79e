// Tests the API calls for uploads of codes, and those that revoke a code or make a code void.
import { randomUUID } from 'node:crypto';
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct } from '../../../test/factories.ts';
import { REDEEM_TOOLS } from '../../../test/fill-database.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { createBulkJob, setImportState } from '../../bulk/bulk-jobs.sql.ts';
import { redeemCoupon } from '../redeem/redeem.ts';

const actor = 'staff@example.org';

let portal: TestApp;
let token: string;
beforeAll(async () => {
  portal = await openTestApp();
  token = await portal.signInAdmin(actor);
});
afterAll(() => portal.close());

const get = (url: string) => portal.call('GET', url, { token });
const post = (url: string, body: unknown) => portal.call('POST', url, { token, body });
const list = async (query = '') => {
  const { body, headers } = await get(`/api/admin/batches${query}`);
  return { rows: body as { id: string; codes: number; product_id: string }[], headers };
};

async function findBatchId({ product_id }: Product): Promise<string> {
  return (await list(`?product_id=${product_id}`)).rows[0]?.id ?? '';
}

async function findCouponId({ product_id }: Product, code: string): Promise<string> {
  const { body } = await get(`/api/coupons?limit=5&product_id=${product_id}&q=${code}`);
  return (body as { id: string }[])[0]?.id ?? '';
}

async function redeem(product: Product) {
  const caller = await addLearner(portal.db, [product]);
  await redeemCoupon(portal.db, { caller, productId: product.product_id }, REDEEM_TOOLS);
  return caller;
}

describe('R-LIFE-17: uploads', () => {
  test('are listed newest first, in pages, without those of a single code or of a running import', async () => {
    const product = await addProduct(portal.db, { codes: ['A-1', 'A-2'] });
    await addCodes(portal.db, product, ['SINGLE']);
    const other = await addProduct(portal.db, { codes: ['B-1', 'B-2', 'B-3'] });
    await addCodes(portal.db, product, ['A-3', 'A-4']);
    await portal.db.query(
      "insert into coupon_batch (product_id, source, created_by) values ($1, 'file', 'staff@example.org')",
      [product.product_id],
    );
    const { product_id } = product;
    const { rows, headers } = await list('?limit=2');
    expect(rows.map((row) => [row.product_id, row.codes])).toEqual([
      [product_id, 2],
      [other.product_id, 3],
    ]);
    expect(rows[0]).toEqual({
      id: expect.any(String),
      product_id,
      source: 'file',
      file_name: null,
      created_by: actor,
      created_at: expect.stringMatching(/Z$/),
      codes: 2,
    });
    expect(headers).toMatchObject({ 'x-total-count': '3', 'x-next-cursor': rows[1]?.id });
    const rest = await list(`?limit=2&cursor=${rows[1]?.id}`);
    expect(rest.rows.map((row) => row.product_id)).toEqual([product_id]);
    expect(rest.headers).not.toHaveProperty('x-next-cursor');
    const mine = await list(`?limit=10&product_id=${product_id}`);
    expect(mine.rows).toHaveLength(2);
    expect(mine.headers).toMatchObject({ 'x-total-count': '2' });
    expect((await list()).rows).toHaveLength(3);
    for (const id of [randomUUID(), 'nope']) expect((await list(`?product_id=${id}`)).rows).toEqual([]);
    expect((await get('/api/admin/batches?cursor=5')).status).toBe(400);
  });

  test('N-58: one upload has exact figures', async () => {
    const product = await addProduct(portal.db, { codes: ['F-1', 'F-2', 'F-3', 'F-4'] });
    const id = await findBatchId(product);
    await redeem(product);
    await post(`/api/admin/coupons/${await findCouponId(product, 'F-1')}/revoke`, { reason: 'Leaked' });
    await redeem(product);
    await post(`/api/admin/coupons/${await findCouponId(product, 'F-4')}/void`, { reason: 'mistake' });
    expect(await get(`/api/admin/batches/${id}`)).toMatchObject({
      status: 200,
      body: {
        ...{ id, codes: 4, free: 1, held: 1, revoked: 1, void: 1, moved: 0 },
        ...{ use_by: null, use_by_mixed: false, datable: 1, running_job: null, import_id: null },
      },
    });
  });

  test('R-LIFE-33: one upload names the act that is running on it', async () => {
    const product = await addProduct(portal.db, { codes: ['R-1', 'R-2'] });
    const id = await findBatchId(product);
    const job_id = randomUUID();
    const act = { kind: 'void', batch_id: id, product_ids: [product.product_id], created_by: actor };
    const detail = { expected: 2, after: '0', phase: 'free', reason: 'dead', note: null };
    await createBulkJob(portal.db, job_id, { ...act, rows_total: 2, detail });
    expect((await get(`/api/admin/batches/${id}`)).body).toMatchObject({ running_job: job_id });
    // C-6: staff confirmed the second action with a number of codes that the running action is still changing.
    for (const [what, body] of [
      ['void', { reason: 'dead', expected: 2 }],
      ['use-by', { use_by: null, expected: 2 }],
    ] as const) {
      expect(await post(`/api/admin/batches/${id}/${what}`, body)).toMatchObject({
        status: 409,
        body: {
          code: 'import_running',
          message: 'This upload is being changed. Try again when that is done.',
        },
      });
    }
    await setImportState(portal.db, job_id, 'failed', 'Broken');
    expect((await get(`/api/admin/batches/${id}`)).body).toMatchObject({ running_job: null });
  });

  test('N-56: an unknown upload is a 404, and so is an id that is none', async () => {
    for (const id of ['0', '9223372036854775808', 'x', '%00', 'x'.repeat(200), randomUUID()]) {
      const calls = [
        get(`/api/admin/batches/${id}`),
        post(`/api/admin/batches/${id}/void`, { reason: 'dead', expected: 0 }),
        post(`/api/admin/batches/${id}/use-by`, { use_by: null, expected: 0 }),
        post(`/api/admin/coupons/${id}/void`, { reason: 'dead' }),
        post(`/api/admin/coupons/${id}/revoke`, { reason: 'Leaked' }),
      ];
      for (const { status, body } of await Promise.all(calls)) {
        expect(status).toBe(404);
        expect(body).toMatchObject({ code: 'not_found', message: expect.any(String) });
      }
    }
  });
});

describe('acts on an upload', () => {
  test('R-LIFE-18: its free codes are made void, and the job shows the result', async () => {
    const product = await addProduct(portal.db, { codes: ['V-1', 'V-2', 'V-3'] });
    const id = await findBatchId(product);
    await redeem(product);
    expect(await post(`/api/admin/batches/${id}/void`, { reason: 'dead', expected: 1 })).toMatchObject({
      status: 409,
      body: { code: 'count_changed', count: 2 },
    });
    const { status, body } = await post(`/api/admin/batches/${id}/void`, { reason: 'dead', expected: 3 });
    expect({ status, body }).toEqual({ status: 200, body: { job_id: expect.any(String) } });
    const { job_id } = body as { job_id: string };
    expect((await get(`/api/admin/imports/${job_id}`)).body).toEqual({
      id: job_id,
      kind: 'void',
      void_reason: 'dead',
      file_name: null,
      state: 'done',
      reason: null,
      rows_done: 2,
      rows_total: 2,
      results: { voided: 2, kept: 0, handed_out_meanwhile: 1 },
      errors_count: 0,
      errors: [],
      created_at: expect.any(String),
      created_by: 'staff@example.org',
    });
    expect((await get('/api/admin/imports')).body).toEqual([]);
    expect((await get(`/api/admin/imports/${job_id}/errors.csv`)).status).toBe(404);
    expect((await post(`/api/admin/imports/${job_id}/cancel`, {})).body).toMatchObject({ state: 'done' });
  });

  test('R-LIFE-19: the last day of its free codes is set and removed', async () => {
    const product = await addProduct(portal.db, { codes: ['D-1', 'D-2'] });
    const url = `/api/admin/batches/${await findBatchId(product)}`;
    for (const use_by of ['2999-12-31', null, '2001-01-01', '2999-12-31']) {
      const { status, body } = await post(`${url}/use-by`, { use_by, expected: 2 });
      expect(status).toBe(200);
      const job = await get(`/api/admin/imports/${(body as { job_id: string }).job_id}`);
      expect(job.body).toMatchObject({ kind: 'use_by', results: { changed: 2, handed_out_meanwhile: 0 } });
      const past = use_by === '2001-01-01';
      expect((await get(url)).body).toMatchObject({
        ...{ use_by: past ? null : use_by, use_by_mixed: false, datable: 2 },
        ...(past ? { free: 0, expired: 2, void: 0 } : { free: 2, expired: 0, void: 0 }),
      });
    }
  });

  test('R-LIFE-19: a stale dialog does not undo a last day that somebody else has set meanwhile', async () => {
    const product = await addProduct(portal.db, { codes: ['W-1', 'W-2'] });
    const url = `/api/admin/batches/${await findBatchId(product)}`;
    const none = { use_by: null, use_by_mixed: false };
    const set = (use_by: string | null, was: { use_by: string | null; use_by_mixed: boolean }) =>
      post(`${url}/use-by`, { use_by, expected: 2, was });
    expect((await set('2999-12-31', none)).status).toBe(200);
    const conflict = { status: 409, body: { code: 'edit_conflict' } };
    expect(await set('2030-01-31', none)).toMatchObject(conflict);
    expect(await set('2001-01-01', none)).toMatchObject(conflict);
    expect((await get(url)).body).toMatchObject({ use_by: '2999-12-31', free: 2 });
    // A repeated call changes nothing.
    expect((await set('2999-12-31', none)).status).toBe(200);
    // Somebody else sets the last day to today, so the codes expire. A page that still shows the later day cannot make
    // them free again.
    const far = { use_by: '2999-12-31', use_by_mixed: false };
    expect((await set('2001-01-01', far)).status).toBe(200);
    expect(await set('2030-01-31', far)).toMatchObject(conflict);
    expect(await set(null, far)).toMatchObject(conflict);
    expect((await set('2030-01-31', none)).status).toBe(200);
    expect((await get(url)).body).toMatchObject({ use_by: '2030-01-31', free: 2 });
  });

  test.each([
    ['void', { reason: 'broken', expected: 1 }, 'reason must be mistake or dead'],
    ['void', { reason: 'dead' }, 'expected is required'],
    ['void', { reason: 'dead', expected: -1 }, 'expected must be from 0 to 10000000'],
    ['void', { reason: 'dead', expected: 10_000_001 }, 'expected must be from 0 to 10000000'],
    ['use-by', { use_by: null, expected: 1e300 }, 'expected must be a whole number'],
    ['void', { reason: 'dead', expected: 1, note: 'x' }, 'note must be at least 3 characters'],
    ['use-by', { use_by: '31.12.2026', expected: 1 }, 'use_by must be a day such as 2026-12-31'],
    ['use-by', { use_by: '2026-02-30', expected: 1 }, 'use_by must be a day such as 2026-12-31'],
  ])('C-3: %s with %j is refused', async (act, body, message) => {
    expect(await post(`/api/admin/batches/1/${act}`, body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', message },
    });
  });
});

describe('a single code', () => {
  test('R-LIFE-15: is revoked and replaced, without fields that are not of the call', async () => {
    const product = await addProduct(portal.db, { codes: ['R-1', 'R-2'] });
    const caller = await redeem(product);
    const id = await findCouponId(product, 'R-1');
    const body = { reason: 'Leaked', replace: true };
    const { status, body: reply } = await post(`/api/admin/coupons/${id}/revoke`, body);
    expect(status).toBe(200);
    expect(reply).toEqual({
      coupon: {
        id,
        coupon_code: 'R-1',
        product_id: product.product_id,
        email: caller.email,
        assigned_at: expect.any(String),
        usage_limit: null,
        state: 'revoked',
        unconfirmed: false,
        use_by: null,
        batch_id: expect.any(String),
        revoked_at: expect.any(String),
      },
      replacement: { coupon_code: 'R-2', assigned_at: expect.any(String), unconfirmed: false },
    });
    expect((await post(`/api/admin/coupons/${id}/revoke`, { reason: 'Again' })).body).toEqual(reply);
  });

  test.each([
    [{}, 'reason is required'],
    [{ reason: 'xy' }, 'reason must be at least 3 characters'],
    [{ reason: 'x'.repeat(201) }, 'reason must be at most 200 characters'],
    [{ reason: 'Leaked', replace: 'yes' }, 'replace must be true or false'],
  ])('C-9: %j is no revocation', async (body, message) => {
    expect(await post('/api/admin/coupons/1/revoke', body)).toMatchObject({ status: 400, body: { message } });
  });

  test('R-LIFE-16, R-LIFE-24: is made void, and listed so', async () => {
    const product = await addProduct(portal.db, { codes: ['W-1', 'W-2'] });
    await redeem(product);
    const [held, free] = [await findCouponId(product, 'W-1'), await findCouponId(product, 'W-2')];
    expect(await post(`/api/admin/coupons/${held}/void`, { reason: 'dead' })).toMatchObject({
      status: 409,
      body: { code: 'held', message: 'This code was handed out. Revoke it instead.' },
    });
    expect(await post(`/api/admin/coupons/${free}/revoke`, { reason: 'Leaked' })).toMatchObject({
      status: 409,
      body: { code: 'not_held' },
    });
    const { status, body } = await post(`/api/admin/coupons/${free}/void`, { reason: 'dead' });
    expect({ status, body }).toMatchObject({ status: 200, body: { id: free, state: 'void', email: null } });
    const { product_id } = product;
    expect((await get(`/api/coupons?product_id=${product_id}&status=void&limit=5`)).body).toEqual([body]);
  });
});
