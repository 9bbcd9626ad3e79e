// Tests the actor, the way (`via`) and the IP address in audit lines.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../../test/factories.ts';
import { REDEEM_TOOLS } from '../../../test/fill-database.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { createTestJobs, createUploadTools, TEST_IMPORT_TOOLS } from '../../../test/test-jobs.ts';
import { importCsv } from '../../bulk/uploads.ts';
import { createImportHandler } from '../../jobs/job-handlers.ts';
import { regenerateCoupon } from '../codes/issue.ts';
import { expireCoupons } from '../codes/void.ts';

const STAFF = 'staff@example.org';
const FROM = '127.0.0.1';
const NAME = 'Stella';

let portal: TestApp;
let token: string;
let colleague: string;
let last = '0';
/** After this number of steps, the process behaves as if it was told to stop. */
let stopsAfter = Number.POSITIVE_INFINITY;
beforeAll(async () => {
  portal = await openTestApp({
    isStopping: () => {
      stopsAfter -= 1;
      return stopsAfter < 0;
    },
  });
  token = await portal.signInAdmin(STAFF);
  colleague = await portal.signInAdmin('colleague@example.org');
  await portal.db.query('update app_user set name = $2 where email = $1', [STAFF, NAME]);
  await listNew();
});
afterAll(() => portal.close());

/** Returns the audit lines since the last call: action, actor, via, IP address and, if it is set, the actor's name. */
async function listNew(): Promise<string[]> {
  const { rows } = await portal.db.query<{ id: string; line: string }>(
    `select id::text, concat_ws(' ', action, actor, via, coalesce(host(ip), '-'), actor_name) as line from audit a where a.id > $1 order by a.id`,
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

test('R-TRAIL-02: each act of staff names the address that it came from, and keeps the name of who acted', async () => {
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
    ].map((action) => `${action} ${STAFF} page ${FROM} ${NAME}`),
  );
});

test('R-TRAIL-02: people whom a page adds to a cohort are created from its address', async () => {
  const { cohort_id } = (await post('/api/admin/cohorts', { name: 'Autumn' })) as { cohort_id: string };
  await listNew();
  await post(`/api/admin/cohorts/${cohort_id}/members`, { emails: ['new-member@example.org'] });
  expect(await listNew()).toEqual(
    ['user.create', 'member.add'].map((action) => `${action} ${STAFF} page ${FROM} ${NAME}`),
  );
});

test('R-TRAIL-02: an import that a page started names the member of staff and the address, also for its rows', async () => {
  await post('/api/admin/users/bulk', {
    csvData: 'email,name\nimported@example.org,Imported\n',
    import_id: randomUUID(),
    product_ids: [(await addProduct(portal.db)).product_id],
  });
  const lines = (await listNew()).filter((line) => /user\.create|grant\.create/.test(line));
  expect(lines).toEqual(
    ['user.create', 'grant.create'].map((action) => `${action} ${STAFF} page ${FROM} ${NAME}`),
  );
});

describe('R-TRAIL-02: acts that run as jobs name who pressed and from where', () => {
  const line = (action: string) => `${action} ${STAFF} page ${FROM} ${NAME}`;
  const upload = async (kind: string, csvData: string, more: object) =>
    ((await post(`/api/admin/${kind}/bulk`, { csvData, ...more })) as { import_id: string }).import_id;
  const batchOf = async (import_id: string) => {
    const { body } = await portal.call('GET', `/api/admin/imports/${import_id}`, { token });
    return (body as { batch_id: string }).batch_id;
  };

  test('a last day, codes made void, acts on people, and uploads that are taken back', async () => {
    const { product_id } = await addProduct(portal.db);
    const { product_id: another } = await addProduct(portal.db);
    const { cohort_id } = (await post('/api/admin/cohorts', { name: 'Jobs' })) as { cohort_id: string };
    const batch = await batchOf(await upload('coupons', 'code\nJ-1\nJ-2\n', { productId: product_id }));
    const csvData = 'mail\njob@example.org\nwork@example.org\n';
    const people = await upload('users', csvData, { product_ids: [product_id], cohort_id });
    const products = await upload('products', 'name,description,url\nJob,Text,job.example\n', {});
    const emails = ['job@example.org', 'work@example.org'];
    await listNew();
    await post(`/api/admin/batches/${batch}/use-by`, { expected: 2, use_by: '2999-01-01' });
    await post(`/api/admin/batches/${batch}/void`, { expected: 2, reason: 'mistake' });
    expect(await listNew()).toEqual([line('batch.use_by'), line('batch.void')]);
    await post('/api/admin/users/act', { act: 'leave', emails, cohort_id, expected: 2 });
    await post('/api/admin/users/act', { act: 'join', emails, cohort_id, expected: 2 });
    const days = { starts_on: '2999-01-01' };
    await post('/api/admin/users/act', {
      act: 'grant',
      emails,
      product_ids: [another],
      ...days,
      expected: 2,
    });
    const acted = await listNew();
    expect(acted.filter((line) => line.startsWith('user.act'))).toHaveLength(3);
    expect(acted.filter((line) => !line.endsWith(`${STAFF} page ${FROM} ${NAME}`))).toEqual([]);
    await post(`/api/admin/imports/${people}/undo`, { expected: 2 });
    await post(`/api/admin/imports/${products}/undo`, { expected: 1 });
    const undone = await listNew();
    expect(undone).toEqual(
      expect.arrayContaining(['grant.withdraw', 'product.archive', 'import.undo'].map(line)),
    );
    expect(undone.filter((line) => !line.endsWith(`${STAFF} page ${FROM} ${NAME}`))).toEqual([]);
  });

  test('also when another process goes on with the job, and when a colleague elsewhere cancels it', async () => {
    const codes = Array.from({ length: 2_500 }, (_, at) => `GOES-ON-${at}`).join('\n');
    const productId = (await addProduct(portal.db)).product_id;
    const order = { expected: 2_500, reason: 'mistake' };
    const start = async () => {
      const batch = await batchOf(await upload('coupons', `code\n${codes}\n`, { productId }));
      stopsAfter = 1;
      await listNew();
      return (await post(`/api/admin/batches/${batch}/void`, order)) as { job_id: string };
    };
    const goesOn = await start();
    stopsAfter = Number.POSITIVE_INFINITY;
    const now = () => new Date(Date.now() + 60_000);
    const other = createTestJobs(
      portal.db,
      { import: createImportHandler(portal.db, TEST_IMPORT_TOOLS) },
      { now },
    );
    other.wake('import');
    await other.close();
    expect(await listNew()).toEqual([line('batch.void')]);
    expect(goesOn.job_id).toBeTruthy();
    const { job_id } = await start();
    const cancelled = await portal.app.inject({
      method: 'POST',
      url: `/api/admin/imports/${job_id}/cancel`,
      headers: { host: 'localhost:3000', authorization: `Bearer ${colleague}` },
      remoteAddress: '192.0.2.9',
    });
    expect(cancelled.statusCode).toBe(200);
    expect(await listNew()).toEqual([
      line('batch.void'),
      'import.cancel colleague@example.org page 192.0.2.9',
    ]);
  });

  test('R-IMP-23: the line at the end of an export', async () => {
    await listNew();
    for (const list of ['codes', 'users', 'redemptions'])
      await portal.call('GET', `/api/admin/export/${list}.csv`, { token });
    const both = (list: string) => Array<string>(2).fill(line(`export.${list}`));
    expect(await listNew()).toEqual(['codes', 'users', 'redemptions'].flatMap(both));
  });
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
