// Tests who, by what way and from where the lines of the audit log say that an act came.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../test/factories.ts';
import { REDEEM_TOOLS } from '../../test/fill-database.ts';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';
import { createUploadTools, TEST_IMPORT_TOOLS } from '../../test/test-jobs.ts';
import { expireCoupons } from '../usecases/expire-coupons.ts';
import { importCsv } from '../usecases/import-csv.ts';
import { regenerateCoupon } from '../usecases/issue-coupon.ts';

const STAFF = 'staff@example.org';
const FROM = '127.0.0.1';

let portal: TestApp;
let token: string;
let last = '0';
beforeAll(async () => {
  portal = await openTestApp();
  token = await portal.signInAdmin(STAFF);
  await listNew();
});
afterAll(() => portal.close());

/** Returns the lines since the last call: action, actor, via and IP address. */
async function listNew(): Promise<string[]> {
  const { rows } = await portal.db.query<{ id: string; line: string }>(
    `select id::text, concat_ws(' ', action, actor, via, coalesce(host(ip), '-')) as line from audit a where a.id > $1 order by a.id`,
    [last],
  );
  last = rows.at(-1)?.id ?? last;
  return rows.map(({ line }) => line);
}

const post = async (path: string, body: object) => {
  const { status, body: reply } = await portal.call('POST', path, { token, body });
  expect([200, 201]).toContain(status);
  return reply;
};

test('R-TRAIL-02: each act of staff names the address that it came from', async () => {
  const product = (await post('/api/products', {
    name: 'Tarnquill',
    description: 'A tool.',
    url: 'tool.example',
  })) as { product_id: string; version: number };
  const { product_id } = product;
  for (const coupon_code of ['ONE', 'TWO', 'THREE'])
    await post('/api/admin/coupons/single', { product_id, coupon_code });
  await post(`/api/admin/products/${product_id}/status`, { status: 'paused' });
  await post('/api/admin/users/single', { email: 'ada@example.org', name: 'Ada', product_ids: [product_id] });
  await post('/api/admin/generate-coupon', { email: 'ada@example.org', productId: product_id });
  await post('/api/admin/regenerate-coupon', { email: 'ada@example.org', productId: product_id });
  expect(await listNew()).toEqual(
    [
      'product.create',
      ...Array<string>(3).fill('coupon.create'),
      'product.pause',
      'grant.create',
      'user.create',
      'coupon.generate',
      'coupon.regenerate',
    ].map((action) => `${action} ${STAFF} page ${FROM}`),
  );
});

test('R-TRAIL-02: people whom a page adds to a cohort are created from its address', async () => {
  const { cohort_id } = (await post('/api/admin/cohorts', { name: 'Autumn' })) as { cohort_id: string };
  await listNew();
  await post(`/api/admin/cohorts/${cohort_id}/members`, { emails: ['new-member@example.org'] });
  expect(await listNew()).toEqual(
    ['user.create', 'member.add'].map((action) => `${action} ${STAFF} page ${FROM}`),
  );
});

test('R-TRAIL-02: an import that a page started names the member of staff, but no address for its rows', async () => {
  await post('/api/admin/users/bulk', {
    csvData: 'email,name\nimported@example.org,Imported\n',
    import_id: randomUUID(),
    product_ids: [(await addProduct(portal.db)).product_id],
  });
  const lines = (await listNew()).filter((line) => /user\.create|grant\.create/.test(line));
  expect(lines).toEqual([`user.create ${STAFF} page -`, `grant.create ${STAFF} page -`]);
});

test('R-TRAIL-02: no address of a learner is recorded', async () => {
  const product = await addProduct(portal.db, { codes: 1 });
  await addLearner(portal.db, [product], 'learner@example.org');
  const learner = await portal.signIn('learner@example.org');
  await listNew();
  expect(
    (
      await portal.call('POST', '/api/redeem-secure', {
        token: learner,
        body: { productId: product.product_id },
      })
    ).status,
  ).toBe(200);
  expect(await listNew()).toEqual(['coupon.redeem learner page -']);
});

test('R-TRAIL-02: acts of the operator and of the portal say so, and come from no address', async () => {
  const product = await addProduct(portal.db, { codes: 1 });
  const learner = await addLearner(portal.db, [product]);
  await listNew();
  const csvData = 'name,description,url\nTool,Text,other.example\n';
  const upload = { kind: 'products' as const, product_ids: [], csvData, actor: 'operator' };
  await importCsv(portal.db, upload, createUploadTools(portal.db));
  await regenerateCoupon(
    portal.db,
    { actor: 'operator', email: learner.email, productId: product.product_id },
    { ...REDEEM_TOOLS, randomBytes },
  );
  await portal.db.query("update coupon set use_by = '2001-01-01' where holder is null and voided_at is null");
  await expireCoupons(portal.db, TEST_IMPORT_TOOLS);
  expect(new Set(await listNew())).toEqual(
    new Set([
      'product.create operator operator -',
      'import.start operator operator -',
      'import.done operator operator -',
      'coupon.regenerate operator operator -',
      'coupon.expire portal portal -',
    ]),
  );
});

test('N-29: the lines of a session name the person, and a member of the team by address', async () => {
  await listNew();
  await portal.signIn(STAFF.replace('staff', 'stranger'));
  await portal.signIn('ada@example.org');
  const { rows } = await portal.db.query(
    `select a.actor, u.email, a.ip from audit a left join app_user u on u.id = a.user_id
     where a.action = 'session.start' and a.id > $1 order by a.id`,
    [last],
  );
  expect(rows).toEqual([
    { actor: 'learner', email: null, ip: null },
    { actor: 'learner', email: 'ada@example.org', ip: null },
  ]);
  const { rows: staff } = await portal.db.query(
    "select distinct actor, host(ip) as ip from audit a join app_user u on u.id = a.user_id where action = 'session.start' and u.email = $1",
    [STAFF],
  );
  expect(staff).toEqual([{ actor: STAFF, ip: FROM }]);
});
