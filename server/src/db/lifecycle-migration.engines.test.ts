// Tests the migrations 0011 to 0014, which introduce grants with days, on a database of schema version 10. All users
// keep their products and codes. Learners redeem with the SQL of the previous version while the migrations run.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { utcDayOf, utcToday } from '../../test/factories.ts';
import { listProductsOf } from '../../test/lifecycle.ts';
import { openEmptyTestDatabase } from '../../test/open-test-database.ts';
import { OLD_CLAIM, OLD_MY_PRODUCTS } from '../../test/version-10.ts';
import { findBatch, listBatches } from '../stores/batches.ts';
import { createBatch, createCoupons } from '../stores/new-coupons.ts';
import { getCouponTotal, listCounters } from '../stores/tally.ts';
import { createClaimHints } from '../usecases/claim-hints.ts';
import { recountTally } from '../usecases/recount-tally.ts';
import { redeemCoupon } from '../usecases/redeem-coupon.ts';
import type { Database } from './database.ts';
import { listMigrations, migrate } from './migrate.ts';

const PEOPLE = 120;

// Creates six products: 'Many' and 'Few' by the number of their codes, 'None' without codes, two with a shared code,
// and one that is archived. The limit of the code of 'Shared, limited' is reached. The products of a user depend on the
// user's id. Every seventh user has all products. Only half of these users have an audit line that tells who gave them
// all products.
const FILL = `
  insert into product (name, description, url, shared_coupon, archived_at)
    select name, 'A tool.', 'tool.example', name like 'Shared%', case when name = 'Archived' then now() end
    from unnest(array['Many', 'Few', 'None', 'Shared', 'Shared, limited', 'Archived']) name;
  insert into coupon_batch (product_id, source, created_by) select product_id, 'file', 'staff' from product where name <> 'None';
  insert into coupon (product_id, batch_id, shared, coupon_code, usage_limit)
    select p.product_id, b.id, p.shared_coupon, 'CODE-' || n, case when p.name = 'Shared, limited' then 2 end
    from product p join coupon_batch b using (product_id), generate_series(1, 200) n
    where n <= case when p.name = 'Many' then 200 when p.shared_coupon then 1 else 3 end order by p.name, n;
  insert into app_user (email, all_products) select 'person-' || n || '@example.org', n % 7 = 0 from generate_series(1, ${PEOPLE}) n;
  insert into product_access (user_id, product_id, granted_by, granted_at)
    select u.id, p.product_id, 'staff@example.org', timestamptz '2026-01-01 23:30Z' + u.id * interval '1 day'
    from app_user u, product p where (u.id + length(p.name)) % 3 > 0;
  insert into audit (at, actor, action, user_id)
    select '2026-02-03 12:00Z', 'noor@example.org', 'user.grant_all', id from app_user where all_products and id % 2 = 0;
  update coupon set holder = 2, assigned_at = '2026-03-01Z', assigned_by = 'staff@example.org'
    where coupon_code = 'CODE-150';
  update coupon set holder = case coupon_code when 'CODE-151' then 2 else 7 end, assigned_at = '2026-03-02Z',
      assigned_by = 'learner', is_current = true
    where coupon_code in ('CODE-151', 'CODE-152');
  update coupon c set holder = substr(c.coupon_code, 6)::bigint, assigned_at = '2026-03-03Z', assigned_by = 'learner', is_current = true
    from product p where p.product_id = c.product_id and p.name = 'Few';
  insert into coupon (product_id, batch_id, shared, coupon_code, usage_limit, holder, assigned_at, assigned_by, is_current)
    select p.product_id, b.id, true, 'CODE-1', case when p.name = 'Shared, limited' then 2 end, n, '2026-03-04Z', 'learner', true
    from product p join coupon_batch b using (product_id), generate_series(1, 2) n where p.shared_coupon;
  delete from coupon where shared and holder is null and usage_limit is not null;
  insert into product_access (user_id, product_id, granted_by)
    select distinct holder, product_id, 'staff@example.org' from coupon where holder is not null on conflict do nothing`;

// Two imports of version 10 run when the upgrade begins: one ends, the other is cancelled. A code is added by a form.
const BEGIN_IMPORTS = `
  insert into coupon_batch (product_id, source, file_name, created_by)
    select product_id, 'file', file_name, 'staff' from product, unnest(array['done.csv', 'cancelled.csv']) file_name
    where name = 'None';
  insert into import_job (id, kind, product_ids, created_by, source, rows_total, batch_id, success)
    select gen_random_uuid(), 'coupons', array[product_id], 'staff', 'coupon_code', 9, id, 9
    from coupon_batch where file_name is not null`;
const END_IMPORTS = `
  update import_job i set state = split_part(b.file_name, '.', 1), source = null from coupon_batch b where b.id = i.batch_id;
  insert into coupon_batch (product_id, source, created_by) select product_id, 'form', 'staff' from product where name = 'None'`;

let db: Database;
let products: Record<string, string>;
let before: Record<string, unknown>[];
const claimed: { user_id: number; code: string }[] = [];

const personOf = (n: number) => ({
  auth_id: '',
  email: `person-${n}@example.org`,
  name: null,
  session_id: null,
});

/** Lists the products of all users with the statement of version 10. */
async function listOld(): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  for (let n = 1; n <= PEOPLE; n += 1) {
    const { email } = personOf(n);
    const { rows } = await db.query<Record<string, unknown>>(OLD_MY_PRODUCTS, [email]);
    lines.push(...rows.filter((row) => row.product_id !== null).map((row) => ({ email, ...row })));
  }
  return lines;
}

async function claimOld(user_id: number, name: string): Promise<string | null> {
  const { rows } = await db.query<{ coupon_code: string | null }>(OLD_CLAIM, [
    ...[personOf(user_id).email, products[name], 0, new Date(), 'learner', 'coupon.redeem'],
  ]);
  return rows[0]?.coupon_code ?? null;
}

beforeAll(async () => {
  db = await openEmptyTestDatabase();
  const known = await listMigrations();
  const upTo = (version: number) => migrate(db, known.slice(0, version));
  await upTo(10);
  await db.execute(`${FILL};${BEGIN_IMPORTS}`);
  const { rows } = await db.query<{ name: string; product_id: string }>(
    'select name, product_id from product',
  );
  products = Object.fromEntries(rows.map(({ name, product_id }) => [name, product_id]));
  before = await listOld();
  // Learners redeem with the old SQL three times: on schema version 10, after migration 0011, and after 0012.
  for (const [version, user_id] of [
    [10, 14],
    [11, 21],
    [12, 28],
  ] as const) {
    await upTo(version);
    if (version === 12) await db.execute(END_IMPORTS);
    claimed.push({ user_id, code: (await claimOld(user_id, 'Many')) ?? '' });
    expect(await claimOld(user_id, 'Many')).toBe(claimed.at(-1)?.code);
    expect(await claimOld(user_id, 'None')).toBeNull();
  }
  expect(await listOld()).toHaveLength(before.length);
  before = await listOld();
  await migrate(db, known);
});
afterAll(() => db.close());

test('everybody has the same products, codes and numbers as before', async () => {
  expect(new Set(before.map(({ sold_out }) => sold_out))).toEqual(new Set([true, false]));
  expect(before.some(({ assigned_at }) => assigned_at !== null)).toBe(true);
  const after: unknown[] = [];
  for (let n = 1; n <= PEOPLE; n += 1) {
    const person = personOf(n);
    for (const { closes_on, state, from, use_by, ...old } of (await listProductsOf(db, person, utcToday())) ??
      []) {
      after.push({ email: person.email, ...old });
      expect([closes_on, from, use_by]).toEqual([null, null, null]);
      expect(state).toBe(old.assigned_at !== null ? 'issued' : old.sold_out ? 'sold_out' : 'ready');
    }
  }
  expect(after).toEqual(before);
});

test('codes that were claimed during the upgrade stay, in the old order', async () => {
  expect(claimed.map(({ code }) => code)).toEqual(['CODE-1', 'CODE-2', 'CODE-3']);
  const tools = { hints: createClaimHints(), dayOf: utcDayOf, now: () => new Date(), supportEmail: '' };
  const redeem = (n: number) =>
    redeemCoupon(db, { caller: personOf(n), productId: products.Many ?? '' }, tools);
  for (const { user_id, code } of claimed)
    expect(await redeem(user_id)).toMatchObject({ is_new: false, coupon: { couponCode: code } });
  expect(await redeem(35)).toMatchObject({ is_new: true, coupon: { couponCode: 'CODE-4' } });
});

test('grants say who gave access and since when; nothing else gives access', async () => {
  const { rows } = await db.query(
    `select user_id, product_id is null as every, starts_on, ends_on, granted_by, granted_at, withdrawn_at, cohort_id
     from access_grant where user_id in (7, 14) and (product_id is null or product_id = $1) order by id`,
    [products.Many],
  );
  const standing = { ends_on: null, withdrawn_at: null, cohort_id: null };
  const byStaff = { ...standing, every: false, granted_by: 'staff@example.org' };
  expect(rows).toEqual([
    { ...byStaff, user_id: '7', starts_on: '2026-01-08', granted_at: '2026-01-08T23:30:00.000Z' },
    {
      ...{ ...standing, user_id: '7', every: true, granted_by: 'operator' },
      starts_on: expect.any(String),
      granted_at: expect.any(String),
    },
    {
      ...{ ...standing, user_id: '14', every: true, granted_by: 'noor@example.org' },
      starts_on: '2026-02-03',
      granted_at: '2026-02-03T12:00:00.000Z',
    },
  ]);
  const { rows: late } = await db.query(
    "select 1 from access_grant where starts_on > (now() at time zone 'Etc/GMT+12')::date",
  );
  expect(late).toEqual([]);
  const { rows: tables } = await db.query("select to_regclass('product_access') as found");
  expect(tables).toEqual([{ found: null }]);
});

test('counters are right, and new rows continue the numbers', async () => {
  const now = new Date();
  const { total } = await getCouponTotal(db, { today: utcToday() });
  expect((await recountTally(db, now)).wrong).toBe(0);
  const counters = new Set((await listCounters(db, now)).map(({ what }) => what));
  expect([...counters].sort()).toEqual(['code', 'issued', 'redeemed', 'user']);
  const product_id = products.None ?? '';
  const { rows: highest } = await db.query<{ id: number; pos: number }>(
    'select max(id)::int as id, max(pos)::int as pos from coupon',
  );
  const batch_id = await createBatch(db, { product_id, source: 'file', created_by: 'staff', codes: 1 });
  await createCoupons(db, { product_id, batch_id, shared: false, codes: ['NEW'], use_by: ['infinity'] });
  const { rows } = await db.query<{ id: number; pos: number }>(
    "select id::int as id, pos::int as pos from coupon where coupon_code = 'NEW'",
  );
  expect(rows).toEqual([{ id: (highest[0]?.id ?? 0) + 1, pos: (highest[0]?.pos ?? 0) + 1 }]);
  expect(await getCouponTotal(db, { today: utcToday() })).toEqual({ total: total + 1, atLeast: false });
});

test('R-LIFE-17: uploads are listed with their codes, also those that the previous version ended during the upgrade', async () => {
  const listed = await listBatches(db, { limit: 100 });
  // A batch with one shared code is not listed, however many users hold the code.
  expect(listed.map(({ codes }) => codes).sort((a, b) => b - a)).toEqual([200, 9, 9, 3, 3]);
  const { rows } = await db.query<{ id: string }>("select id from coupon_batch where source = 'form'");
  expect(await findBatch(db, rows[0]?.id ?? '', utcToday())).toMatchObject({ codes: 1, moved: 0 });
});

test('the database refuses to delete a code, free or not, and to change a revocation', async () => {
  await expect(db.query("delete from coupon where coupon_code = 'CODE-190'")).rejects.toThrow(
    /never deleted/,
  );
  await expect(db.query("delete from coupon where coupon_code = 'CODE-1'")).rejects.toThrow(/never deleted/);
  const change = (assignments: string) =>
    db.query(`update coupon set ${assignments} where coupon_code = 'CODE-2' and product_id = $1`, [
      products.Many,
    ]);
  await change("revoked_at = now(), revoked_by = 'x', revoke_reason = 'Leaked'");
  await expect(change("revoke_reason = 'Other'")).rejects.toThrow(/stays/);
  await expect(change('revoked_at = null, revoked_by = null, revoke_reason = null')).rejects.toThrow(/stays/);
  await expect(change("voided_at = now(), voided_by = 'x', void_reason = 'dead'")).rejects.toThrow(
    /coupon_state/,
  );
});
