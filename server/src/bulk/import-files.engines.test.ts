// Tests the API of uploads: checks, recent uploads by role, and downloads, which can be uploaded again unchanged.
import { randomUUID } from 'node:crypto';
import type { CheckedFile, ImportState } from '@portal/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../test/factories.ts';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';

let portal: TestApp;
let manager: string;
let product_id: string;
let pauseImport: () => Promise<unknown>;
beforeAll(async () => {
  portal = await openTestApp({ pauseImport: () => pauseImport() });
  manager = await portal.signInAdmin('manager@example.org', 'manager');
});
afterAll(() => portal.close());
beforeEach(async () => {
  pauseImport = async () => undefined;
  ({ product_id } = await addProduct(portal.db, { codes: ['OLD'] }));
});

const get = (url: string, token = manager) => portal.call('GET', url, { token });
const post = (url: string, body: object = {}, token = manager) => portal.call('POST', url, { token, body });
const uploadCodes = (csvData: string, more: object = {}) =>
  post('/api/admin/coupons/bulk', { csvData, productId: product_id, ...more });
const uploadUsers = (csvData: string, more: object = {}) =>
  post('/api/admin/users/bulk', { csvData, product_ids: [product_id], ...more });
const idOf = ({ body }: { body: unknown }) => (body as { import_id: string }).import_id;
const stateOf = async (id: string) => (await get(`/api/admin/imports/${id}`)).body as ImportState;
const lines = (codes: readonly string[]) => `coupon_code\n${codes.join('\n')}\n`;
const file = async (id: string, name: string) =>
  String((await get(`/api/admin/imports/${id}/${name}.csv`)).body);

describe('R-IMP-01 to -03: a checked file', () => {
  test('is imported by a second call, which responds as the upload does', async () => {
    const checked = await uploadCodes('code,x\nA,1\nOLD,2\nA,3\n', { check: true, file_name: 'c.csv' });
    expect(checked.status).toBe(200);
    const { import_id, ...body } = checked.body as CheckedFile;
    expect(body).toEqual({
      state: 'checked',
      preview: {
        ...{ total: 3, new: 1, duplicate: 1, in_file_twice: 1, invalid: 0, was_void: 0, generated: 0 },
        ...{ without_name: 0, renamed: 0 },
        ...{ joined: 0, access_new: 0, case_only: 0, elsewhere: expect.any(Array) },
      },
      errors: [],
      sample: ['A', 'OLD', 'A'].map((coupon_code) => ({ coupon_code, use_by: '' })),
      found: {
        header: true,
        columns: [
          { name: 'code', field: 'coupon_code' },
          { name: 'x', field: null },
        ],
      },
      ignored: ['x'],
      left_out: [],
    });
    expect(await stateOf(import_id)).toMatchObject({ state: 'checked', sample: body.sample, results: null });
    const started = await post(`/api/admin/imports/${import_id}/start`);
    const results = { success: 1, failures: 0, duplicates: 2, generated: 0, total: 3 };
    expect(started).toMatchObject({ status: 200, body: { message: 'Import complete', import_id, results } });
    expect((await post(`/api/admin/imports/${import_id}/start`)).body).toMatchObject({ results });
    expect(await stateOf(import_id)).toMatchObject({
      state: 'done',
      preview: body.preview,
      created_by: 'manager@example.org',
      batch_id: expect.any(String),
    });
    expect((await post(`/api/admin/imports/${import_id}/discard`)).status).toBe(404);
  });

  test('of people or products is imported with the same reply as without a check', async () => {
    const made = await post('/api/admin/cohorts', { name: 'Autumn', note: null });
    const { cohort_id } = made.body as { cohort_id: string };
    const people = (name: string) => `email,name\n${name}@a.example,A\n${name}@b.example,B\n`;
    const products = (name: string) =>
      `name,description,url\n${name},Text,tool.example\n,Text,tool.example\n`;
    const uploads = [
      (name: string, more: object) => uploadUsers(people(name), { cohort_id, ...more }),
      (name: string, more: object) => post('/api/admin/products/bulk', { csvData: products(name), ...more }),
    ];
    for (const upload of uploads) {
      const { import_id: _direct, ...direct } = (await upload('direct', {})).body as { import_id: string };
      const id = idOf(await upload('checked', { check: true }));
      const started = await post(`/api/admin/imports/${id}/start`);
      const withoutName = JSON.parse(JSON.stringify(started.body).replaceAll('checked', 'direct'));
      expect(withoutName).toEqual({ ...direct, import_id: id });
    }
  });

  test('is discarded, and its file of invalid rows is gone too', async () => {
    const id = idOf(await uploadCodes('code,use_by\nA,soon\n', { check: true }));
    expect(await file(id, 'errors')).toContain('A,soon,2,use_by was not understood');
    expect(await post(`/api/admin/imports/${id}/discard`)).toMatchObject({
      status: 200,
      body: { discarded: true },
    });
    for (const [method, path] of [
      ['POST', 'start'],
      ['POST', 'discard'],
      ['GET', 'errors.csv'],
    ] as const) {
      const { status } = await portal.call(method, `/api/admin/imports/${id}/${path}`, {
        token: manager,
        body: method === 'POST' ? {} : undefined,
      });
      expect(status).toBe(404);
    }
  });

  test.each([
    { check: 'yes' },
    { columns: { name: 1 } },
    { columns: { coupon_code: 0 } },
    { header: 1 },
    { blanks: 'x' },
  ])('%j is refused', async (wrong) => {
    expect((await uploadCodes('code\nA\n', wrong)).status).toBe(400);
  });
});

describe('R-IMP-16: recent uploads', () => {
  test('R-LIFE-33, N-104: lists the files of one product, and each has the id of its product', async () => {
    const { product_id: other } = await addProduct(portal.db);
    const id = idOf(await uploadCodes('code\nOF-1\n'));
    await uploadUsers('email,name\nof@learner.example,Of\n');
    const list = async (product: string) => (await get(`/api/admin/imports?product_id=${product}`)).body;
    expect(await list(product_id)).toMatchObject([{ id, kind: 'coupons', product_id }]);
    expect(await list(other)).toEqual([]);
    expect(await list('none')).toEqual([]);
    const users = (await get('/api/admin/imports?kind=users')).body as ImportState[];
    expect(users[0]).toMatchObject({ kind: 'users', product_id: null });
  });

  test('the page of an upload of codes knows its import, but only for those who may read it', async () => {
    const id = idOf(await uploadCodes('code\nPAGE-1\nPAGE-2\n'));
    const { batch_id } = await stateOf(id);
    // A bulk action on the codes is not listed as an import.
    await post(`/api/admin/batches/${batch_id}/void`, { reason: 'dead', expected: 2 });
    expect((await get(`/api/admin/batches/${batch_id}`)).body).toMatchObject({ void: 2, import_id: id });
    const support = await portal.signInAdmin('support@example.org', 'support');
    const { body } = await get(`/api/admin/batches/${batch_id}`, support);
    expect(body).toMatchObject({ void: 2, import_id: null });
  });

  test('are listed in pages, by kind, with refused files and their reasons', async () => {
    await uploadCodes('foo,bar\nA,B\n', { file_name: 'refused.csv' });
    await uploadUsers('email\na@b.co\n');
    const old = idOf(await uploadCodes('code\nOLDER\n'));
    await portal.db.query("update bulk_job set created_at = now() - interval '91 days' where id = $1", [old]);
    const first = await get('/api/admin/imports?kind=coupons&limit=1');
    const total = Number(first.headers['x-total-count']);
    const ids: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await get(`/api/admin/imports?kind=coupons&limit=1${cursor}`);
      const [state] = page.body as ImportState[];
      ids.push(state?.id ?? '');
      expect(state?.kind).toBe('coupons');
      if (ids.length === 1)
        expect(state).toMatchObject({
          state: 'refused',
          file_name: 'refused.csv',
          reason: "The CSV file has no column 'coupon_code'. Its columns are 'foo', 'bar'",
          created_by: 'manager@example.org',
        });
      if (!page.headers['x-next-cursor']) break;
      cursor = `&cursor=${page.headers['x-next-cursor']}`;
    }
    expect(new Set(ids).size).toBe(total);
    expect(ids).toHaveLength(total);
    expect(ids).not.toContain(old);
    for (const query of ['kind=void', 'cursor=1', 'limit=0'])
      expect((await get(`/api/admin/imports?${query}`)).status).toBe(400);
  });

  test('N-06: a viewer sees kind, counts, state and time only', async () => {
    await uploadCodes('code\nSECRET-1\n', { check: true, file_name: 'f.csv' });
    const viewer = await portal.signInAdmin('viewer@example.org', 'viewer');
    const { body } = await get('/api/admin/imports', viewer);
    const [state] = body as ImportState[];
    expect(state).toMatchObject({ kind: 'coupons', state: 'checked', preview: { new: 1 } });
    const hidden = { file_name: null, reason: null, created_by: null, found: null, sample: null, errors: [] };
    expect(state).toMatchObject(hidden);
    const codes = (body as ImportState[]).filter(({ kind }) => kind === 'coupons');
    expect(codes.map((each) => each.product_id ?? each.batch_id)).toEqual(codes.map(() => null));
    expect(JSON.stringify(body)).not.toMatch(/SECRET|f\.csv|manager@/);
    expect((await get(`/api/admin/imports/${state?.id}`, viewer)).status).toBe(403);
  });
});

describe('R-IMP-18: an import_id that is used again', () => {
  const inUse = { status: 409, body: { code: 'id_in_use' } };
  let colleague: string;
  beforeAll(async () => {
    colleague = await portal.signInAdmin('colleague@example.org', 'manager');
  });

  test('for the same upload gets the first result; for another file, kind, product, cohort or person 409', async () => {
    const import_id = randomUUID();
    const again = (more: object = {}) => uploadCodes('code\nSAME\n', { import_id, ...more });
    const { body } = await again();
    expect(body).toMatchObject({ results: { success: 1 } });
    expect(await again({ import_id: import_id.toUpperCase(), productId: product_id.toUpperCase() })).toEqual(
      expect.objectContaining({ status: 200, body }),
    );
    const other = await addProduct(portal.db);
    const { body: cohort } = await post('/api/admin/cohorts', { name: 'Late', note: null });
    expect(await uploadCodes('code\nOTHER\n', { import_id })).toMatchObject(inUse);
    expect(await again({ productId: other.product_id })).toMatchObject(inUse);
    expect(await uploadUsers('code\nSAME\n', { import_id })).toMatchObject(inUse);
    const people = { import_id: randomUUID(), product_ids: [other.product_id, product_id] };
    expect((await uploadUsers('mail\na@id.example\n', people)).status).toBe(200);
    const turned = { ...people, product_ids: [product_id, other.product_id, product_id] };
    expect((await uploadUsers('mail\na@id.example\n', turned)).status).toBe(200);
    const { cohort_id } = cohort as { cohort_id: string };
    expect(await uploadUsers('mail\na@id.example\n', { ...people, cohort_id })).toMatchObject(inUse);
    const theirs = { csvData: 'code\nSAME\n', productId: product_id, import_id };
    expect(await post('/api/admin/coupons/bulk', theirs, colleague)).toMatchObject(inUse);
    const { rows } = await portal.db.query('select coupon_code from coupon where product_id = $1', [
      other.product_id,
    ]);
    expect(rows).toEqual([]);
  });

  test('belongs to who sent the file, also after somebody else has started it', async () => {
    const import_id = randomUUID();
    const check = () => uploadCodes('code\nA\n', { import_id, check: true });
    await check();
    await post(`/api/admin/imports/${import_id}/start`, {}, colleague);
    expect(await check()).toMatchObject({ status: 200, body: { results: { success: 1 } } });
  });

  test('of an act on many rows gets 409', async () => {
    const id = idOf(await uploadUsers('mail\nact@id.example\n'));
    const { job_id } = (await post(`/api/admin/imports/${id}/undo`, { expected: 1 })).body as {
      job_id: string;
    };
    expect(await uploadCodes('code\nA\n', { import_id: job_id })).toMatchObject(inUse);
  });

  test('after a refused file takes the corrected one, but only of the same person', async () => {
    const import_id = randomUUID();
    expect((await uploadCodes('x,y\nA,1\n', { import_id })).status).toBe(400);
    const corrected = { csvData: 'code\nA\n', productId: product_id, import_id };
    expect(await post('/api/admin/coupons/bulk', corrected, colleague)).toMatchObject(inUse);
    expect(await uploadCodes('code\nA\n', { import_id })).toMatchObject({ status: 200 });
  });

  test('by two different files at the same moment imports one of them', async () => {
    const import_id = randomUUID();
    const both = await Promise.all(
      ['ONE', 'TWO'].map((code) => uploadCodes(`code\n${code}\n`, { import_id })),
    );
    const results = both.map(({ status, body }) => [status, (body as { code?: string }).code]);
    expect(results).toContainEqual([200, undefined]);
    expect(results).toContainEqual([409, 'id_in_use']);
  });
});

describe('R-MAP-42: the call that waits for an import which somebody cancels gets 409 with the results so far', () => {
  const codes = lines(Array.from({ length: 7_000 }, (_, at) => (at === 5 ? 'x'.repeat(300) : `STOP-${at}`)));
  /** Cancels the import after its first chunk, as another member of the team would. */
  const cancelAtPause = (import_id: string) => {
    pauseImport = () => post(`/api/admin/imports/${import_id}/cancel`);
  };

  test('the upload', async () => {
    const import_id = randomUUID();
    cancelAtPause(import_id);
    const { status, body, headers } = await uploadCodes(codes, { import_id });
    expect({ status, body, retryAfter: headers['retry-after'] }).toEqual({
      status: 409,
      retryAfter: undefined,
      body: {
        code: 'cancelled',
        message: 'The import was cancelled.',
        results: expect.objectContaining({ failures: 1, duplicates: 0 }),
      },
    });
    const { results } = await stateOf(import_id);
    expect((body as { results: object }).results).toEqual(results);
    expect(results?.success).toBeGreaterThan(0);
    expect(results?.total).toBeLessThan(7_000);
    expect(await uploadCodes(codes, { import_id })).toMatchObject({ status: 409, body: { results } });
  });

  test('the start of a checked file; a later start says that the file is gone', async () => {
    const id = idOf(await uploadCodes(codes, { check: true }));
    cancelAtPause(id);
    const start = () => post(`/api/admin/imports/${id}/start`);
    const { results } = (await start()).body as { results: object };
    expect(results).toEqual((await stateOf(id)).results);
    expect(await start()).toMatchObject({ status: 404 });
  });

  test('the check, which imported nothing', async () => {
    const import_id = randomUUID();
    cancelAtPause(import_id);
    const checked = await uploadCodes(codes, { import_id, check: true });
    expect(checked).toMatchObject({ status: 409, body: { code: 'cancelled', results: { success: 0 } } });
  });
});

describe('R-IMP-17: files about an upload go in again', () => {
  test('errors.csv and duplicates.csv of codes', async () => {
    const codes = ["'=1", '=2', '"a ""b"""', 'OLD', '-1+1'];
    const rows = codes.flatMap((code) => [`${code},soon`, `${code},`]);
    const id = idOf(await uploadCodes(`coupon_code,use_by\n${rows.join('\n')}\n`));
    expect(await stateOf(id)).toMatchObject({ results: { success: 4, duplicates: 1, failures: 5 } });
    const errors = await file(id, 'errors');
    const again = idOf(await uploadCodes(errors));
    expect(await stateOf(again)).toMatchObject({ results: { failures: 5, total: 5 } });
    expect(await file(again, 'errors')).toBe(
      errors.replaceAll(/,(\d+),use_by/g, (_all, line) => `,${Number(line) / 2 + 1},use_by`),
    );
    const duplicates = await file(id, 'duplicates');
    expect(duplicates).toContain('OLD,,9,This code exists already');
    expect((await uploadCodes(duplicates)).body).toMatchObject({ results: { duplicates: 1, total: 1 } });
  });

  test('of people, also without names', async () => {
    const { email } = await addLearner(portal.db, []);
    const csv = `E-Mail\n${email}\nnone\n`;
    const id = idOf(await uploadUsers(csv));
    expect(await file(id, 'errors')).toMatch(/^\uFEFFemail,phone_number,payment_id,line,reason\r\nnone,,,3,/);
    const fixed = (await file(id, 'errors')).replace('none', `${randomUUID()}@example.org`);
    expect((await uploadUsers(fixed)).body).toMatchObject({ results: { success: 1, failures: 0 } });
    expect((await uploadUsers(await file(id, 'duplicates'))).body).toMatchObject({
      results: { duplicates: 1, total: 1 },
    });
  });

  test('generated codes have a file', async () => {
    const id = idOf(await uploadCodes('code,use_by\n,2999-01-01\nA,\n'));
    expect(await file(id, 'generated')).toMatch(
      /^\uFEFFcoupon_code,use_by,line\r\n[\w-]{10,},2999-01-01,2\r\n$/,
    );
    for (const name of ['errors', 'duplicates', 'generated'])
      expect((await get(`/api/admin/imports/${randomUUID()}/${name}.csv`)).status).toBe(404);
  });
});

describe('R-IMP-11: an upload of people is taken back', () => {
  test('in the numbers that staff saw, and shows as taken back', async () => {
    const id = idOf(await uploadUsers(`mail\n${randomUUID()}@example.org\n`));
    const url = `/api/admin/imports/${id}/undo`;
    const numbers = {
      grants: 1,
      people: 1,
      holding: 0,
      kept: 0,
      lengthened: 0,
      ...{ products: 0, products_kept: 0, kept_later: 0, later: [] },
    };
    expect((await get(url)).body).toEqual(numbers);
    expect(await post(url, { expected: 0 })).toMatchObject({
      status: 409,
      body: { code: 'count_changed', count: 1 },
    });
    for (const expected of [-1, 1.5, '1', 10_000_001, undefined])
      expect((await post(url, { expected })).status).toBe(400);
    const { body } = await post(url, { expected: 1 });
    const { job_id } = body as { job_id: string };
    expect((await post(url, { expected: 1 })).body).toEqual({ job_id });
    expect((await get(`/api/admin/imports/${job_id}`)).body).toMatchObject({
      kind: 'undo',
      state: 'done',
      undoes: id,
      results: { people: 1, grants: 1 },
    });
    const list = (await get('/api/admin/imports')).body as ImportState[];
    expect(list[0]).toMatchObject({ id, state: 'taken_back' });
    for (const name of [randomUUID(), 'x', job_id])
      expect((await post(`/api/admin/imports/${name}/undo`, { expected: 1 })).status).toBe(
        name === job_id ? 400 : 404,
      );
    expect((await post(`/api/admin/imports/${job_id}/start`)).status).toBe(404);
  });

  test('R-IMP-10: an upload of codes shows as taken back when its free codes are void as a mistake', async () => {
    const id = idOf(await uploadCodes('code\nA\nB\n'));
    expect((await get(`/api/admin/imports/${id}/undo`)).status).toBe(400);
    const { batch_id } = await stateOf(id);
    await post(`/api/admin/batches/${batch_id}/void`, { expected: 2, reason: 'mistake' });
    expect(await stateOf(id)).toMatchObject({ state: 'taken_back', results: { success: 2 } });
  });

  test('R-IMP-10, R-IMP-16: so does an upload of codes that was cancelled before', async () => {
    const id = idOf(await uploadCodes('code\nCANCELLED-1\nCANCELLED-2\n'));
    await portal.db.query("update bulk_job set state = 'failed', reason = 'out of ink' where id = $1", [id]);
    await post(`/api/admin/imports/${id}/cancel`);
    const { batch_id, state } = await stateOf(id);
    expect(state).toBe('cancelled');
    await post(`/api/admin/batches/${batch_id}/void`, { expected: 2, reason: 'mistake' });
    expect(await stateOf(id)).toMatchObject({ state: 'taken_back', results: { success: 2 } });
  });
});
