// Tests that all API calls treat codes and addresses that look the same as equal, also in searches and notes.
import { endpoints } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../../test/factories.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { examineDatabase } from '../../operator/examine-database.ts';

let portal: TestApp;
let token: string;
beforeAll(async () => {
  portal = await openTestApp();
  token = await portal.signInAdmin('boss@example.org');
});
afterAll(() => portal.close());

const post = (url: string, body: object) => portal.call('POST', url, { token, body });
const get = (url: string) => portal.call('GET', url, { token });
const redeem = async (email: string, productId: string, stored = email) =>
  portal.call('POST', '/api/redeem-secure', {
    token: await portal.signIn(email, stored),
    body: { productId },
  });

/** Stores a code exactly as it was typed, as earlier versions of the portal did. */
async function storeCode(product_id: string, code: string, holder: string | null = null): Promise<void> {
  await portal.db.query(
    `with batch as (insert into coupon_batch (product_id, source, created_by) values ($1, 'form', 'x') returning id)
     insert into coupon (product_id, batch_id, shared, coupon_code, holder, assigned_at, assigned_by)
     select $1, batch.id, false, $2, u.id, case when u.id is not null then now() end, u.email
     from batch left join app_user u on u.email = $3`,
    [product_id, code, holder],
  );
}

/** Stores a person with the address exactly as it was typed, as earlier versions of the portal did. */
async function storePerson(email: string, product_id: string): Promise<void> {
  await portal.db.query('insert into app_user (email) values ($1)', [email]);
  await portal.db.query(
    `insert into access_grant (user_id, product_id, starts_on, granted_by)
     select id, $2, '2000-01-01', 'x' from app_user where email = $1`,
    [email, product_id],
  );
}

describe('codes', () => {
  test('R-MAP-01, R-MAP-02: a file gives codes that look the same as one code', async () => {
    const { product_id } = await addProduct(portal.db);
    const csvData = [
      'coupon_code',
      'CAFÉ-1',
      'CAFE\u0301-1',
      'CA\u200BFÉ-1\uFEFF',
      'ＣＡＦÉ－１',
      '\u00A0CAFÉ-1',
      'CAFÉ-2',
    ].join('\n');
    const { body } = await post('/api/admin/coupons/bulk', { csvData, productId: product_id, check: true });
    const { import_id } = body as { import_id: string };
    expect((await get(`/api/admin/imports/${import_id}`)).body).toMatchObject({
      preview: { new: 2, in_file_twice: 4, duplicate: 0 },
    });
    expect(await post(`/api/admin/imports/${import_id}/start`, {})).toMatchObject({
      body: { results: { success: 2, duplicates: 4 } },
    });
  });

  test('R-MAP-02: a code that looks like a stored one is a duplicate, in form, file and check', async () => {
    const { product_id } = await addProduct(portal.db);
    await addLearner(portal.db, [], 'held@example.org');
    await storeCode(product_id, 'HE\u200BLD-1', 'held@example.org');
    await storeCode(product_id, 'ＦＲＥＥ-1');
    const csvData = 'coupon_code\nHELD-1\nFREE-1\nNEW-1';
    const upload = { csvData, productId: product_id };
    const { body } = await post('/api/admin/coupons/bulk', { ...upload, check: true });
    const { import_id } = body as { import_id: string };
    expect((await get(`/api/admin/imports/${import_id}`)).body).toMatchObject({
      preview: { new: 1, duplicate: 2 },
    });
    expect(await post('/api/admin/coupons/bulk', upload)).toMatchObject({
      body: { results: { success: 1, duplicates: 2 } },
    });
    // The file also contains the free code. So this code stays if the upload that added it is undone.
    const named = 'select coupon_code from coupon join coupon_source on coupon_id = id where product_id = $1';
    expect((await portal.db.query(named, [product_id])).rows).toEqual([{ coupon_code: 'ＦＲＥＥ-1' }]);
    expect(
      await post('/api/admin/coupons/single', { coupon_code: 'HELD\u00AD-1', product_id }),
    ).toMatchObject({ status: 409, body: { code: 'duplicate_code' } });
  });

  test('R-MAP-01: a code of invisible characters only is blank, and other characters without a look are refused', async () => {
    const { product_id } = await addProduct(portal.db);
    const { status, body } = await post('/api/admin/coupons/single', {
      coupon_code: ' \u200B\uFEFF',
      product_id,
    });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { coupon_code: expect.stringMatching(/^[A-Z\d-]+$/) },
    });
    for (const [code, sign] of [
      ['A\uE000B', 'U+E000'],
      ['A\uFDD0B', 'U+FDD0'],
    ])
      expect(await post('/api/admin/coupons/single', { coupon_code: code, product_id })).toMatchObject({
        status: 400,
        body: { message: `coupon_code must not contain the character ${sign}` },
      });
  });

  test('R-MAP-01: in a file a day is read without invisible characters, and a cell with nothing else is empty', async () => {
    const { product_id } = await addProduct(portal.db);
    const csvData = 'coupon_code,use_by\nDAY-1,2999-\u200B12-31\nDAY-2,\u200B';
    expect(await post('/api/admin/coupons/bulk', { csvData, productId: product_id })).toMatchObject({
      body: { results: { success: 2, failures: 0 } },
    });
    const { rows } = await portal.db.query(
      'select coupon_code, use_by::text from coupon where product_id = $1 order by pos',
      [product_id],
    );
    expect(rows).toEqual([
      { coupon_code: 'DAY-1', use_by: '2999-12-31' },
      { coupon_code: 'DAY-2', use_by: 'infinity' },
    ]);
    const blank = { csvData: 'coupon_code,use_by\nDAY-3,\n\u200B,2999-12-31', blanks: 'skip' };
    expect(await post('/api/admin/coupons/bulk', { ...blank, productId: product_id })).toMatchObject({
      body: { results: { success: 1, generated: 0 } },
    });
    const products = { csvData: 'name,description,url\n\u200B,Text,a.example' };
    expect((await post('/api/admin/products/bulk', products)).body).toMatchObject({
      results: { failures: 1 },
      errors: [{ row: 2, message: 'name is missing' }],
    });
  });

  test('A-28, R-MAP-02: codes that differ in case only stay two codes, and the check counts them', async () => {
    const { product_id } = await addProduct(portal.db, { codes: ['Stored-1'] });
    const csvData = 'coupon_code\nSTORED-1\nfile-1\nFILE-1\nFILE-1\nother-1';
    const { body } = await post('/api/admin/coupons/bulk', { csvData, productId: product_id, check: true });
    expect((await get(`/api/admin/imports/${(body as { import_id: string }).import_id}`)).body).toMatchObject(
      {
        preview: { new: 4, in_file_twice: 1, case_only: 2 },
      },
    );
  });

  test('R-MAP-01: the search, and the check of another product’s file, find a code whichever way it is typed or stored', async () => {
    const { product_id } = await addProduct(portal.db, { codes: ['SEARCH-ME-1'] });
    await storeCode(product_id, 'FIND\u2060-ME-2');
    for (const q of ['SEARCH\u200B-ME-1', 'ＳＥＡＲＣＨ-ME-1', 'FIND-ME-2'])
      expect((await get(`/api/admin/find?q=${encodeURIComponent(q)}`)).body).toMatchObject({
        code: { product: { product_id } },
      });
    const upload = {
      csvData: 'code\nSEARCH-\u200BME-1',
      productId: (await addProduct(portal.db)).product_id,
    };
    expect((await post('/api/admin/coupons/bulk', { ...upload, check: true })).body).toMatchObject({
      preview: { elsewhere: [{ product_id, count: 1 }] },
    });
  });

  test('N-302: doctor names stored codes and addresses that look the same, and it is no failure', async () => {
    const { product_id } = await addProduct(portal.db, { name: 'Twins' });
    await storePerson('twin@example.org', product_id);
    await storePerson('tw\u200Bin@example.org', product_id);
    await storeCode(product_id, 'TWIN-CODE-0001', 'twin@example.org');
    await storeCode(product_id, 'TWIN-CODE\u200B-0001', 'tw\u200Bin@example.org');
    const checkResults = (await examineDatabase(portal.db, Date.now)).filter(({ state }) => state === 'warn');
    expect(checkResults).toEqual([
      {
        about: 'codes alike',
        state: 'warn',
        text: expect.stringContaining('Twins: ••••0001 and ••••0001, held by '),
      },
      {
        about: 'people alike',
        state: 'warn',
        text: expect.stringContaining('twin@example.org and tw<U+200B>in@example.org'),
      },
    ]);
  });
});

describe('addresses', () => {
  test('R-MAP-01: a learner whose address came with invisible characters signs in and finds the benefit', async () => {
    const { product_id } = await addProduct(portal.db, { codes: 2 });
    const csvData = 'email,name\n\u200Blea.file@exam\u00ADple.org\u00A0,Le\u200Ba';
    expect(await post('/api/admin/users/bulk', { csvData, product_ids: [product_id] })).toMatchObject({
      body: { results: { success: 1 } },
    });
    await post('/api/admin/users/single', {
      email: 'lea.form\uFEFF@example.org',
      name: 'Lea',
      product_ids: [product_id],
    });
    for (const email of ['lea.file@example.org', 'lea.form@example.org'])
      expect(await redeem(email, product_id)).toMatchObject({ status: 200 });
    expect((await get('/api/users?limit=10&q=lea.fi%E2%80%8Ble')).body).toMatchObject([{ name: 'Lea' }]);
  });

  test('R-MAP-03, N-303: people whose stored address has another form sign in by both, and staff find them', async () => {
    const { product_id } = await addProduct(portal.db, { codes: 9 });
    await storePerson('old\u200B@example.org', product_id);
    await storePerson('ann@müller.example', product_id);
    await storePerson('jörg@example.org', product_id);
    const code = async (email: string, stored: string) =>
      ((await redeem(email, product_id, stored)).body as { coupon: unknown }).coupon;
    for (const [stored, one, other] of [
      ['old\u200B@example.org', 'old@example.org', 'old\u200B@example.org'],
      ['ann@müller.example', 'ann@müller.example', 'ann@xn--mller-kva.example'],
      ['jörg@example.org', 'jörg@example.org', 'JO\u0308RG@example.org'],
    ] as const) {
      const given = await code(one, stored);
      expect(given).toMatchObject({ couponCode: expect.any(String) });
      expect(await code(other, stored)).toEqual(given);
      for (const email of [one, other])
        expect(await get(`/api/admin/user-access/${encodeURIComponent(email)}`)).toMatchObject({
          body: { products: [{ hasCoupon: true }] },
        });
      // A second upload with other forms of the addresses creates nobody.
      expect(
        await post('/api/admin/users/bulk', { csvData: `email\n${other}`, product_ids: [product_id] }),
      ).toMatchObject({ body: { results: { success: 0, duplicates: 1 } } });
    }
  });

  test('R-MAP-03: both forms of an international domain are one new person', async () => {
    const { product_id } = await addProduct(portal.db);
    const person = { name: 'Zoë', product_ids: [product_id] };
    const first = await post('/api/admin/users/single', { ...person, email: 'zoe@bücher.example' });
    const second = await post('/api/admin/users/single', { ...person, email: 'zoe@xn--bcher-kva.example' });
    expect(first.body).toMatchObject({ user: { email: 'zoe@xn--bcher-kva.example' } });
    expect(second.body).toMatchObject({ user: (first.body as { user: object }).user });
  });

  test.each([
    ...[
      'a..b@example.org',
      '.a@example.org',
      'a.@example.org',
      'a?b@example.org',
      'a/b@example.org',
      'a|b@example.org',
    ],
    ...[
      'jürgen@example.org',
      '“a”@example.org',
      `${'x'.repeat(65)}@example.org`,
      'a@-example.org',
      'a@example-.org',
    ],
    ...['a@exa_mple.org', 'a@example..org', `a@${'x.'.repeat(125)}org`],
  ])('R-MAP-03: a new person may not have the address %s', async (email) => {
    const { product_id } = await addProduct(portal.db);
    const refused = { status: 400, body: { message: 'email must be an address such as name@example.org' } };
    expect(
      await post('/api/admin/users/single', { email, name: 'A', product_ids: [product_id] }),
    ).toMatchObject(refused);
    expect(await post('/api/admin/team', { email, team_role: 'viewer', mail: false })).toMatchObject(refused);
    expect(
      await post('/api/admin/users/bulk', {
        csvData: `email\n${email}\nfine-${product_id}@example.org`,
        product_ids: [product_id],
      }),
    ).toMatchObject({ body: { results: { success: 1, failures: 1 } } });
  });

  test("R-MAP-03: o'brien@ is an address", async () => {
    const { product_id } = await addProduct(portal.db);
    const person = { email: "o'brien+x@example.org", name: 'A', product_ids: [product_id] };
    expect(await post('/api/admin/users/single', person)).toMatchObject({ status: 200 });
  });

  test('N-303: an edit judges a new address, and keeps a stored one that it does not change', async () => {
    const { product_id } = await addProduct(portal.db);
    await storePerson('pa..ul@example.org', product_id);
    await storePerson('od\u200Bd@example.org', product_id);
    const [paul = '', odd = ''] = await Promise.all(
      ['pa..ul@example.org', 'odd@example.org'].map(async (email) => {
        const { body } = await get(`/api/admin/people/${email}`);
        return (body as { user: { user_id: string } }).user.user_id;
      }),
    );
    const edit = (email: string, user_id = paul) =>
      post(`/api/admin/people/${user_id}/edit`, { email, name: 'Paul', phone_number: '1' });
    expect(await edit('pa..ul@example.org')).toMatchObject({
      status: 200,
      body: { email: 'pa..ul@example.org' },
    });
    expect(await edit('pa..ula@example.org')).toMatchObject({ status: 400 });
    expect(await edit('pau\u200Bl@example.org')).toMatchObject({
      status: 200,
      body: { email: 'paul@example.org' },
    });
    expect(await edit('odd@example.org', odd)).toMatchObject({
      status: 200,
      body: { email: 'od\u200Bd@example.org', phone_number: '1' },
    });
  });
});

describe('notes', () => {
  test('N-322: a note with a code is refused in any spelling, also inside a word; other notes are saved', async () => {
    const { product_id } = await addProduct(portal.db, { codes: ['Note-ABCD-1234', 'NOTE-ABCD', 'X-1'] });
    const note = async (text: string) => (await post('/api/admin/notes', { product_id, text })).status;
    for (const text of [
      ...[
        'note-abcd-1234',
        'noteabcd1234',
        'It was (NOTE ABCD 1234).',
        'xnoteABCD1234x',
        'Ｎote-ABCD-1234',
        'note-ab\u200Bcd',
      ],
      ...['see x-1', 'X1', 'code:x1'],
    ])
      expect([text, await note(text)]).toEqual([text, 400]);
    for (const text of ['note abc', 'max1', 'ax-1b', 'The last four are 1234.', 'y'.repeat(2000)])
      expect([text.slice(0, 40), await note(text)]).toEqual([text.slice(0, 40), 201]);
  });
});

test('R-VAL-11: a product has a web address of http or https, without a user name or a backslash', async () => {
  const product = (url: string) => post('/api/products', { name: 'P', description: 'D', url });
  for (const url of [
    ...['mailto:a@b.example', 'ftp://a.example', 'javascript:alert(1)', 'data:text/html,x', 'tel:+4912345'],
    ...['https://me@a.example', 'https://me:secret@a.example', 'me@a.example', 'https://@a.example'],
    ...['https:\\\\a.example', 'https://a.example\\@b.example', 'a.example\\x', 'https://a .example'],
  ])
    expect([url, await product(url)]).toMatchObject([
      url,
      { status: 400, body: { message: 'url must be a web address' } },
    ]);
  for (const url of [
    'a.example',
    'a.example:8080/x@y',
    'http://a.example',
    'HTTPS://a.example/?q=me@b.example',
  ])
    expect([url, await product(url)]).toMatchObject([url, { status: 201, body: { url } }]);
});

const WILD = ['\0', 'a\uFFFFb', '\u200B', '1e400', '{}', 'x'.repeat(300)];

type Schema = { properties?: Record<string, object>; anyOf?: Schema[]; allOf?: Schema[] };
type Call = {
  parameters?: { name: string; in: 'path' | 'query' }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};

/** Returns the names of the fields of a body. */
const fieldsOf = (schema: Schema): string[] => [
  ...Object.keys(schema.properties ?? {}),
  ...[...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap(fieldsOf),
];

test('R-API-25: no wild value in any parameter that the description of the API names gets a 5xx', async () => {
  const { body } = await portal.call('GET', '/api/openapi.json');
  const { paths } = body as { paths: Record<string, Record<'get' | 'post', Call>> };
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({
      path,
      method: method.toUpperCase() as 'GET' | 'POST',
      call,
    })),
  );
  expect(calls.length).toBe(endpoints.length);
  const failed: string[] = [];
  for (const { path, method, call } of calls) {
    const { parameters = [], requestBody } = call;
    const fields = fieldsOf(requestBody?.content['application/json']?.schema ?? {});
    const fill = (name: string | null, value: string) =>
      path.replaceAll(/\{(\w+)\}/g, (_all, part) => encodeURIComponent(part === name ? value : '1'));
    const required = parameters.some(({ name }) => name === 'limit') ? '&limit=5' : '';
    for (const value of WILD) {
      const tries = [
        ...parameters.map((each): [string, object] =>
          each.in === 'path'
            ? [`${fill(each.name, value)}?${required}`, {}]
            : [
                `${fill(null, '')}?${each.name}=${encodeURIComponent(value)}${each.name === 'limit' ? '' : required}`,
                {},
              ],
        ),
        ...fields.map((name): [string, object] => [fill(null, ''), { [name]: value }]),
      ];
      await Promise.all(
        tries.map(async ([url, sent]) => {
          const { status } = await portal.call(method, url, {
            token,
            ...(method === 'POST' && { body: sent }),
          });
          if (status >= 500) failed.push(`${method} ${url} ${JSON.stringify(sent)}: ${status}`);
        }),
      );
    }
  }
  expect(failed).toEqual([]);
});
