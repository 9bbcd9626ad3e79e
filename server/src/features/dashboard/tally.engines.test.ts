// Tests that the counters of the tally are equal to the numbers of rows.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct, utcDayOf, utcToday } from '../../../test/factories.ts';
import { addCohort } from '../../../test/lifecycle.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { createDayOf } from '../../day.ts';
import type { Database } from '../../db/database.ts';
import { regenerateCoupon } from '../codes/issue.ts';
import { saveUser } from '../people/person.ts';
import { countUsers } from '../people/search.sql.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import {
  addUpTally,
  getCouponTotal,
  getMemberTotal,
  getStats,
  recountTally,
  vacuumTally,
} from './tally.sql.ts';

const DAY_MS = 86_400_000;
const today = new Date('2026-03-20T23:30:00Z');

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

async function countRows(of = db) {
  const { rows } = await of.query<
    Record<'codes' | 'left' | 'assigned' | 'revoked' | 'voided' | 'users', number>
  >(
    `select count(*)::int as codes, count(*) filter (where holder is null and voided_at is null)::int as "left",
            count(*) filter (where holder is not null and revoked_at is null)::int as assigned,
            count(revoked_at)::int as revoked, count(voided_at)::int as voided,
            (select count(*)::int from app_user) as users
     from coupon`,
  );
  return rows[0];
}

async function readTally(of = db) {
  const read = async (status?: 'available' | 'assigned' | 'revoked' | 'void') =>
    (await getCouponTotal(of, { today: utcToday(), status })).total;
  return {
    codes: await read(),
    left: await read('available'),
    assigned: await read('assigned'),
    revoked: await read('revoked'),
    voided: await read('void'),
    users: (await countUsers(of, {})).total,
  };
}

async function redeem(product: Awaited<ReturnType<typeof addProduct>>, now = today) {
  const caller = await addLearner(db, [product]);
  const tools = { dayOf: createDayOf('UTC'), now: () => now, supportEmail: '' };
  await redeemCoupon(db, { caller, productId: product.product_id }, tools);
  return caller;
}

test('counters equal counted rows after adding, redeeming, issuing, sharing, making void, revoking, a rollback, and folding', async () => {
  const product = await addProduct(db, { codes: 9 });
  await addCodes(db, product, ['CODE-1', 'NEW']);
  const { email } = await redeem(product);
  const tools = {
    dayOf: createDayOf('UTC'),
    now: () => today,
    randomBytes: (size: number) => Buffer.alloc(size, 7),
  };
  await regenerateCoupon(db, { actor: 'staff@example.org', email, productId: product.product_id }, tools);
  const shared = await addProduct(db, { codes: 1, shared_coupon: true });
  for (let learner = 0; learner < 3; learner += 1) await redeem(shared);
  await saveUser(db, {
    actor: 'staff@example.org',
    today: utcToday(),
    user: { email, name: 'Renamed', phone_number: null, product_ids: [product.product_id] },
  });
  await db
    .transaction(async (tx) => {
      await tx.query("insert into app_user (email) values ('nobody@example.org')");
      throw new Error('changed my mind');
    })
    .catch(() => {});
  await db.query(
    "update coupon set voided_at = now(), voided_by = 'x', void_reason = 'mistake' where coupon_code in ('CODE-7', 'CODE-8', 'NEW')",
  );
  await db.query(
    "update coupon set voided_at = null, voided_by = null, void_reason = null where coupon_code = 'NEW'",
  );
  await db.query(
    "update coupon set revoked_at = now(), revoked_by = 'x', revoke_reason = 'Leaked' where holder is not null and is_current and not shared",
  );
  const counted = await countRows();
  expect(counted).toMatchObject({ assigned: 4, revoked: 1, voided: 2, users: 4 });
  expect(await readTally()).toEqual(counted);
  await Promise.all([addUpTally(db, today), addUpTally(db, today), addUpTally(db, today)]);
  expect(await readTally()).toEqual(counted);
  const { rows } = await db.query('select 1 from tally_change');
  expect(rows).toEqual([]);
  expect(await addUpTally(db, today)).toBe(0);
  await vacuumTally(db);
  expect(await readTally()).toEqual(counted);
  expect((await recountTally(db, today)).wrong).toBe(0);
  expect(await readTally()).toEqual(counted);
});

test('a free code that is moved to another product is counted there', async () => {
  const [from, to] = [await addProduct(db, { codes: ['MOVED', 'STAYS'] }), await addProduct(db)];
  await db.query("update coupon set product_id = $1 where coupon_code = 'MOVED'", [to.product_id]);
  for (const { product_id } of [from, to]) {
    expect(await getCouponTotal(db, { today: utcToday(), product_id })).toEqual({ total: 1, atLeast: false });
  }
});

test('R-COHORT-15: the members of each cohort are counted, before and after folding and recounting', async () => {
  const people = [await addLearner(db, []), await addLearner(db, []), await addLearner(db, [])];
  const [large, small] = [await addCohort(db, people), await addCohort(db, people.slice(0, 1))];
  const sizes = async () => [
    (await getMemberTotal(db, large)).total,
    (await getMemberTotal(db, small)).total,
  ];
  expect(await sizes()).toEqual([3, 1]);
  await addUpTally(db, today);
  await db.query('delete from cohort_member where cohort_id = $1 and user_id = any($2)', [
    large,
    people.slice(1).map(({ user_id }) => user_id),
  ]);
  expect(await sizes()).toEqual([1, 1]);
  await addUpTally(db, today);
  expect(await sizes()).toEqual([1, 1]);
  expect((await recountTally(db, today)).wrong).toBe(0);
  await db.query("update tally set n = n + 2 where what = 'member' and cohort_id = $1", [large]);
  expect((await recountTally(db, today)).wrong).toBe(1);
  expect(await sizes()).toEqual([1, 1]);
});

test('the dashboard counts redemptions by UTC day, without codes that staff issued; older days keep only their sum', async () => {
  const product = await addProduct(db, { codes: 9 });
  const before = await readTally();
  const sum = async (at: Date) => {
    const { redemptions } = await getStats(db, { now: at, today: utcDayOf(at) });
    return redemptions.filter(({ count }) => count > 0);
  };
  expect(await sum(today)).toEqual([{ day: '2026-03-20', count: 4 }]);
  await redeem(product, new Date(today.getTime() + DAY_MS));
  expect(await sum(new Date(today.getTime() + 29 * DAY_MS))).toEqual([
    { day: '2026-03-20', count: 4 },
    { day: '2026-03-21', count: 1 },
  ]);
  const later = new Date(today.getTime() + 40 * DAY_MS);
  await addUpTally(db, later);
  expect(await sum(later)).toEqual([]);
  expect(await readTally()).toEqual({
    ...before,
    left: before.left - 1,
    assigned: before.assigned + 1,
    users: before.users + 1,
  });
  const { rows } = await db.query('select 1 from tally where day is not null');
  expect(rows).toEqual([]);
});
