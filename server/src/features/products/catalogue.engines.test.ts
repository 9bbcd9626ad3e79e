// Tests what a product says about itself on the learner's home: category, value, terms, perks and place.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';

let portal: TestApp;
let admin: string;

beforeAll(async () => {
  portal = await openTestApp();
  admin = await portal.signInAdmin();
});
afterAll(() => portal.close());

const DETAILS = { name: 'Tarnquill', description: 'A writing workspace.', url: 'tarnquill.example/redeem' };
const FACTS = {
  category: 'Writing',
  value: 'worth 240 €',
  terms: 'One year\nNew accounts',
  perks: ['Fast', 'Small'],
};
const NONE = { category: null, value: null, terms: null, perks: null };

const post = (url: string, body: object) => portal.call('POST', url, { token: admin, body });
async function add(fields: object = {}) {
  const { body } = await post('/api/products', { ...DETAILS, ...fields });
  return body as { product_id: string };
}
const edit = (product_id: string, fields: object) =>
  post(`/api/admin/products/${product_id}/edit`, { ...DETAILS, version: 1, ...fields });
const read = async (product_id: string) => (await portal.call('GET', `/api/products/${product_id}`)).body;

test('N-244: the fields are public, but not the place', async () => {
  const { product_id } = await add({ ...FACTS, position: 7 });
  expect(await read(product_id)).toMatchObject(FACTS);
  expect(await read(product_id)).not.toHaveProperty('position');
  const { body } = await portal.call('GET', '/api/products', { token: admin });
  expect(body).toContainEqual(expect.objectContaining({ product_id, ...FACTS, position: 7, logo: null }));
});

test('N-244: an edit that leaves fields out leaves them unchanged, and one with blank fields empties them', async () => {
  const { product_id } = await add({ ...FACTS, position: 7 });
  expect(await edit(product_id, { name: 'Tarnquill Team' })).toMatchObject({
    status: 200,
    body: { ...FACTS, position: 7, version: 2 },
  });
  const blank = { category: ' ', value: '', terms: null, perks: [] };
  expect(await edit(product_id, { ...blank, version: 2 })).toMatchObject({
    status: 200,
    body: { ...NONE, position: 7, version: 3 },
  });
});

test('R-LIFE-10, N-244: the same perks again are no change; other perks are one, with old and new', async () => {
  const { product_id } = await add(FACTS);
  expect(await edit(product_id, FACTS)).toMatchObject({ body: { version: 1 } });
  expect(await edit(product_id, { perks: ['Fast'] })).toMatchObject({
    body: { version: 2, perks: ['Fast'] },
  });
  const { rows } = await portal.db.query<{ detail: unknown }>(
    "select detail from audit where product_id = $1 and action = 'product.edit'",
    [product_id],
  );
  expect(rows).toEqual([{ detail: { perks: [['Fast', 'Small'], ['Fast']] } }]);
});

test.each([
  [{ category: 'x'.repeat(41) }, 'category must be at most 40 characters'],
  [{ value: 'x'.repeat(41) }, 'value must be at most 40 characters'],
  [{ value: 'a\nb' }, undefined],
  [{ terms: 'x'.repeat(2001) }, 'terms must be at most 2000 characters'],
  [{ perks: ['a', 'b', 'c', 'd'] }, 'perks must have at most 3 texts'],
  [{ perks: ['x'.repeat(81)] }, 'perks must be at most 80 characters'],
  [{ perks: ['a', ' '] }, 'perks must not contain a blank text'],
  [{ perks: 'a' }, 'perks must be a list of texts'],
  [{ position: -1 }, 'position must be from 0 to 9999'],
  [{ position: 1.5 }, 'position must be a whole number'],
  [{ position: '1' }, 'position must be a whole number'],
])('N-244: a product with %j is checked, and the field is named', async (fields, message) => {
  const { product_id } = await add(FACTS);
  const sent = [await post('/api/products', { ...DETAILS, ...fields }), await edit(product_id, fields)];
  for (const { status, body } of sent)
    if (message === undefined) expect(status).toBeLessThan(300);
    else expect({ status, body }).toMatchObject({ status: 400, body: { message } });
  if (message !== undefined) expect(await read(product_id)).toMatchObject(FACTS);
});

test('R-CAT-03: a file of products has category, value and terms; a file without these columns is as before', async () => {
  const csv = [
    'name,description,url,category,value,terms',
    'Of a file,Text,file.example,Design,50 €,"One\nTwo"',
    'Of a file too,Text,file.example,,,',
  ].join('\r\n');
  expect(await post('/api/admin/products/bulk', { csvData: csv })).toMatchObject({
    status: 200,
    body: { results: { success: 2, failures: 0 } },
  });
  await post('/api/admin/products/bulk', { csvData: 'name,description,url\r\nPlain,Text,plain.example' });
  await post('/api/admin/products/bulk', {
    csvData: `name,description,url,category\r\nToo long,Text,long.example,${'x'.repeat(41)}`,
  });
  const { body } = await portal.call('GET', '/api/products', { token: admin });
  const found = (name: string) => (body as { name: string }[]).find((each) => each.name === name);
  expect(found('Of a file')).toMatchObject({
    category: 'Design',
    value: '50 €',
    terms: 'One\nTwo',
    perks: null,
    position: 0,
  });
  expect(found('Of a file too')).toMatchObject(NONE);
  expect(found('Plain')).toMatchObject(NONE);
  expect(found('Too long')).toBeUndefined();
});
