// Tests uploads of people into a cohort, and the cohorts in the form for one person (R-COHORT-14, R-COHORT-26).
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { createStaffCalls, inDays } from '../../../test/staff-calls.ts';

let portal: TestApp;
let staff: ReturnType<typeof createStaffCalls>;
beforeAll(async () => {
  portal = await openTestApp();
  staff = createStaffCalls(portal, await portal.signInAdmin());
});
afterAll(() => portal.close());

let cohorts = 0;
async function addCohort(): Promise<string> {
  cohorts += 1;
  const { body } = await staff.post('/api/admin/cohorts', { name: `Upload ${cohorts}` });
  return (body as { cohort_id: string }).cohort_id;
}
const upload = (cohort_id: string, rows: string[], more: object = {}) =>
  staff.post('/api/admin/users/bulk', {
    csvData: ['email,name,payment_id', ...rows].join('\n'),
    cohort_id,
    ...more,
  });
async function listMembers(cohort_id: string): Promise<string[]> {
  const { body } = await staff.get(`/api/users?cohort_id=${cohort_id}`);
  return (body as { email: string }[]).map(({ email }) => email).sort();
}
/** Adds a person to 50 cohorts, which is the maximum. */
async function fillCohortsOf(email: string): Promise<void> {
  const { rows } = await portal.db.query(
    `with added as (
       insert into cohort (name, created_by) select gen_random_uuid(), 'x' from generate_series(1, 50) returning cohort_id
     )
     insert into cohort_member (cohort_id, user_id, joined_by)
     select cohort_id, u.id, 'x' from added, app_user u where email = $1 returning 1`,
    [email],
  );
  expect(rows).toHaveLength(50);
}

test('R-COHORT-14: every good row joins; no product is required', async () => {
  const cohort_id = await addCohort();
  const known = await staff.addPerson(await staff.addProduct());
  const rows = [
    `${known},Known,`,
    'new-a@up.example,A,',
    'new-b@up.example,B,',
    'new-a@up.example,A,',
    'bad,Bad,',
  ];
  const first = await upload(cohort_id, rows);
  expect(first).toMatchObject({
    status: 200,
    body: {
      results: { success: 2, duplicates: 2, failures: 1, productAccess: 0, total: 5, joined: 3, already: 1 },
      errors: [{ row: 6 }],
    },
  });
  const members = [known, 'new-a@up.example', 'new-b@up.example'].sort();
  expect(await listMembers(cohort_id)).toEqual(members);
  const { import_id } = first.body as { import_id: string };
  expect((await staff.get(`/api/admin/imports/${import_id}`)).body).toMatchObject({
    results: { joined: 3, already: 1 },
  });
  // The audit line of each member has the id of the upload, and the audit lines of the upload have the id of the
  // cohort.
  const { rows: lines } = await portal.db.query(
    "select action, detail ->> 'import_id' as import_id from audit where cohort_id = $1 and action <> 'cohort.create' order by id",
    [cohort_id],
  );
  const actions = ['import.start', 'member.add', 'member.add', 'member.add', 'import.done'];
  expect(lines).toEqual(actions.map((action) => ({ action, import_id })));
  expect((await upload(cohort_id, rows)).body).toMatchObject({ results: { joined: 0, already: 4 } });
});

test('people join and are given products at once', async () => {
  const [cohort_id, product_id] = [await addCohort(), await staff.addProduct()];
  const days = { starts_on: inDays(1), ends_on: inDays(4) };
  const more = { product_ids: [product_id], ...days };
  expect((await upload(cohort_id, ['both@up.example,Both,'], more)).body).toMatchObject({
    results: { success: 1, productAccess: 1, joined: 1, already: 0 },
  });
  expect((await staff.readAccess('both@up.example'))[0]?.grants).toMatchObject([days]);
});

test('R-VAL-21: without a cohort a product is required, and the results name no members', async () => {
  const csvData = 'email,name\nplain@up.example,Plain\n';
  const send = (body: object) => staff.post('/api/admin/users/bulk', { csvData, ...body });
  const missing = { status: 400, body: { message: 'Please select at least one product' } };
  for (const body of [{}, { product_ids: [] }, { product_ids: null }, { product_ids: 'all' }])
    expect(await send(body)).toMatchObject(missing);
  const { body } = await send({ product_ids: [await staff.addProduct()] });
  expect((body as { results: object }).results).not.toHaveProperty('joined');
  for (const cohort_id of [randomUUID(), 'none'])
    expect(await send({ cohort_id })).toMatchObject({ status: 404, body: { code: 'cohort_not_found' } });
  const { rows } = await portal.db.query('select 1 from bulk_job where cohort_id is null');
  expect(rows).toHaveLength(1);
});

test('a row of somebody in 50 cohorts fails, and gives nothing', async () => {
  const [cohort_id, product_id] = [await addCohort(), await staff.addProduct()];
  await upload(cohort_id, ['full@up.example,Full,']);
  await fillCohortsOf('full@up.example');
  const other = await addCohort();
  const rows = ['ok@up.example,Ok,', ' FULL@up.example ,Full,PAY-1'];
  const { body } = await upload(other, rows, { product_ids: [product_id] });
  expect(body).toMatchObject({
    results: { success: 1, duplicates: 0, failures: 1, joined: 1, already: 0, productAccess: 1, total: 2 },
    errors: [{ row: 3, message: 'This person is in 50 cohorts already, which is the most' }],
  });
  expect(await listMembers(other)).toEqual(['ok@up.example']);
  expect(await staff.readAccess('full@up.example')).toEqual([]);
  // A person who is already a member counts as `already`, not as `joined`.
  expect((await upload(cohort_id, rows)).body).toMatchObject({ results: { joined: 1, already: 1 } });
});

test('R-COHORT-26: the form of one person takes cohorts, and then no products', async () => {
  const [first, second] = [await addCohort(), await addCohort()];
  const email = 'form@up.example';
  const save = (body: object) => staff.post('/api/admin/users/single', { email, name: 'Form', ...body });
  const { rows: before } = await portal.db.query('select max(id) as id from audit');
  expect((await save({ cohort_ids: [first, second, first.toUpperCase()] })).status).toBe(200);
  expect([await listMembers(first), await listMembers(second)]).toEqual([[email], [email]]);
  const { rows } = await portal.db.query('select action, cohort_id from audit where id > $1 order by id', [
    before[0]?.id,
  ]);
  expect(rows).toEqual([
    { action: 'member.add', cohort_id: first },
    { action: 'member.add', cohort_id: second },
    { action: 'user.create', cohort_id: null },
  ]);
  expect((await save({ product_ids: [], cohort_ids: [first] })).status).toBe(200);
  expect(await listMembers(first)).toEqual([email]);
  for (const body of [{}, { product_ids: [] }, { product_ids: [], cohort_ids: [] }])
    expect(await save(body)).toMatchObject({
      status: 400,
      body: { message: 'product_ids must name at least one product' },
    });
  for (const id of [randomUUID(), 'none'])
    expect(await save({ cohort_ids: [first, id] })).toMatchObject({
      status: 404,
      body: { code: 'cohort_not_found' },
    });
  const many = Array.from({ length: 51 }, () => first);
  expect(await save({ cohort_ids: many })).toMatchObject({
    status: 400,
    body: { message: 'cohort_ids must name at most 50 cohorts' },
  });
  await fillCohortsOf(email);
  expect(await save({ cohort_ids: [await addCohort()] })).toMatchObject({
    status: 409,
    body: { code: 'too_many', message: 'form@up.example is in 50 cohorts already, which is the most.' },
  });
});
