// Tests paged lists, imports and dashboard data over HTTP.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';

let portal: TestApp;
let admin: string;
let product_id: string;

beforeAll(async () => {
  portal = await openTestApp();
  admin = await portal.signInAdmin();
  product_id = await addProduct('Listed');
  const codes = Array.from({ length: 25 }, (_, index) => `LIST-${index}`).join('\n');
  await importCoupons(`coupon_code\n${codes}\n`);
});
afterAll(() => portal.close());

const get = (url: string) => portal.call('GET', url, { token: admin });
const post = (url: string, body: unknown) => portal.call('POST', url, { body, token: admin });
const importCoupons = (csvData: string, more = {}) =>
  post('/api/admin/coupons/bulk', { productId: product_id, csvData, ...more });

async function addProduct(name: string): Promise<string> {
  const { body } = await post('/api/products', { name, description: 'Text', url: 'tool.example' });
  return (body as { product_id: string }).product_id;
}

type Row = { id: string; coupon_code: string; email: string | null };

describe('coupons', () => {
  test('pages have no gap or overlap, newest first, and each has the total count', async () => {
    const seen: string[] = [];
    let url: string | null = `/api/coupons?limit=10&product_id=${product_id}`;
    while (url !== null) {
      const { body, headers } = await get(url);
      expect(headers['x-total-count']).toBe('25');
      seen.push(...(body as Row[]).map(({ coupon_code }) => coupon_code));
      const next = headers['x-next-cursor'];
      url = next === undefined ? null : `/api/coupons?limit=10&product_id=${product_id}&cursor=${next}`;
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => `LIST-${24 - index}`));
  });

  test('R-API-14: without a limit all rows are returned as one array', async () => {
    const { body, headers } = await get('/api/coupons');
    expect(body).toHaveLength(25);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(Object.keys((body as Row[])[0] as Row).sort()).toEqual(
      [
        ...['assigned_at', 'coupon_code', 'email', 'id', 'product_id', 'usage_limit'],
        ...['batch_id', 'state', 'unconfirmed', 'use_by'],
      ].sort(),
    );
  });

  test('are found by a prefix of the code or of the holder’s address, and by status', async () => {
    await post('/api/admin/users/single', {
      email: 'holder@example.org',
      name: 'H',
      product_ids: [product_id],
    });
    await post('/api/admin/generate-coupon', { email: 'holder@example.org', productId: product_id });
    const find = async (query: string) =>
      ((await get(`/api/coupons?limit=50&${query}`)).body as Row[]).map(({ coupon_code }) => coupon_code);
    expect(await find('q=list-2')).toEqual(['LIST-2', 'LIST-20', 'LIST-21', 'LIST-22', 'LIST-23', 'LIST-24']);
    expect(await find('q=hol')).toEqual(['LIST-0']);
    expect(await find('status=assigned')).toEqual(['LIST-0']);
    expect(await find(`status=available&q=LIST-1&product_id=${product_id}`)).toHaveLength(11);
    expect(await find('product_id=nope')).toEqual([]);
    expect(await find('q=%25')).toEqual([]);
  });

  test('pages of a search have no gap or overlap: first the matches by code, then those by the holder’s address', async () => {
    const found = await addProduct('Found');
    const codes = ['ama-2', 'AMA-1', 'zzz-1', 'AMA-3', 'zzz-2'];
    await post('/api/admin/coupons/bulk', {
      productId: found,
      csvData: `coupon_code\n${codes.join('\n')}\n`,
    });
    for (const email of ['amb@example.org', 'amara@example.org', 'amari@example.org', 'bert@example.org']) {
      await post('/api/admin/users/single', { email, name: 'Am', product_ids: [found] });
      await post('/api/admin/generate-coupon', { email, productId: found });
    }
    const walk = async (query: string) => {
      const seen: (string | null)[][] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { body, headers } = await get(
          `/api/coupons?limit=2&product_id=${found}&${query}${cursor && `&cursor=${cursor}`}`,
        );
        seen.push(...(body as Row[]).map(({ coupon_code, email }) => [coupon_code, email]));
        expect([headers['x-total-count'], headers['x-total-count-relation']]).toEqual([String(total), 'eq']);
        cursor = headers['x-next-cursor'] as string | undefined;
      }
      return seen;
    };
    // Rows are expected in the order of their codes, not of their holders: zzz-1 is the last code, but its holder
    // amari@example.org comes before amb@example.org.
    let total = 4;
    expect(await walk('q=AM')).toEqual([
      ['AMA-1', 'amara@example.org'],
      ['ama-2', 'amb@example.org'],
      ['AMA-3', 'bert@example.org'],
      ['zzz-1', 'amari@example.org'],
    ]);
    total = 1;
    expect(await walk('q=zzz&status=available')).toEqual([['zzz-2', null]]);
    // Older versions of the web page send only an id as the cursor. A search with such a cursor returns the first page
    // again.
    expect((await get(`/api/coupons?limit=2&product_id=${found}&q=zzz&cursor=1`)).body).toMatchObject([
      { coupon_code: 'zzz-1' },
      { coupon_code: 'zzz-2' },
    ]);
  });

  test('a search continues after a row that was made void or renamed since its page was sent', async () => {
    const gone = await addProduct('Gone');
    const csvData = 'coupon_code\nGONE-1\nGONE-2\nGONE-3\n';
    await post('/api/admin/coupons/bulk', { productId: gone, csvData });
    for (const [index, name] of ['Gona', 'Gonb', 'Gonc'].entries())
      await post('/api/admin/users/single', { email: `g${index}@example.org`, name, product_ids: [gone] });
    const walk = async (list: string, change: () => Promise<unknown>) => {
      const first = await get(`/api/${list}&limit=2&q=gon`);
      expect(JSON.stringify(first.body)).not.toContain('cursor');
      await change();
      return (await get(`/api/${list}&limit=2&q=gon&cursor=${first.headers['x-next-cursor']}`)).body;
    };
    // The first page of the free codes ended with GONE-2. This function makes GONE-2 void, so GONE-2 is no longer in
    // the list when the test reads the second page.
    const remove = () =>
      portal.db.query(
        "update coupon set voided_at = now(), voided_by = 'staff', void_reason = 'dead' where coupon_code = $1",
        ['GONE-2'],
      );
    expect(await walk('coupons?status=available', remove)).toMatchObject([{ coupon_code: 'GONE-3' }]);
    const rename = () =>
      portal.db.query('update app_user set name = $1 where name = $2', ['Renamed', 'Gonb']);
    expect(await walk('users?role=user', rename)).toMatchObject([{ name: 'Gona' }]);
  });

  test('a search with many matches counts the first thousand', async () => {
    const codes = Array.from({ length: 1_001 }, (_, index) => `MANY-${index}`).join('\n');
    await importCoupons(`coupon_code\n${codes}\n`);
    const { headers, body } = await get('/api/coupons?limit=3&q=many-');
    expect([headers['x-total-count'], headers['x-total-count-relation']]).toEqual(['1000', 'gte']);
    expect((body as Row[]).map(({ coupon_code }) => coupon_code)).toEqual(['MANY-0', 'MANY-1', 'MANY-10']);
    const fewer = await get('/api/coupons?limit=3&q=many-1');
    expect([fewer.headers['x-total-count'], fewer.headers['x-total-count-relation']]).toEqual(['112', 'eq']);
  });

  test.each([
    'limit=0',
    'limit=501',
    'limit=x',
    'limit=5&cursor=x',
    'limit=5&cursor=9999999999999999999',
    'limit=5&q=a&cursor=5-2',
    'limit=5&q=a&cursor=5-00061',
    'limit=5&q=%00',
    'q=code',
    'cursor=5',
    'status=lost',
  ])('%s is refused', async (query) => {
    expect(await get(`/api/coupons?${query}`)).toMatchObject({
      status: 400,
      body: { message: expect.any(String) },
    });
  });
});

describe('users', () => {
  test('are found by words of the address and the name, and by role', async () => {
    await post('/api/admin/users/single', {
      email: 'zoe@example.org',
      name: 'Zoë Ångström',
      product_ids: [product_id],
    });
    const find = async (query: string) =>
      ((await get(`/api/users?limit=50&${query}`)).body as { email: string }[]).map(({ email }) => email);
    expect(await find('q=ZOE')).toEqual(['zoe@example.org']);
    expect(await find(`q=${encodeURIComponent('zoë å')}`)).toEqual(['zoe@example.org']);
    expect(await find('q=ang+exam')).toEqual(['zoe@example.org']);
    expect(await find('q=z&role=admin')).toEqual([]);
    expect(await find('role=admin')).toEqual(['staff@example.org']);
    expect((await get('/api/users?limit=1&role=admin')).headers['x-total-count']).toBe('1');
    const { headers } = await get('/api/users?limit=1');
    expect(Number(headers['x-total-count'])).toBeGreaterThan(1);
    expect(headers['x-next-cursor']).toBeTypeOf('string');
  });
});

describe('imports', () => {
  test('R-API-16, R-ENT-11: an import returns the specified counts, and its state can be read by its id', async () => {
    const import_id = randomUUID();
    const csv = 'coupon_code\nAPI-1\nAPI-1\n=1+1\u0007x\n';
    const { status, body } = await importCoupons(csv, { import_id, file_name: 'codes.csv' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      import_id,
      results: { success: 1, failures: 1, duplicates: 1, total: 3 },
      errors: [{ row: 4, message: 'coupon_code must not contain control characters' }],
    });
    expect((await get(`/api/admin/imports/${import_id}`)).body).toMatchObject({
      kind: 'coupons',
      file_name: 'codes.csv',
      state: 'done',
      rows_done: 3,
      rows_total: 3,
      errors_count: 1,
    });
    const { body: newest } = await get('/api/admin/imports');
    expect((newest as unknown[]).slice(0, 2)).toMatchObject([{ id: import_id }, { kind: 'coupons' }]);
  });

  test('invalid rows are sent as CSV with line and reason, and formulas are escaped', async () => {
    const import_id = randomUUID();
    await importCoupons('coupon_code\n=HYPERLINK(1)\u0007x\n', { import_id });
    const { body, headers } = await portal.app
      .inject({
        url: `/api/admin/imports/${import_id}/errors.csv`,
        headers: { authorization: `Bearer ${admin}` },
      })
      .then((response) => ({ body: response.body, headers: response.headers }));
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(body).toBe(
      "\uFEFFcoupon_code,use_by,line,reason\r\n'=HYPERLINK(1)\u0007x,,2,coupon_code must not contain control characters\r\n",
    );
  });

  test('sending invalid rows does not read the stored file of an unfinished import', async () => {
    const import_id = randomUUID();
    await portal.db.query(
      `insert into bulk_job (id, kind, created_by, source, rows_total)
       values ($1, 'coupons', 'staff@example.org', 'THE-WHOLE-FILE', 1)`,
      [import_id],
    );
    onTestFinished(async () => {
      await portal.db.query('delete from bulk_job where id = $1', [import_id]);
    });
    const queries = vi.spyOn(portal.db, 'query');
    onTestFinished(() => queries.mockRestore());
    const url = `/api/admin/imports/${import_id}/errors.csv`;
    const response = await portal.app.inject({ url, headers: { authorization: `Bearer ${admin}` } });
    expect(response.body).toContain('coupon_code');
    const read = await Promise.all(queries.mock.results.map(({ value }) => value as Promise<unknown>));
    expect(JSON.stringify(read)).toContain('coupons');
    expect(JSON.stringify(read)).not.toContain('THE-WHOLE-FILE');
  });

  test('R-API-06, R-API-10, R-ENT-11: imports of products and users return their counts', async () => {
    expect(
      (
        await post('/api/admin/products/bulk', {
          csvData: 'name,description,url\nA,B,c.example\n,B,c.example\n',
        })
      ).body,
    ).toMatchObject({ results: { success: 1, failures: 1 } });
    expect(
      (await post('/api/admin/users/bulk', { csvData: 'email,name\na@b.co,A\n', product_ids: [product_id] }))
        .body,
    ).toMatchObject({ results: { success: 1, failures: 0, duplicates: 0, productAccess: 1, total: 1 } });
  });

  test('R-ENT-09: payment_id is imported, and no call returns it', async () => {
    await post('/api/admin/users/bulk', {
      csvData: 'email,name,payment_id\npays@b.co,Pays,PAY-9\n',
      product_ids: [product_id],
    });
    for (const url of ['/api/users', '/api/users?limit=5&q=pays', '/api/admin/user-access/pays%40b.co']) {
      const { status, body } = await get(url);
      expect([status, JSON.stringify(body).includes('Pays')]).toEqual([200, true]);
      expect(JSON.stringify(body)).not.toMatch(/payment|PAY-9/);
    }
  });

  test('an invalid request is refused before anything is written', async () => {
    const users = (body: object) =>
      post('/api/admin/users/bulk', { csvData: 'email,name\na@b.co,A\n', ...body });
    expect(await users({ product_ids: [] })).toMatchObject({
      status: 400,
      body: { message: 'Please select at least one product' },
    });
    expect(await users({ product_ids: [randomUUID()] })).toMatchObject({ status: 400 });
    expect(await importCoupons(' \n')).toMatchObject({
      status: 400,
      body: { message: 'The CSV file is empty' },
    });
    expect(await importCoupons('use_by,x\nX,Y\n')).toMatchObject({
      status: 400,
      body: { message: "The CSV file has no column 'coupon_code'" },
    });
    expect(await importCoupons('coupon_code\nX\n', { import_id: 'x' })).toMatchObject({ status: 400 });
    expect(await importCoupons('coupon_code\nX\n', { productId: randomUUID() })).toMatchObject({
      status: 404,
      body: { message: 'Product not found' },
    });
  });

  test.each(['products', 'users', 'coupons'])(
    'A-28: importing %s, a file name that cannot be stored is refused, and a cell that cannot be stored makes its row invalid',
    async (kind) => {
      const upload = {
        products: 'name,description,url\nGood,Text,good.example\n?,Text,bad.example\nA,?,bad.example\n',
        users: 'email,name\nwhole@example.org,Whole\nhalf@example.org,?\nA?@example.org,Name\n',
        coupons: 'coupon_code\nWHOLE\n?\nA?B\n',
      }[kind] as string;
      for (const unstorable of ['\0', '\ud800', '\udc00x']) {
        const send = (file_name: string) =>
          post(`/api/admin/${kind}/bulk`, {
            csvData: upload.replaceAll('?', unstorable),
            product_ids: [product_id],
            productId: product_id,
            file_name,
          });
        expect(await send(`file${unstorable}.csv`)).toMatchObject({
          status: 400,
          body: { message: 'file_name contains a character that cannot be stored' },
        });
        expect((await send('file.csv')).body).toMatchObject({ results: { failures: 2 } });
      }
    },
  );

  test('A-77: an import may have more than 100 kB', async () => {
    const codes = Array.from({ length: 20_000 }, (_, index) => `LARGE-${index}`).join('\n');
    expect((await importCoupons(`coupon_code\n${codes}\n`)).body).toMatchObject({
      results: { success: 20_000 },
    });
  });
});

test('the dashboard’s data: totals, redemptions a day, and remaining codes with the fewest first', async () => {
  const empty = await addProduct('Nothing left');
  const learner = await portal.signIn('holder@example.org');
  const redeemable = await addProduct('Redeemed');
  await post('/api/admin/coupons/single', { coupon_code: 'ONE', product_id: redeemable });
  await post('/api/admin/users/single', {
    email: 'holder@example.org',
    name: 'H',
    product_ids: [redeemable],
  });
  await portal.call('POST', '/api/redeem-secure', { token: learner, body: { productId: redeemable } });
  const { body } = (await get('/api/admin/stats')) as { body: Record<string, unknown> };
  const redemptions = body.redemptions as { day: string; count: number }[];
  expect(redemptions).toHaveLength(30);
  expect(redemptions.at(-1)).toEqual({ day: new Date().toISOString().slice(0, 10), count: 1 });
  const stock = body.stock as { product_id: string; total: number; left: number }[];
  expect(stock.slice(0, 2).map(({ left }) => left)).toEqual([0, 0]);
  expect(stock).toContainEqual(expect.objectContaining({ product_id: empty, total: 0, left: 0 }));
  expect(stock).toContainEqual(expect.objectContaining({ product_id: redeemable, total: 1, left: 0 }));
  expect(body).toMatchObject({ products: expect.any(Number), users: expect.any(Number) });
});
