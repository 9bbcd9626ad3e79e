// Tests which callers get codes in full, and which get only the last characters (hints). Tests what a search finds for
// callers who get hints, and that no call of the role support returns a code that somebody else issued.
import { randomUUID } from 'node:crypto';
import { endpoints, hasRole, TEAM_ROLES, type TeamRole } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../../test/factories.ts';
import { REDEEM_TOOLS } from '../../../test/fill-database.ts';
import { openTestApp } from '../../../test/open-test-app.ts';
import { redeemCoupon } from '../redeem/redeem.ts';

type Row = { id: string; coupon_code: string | null; hint?: string | null };
type Staff = Exclude<TeamRole, 'viewer'>;
const STAFF = TEAM_ROLES.filter((role): role is Staff => role !== 'viewer');

async function open(codesMasked: boolean) {
  const portal = await openTestApp({ codesMasked });
  const tokens = {} as Record<Staff, string>;
  for (const role of STAFF) tokens[role] = await portal.signInAdmin(`${role}@example.org`, role);
  const get = async (who: Staff, url: string) => portal.call('GET', url, { token: tokens[who] });
  const post = async (who: Staff, url: string, body: unknown) =>
    portal.call('POST', url, { token: tokens[who], body });
  return {
    portal,
    get,
    post,
    list: async (who: Staff, query: string) => (await get(who, `/api/coupons?${query}`)).body as Row[],
    readCode: async (who: Staff, email: string) => {
      const { body } = await get(who, `/api/admin/user-access/${email}`);
      return (body as { products: { coupon: Row }[] }).products[0]?.coupon;
    },
    /** Adds a product whose first code a learner has redeemed. */
    addRedeemed: async (codes: string[]) => {
      const product = await addProduct(portal.db, { codes });
      const caller = await addLearner(portal.db, [product]);
      await redeemCoupon(portal.db, { caller, productId: product.product_id }, REDEEM_TOOLS);
      return { product_id: product.product_id, email: caller.email };
    },
    idOf: async (code: string) => {
      const sql = 'select id from coupon where coupon_code = $1';
      return (await portal.db.query<{ id: string }>(sql, [code])).rows[0]?.id ?? '';
    },
  };
}

let off: Awaited<ReturnType<typeof open>>;
let on: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  off = await open(false);
  on = await open(true);
});
afterAll(async () => {
  await off.portal.close();
  await on.portal.close();
});

// Codes of different lengths and scripts, with other characters between the letters and digits.
const CODES = ['SEVEN-12', 'EIGHT-123', 'ELEVEN-12345', 'TQWL-7K4M-92XF', 'ελληνικάκωδικός'];
const HINTS = [null, '23', '45', '92XF', 'ικός'];

/** Returns the code and the hint of each row, in the order in which the codes were added. */
const shown = (rows: Row[]) => rows.map(({ coupon_code, hint }) => coupon_code ?? hint).reverse();

describe('R-IMP-40, R-IMP-41: the list of codes', () => {
  test('has the codes for manager and owner, as before, and only hints for support', async () => {
    const { product_id } = await addProduct(off.portal.db, { codes: CODES });
    for (const query of [`limit=10&product_id=${product_id}`, `product_id=${product_id}`]) {
      for (const who of ['manager', 'owner'] as const) {
        const rows = await off.list(who, query);
        expect(shown(rows)).toEqual(CODES);
        expect(rows[0]).not.toHaveProperty('hint');
      }
      const rows = await off.list('support', query);
      expect(shown(rows)).toEqual(HINTS);
      expect(rows.map(({ coupon_code }) => coupon_code)).toEqual(CODES.map(() => null));
      expect(rows.every((row) => 'hint' in row)).toBe(true);
    }
  });

  test('has only hints for every role with CODES_MASKED=on', async () => {
    const { product_id } = await addProduct(on.portal.db, { codes: CODES });
    for (const who of STAFF)
      for (const query of [`limit=10&product_id=${product_id}`, `product_id=${product_id}`]) {
        const rows = await on.list(who, query);
        expect(shown(rows)).toEqual(HINTS);
        expect(JSON.stringify(rows)).not.toMatch(CODES.join('|'));
      }
  });
});

test('R-IMP-41: the look-up of a user has the code for manager and owner, and the hint for support', async () => {
  const { email } = await off.addRedeemed(['LOOKED-UP-1234']);
  for (const who of ['manager', 'owner'] as const) {
    const coupon = await off.readCode(who, email);
    expect(coupon).toMatchObject({ coupon_code: 'LOOKED-UP-1234', state: 'held' });
    expect(coupon).not.toHaveProperty('hint');
  }
  expect(await off.readCode('support', email)).toMatchObject({
    coupon_code: null,
    hint: '1234',
    state: 'held',
  });
  const masked = await on.addRedeemed(['LOOKED-UP-1234']);
  for (const who of STAFF)
    expect(await on.readCode(who, masked.email)).toMatchObject({ coupon_code: null, hint: '1234' });
});

describe('R-IMP-43: a search by a caller who gets hints', () => {
  test('finds a code by its whole text only, ignoring case, in every state', async () => {
    const { product_id } = await off.addRedeemed(['Whole-Code-One', 'WHOLE-CODE-ONE-2', 'WHOLE-CODE-TWO']);
    const find = async (who: Staff, q: string, more = '') => {
      const query = `/api/coupons?limit=10&product_id=${product_id}${more}&q=${encodeURIComponent(q)}`;
      const { body, headers } = await off.get(who, query);
      return [(body as Row[]).length, Number(headers['x-total-count'])];
    };
    for (const part of ['W', 'whole-', 'WHOLE-CODE-TW', 'HOLE-CODE-TWO', 'WHOLE-CODE-TWO ', 'CODE']) {
      const isWhole = part.trim().length === 'WHOLE-CODE-TWO'.length;
      expect(await find('support', part), part).toEqual(isWhole ? [1, 1] : [0, 0]);
    }
    expect(await find('support', 'whole-code-one')).toEqual([1, 1]);
    expect(await find('support', 'whole-code-one', '&status=assigned')).toEqual([1, 1]);
    expect(await find('support', 'whole-code-one', '&status=available')).toEqual([0, 0]);
    for (const who of ['manager', 'owner'] as const)
      expect(await find(who, 'whole-code-one')).toEqual([2, 2]);
    const masked = await addProduct(on.portal.db, { codes: ['WHOLE-CODE-ONE'] });
    for (const who of STAFF) {
      const at = `limit=10&product_id=${masked.product_id}`;
      expect(await on.list(who, `${at}&q=WHOLE-CODE-ON`)).toEqual([]);
      expect(await on.list(who, `${at}&q=WHOLE-CODE-ONE`)).toMatchObject([
        { coupon_code: null, hint: 'E-ONE' },
      ]);
    }
  });

  test('finds the code of a holder by the beginning of the address, whatever the beginning of the code', async () => {
    const product = await addProduct(off.portal.db, { codes: ['ZORA-4711-XYZT'] });
    const caller = await addLearner(off.portal.db, [product], 'zora@example.org');
    await redeemCoupon(off.portal.db, { caller, productId: product.product_id }, REDEEM_TOOLS);
    // The holder's address matches the searched text too. If the search left this code out because the code begins with
    // the text, the missing result would reveal how the code begins.
    for (const q of ['z', 'zora', 'zora@example.org']) {
      const { body, headers } = await off.get('support', `/api/coupons?limit=10&q=${q}`);
      expect(body).toMatchObject([{ coupon_code: null, hint: 'XYZT', email: 'zora@example.org' }]);
      expect(headers['x-total-count']).toBe('1');
    }
  });

  test('returns a cursor that contains only what was searched for', async () => {
    for (const name of ['First', 'Second'])
      await addProduct(off.portal.db, { name, codes: ['TWICE-0001-ABCD', 'TWICE-0001-ABCDE'] });
    const page = '/api/coupons?limit=1&q=twice-0001-abcd';
    const { headers } = await off.get('support', page);
    expect(headers['x-total-count']).toBe('2');
    const next = await off.get('support', `${page}&cursor=${headers['x-next-cursor']}`);
    expect(next.body).toMatchObject([{ hint: 'ABCD' }]);
    expect(next.headers).not.toHaveProperty('x-next-cursor');
    // A forged cursor does not make the search find more.
    for (const place of ['0', '1'])
      expect(
        await off.list(
          'support',
          `limit=9&q=twice-0001&cursor=1-${place}${Buffer.from('t').toString('hex')}`,
        ),
      ).toEqual([]);
  });
});

describe('R-IMP-44: the reply of a call that issues a code', () => {
  test('has the code in full for whoever issued it, also if the call is repeated', async () => {
    const product = await addProduct(off.portal.db, {
      codes: ['ISSUE-0001-AAAA', 'ISSUE-0002-BBBB', 'ISSUE-0003-CCCC'],
    });
    const { email } = await addLearner(off.portal.db, [product]);
    const body = { email, productId: product.product_id };
    for (const again of [false, true])
      expect(
        (await off.post('support', '/api/admin/generate-coupon', body)).body,
        String(again),
      ).toMatchObject({
        coupon: { coupon_code: 'ISSUE-0001-AAAA' },
      });
    expect((await off.post('support', '/api/admin/regenerate-coupon', body)).body).toMatchObject({
      coupon: { coupon_code: 'ISSUE-0002-BBBB' },
    });
    const path = `/api/admin/coupons/${await off.idOf('ISSUE-0002-BBBB')}/revoke`;
    for (const again of [false, true])
      expect(
        (await off.post('support', path, { reason: 'Used up', replace: true })).body,
        String(again),
      ).toMatchObject({
        coupon: { coupon_code: null, hint: 'BBBB', state: 'revoked' },
        replacement: { coupon_code: 'ISSUE-0003-CCCC' },
      });
    // The caller also issues a generated code.
    expect((await off.post('support', '/api/admin/regenerate-coupon', body)).body).toMatchObject({
      coupon: { coupon_code: expect.stringMatching(/.{12}/) },
      warning: expect.any(String),
    });
  });

  test('has only the hint of a code that somebody else issued, for callers who get hints', async () => {
    const { product_id: productId, email } = await off.addRedeemed(['OTHER-0001-AAAA', 'OTHER-0002-BBBB']);
    const generate = async (who: Staff) =>
      (await off.post(who, '/api/admin/generate-coupon', { email, productId })).body;
    expect(await generate('support')).toMatchObject({ coupon: { coupon_code: null, hint: 'AAAA' } });
    expect(await generate('manager')).toMatchObject({ coupon: { coupon_code: 'OTHER-0001-AAAA' } });
    const id = await off.idOf('OTHER-0001-AAAA');
    const revoke = async (who: Staff) =>
      (await off.post(who, `/api/admin/coupons/${id}/revoke`, { reason: 'Used up', replace: true })).body;
    expect(await revoke('manager')).toMatchObject({
      coupon: { coupon_code: 'OTHER-0001-AAAA' },
      replacement: { coupon_code: 'OTHER-0002-BBBB' },
    });
    expect(await revoke('support')).toMatchObject({
      coupon: { coupon_code: null, hint: 'AAAA' },
      replacement: { coupon_code: null, hint: 'BBBB' },
    });
  });

  test('with CODES_MASKED=on a manager gets the added code in full, and of one that was made void the hint', async () => {
    const { product_id } = await addProduct(on.portal.db);
    const added = await on.post('manager', '/api/admin/coupons/single', {
      coupon_code: 'ADDED-0001-AAAA',
      product_id,
    });
    expect(added.body).toMatchObject({ coupon_code: 'ADDED-0001-AAAA' });
    const { id } = added.body as Row;
    const made = await on.post('manager', `/api/admin/coupons/${id}/void`, { reason: 'dead', note: null });
    expect(made.body).toMatchObject({ coupon_code: null, hint: 'AAAA', state: 'void' });
  });
});

test('R-IMP-41, R-IMP-44: no call of support returns a code that somebody else issued, in its body or its headers', async () => {
  const codes = ['WALK-0001-AAAA', 'WALK-0002-BBBB', 'WALK-0003-CCCC', 'WALK-0004-DDDD'];
  const { product_id, email } = await off.addRedeemed(codes);
  const id = await off.idOf('WALK-0001-AAAA');
  await off.post('manager', '/api/admin/coupons/bulk', {
    productId: product_id,
    csvData: `coupon_code,use_by\n${codes.join(',nonsense\n')},nonsense\n`,
    import_id: randomUUID(),
    file_name: 'walk.csv',
  });
  const user_id = (
    await off.portal.db.query<{ user_id: string }>('select user_id from app_user where email = $1', [email])
  ).rows[0]?.user_id;
  const batches = (await off.get('support', `/api/admin/batches?product_id=${product_id}`)).body as Row[];
  const queries: Record<string, string[]> = {
    '/api/coupons': [
      ...[
        '',
        '?limit=2',
        `?limit=1&product_id=${product_id}`,
        '?limit=5&status=available',
        '?limit=5&q=walk',
      ],
      ...['?limit=1&q=walk-0001-aaaa', `?limit=5&q=${email}`],
    ],
    '/api/admin/batches/:id': batches.map((batch) => batch.id),
    '/api/admin/products/:id': [product_id],
    '/api/products/:id': [product_id],
    '/api/admin/user-access/:email': [email],
    '/api/admin/find': ['?q=walk', '?q=walk-0001-aaaa', '?q=walk-0002-bbbb', `?q=${email}`],
    '/api/admin/view-as/:user_id': [user_id ?? ''],
  };
  const seen: string[] = [];
  const read = ({ body, headers }: { body: unknown; headers: unknown }) =>
    seen.push(JSON.stringify([body, headers]));
  for (const { method, path, role = 'viewer' } of endpoints) {
    if (method !== 'GET' || !hasRole('support', role)) continue;
    for (const last of queries[path] ?? [''])
      read(await off.get('support', last.startsWith('?') ? path + last : path.replace(/:\w+/, last)));
  }
  const reason = 'Used up';
  read(await off.post('support', '/api/admin/generate-coupon', { email, productId: product_id }));
  read(await off.post('support', `/api/admin/coupons/${id}/revoke`, { reason, replace: false }));
  read(
    await off.post('support', `/api/admin/coupons/${id}/revoke`, { reason: 'WALK-0001-AAAA', replace: true }),
  );
  read(await off.post('support', `/api/admin/coupons/${id}/revoke`, { reason, replace: true }));
  const { rows } = await off.portal.db.query<{ coupon_code: string }>(
    "select coupon_code from coupon where assigned_by is distinct from 'support@example.org'",
  );
  expect(rows.length).toBeGreaterThan(10);
  const text = seen.join('\n');
  expect(text).toContain('"hint":"AAAA"');
  for (const { coupon_code } of rows) {
    expect(text.includes(coupon_code), coupon_code).toBe(false);
    // A cursor contains text in hexadecimal. It may contain a code only if the search was for the full code.
    const hex = Buffer.from(coupon_code.toLowerCase()).toString('hex');
    expect(coupon_code !== 'WALK-0001-AAAA' && text.includes(hex), hex).toBe(false);
  }
});
