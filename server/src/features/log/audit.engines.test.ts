// Tests the API calls that read the audit log.
import { randomUUID } from 'node:crypto';
import type { AuditLine, Product, TeamRole } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../../test/factories.ts';
import { REDEEM_TOOLS } from '../../../test/fill-database.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { exportAudit } from './audit.ts';

const MANAGER = 'noor@example.org';
const LEARNER = 'jonas@example.org';

let portal: TestApp;
let token: string;
let supportToken: string;
let product: Product;
beforeAll(async () => {
  portal = await openTestApp();
  token = await portal.signInAdmin(MANAGER, 'manager');
  await portal.db.query("update app_user set name = 'Noor' where email = $1", [MANAGER]);
  supportToken = await portal.signInAdmin('ravi@example.org', 'support');
  product = await addProduct(portal.db, { name: 'Tarnquill', codes: ['ABCD-EFGH-K5M7', 'ABCD-EFGH-Q8R9'] });
  await addProduct(portal.db, { name: 'Other', codes: ['OTHER-CODE-0001'] });
  const caller = await addLearner(portal.db, [product], LEARNER);
  await redeemCoupon(portal.db, { caller, productId: product.product_id }, REDEEM_TOOLS);
  const body = { reason: 'partner says used', replace: true };
  const { rows } = await portal.db.query<{ id: string }>('select id from coupon where holder is not null');
  await portal.call('POST', `/api/admin/coupons/${rows[0]?.id}/revoke`, { token, body });
});
afterAll(() => portal.close());

async function read(query: string, as = token) {
  const { status, body, headers } = await portal.call('GET', `/api/admin/audit?${query}`, { token: as });
  return { status, lines: body as AuditLine[], body, headers };
}
const actionsOf = (lines: AuditLine[]) => lines.map(({ action }) => action);

describe('R-TRAIL-03: the log', () => {
  test('shows who, when, by what way, from where and about what; newest first', async () => {
    const { lines } = await read(`limit=10&product_id=${product.product_id}&kind=coupon`);
    expect(actionsOf(lines)).toEqual(['coupon.replace', 'coupon.revoke', 'coupon.redeem']);
    expect(lines[1]).toEqual({
      id: expect.stringMatching(/^\d+$/),
      at: expect.stringMatching(/Z$/),
      actor: MANAGER,
      actor_name: 'Noor',
      action: 'coupon.revoke',
      via: 'page',
      ip: '127.0.0.1',
      person: { user_id: expect.any(String), email: LEARNER, name: expect.anything() },
      product: { product_id: product.product_id, name: 'Tarnquill' },
      coupon: { id: expect.any(String), hint: 'K5M7' },
      cohort: null,
      batch: null,
      detail: expect.objectContaining({ reason: 'partner says used' }),
      group_id: null,
    });
    expect(lines[2]).toMatchObject({ actor: 'learner', actor_name: null, ip: null });
  });

  test('R-TRAIL-02: a line keeps the name of who acted, also when the address belongs to somebody else by now', async () => {
    const [office, alice] = ['office@example.org', 'alice@example.org'];
    const ownerToken = await portal.signInAdmin('olga@example.org', 'owner');
    const officeToken = await portal.signInAdmin(office, 'manager');
    await portal.db.query("update app_user set name = 'Alice' where email = $1", [office]);
    const old = await portal.db.query<{ id: string; user_id: string }>(
      'select id, user_id from app_user where email = $1',
      [office],
    );
    const emails = ['first@example.org'];
    const { body: cohort } = await portal.call('POST', '/api/admin/cohorts', {
      token: officeToken,
      body: { name: 'Of Alice', product_ids: [product.product_id] },
    });
    const { cohort_id } = cohort as { cohort_id: string };
    await portal.call('POST', `/api/admin/cohorts/${cohort_id}/members`, {
      token: officeToken,
      body: { emails },
    });
    await portal.call('POST', `/api/admin/people/${old.rows[0]?.user_id}/edit`, {
      token: ownerToken,
      body: { email: alice, name: 'Alice A.', phone_number: null },
    });
    await portal.signInAdmin(office, 'manager');
    await portal.db.query("update app_user set name = 'Boris' where email = $1", [office]);
    const { lines } = await read(`limit=50&actor=${office}`);
    const byAlice = lines.filter(({ action }) => /^(cohort|grant|member|user)/.test(action));
    expect(actionsOf(byAlice).sort()).toEqual([
      ...['cohort.create', 'grant.create', 'member.add', 'user.create'],
    ]);
    expect(new Set(byAlice.map(({ actor_name }) => actor_name))).toEqual(new Set(['Alice']));
    const { rows } = await portal.db.query<{ actor_id: string }>(
      "select distinct actor_id from audit where actor = $1 and action in ('cohort.create', 'member.add')",
      [office],
    );
    expect(rows).toEqual([{ actor_id: old.rows[0]?.id }]);
    // An audit line of the previous version has neither `via` nor an IP address.
    await portal.db.query("insert into audit (actor, action) values ($1, 'tally.recount')", [office]);
    expect((await read(`limit=1&actor=${office}`)).lines).toMatchObject([{ actor_name: 'Boris' }]);
  });

  test('shows no IP address to support, and no full code to anybody', async () => {
    const { lines, body } = await read('limit=200', supportToken);
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.every(({ ip }) => ip === null)).toBe(true);
    expect(JSON.stringify([body, (await read('limit=200')).body])).not.toMatch(/ABCD|OTHER-CODE/);
  });

  test('is read by person, product, code, upload and member of the team', async () => {
    const { lines } = await read('limit=200');
    const [code] = lines.filter(({ action }) => action === 'coupon.redeem');
    const subjects = {
      [`email=${LEARNER}`]: (line: AuditLine) => line.person?.email === LEARNER,
      [`product_id=${product.product_id}`]: (line: AuditLine) =>
        line.product?.product_id === product.product_id,
      [`coupon_id=${code?.coupon?.id}`]: (line: AuditLine) => line.coupon?.id === code?.coupon?.id,
      [`actor=${MANAGER}`]: (line: AuditLine) => line.actor === MANAGER,
      'actor=learner': (line: AuditLine) => line.actor === 'learner',
      'actor=operator': (line: AuditLine) => line.actor === 'operator',
    };
    for (const [subject, isOf] of Object.entries(subjects)) {
      const expected = lines.filter(isOf);
      expect(expected.length, subject).toBeGreaterThan(0);
      expect((await read(`limit=200&${subject}`)).lines, subject).toEqual(expected);
    }
  });

  test('R-COHORT: a person’s lines contain those about the access of the person’s cohorts, in order', async () => {
    const post = async (path: string, body: object) =>
      (await portal.call('POST', `/api/admin${path}`, { token, body })).body as Record<string, string>;
    const member = 'member@example.org';
    const cohort = await post('/cohorts', { name: 'Autumn', note: null, product_ids: [product.product_id] });
    await post(`/cohorts/${cohort.cohort_id}/members`, { emails: [member, 'other@example.org'] });
    await post(`/cohorts/${cohort.cohort_id}/dates`, { starts_on: '2026-01-01', ends_on: null, expected: 2 });
    const [added] = (await read(`limit=1&email=${member}&kind=member`)).lines;
    await post('/notes', { user_id: added?.person?.user_id, text: 'Called.' });
    const { lines } = await read(`limit=50&email=${member}`);
    expect(actionsOf(lines)).toEqual([
      ...['note.add', 'cohort.dates', 'member.add', 'user.create', 'grant.create', 'cohort.create'],
    ]);
    expect(lines[4]).toMatchObject({ cohort: { name: 'Autumn' }, person: null });
    const pages = [await read(`limit=3&email=${member}`)];
    pages.push(await read(`limit=9&email=${member}&cursor=${pages[0]?.headers['x-next-cursor']}`));
    expect(pages.flatMap((page) => page.lines)).toEqual(lines);
    expect(actionsOf((await read(`limit=9&email=${member}&kind=cohort`)).lines)).toEqual([
      'cohort.dates',
      'cohort.create',
    ]);
    await post(`/cohorts/${cohort.cohort_id}/members/remove`, { emails: [member] });
    expect(actionsOf((await read(`limit=50&email=${member}`)).lines)).toEqual([
      'member.remove',
      'note.add',
      'member.add',
      'user.create',
    ]);
  });

  test('R-TRAIL-52: a cohort’s lines say how many people were moved into it', async () => {
    const post = async (path: string, body: object) =>
      (await portal.call('POST', `/api/admin${path}`, { token, body })).body as Record<string, string>;
    const [from, to] = [
      await post('/cohorts', { name: 'Left' }),
      await post('/cohorts', { name: 'Reached' }),
    ];
    const emails = ['moved@example.org', 'both@example.org'];
    await post(`/cohorts/${from.cohort_id}/members`, { emails });
    await post(`/cohorts/${to.cohort_id}/members`, { emails: ['both@example.org'] });
    await post(`/cohorts/${from.cohort_id}/members/move`, { emails, to: to.cohort_id });
    // The count does not include the person who was already a member of the other cohort.
    const { lines } = await read(`limit=50&cohort_id=${to.cohort_id}`);
    expect(actionsOf(lines)).toEqual(['member.arrive', 'member.add', 'cohort.create']);
    expect(lines[0]).toMatchObject({
      ...{ person: null, cohort: { name: 'Reached' } },
      detail: { count: 1, cohort: ['Left', 'Reached'] },
    });
    const left = (await read(`limit=50&cohort_id=${from.cohort_id}`)).lines;
    expect(actionsOf(left)).toEqual(['member.move', 'member.add', 'cohort.create']);
    await post(`/cohorts/${to.cohort_id}/members/move`, {
      emails: ['nobody@example.org'],
      to: from.cohort_id,
    });
    expect((await read(`limit=50&cohort_id=${from.cohort_id}`)).lines).toEqual(left);
  });

  test('is filtered by the nouns of acts', async () => {
    const { lines } = await read('limit=200');
    const wanted = lines.filter(({ action }) => /^(coupon|team)\./.test(action));
    expect(new Set(wanted.map(({ action }) => action.split('.')[0])).size).toBe(2);
    expect((await read('limit=200&kind=coupon,team')).lines).toEqual(wanted);
  });

  test('comes in pages that neither skip nor repeat a line, also while lines are added', async () => {
    const all = (await read('limit=200')).lines;
    const pages: AuditLine[] = [];
    let cursor = '';
    do {
      const { lines, headers } = await read(`limit=3${cursor}`);
      expect(headers['x-total-count']).toBeUndefined();
      pages.push(...lines);
      cursor = headers['x-next-cursor'] === undefined ? '' : `&cursor=${headers['x-next-cursor']}`;
      await portal.db.query("insert into audit (actor, action) values ('portal', 'tally.recount')");
    } while (cursor !== '');
    expect(pages).toEqual(all);
  });

  test('R-TRAIL-62: is filtered by days, which are inclusive, and keeps the order of the ids when a clock goes back', async () => {
    const { product_id } = await addProduct(portal.db, { name: 'Dated' });
    for (const at of [
      '2020-03-01T23:59:59Z',
      '2020-03-02T12:00:00Z',
      '2020-03-01T12:00:00Z',
      '2020-03-03T00:00:00Z',
    ])
      await portal.db.query(
        "insert into audit (at, actor, action, product_id) values ($1, 'portal', 'product.edit', $2)",
        [at, product_id],
      );
    const days = async (query: string) =>
      (await read(`limit=10&product_id=${product_id}&${query}`)).lines.map(({ at }) => at.slice(0, 10));
    expect(await days('from=2020-03-01&to=2020-03-01')).toEqual(['2020-03-01', '2020-03-01']);
    expect(await days('from=2020-03-02&to=2020-03-03')).toEqual(['2020-03-03', '2020-03-02']);
    expect(await days('to=2020-03-02')).toEqual(['2020-03-01', '2020-03-02', '2020-03-01']);
    expect(await days('from=2020-03-04&to=2020-03-05')).toEqual([]);
    expect((await read('limit=10&from=2020-03-01&to=2020-03-01')).lines).toHaveLength(2);
  });

  test.each([
    [
      'email=a@example.org&actor=portal',
      400,
      /^Choose one of email, product_id, coupon_id, cohort_id, batch_id and/,
    ],
    ['kind=coupon,nothing', 400, /^kind must be one or more of coupon, grant, /],
    ['from=2026-02-30', 400, /^from must be a day such as 2026-12-31$/],
    ['from=2026-02-02&to=2026-02-01', 400, /^to must not be before from$/],
    ['limit=201', 400, /^limit must be from 1 to 200$/],
    ['limit=', 400, /^limit must be/],
    ['cursor=x', 400, /^cursor must be/],
    ['email=nobody@example.org', 404, /^User not found$/],
    [`product_id=${randomUUID()}`, 404, /^Product not found$/],
    ['product_id=x', 404, /^Product not found$/],
    ['coupon_id=999999999', 404, /^Coupon not found$/],
    ['coupon_id=x', 404, /^Coupon not found$/],
    [`cohort_id=${randomUUID()}`, 404, /^Cohort not found$/],
    ['batch_id=99999999999999999999', 404, /^Upload not found$/],
  ])('N-35: %s is refused: %i %s', async (query, status, message) => {
    const answer = await read(query.startsWith('limit') ? query : `limit=10&${query}`);
    expect(answer).toMatchObject({ status, body: { message: expect.stringMatching(message) } });
  });

  test('R-TRAIL-03: needs a limit', async () => {
    expect((await read('kind=coupon')).status).toBe(400);
  });
});

describe('R-TRAIL-04: a page looks at 5,000 lines or entries at most', () => {
  let product_id: string;
  beforeAll(async () => {
    ({ product_id } = await addProduct(portal.db, { name: 'Busy' }));
    await portal.db.query(
      `insert into audit (actor, action, product_id) values ('portal', 'product.pause', $1)`,
      [product_id],
    );
    await portal.db.query(
      `insert into audit (actor, action, product_id)
       select 'learner', 'coupon.redeem', $1 from generate_series(1, 12000)`,
      [product_id],
    );
  });

  test('then says how far it looked, and the next page goes on there', async () => {
    const query = `limit=10&product_id=${product_id}&kind=product`;
    let { lines, headers } = await read(query);
    for (const _page of [1, 2]) {
      expect(lines).toEqual([]);
      expect(headers['x-looked-until']).toMatch(/Z$/);
      ({ lines, headers } = await read(`${query}&cursor=${headers['x-next-cursor']}`));
    }
    expect(actionsOf(lines)).toEqual(['product.pause', 'product.create']);
    expect(headers).not.toHaveProperty('x-next-cursor');
    expect(headers).not.toHaveProperty('x-looked-until');
  });
});

describe('R-TRAIL-05: the log as CSV', () => {
  const download = async (query: string, as = token) =>
    portal.app.inject({ url: `/api/admin/audit.csv?${query}`, headers: { authorization: `Bearer ${as}` } });

  test('has the lines of all pages, is safe in spreadsheets, and is itself a line of the log', async () => {
    await portal.db.query("update app_user set name = '=1+1' where email = $1", [LEARNER]);
    await portal.db.query(
      `insert into audit (actor, action, product_id, detail) values ('=cmd()', 'product.edit', $1, '{"a": "b,\\"c"}')`,
      [product.product_id],
    );
    const { lines } = await read(`limit=200&product_id=${product.product_id}`);
    const file = await download(`product_id=${product.product_id}`);
    expect(file.headers['content-type']).toBe('text/csv; charset=utf-8');
    const [head, ...rows] = file.body.trimEnd().split('\r\n');
    expect(head).toBe('\uFEFFid,at,actor,action,via,ip,person,product,coupon,cohort,batch,detail');
    expect(rows.map((row) => row.split(',')[0])).toEqual(lines.map(({ id }) => id));
    expect(rows[0]).toBe(
      `${lines[0]?.id},${lines[0]?.at},'=cmd(),product.edit,page,,,Tarnquill,,,,"{""a"":""b,\\""c""}"`,
    );
    expect(file.body).not.toMatch(/ABCD/);
    expect((await read('limit=1')).lines[0]).toMatchObject({
      actor: MANAGER,
      action: 'audit.export',
      detail: { product_id: product.product_id },
    });
  });

  test('holds every line of a long log', async () => {
    const { rows } = await portal.db.query<{ total: number }>(
      "select count(*)::int as total from audit where action = 'coupon.redeem'",
    );
    const file = await download('kind=coupon&actor=learner');
    expect(file.body.trimEnd().split('\r\n')).toHaveLength(1 + (rows[0]?.total ?? 0));
  });

  test('is refused for support', async () => {
    expect((await download('', supportToken)).json()).toMatchObject({ code: 'role_too_low' });
  });

  test('R-TEAM-22: breaks off when the role is taken away meanwhile', async () => {
    await portal.db.query(
      `insert into audit (actor, action) select 'portal', 'tally.recount' from generate_series(1, 5000)`,
    );
    const { rows } = await portal.db.query<{ id: string; team_role: TeamRole }>(
      'select id, team_role from app_user where email = $1',
      [MANAGER],
    );
    const caller = { user_id: rows[0]?.id ?? '', email: MANAGER, name: null, user_role: 'admin' as const };
    const file = await exportAudit(
      portal.db,
      { caller: { ...caller, auth_id: '', session_id: null, team_role: 'manager' }, from: null, to: null },
      { timeZone: 'UTC', pause: () => Promise.resolve(), countCalls: () => 0 },
    );
    let text = '';
    const reading = (async () => {
      for await (const part of file) {
        if (text !== '')
          await portal.db.query("update app_user set team_role = 'support' where email = $1", [MANAGER]);
        text += part;
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'role_too_low' });
    expect(text.split('\r\n')).toHaveLength(1 + 1_000 + 1);
    await portal.db.query("update app_user set team_role = 'manager' where email = $1", [MANAGER]);
  });
});
