// Tests the JSON of the API calls that read and change cohorts, their members and their grants.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { createStaffCalls, inDays } from '../../../test/staff-calls.ts';
import { recountTally } from '../dashboard/tally.sql.ts';

let portal: TestApp;
let staff: ReturnType<typeof createStaffCalls>;
beforeAll(async () => {
  portal = await openTestApp();
  staff = createStaffCalls(portal, await portal.signInAdmin());
});
afterAll(() => portal.close());

type Days = { starts_on: string; ends_on: string | null };
type Cohort = { cohort_id: string; version: number; name: string; grants: ({ id: string } & Days)[] };
const refused = (code: string, message: unknown = expect.any(String)) => ({ body: { code, message } });
let cohorts = 0;
/** Creates a cohort with a unique name. */
async function addCohort(more: object = {}): Promise<Cohort> {
  cohorts += 1;
  const { status, body } = await staff.post('/api/admin/cohorts', { name: `Cohort ${cohorts}`, ...more });
  expect(status, JSON.stringify(body)).toBe(201);
  return body as Cohort;
}
const members = ({ cohort_id }: Cohort, act: string, body: object) =>
  staff.post(`/api/admin/cohorts/${cohort_id}/members${act}`, body);
const read = async ({ cohort_id }: Cohort) => (await staff.get(`/api/admin/cohorts/${cohort_id}`)).body;
const edit = (cohort: Cohort, more: object) =>
  staff.post(`/api/admin/cohorts/${cohort.cohort_id}/edit`, {
    ...{ name: cohort.name, note: null, archived: false, version: cohort.version },
    ...more,
  });

/** Returns the audit lines about a cohort, oldest first. */
async function listLines({ cohort_id }: Cohort) {
  const { rows } = await portal.db.query<{ action: string; email: string | null; detail: object }>(
    `select a.action, u.email, a.detail from audit a left join app_user u on u.id = a.user_id
     where a.cohort_id = $1 order by a.id`,
    [cohort_id],
  );
  return rows;
}

describe('R-COHORT-10, R-COHORT-11: cohorts', () => {
  test('are created with products and days, listed, edited, archived and brought back', async () => {
    const product_id = await staff.addProduct();
    const days = { starts_on: inDays(1), ends_on: inDays(9) };
    const body = { name: '  Autumn 2026 ', note: 'Evening course', product_ids: [product_id], ...days };
    const created = await staff.post('/api/admin/cohorts', body);
    const grant = {
      id: expect.any(String),
      product_id,
      product_name: 'Tarnquill',
      ...days,
      state: 'future',
    };
    expect(created).toMatchObject({ status: 201 });
    expect(created.body).toEqual({
      cohort_id: expect.any(String),
      name: 'Autumn 2026',
      note: 'Evening course',
      archived: false,
      members: 0,
      grants: [grant],
      version: 1,
    });
    const cohort = created.body as Cohort;
    expect((await staff.get('/api/admin/cohorts')).body).toEqual([cohort]);
    expect(await read(cohort)).toMatchObject({ ...cohort, holding: 0, grants: [{ ...grant, holding: 0 }] });
    const edited = await edit(cohort, { name: 'Autumn 2027', note: ' ' });
    expect(edited.body).toEqual({ ...cohort, name: 'Autumn 2027', note: null, version: 2 });
    expect(await edit(cohort, { name: 'Autumn 2028' })).toMatchObject({
      status: 409,
      body: {
        code: 'edit_conflict',
        message: 'Somebody else changed this cohort meanwhile. Reload to see their version.',
      },
    });
    const renamed = edited.body as Cohort;
    expect((await edit(renamed, {})).body).toEqual(renamed);
    const archived = await edit(renamed, { archived: true, expected: 0 });
    expect(archived.body).toMatchObject({ archived: true, version: 3, grants: [{ state: 'archived' }] });
    expect((await staff.get('/api/admin/cohorts')).body).toEqual([]);
    expect((await staff.get('/api/admin/cohorts?archived=true')).body).toEqual([archived.body]);
    expect((await edit(archived.body as Cohort, { archived: false })).body).toMatchObject({
      archived: false,
      version: 4,
      grants: [{ state: 'future' }],
    });
    expect(await listLines(cohort)).toEqual([
      { action: 'cohort.create', email: null, detail: { name: 'Autumn 2026', note: 'Evening course' } },
      {
        action: 'grant.create',
        email: null,
        detail: { cohort_id: cohort.cohort_id, product_ids: [product_id], ...days },
      },
      {
        action: 'cohort.edit',
        email: null,
        detail: { name: ['Autumn 2026', 'Autumn 2027'], note: ['Evening course', null] },
      },
      { action: 'cohort.archive', email: null, detail: {} },
      { action: 'cohort.unarchive', email: null, detail: {} },
    ]);
  });

  test('R-TEAM-04: a viewer sees no address in a cohort', async () => {
    const cohort = await addCohort({ product_ids: [await staff.addProduct()] });
    expect(JSON.stringify(await read(cohort))).toMatch(/"granted_by":"[^"]+@/);
    const viewer = createStaffCalls(portal, await portal.signInAdmin('viewer@example.org', 'viewer'));
    const { body } = await viewer.get(`/api/admin/cohorts/${cohort.cohort_id}`);
    expect(JSON.stringify(body)).not.toContain('@');
    expect(body).toMatchObject({ grants: [{ granted_by: null }] });
  });

  test('C-12, N-66: need no products; a taken name, wrong fields and unknown ids are refused', async () => {
    const cohort = await addCohort();
    const other = await addCohort();
    expect(cohort).toMatchObject({ grants: [], note: null });
    const name = ` ${cohort.name.toUpperCase()}`;
    const taken = refused('duplicate_name', 'There is a cohort of this name already');
    expect(await staff.post('/api/admin/cohorts', { name })).toMatchObject({ status: 409, ...taken });
    expect(await edit(other, { name })).toMatchObject({ status: 409, ...taken });
    expect((await edit(cohort, { name })).status).toBe(200);
    const create = (body: object) => staff.post('/api/admin/cohorts', { name: randomUUID(), ...body });
    for (const [body, message] of [
      [{ name: ' ' }, 'name is required'],
      [{ name: 'x'.repeat(121) }, 'name must be at most 120 characters'],
      [{ name: 'a\u0007b' }, 'name must not contain control characters'],
      [{ ends_on: inDays(-1) }, 'ends_on must not be before starts_on'],
      [{ starts_on: 'soon' }, 'starts_on must be a day such as 2026-12-31'],
    ] as const)
      expect(await create(body)).toMatchObject({ status: 400, ...refused('invalid_request', message) });
    const unknown = { product_ids: [randomUUID()] };
    expect(await create(unknown)).toMatchObject({ status: 404, ...refused('product_not_found') });
    const requests: [string, object][] = [
      ['/edit', { name: 'X', note: null, archived: false, version: 1 }],
      ['/dates', { starts_on: inDays(0), ends_on: null, expected: 0 }],
      ['/members', { emails: ['a@example.org'] }],
      ['/members/remove', { emails: ['a@example.org'] }],
      ['/members/remove', { emails: 'all', expected: 1 }],
      ['/members/move', { emails: ['a@example.org'], to: cohort.cohort_id }],
    ];
    for (const id of [randomUUID(), 'none', '%00', '1']) {
      const path = `/api/admin/cohorts/${id}`;
      const notFound = { status: 404, ...refused('cohort_not_found', 'Cohort not found') };
      expect(await staff.get(path)).toMatchObject(notFound);
      for (const [act, body] of requests)
        expect(await staff.post(path + act, body), `${id} ${act}`).toMatchObject(notFound);
    }
  });

  test('R-TRAIL-01: a note with a code is refused, because the log keeps it', async () => {
    const product_id = await staff.addProduct();
    await staff.post('/api/admin/coupons/single', { coupon_code: 'NOTE-CODE', product_id });
    const note = 'Give them NOTE-CODE.';
    const refusal = {
      status: 400,
      ...refused('invalid_request', expect.stringMatching(/^Leave the code out/)),
    };
    expect(await staff.post('/api/admin/cohorts', { name: 'With a code', note })).toMatchObject(refusal);
    expect(await edit(await addCohort(), { note })).toMatchObject(refusal);
  });

  test('one more than the most is refused', async () => {
    await portal.db.query(
      `insert into cohort (name, created_by) select 'Many ' || n, 'x'
       from generate_series(1, 1000 - (select count(*)::int from cohort)) n`,
    );
    expect(await staff.post('/api/admin/cohorts', { name: 'One more' })).toMatchObject({
      status: 409,
      ...refused('too_many', 'There are 1000 cohorts already, which is the most.'),
    });
    expect((await staff.get('/api/admin/cohorts')).body as unknown[]).toHaveLength(1000);
    await portal.db.query("delete from cohort where name like 'Many %'");
  });
});

describe('R-COHORT-13: members', () => {
  test('join, leave and move; unknown addresses are created without a name', async () => {
    const [from, to] = [await addCohort(), await addCohort()];
    const known = await staff.addPerson(await staff.addProduct());
    const emails = [known, ` ${known.toUpperCase()}`, 'new-1@example.org', 'new-2@example.org'];
    expect(await members(from, '', { emails })).toMatchObject({
      status: 200,
      body: { joined: 3, already: 0, created: 2 },
    });
    expect((await members(from, '', { emails: [known, 'new-3@example.org'] })).body).toEqual({
      joined: 1,
      already: 1,
      created: 1,
    });
    expect(await read(from)).toMatchObject({ members: 4 });
    const { rows } = await portal.db.query(
      "select name, a.action, a.actor, a.detail from app_user u join audit a on a.user_id = u.id where email = 'new-1@example.org' order by a.id",
    );
    const line = { name: null, actor: 'staff@example.org', detail: {} };
    expect(rows).toEqual([
      { ...line, action: 'user.create' },
      { ...line, action: 'member.add' },
    ]);
    await members(to, '', { emails: [known] });
    const move = { emails: [known, 'new-1@example.org', 'nobody@example.org'], to: to.cohort_id };
    expect((await members(from, '/move', move)).body).toEqual({ moved: 2 });
    expect((await members(from, '/move', move)).body).toEqual({ moved: 0 });
    expect([await read(from), await read(to)]).toMatchObject([{ members: 2 }, { members: 2 }]);
    const gone = { emails: ['new-2@example.org', known, 'nobody@example.org'] };
    expect((await members(from, '/remove', gone)).body).toEqual({ removed: 1, unknown: 1 });
    expect((await members(from, '/remove', gone)).body).toEqual({ removed: 0, unknown: 1 });
    expect(await read(from)).toMatchObject({ members: 1 });
    // Lines about nobody are the summaries of lines about several people.
    const lines = (await listLines(from)).filter(({ email }) => email !== null);
    const moved = { cohort: [from.name, to.name], cohort_ids: [from.cohort_id, to.cohort_id] };
    expect(lines).toEqual([
      { action: 'member.add', email: known, detail: {} },
      { action: 'member.add', email: 'new-1@example.org', detail: {} },
      { action: 'member.add', email: 'new-2@example.org', detail: {} },
      { action: 'member.add', email: 'new-3@example.org', detail: {} },
      { action: 'member.move', email: known, detail: moved },
      { action: 'member.move', email: 'new-1@example.org', detail: moved },
      { action: 'member.remove', email: 'new-2@example.org', detail: {} },
    ]);
    expect((await recountTally(portal.db, new Date())).wrong).toBe(0);
  });

  test('an address that is none is named with its line; a list has 1 to 500 addresses', async () => {
    const cohort = await addCohort();
    const bad = 'Line 2: "amara example.org" is not an address such as name@example.org';
    for (const [act, more] of [
      ['', {}],
      ['/remove', {}],
      ['/move', { to: cohort.cohort_id }],
    ] as const) {
      const send = (emails: unknown) => members(cohort, act, { emails, ...more });
      const refusal = (message: string) => ({ status: 400, ...refused('invalid_request', message) });
      expect(await send(['a@example.org', ' Amara Example.org'])).toMatchObject(refusal(bad));
      expect(await send([])).toMatchObject(refusal('emails must name at least one address'));
      const many = Array.from({ length: 501 }, (_, n) => `a${n}@example.org`);
      expect(await send(many)).toMatchObject(refusal('emails must name at most 500 addresses'));
      expect((await send('some')).status).toBe(400);
    }
    const to = { to: cohort.cohort_id };
    expect(await members(cohort, '/move', { emails: ['a@example.org'], ...to })).toMatchObject({
      status: 400,
      ...refused('invalid_request', 'to must be another cohort'),
    });
    for (const act of ['/remove', '/move'])
      expect(await members(cohort, act, { emails: 'all', ...to })).toMatchObject({
        status: 400,
        ...refused('invalid_request', 'expected is required'),
      });
    const longest = Array.from(
      { length: 500 },
      (_, n) => `${n}${'x'.repeat(60)}@${'y'.repeat(60)}.${'z'.repeat(60)}.${'z'.repeat(60)}.example`,
    );
    expect((await members(cohort, '', { emails: longest })).body).toMatchObject({ joined: 500 });
  });

  test('R-COHORT-05: a person is in at most 50 cohorts; moving needs no room', async () => {
    const [last, next] = [await addCohort(), await addCohort()];
    await members(last, '', { emails: ['full@example.org'] });
    await portal.db.query(
      `with added as (
         insert into cohort (name, created_by) select 'Full ' || n, 'x' from generate_series(1, 49) n returning cohort_id
       )
       insert into cohort_member (cohort_id, user_id, joined_by)
       select cohort_id, u.id, 'x' from added, app_user u where email = 'full@example.org'`,
    );
    const emails = ['free@example.org', 'full@example.org'];
    expect(await members(next, '', { emails })).toMatchObject({
      status: 409,
      ...refused('too_many', 'full@example.org is in 50 cohorts already, which is the most.'),
    });
    expect(await read(next)).toMatchObject({ members: 0 });
    expect((await members(last, '', { emails })).body).toEqual({ joined: 1, already: 1, created: 1 });
    expect((await members(last, '/move', { emails, to: next.cohort_id })).body).toEqual({ moved: 2 });
  });
});

describe('N-95, N-96, R-COHORT-12: grants of a cohort', () => {
  test('dates change live and future grants, and none that is over or withdrawn', async () => {
    const products = await Promise.all(['a', 'b', 'c', 'd'].map(() => staff.addProduct()));
    const cohort = await addCohort({ product_ids: products.slice(0, 1) });
    const give = (product_id: string | undefined, days: object) =>
      staff.post('/api/admin/grants', { cohort_id: cohort.cohort_id, product_ids: [product_id], ...days });
    await give(products[1], { starts_on: inDays(3), ends_on: inDays(5) });
    await give(products[2], { starts_on: '2020-01-01', ends_on: inDays(-1) });
    const { body } = await give(products[3], { starts_on: inDays(0) });
    const { grants } = body as Cohort;
    expect(
      (await staff.post(`/api/admin/grants/${grants[0]?.id}/withdraw`, { reason: 'Left', expected: 0 }))
        .status,
    ).toBe(200);
    const days = { starts_on: inDays(1), ends_on: inDays(30) };
    const set = (more: object = {}) =>
      staff.post(`/api/admin/cohorts/${cohort.cohort_id}/dates`, { expected: 0, ...days, ...more });
    expect((await set()).body).toEqual({ changed: 2 });
    expect((await set()).body).toEqual({ changed: 2 });
    expect(await read(cohort)).toMatchObject({
      grants: [
        { product_id: products[2], state: 'over', starts_on: '2020-01-01' },
        { product_id: products[1], state: 'future', ...days },
        { product_id: products[0], state: 'future', ...days },
      ],
    });
    const lines = (await listLines(cohort)).filter(({ action }) => action === 'cohort.dates');
    expect(lines).toMatchObject([{ detail: { ...days, product_ids: expect.any(Array) } }]);
    expect(await set({ ends_on: inDays(0) })).toMatchObject({
      status: 400,
      ...refused('invalid_request', 'ends_on must not be before starts_on'),
    });
  });

  test('R-COHORT-12: a stale dialog does not undo days of a cohort that somebody else has set meanwhile', async () => {
    const products = [await staff.addProduct(), await staff.addProduct()];
    const cohort = await addCohort({ product_ids: products });
    const seen = (of: Cohort) => of.grants.map(({ id, starts_on, ends_on }) => ({ id, starts_on, ends_on }));
    const [first] = seen(cohort);
    const theirs = { starts_on: inDays(0), ends_on: inDays(90) };
    const editFirst = (more: object) =>
      staff.post(`/api/admin/grants/${first?.id}/edit`, { reason: 'Course ends', expected: 0, ...more });
    expect((await editFirst({ ...theirs, was: first })).status).toBe(200);
    const days = { starts_on: inDays(1), ends_on: null };
    const setAll = (was: object) =>
      staff.post(`/api/admin/cohorts/${cohort.cohort_id}/dates`, { expected: 0, ...days, was });
    const conflict = {
      status: 409,
      ...refused('edit_conflict', 'Somebody else changed these dates meanwhile.'),
    };
    const before = (await read(cohort)) as Cohort;
    expect(await editFirst({ ...days, was: first })).toMatchObject(conflict);
    expect(await setAll(seen(cohort))).toMatchObject(conflict);
    // The call is refused if the cohort has a grant that the page did not show.
    expect(await setAll(seen(before).slice(1))).toMatchObject(conflict);
    expect(await read(cohort)).toEqual(before);
    expect((await setAll(seen(before))).body).toEqual({ changed: 2 });
    // A repeated call changes nothing.
    expect((await setAll(seen(before))).body).toEqual({ changed: 2 });
  });

  test('R-COHORT-11, R-COHORT-12: acts that end access are refused without `expected`, or if there are more members', async () => {
    const product_id = await staff.addProduct();
    const cohort = await addCohort({ product_ids: [product_id] });
    await members(cohort, '', { emails: ['one@example.org', 'two@example.org'] });
    const days = { starts_on: inDays(0), ends_on: inDays(9), reason: 'Shorter' };
    const acts: ((expected?: number) => ReturnType<typeof staff.post>)[] = [
      (expected) => staff.post(`/api/admin/cohorts/${cohort.cohort_id}/dates`, { ...days, expected }),
      (expected) =>
        staff.post(`/api/admin/grants/${cohort.grants[0]?.id}/edit`, {
          ...{ ...days, expected, ends_on: inDays(8) },
        }),
      (expected) => edit(cohort, { archived: true, expected }),
      (expected) =>
        staff.post(`/api/admin/grants/${cohort.grants[0]?.id}/withdraw`, { reason: 'Left', expected }),
    ];
    for (const act of acts) {
      const before = await read(cohort);
      expect(await act(1)).toMatchObject({ status: 409, body: { code: 'count_changed', count: 2 } });
      expect(await read(cohort)).toEqual(before);
      expect((await act(-1)).status).toBe(400);
      expect(await act()).toMatchObject({ status: 400, body: { message: 'expected is required' } });
      expect((await act(3)).status).toBe(200);
      expect(await read(cohort)).not.toEqual(before);
    }
  });

  test('N-94: `holding` counts the members who hold a code', async () => {
    const [one, two] = [await staff.addProduct(), await staff.addProduct()];
    for (const coupon_code of ['HOLD-1', 'HOLD-2', 'HOLD-3'])
      for (const product_id of [one, two])
        await staff.post('/api/admin/coupons/single', { coupon_code, product_id });
    const cohort = await addCohort({ product_ids: [one] });
    const emails = ['h1@example.org', 'h2@example.org', 'h3@example.org'];
    await members(cohort, '', { emails });
    await staff.post('/api/admin/users/single', { email: emails[1], name: 'Two', product_ids: [two] });
    const issue = async (email: string | undefined, productId: string) => {
      const { status, body } = await staff.post('/api/admin/generate-coupon', { email, productId });
      expect(status, JSON.stringify(body)).toBe(200);
    };
    await issue(emails[0], one);
    await issue(emails[1], one);
    await issue(emails[1], two);
    expect(await read(cohort)).toMatchObject({ holding: 2, grants: [{ holding: 2 }] });
    await portal.db.query(
      `update coupon set revoked_at = now(), revoked_by = 'x', revoke_reason = 'Lost'
       where product_id = $1 and holder = (select id from app_user where email = $2)`,
      [one, emails[0]],
    );
    expect(await read(cohort)).toMatchObject({ holding: 1, grants: [{ holding: 1 }] });
    await staff.post('/api/admin/grants', { cohort_id: cohort.cohort_id, product_ids: 'all' });
    await staff.post('/api/admin/cohorts', { name: 'empty' });
    expect(await read(cohort)).toMatchObject({ holding: 1, grants: [{ holding: 1 }, { holding: 1 }] });
  });
});
