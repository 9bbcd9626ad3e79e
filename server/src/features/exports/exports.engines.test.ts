// Tests the exports of codes, people and redemptions as CSV (R-IMP-20 to R-IMP-23, N-04, N-05, N-82).
import { randomUUID } from 'node:crypto';
import type { AuditLine, Product } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct, startSessionOf, utcDayOf } from '../../../test/factories.ts';
import { REDEEM_TOOLS } from '../../../test/fill-database.ts';
import { addCohort } from '../../../test/lifecycle.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { writeUploadFile } from '../../bulk/routes.ts';
import { requireImport } from '../../bulk/uploads.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { findCaller, type Member } from '../team/callers.sql.ts';
import { exportCodes, exportRedemptions, toCsv } from './exports.ts';

const CODES = ['VLQY-8K2P-55XA', 'VLQY-8K2P-55XB', 'VLQY-8K2P-55XC', 'VLQY-8K2P-55XD'];
const LEARNER = 'jonas@example.org';

let portal: TestApp;
let tokens: Record<'manager' | 'support' | 'viewer', string>;
let product: Product;
let other: Product;
let cohort_id: string;
beforeAll(async () => {
  portal = await openTestApp();
  tokens = {
    manager: await portal.signInAdmin('noor@example.org', 'manager'),
    support: await portal.signInAdmin('ravi@example.org', 'support'),
    viewer: await portal.signInAdmin('hanne@example.org', 'viewer'),
  };
  product = await addProduct(portal.db, { name: '=Velloquy', codes: CODES });
  other = await addProduct(portal.db, { name: 'Other', codes: ['OTHER-CODE-0001'] });
  const jonas = await addLearner(portal.db, [product], LEARNER);
  const mara = await addLearner(portal.db, [product, other], 'mara@example.org');
  cohort_id = await addCohort(portal.db, [jonas]);
  await portal.db.query('update cohort set name = \'Autumn; "2026"\'');
  for (const caller of [jonas, mara])
    await redeemCoupon(portal.db, { caller, productId: product.product_id }, REDEEM_TOOLS);
  await portal.db.query(
    `update coupon set revoked_at = '2026-11-02T10:00:00Z', revoked_by = 'noor@example.org', revoke_reason = 'refund'
     where holder = $1`,
    [mara.user_id],
  );
  await portal.db.query(
    `update coupon set voided_at = now(), voided_by = 'noor@example.org', void_reason = 'dead' where coupon_code = $1`,
    [CODES[3]],
  );
  await portal.db.query("update coupon set use_by = '2027-02-28' where coupon_code = $1", [CODES[2]]);
  await portal.db.query("update app_user set name = $2, phone_number = '+49 30 1' where email = $1", [
    LEARNER,
    'Jönas, "J"',
  ]);
});
afterAll(() => portal.close());

async function download(what: string, query = '', role: keyof typeof tokens = 'manager') {
  const headers = { authorization: `Bearer ${tokens[role]}` };
  const {
    statusCode,
    body,
    headers: sent,
  } = await portal.app.inject({ url: `/api/admin/export/${what}.csv?${query}`, headers });
  expect(body.startsWith('\uFEFF'), body).toBe(true);
  expect(sent['content-type']).toBe('text/csv; charset=utf-8');
  expect(sent['content-disposition']).toBe(`attachment; filename="${what}.csv"`);
  expect(statusCode).toBe(200);
  const [head, ...rows] = body.slice(1).trimEnd().split('\r\n');
  return { head, rows };
}
const refusal = async (what: string, query: string, role: keyof typeof tokens = 'manager') =>
  (await portal.call('GET', `/api/admin/export/${what}.csv?${query}`, { token: tokens[role] })).body;
const TIME = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;

describe('R-IMP-20: codes', () => {
  test('have their state, holder, reason and upload, newest first', async () => {
    const { head, rows } = await download('codes', `product_id=${product.product_id}`);
    expect(head).toBe('code,product,status,use_by,email,assigned_at,revoked_at,reason,file_name');
    expect(rows).toHaveLength(4);
    const rowOf = (code: string | undefined) => rows.find((row) => row.startsWith(`${code},`));
    expect(rowOf(CODES[0])).toMatch(RegExp(`^${CODES[0]},'=Velloquy,assigned,,${LEARNER},${TIME},,,$`));
    expect(rowOf(CODES[1])).toMatch(
      RegExp(`^${CODES[1]},'=Velloquy,revoked,,mara@example.org,${TIME},2026-11-02T10:00:00.000Z,refund,$`),
    );
    expect(rowOf(CODES[2])).toBe(`${CODES[2]},'=Velloquy,available,2027-02-28,,,,,`);
    expect(rowOf(CODES[3])).toBe(`${CODES[3]},'=Velloquy,void,,,,,dead,`);
  });

  test('are filtered by product, state and upload', async () => {
    const { rows } = await portal.db.query<{ id: string }>(
      'select max(batch_id) as id from coupon where product_id = $1',
      [product.product_id],
    );
    const count = async (query: string) =>
      (await download('codes', query)).rows.filter((row) => row !== '').length;
    expect(await count('')).toBe(5);
    expect(await count(`product_id=${other.product_id}`)).toBe(1);
    expect(await count('status=available')).toBe(2);
    expect(await count(`status=revoked&product_id=${product.product_id}`)).toBe(1);
    expect(await count(`status=revoked&product_id=${other.product_id}`)).toBe(0);
    expect(await count(`batch_id=${rows[0]?.id}`)).toBe(4);
    expect(await count(`batch_id=${rows[0]?.id}&status=void`)).toBe(1);
    expect(await count(`batch_id=${rows[0]?.id}&product_id=${other.product_id}`)).toBe(0);
  });
});

describe('R-IMP-20: people', () => {
  test('have their cohorts, and times', async () => {
    const { head, rows } = await download('users', `cohort_id=${cohort_id}`);
    expect(head).toBe('email,name,phone_number,cohorts,created_at,last_sign_in_at');
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatch(
      RegExp(`^${LEARNER},"Jönas, ""J""",'\\+49 30 1,"Autumn; ""2026""",${TIME},(?:${TIME})?$`),
    );
  });

  test('are filtered by role and by words', async () => {
    const emails = async (query: string) =>
      (await download('users', query)).rows.map((row) => row.split(',')[0]);
    expect(await emails('role=admin')).toEqual(['hanne@example.org', 'ravi@example.org', 'noor@example.org']);
    expect(await emails('q=jonas+example')).toEqual([LEARNER]);
    expect(await emails('q=nobody')).toEqual([]);
    expect(await emails('')).toHaveLength(5);
  });
});

describe('R-IMP-20, N-04, N-05: redemptions', () => {
  test('a manager sees people and whole codes', async () => {
    const { head, rows } = await download('redemptions', `product_id=${product.product_id}`);
    expect(head).toBe('assigned_at,email,name,product,code,cohorts,by,visited_at,outcome,state');
    expect(rows).toHaveLength(2);
    expect(rows.find((row) => row.includes(LEARNER))).toMatch(
      RegExp(`^${TIME},${LEARNER},"Jönas, ""J""",'=Velloquy,${CODES[0]},"Autumn; ""2026""",learner,,,held$`),
    );
    expect(rows.find((row) => row.includes('mara'))).toMatch(/,revoked$/);
  });

  test('support sees hints, a viewer neither addresses nor names', async () => {
    const support = await download('redemptions', '', 'support');
    expect(support.head).toBe('assigned_at,email,name,product,code,cohorts,by,visited_at,outcome,state');
    expect(support.rows.join()).toContain('••••55XA');
    const viewer = await download('redemptions', '', 'viewer');
    expect(viewer.head).toBe('assigned_at,product,code,cohorts,visited_at,outcome,state');
    for (const { rows } of [support, viewer]) expect(rows.join()).not.toMatch(/VLQY/);
    expect(viewer.rows.join()).not.toMatch(/@|nas/);
  });

  test('are filtered by cohort, and by days of the portal’s time zone, both included', async () => {
    await portal.db.query("insert into app_user (email) values ('late@example.org')");
    await addCodes(portal.db, other, ['OTHER-CODE-0002']);
    await portal.db.query(
      `update coupon set holder = (select id from app_user where email = 'late@example.org'), is_current = true,
         assigned_by = 'learner', assigned_at = '2026-03-05T23:59:59.999Z' where coupon_code = 'OTHER-CODE-0002'`,
    );
    const emails = async (query: string) =>
      (await download('redemptions', query)).rows.filter((row) => row !== '').map((row) => row.split(',')[1]);
    expect(await emails(`cohort_id=${cohort_id}`)).toEqual([LEARNER]);
    expect(await emails('from=2026-03-05&to=2026-03-05')).toEqual(['late@example.org']);
    expect(await emails('to=2026-03-04')).toEqual([]);
    expect(await emails('from=2026-03-06&to=2026-03-07')).toEqual([]);
    expect(await emails(`to=2026-03-05&product_id=${product.product_id}`)).toEqual([]);
  });
});

test('N-82: with codes hidden from every role, exports hold hints', async () => {
  const masked = await openTestApp({ codesMasked: true });
  await addProduct(masked.db, { codes: CODES });
  const token = await masked.signInAdmin('noor@example.org', 'owner');
  const { body } = await masked.app.inject({
    url: '/api/admin/export/codes.csv',
    headers: { authorization: `Bearer ${token}` },
  });
  await masked.close();
  expect(body).not.toContain('VLQY');
  expect(body).toContain('••••55XA,');
});

test('an unknown product, cohort or upload is 404, a wrong day 400', async () => {
  for (const product_id of ['nope', randomUUID()])
    for (const what of ['codes', 'redemptions'])
      expect(await refusal(what, `product_id=${product_id}`)).toMatchObject({ code: 'product_not_found' });
  for (const what of ['users', 'redemptions'])
    for (const unknown of ['nope', randomUUID()])
      expect(await refusal(what, `cohort_id=${unknown}`)).toMatchObject({ code: 'cohort_not_found' });
  for (const batch_id of ['nope', '999999', '99999999999999999999'])
    expect(await refusal('codes', `batch_id=${batch_id}`)).toMatchObject({ code: 'not_found' });
  expect(await refusal('redemptions', 'from=2026-02-30')).toMatchObject({
    message: 'from must be a day such as 2026-12-31',
  });
  expect(await refusal('redemptions', 'from=2026-03-02&to=2026-03-01')).toMatchObject({
    message: 'to must not be before from',
  });
});

const callerOf = async (email: string) => {
  const { rows } = await portal.db.query<{ id: string }>('select id from app_user where email = $1', [email]);
  return {
    user_id: rows[0]?.id ?? '',
    email,
    name: null,
    user_role: 'admin' as const,
    auth_id: '',
    session_id: null,
    team_role: 'manager' as const,
  };
};
const TOOLS = {
  ...{ timeZone: 'UTC', now: () => new Date(), dayOf: utcDayOf, codesMasked: false },
  ...{ pause: () => Promise.resolve(), countCalls: () => 0 },
};
const lastLines = async () =>
  (await portal.call('GET', '/api/admin/audit?limit=2&kind=export', { token: tokens.manager }))
    .body as AuditLine[];

describe('R-IMP-23: the log tells of an export', () => {
  test('when it begins, with its filters, and when it ends, with its rows', async () => {
    await download('codes', `product_id=${product.product_id}&status=available`);
    const filters = { product_id: product.product_id, status: 'available' };
    expect(await lastLines()).toMatchObject([
      {
        action: 'export.codes',
        actor: 'noor@example.org',
        via: 'page',
        detail: { ...filters, rows: 1, whole: true },
      },
      { action: 'export.codes', actor: 'noor@example.org', via: 'page', detail: filters },
    ]);
    await download('users');
    expect(await lastLines()).toMatchObject([
      { action: 'export.users', detail: { whole: true } },
      { detail: {} },
    ]);
    await download('redemptions', 'to=2026-03-04', 'viewer');
    expect(await lastLines()).toMatchObject([
      { action: 'export.redemptions', actor: 'hanne@example.org', detail: { to: '2026-03-04', rows: 0 } },
      { detail: { to: '2026-03-04' } },
    ]);
  });

  test('R-IMP-21: an export that stops midway says how far it came; one that is refused a role meanwhile breaks off', async () => {
    const big = await addProduct(portal.db, { name: 'Big' });
    await addCodes(
      portal.db,
      big,
      Array.from({ length: 12_000 }, (_, n) => `BIG-${n}`),
    );
    const caller = await callerOf('noor@example.org');
    const query = { product_id: big.product_id };
    const stopped = await exportCodes(portal.db, { ...query, caller }, TOOLS);
    await stopped.next();
    await stopped.next();
    await stopped.return(undefined);
    const [ended] = await lastLines();
    expect(ended).toMatchObject({ detail: { ...query, whole: false } });
    expect(ended?.detail.rows).toBeGreaterThanOrEqual(1_000);
    expect(ended?.detail.rows).toBeLessThan(12_000);

    const refused = await exportCodes(portal.db, { ...query, caller }, TOOLS);
    await refused.next();
    await portal.db.query("update app_user set team_role = 'support' where email = $1", [caller.email]);
    let rowsRead = 0;
    const reading = (async () => {
      for await (const part of refused) rowsRead += part.length;
    })();
    await expect(reading).rejects.toMatchObject({ code: 'role_too_low' });
    await portal.db.query("update app_user set team_role = 'manager' where email = $1", [caller.email]);
    expect(rowsRead).toBeLessThan(12_000);
    expect(await lastLines()).toMatchObject([{ detail: { whole: false } }, { detail: query }]);
    const { rows } = await download('codes', `product_id=${big.product_id}`);
    expect(new Set(rows.map((row) => row.split(',')[0])).size).toBe(12_000);
  });

  test('R-TEAM-22: it breaks off within 5,000 rows after the role was taken away, or the session has ended', async () => {
    const big = await addProduct(portal.db, { name: 'Long' });
    const codes = Array.from({ length: 11_000 }, (_, n) => `LONG-${n}`);
    await addCodes(portal.db, big, codes);
    const email = 'leaver@example.org';
    await portal.signInAdmin(email, 'manager');
    await portal.db.query('delete from auth_user where email = $1', [email]);
    const session = await startSessionOf(portal.db, { email, name: null });
    const caller = (await findCaller(portal.db, session)) as Member;
    const query = { product_id: big.product_id };
    const setRole = (team_role: string | null, user_role: string) =>
      portal.db.query('update app_user set team_role = $2, user_role = $3 where email = $1', [
        ...[email, team_role, user_role],
      ]);
    const ends: [code: string, end: () => Promise<unknown>][] = [
      ['access_restricted', () => setRole(null, 'user')],
      [
        'authentication_required',
        () => portal.db.query('delete from auth_session where id = $1', [session.session_id]),
      ],
    ];
    for (const [code, end] of ends) {
      await setRole('manager', 'admin');
      const file = await exportCodes(portal.db, { ...query, caller }, TOOLS);
      let rows = 0;
      let rowsAtEnd = 0;
      const reading = (async () => {
        for await (const part of file) {
          rows += part.length;
          if (rows < 5_000 || rowsAtEnd > 0) continue;
          rowsAtEnd = rows;
          await end();
        }
      })();
      await expect(reading).rejects.toMatchObject({ code });
      expect(rowsAtEnd).toBeGreaterThanOrEqual(5_000);
      expect(rows - rowsAtEnd).toBeLessThanOrEqual(5_000);
      expect(await lastLines()).toMatchObject([{ detail: { whole: false, rows: rows - 1 } }, {}]);
    }
  });

  test('R-TEAM-22: the files about an upload break off too', async () => {
    const { product_id } = await addProduct(portal.db, { name: 'Failed' });
    const email = 'uploader@example.org';
    const token = await portal.signInAdmin(email, 'manager');
    const rows = Array.from({ length: 5_100 }, (_, n) => `FAILED-${n},soon`);
    const uploaded = await portal.call('POST', '/api/admin/coupons/bulk', {
      token,
      body: { productId: product_id, csvData: `code,use_by\n${rows.join('\n')}\n` },
    });
    const { import_id } = uploaded.body as { import_id: string };
    const caller = await callerOf(email);
    const state = await requireImport(portal.db, import_id);
    const file = writeUploadFile(portal.db, { state, name: 'errors', caller }, TOOLS);
    let lines = 0;
    const reading = (async () => {
      for await (const part of file) {
        lines += part.split('\r\n').length - 1;
        if (lines > 1)
          await portal.db.query("update app_user set team_role = 'support' where email = $1", [email]);
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'role_too_low' });
    expect(lines).toBe(1 + 5_000);
  });

  test.each([
    ['manager', 'support'],
    ['support', 'viewer'],
  ])(
    'R-TEAM-22: redemptions for a %s break off when the role becomes %s, which sees less',
    async (role, lower) => {
      const setRole = (team_role: string) =>
        portal.db.query("update app_user set team_role = $1 where email = 'ravi@example.org'", [team_role]);
      await setRole(role);
      const caller = await callerOf('ravi@example.org');
      const file = await exportRedemptions(portal.db, { caller, from: null, to: null }, TOOLS);
      await file.next();
      await setRole(lower);
      const reading = (async () => {
        for await (const _ of file);
      })();
      await expect(reading).rejects.toMatchObject({ code: 'role_too_low' });
      await setRole('support');
    },
  );
});

test('R-MAP-40, N-315: times are in the time zone of the portal, which the header names', async () => {
  const caller = await callerOf('noor@example.org');
  const lines = async (file: ReturnType<typeof exportCodes>) => {
    let text = '';
    for await (const part of toCsv(await file)) text += part;
    return text;
  };
  const berlin = { ...TOOLS, timeZone: 'Europe/Berlin' };
  const query = { product_id: product.product_id, status: 'revoked' as const };
  const file = await lines(exportCodes(portal.db, { ...query, caller }, berlin));
  expect(file).toContain('assigned_at (Europe/Berlin),revoked_at (Europe/Berlin),reason');
  expect(file).toContain(',2026-11-02T11:00:00.000+01:00,refund,');
  const redemptions = await lines(exportRedemptions(portal.db, { caller, from: null, to: null }, berlin));
  expect(redemptions).toMatch(/assigned_at \(Europe\/Berlin\),.*,visited_at \(Europe\/Berlin\),/);
  expect(redemptions).toMatch(/^[\d-]+T[\d:.]+\+0[12]:00,mara@/m);
});
