// Tests concurrent redemptions on PostgreSQL: four processes with sixteen connections each. The embedded engine has one
// connection, so its redemptions cannot be concurrent.

import type { Redemption } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct, startSessionOf, utcToday } from '../../../test/factories.ts';
import { createTestDatabase, openTestPostgres } from '../../../test/open-test-database.ts';
import type { Press } from '../../../test/redeem-in-process.ts';
import { type Redeemers, startRedeemers } from '../../../test/redeemers.ts';
import { createDayOf } from '../../day.ts';
import type { Database } from '../../db/database.ts';
import { openPostgres } from '../../db/open-postgres.ts';
import { regenerateCoupon } from '../codes/issue.ts';
import { expireNextCoupons } from '../codes/void.sql.ts';
import type { Caller, Identity } from '../team/callers.sql.ts';
import { claimCoupon } from './redeem.sql.ts';
import { redeemCoupon } from './redeem.ts';

let url: string;
let db: Database;
let redeemers: Redeemers;
const redeemAtOnce = (presses: Press[]) => redeemers.redeemAtOnce(presses);
beforeAll(async () => {
  url = await createTestDatabase();
  db = await openTestPostgres(url);
  redeemers = startRedeemers(url);
});
afterAll(async () => {
  await redeemers.end();
  await db.close();
});

type Learner = Identity & Pick<Caller, 'user_id'>;

/** Adds learners who have access to `product` and are signed in. */
async function addLearners(count: number, product: Parameters<typeof addLearner>[1]): Promise<Learner[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const learner = await addLearner(db, product);
      return { user_id: learner.user_id, ...(await startSessionOf(db, learner)) };
    }),
  );
}

const press = (caller: Learner, product_id: string): Press => ({ caller, product_id });

async function listHolders(product_id: string) {
  const { rows } = await db.query<{ holder: string; coupon_code: string }>(
    'select holder, coupon_code from coupon where product_id = $1 and holder is not null',
    [product_id],
  );
  return rows;
}

test('R-REDEEM-04, R-REDEEM-05: of 600 learners and 400 codes, 400 learners get 400 different codes and 200 get the refusal no_coupon_left', async () => {
  const product = await addProduct(db, { codes: 400 });
  const learners = await addLearners(600, [product]);
  const outcomes = await redeemAtOnce(learners.map((learner) => press(learner, product.product_id)));
  const codes = outcomes.flatMap(({ code }) => code ?? []);
  expect(codes).toHaveLength(400);
  expect(new Set(codes).size).toBe(400);
  expect(outcomes.filter(({ refused }) => refused === 'no_coupon_left')).toHaveLength(200);
  // Each learner got the code that the database has stored for this learner.
  const holders = new Map(
    (await listHolders(product.product_id)).map((row) => [row.holder, row.coupon_code]),
  );
  learners.forEach(({ user_id }, at) => {
    expect(holders.get(user_id ?? '')).toBe(outcomes[at]?.code);
  });
});

test('R-REDEEM-06: learners who redeem fifty times at once in four processes get one code each, every time', async () => {
  const product = await addProduct(db, { codes: 300 });
  const learners = await addLearners(4, [product]);
  const presses = Array.from({ length: 200 }, (_, at) =>
    press(learners[Math.floor(at / 50)] as Learner, product.product_id),
  );
  const outcomes = await redeemAtOnce(presses);
  learners.forEach((_learner, at) => {
    const codes = new Set(outcomes.slice(at * 50, at * 50 + 50).map(({ code }) => code));
    expect(codes.size).toBe(1);
    expect(codes).not.toContain(undefined);
  });
  expect(await listHolders(product.product_id)).toHaveLength(4);
});

test('no_coupon_left is not sent while another claim, which may still fail, has locked the last code', async () => {
  const product = await addProduct(db, { codes: ['LAST'] });
  const [failing, waiting] = (await addLearners(2, [product])) as [Learner, Learner];
  const waiter = await openPostgres({ url, maxConnections: 1 });
  const tools = {
    dayOf: createDayOf('UTC'),
    now: () => new Date(),
    supportEmail: 'help@example.org',
  };
  let redemption: Promise<Redemption> | undefined;
  const failed = db.transaction(async (tx) => {
    await claimCoupon(tx, {
      product_id: product.product_id,
      user_id: failing.user_id ?? '',
      assigned_by: 'learner',
      action: 'coupon.redeem',
      at: new Date(),
      today: utcToday(),
    });
    redemption = redeemCoupon(waiter, { caller: waiting, productId: product.product_id }, tools);
    await expect
      .poll(
        async () =>
          (await db.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'")).rows.length,
      )
      .toBeGreaterThan(0);
    throw new Error('the claim fails');
  });
  await expect(failed).rejects.toThrow('the claim fails');
  expect((await redemption)?.coupon.couponCode).toBe('LAST');
  await waiter.close();
});

test('R-REDEEM-06: fifty redemptions of one learner at once all get the last code', async () => {
  for (let round = 0; round < 5; round += 1) {
    const product = await addProduct(db, { codes: ['LAST'] });
    const [learner] = (await addLearners(1, [product])) as [Learner];
    const outcomes = await redeemAtOnce(Array.from({ length: 50 }, () => press(learner, product.product_id)));
    expect(outcomes).toEqual(Array.from({ length: 50 }, () => ({ code: 'LAST' })));
  }
});

test('if learners redeem three times at once and there are too few codes, every code is assigned and no learner gets two', async () => {
  const product = await addProduct(db, { codes: 120 });
  const learners = await addLearners(200, [product]);
  const presses = [0, 1, 2].flatMap(() => learners.map((learner) => press(learner, product.product_id)));
  const outcomes = await redeemAtOnce(presses);
  const outcomesOf = new Map<string, Set<string>>();
  outcomes.forEach(({ code, refused }, at) => {
    const { email } = (presses[at] as Press).caller;
    outcomesOf.set(email, (outcomesOf.get(email) ?? new Set()).add(code ?? refused ?? ''));
  });
  for (const answers of outcomesOf.values()) {
    const codes = [...answers].filter((answer) => answer.startsWith('CODE-'));
    expect(codes.length).toBeLessThanOrEqual(1);
  }
  const holders = await listHolders(product.product_id);
  expect(holders).toHaveLength(120);
  expect(new Set(holders.map(({ holder }) => holder)).size).toBe(120);
  for (const { holder, coupon_code } of holders) {
    const learner = learners.find(({ user_id }) => user_id === holder);
    expect(outcomesOf.get(learner?.email ?? '')).toContain(coupon_code);
  }
});

test('A-27: a shared code with a usage limit is assigned exactly that often', async () => {
  const product = await addProduct(db, { shared_coupon: true, codes: ['SHARED'] });
  await db.query('update coupon set usage_limit = 40 where product_id = $1', [product.product_id]);
  const learners = await addLearners(60, [product]);
  const presses = [...learners, ...learners].map((learner) => press(learner, product.product_id));
  const outcomes = await redeemAtOnce(presses);
  expect(await listHolders(product.product_id)).toHaveLength(40);
  const served = new Set(
    presses.flatMap(({ caller }, at) => (outcomes[at]?.code === 'SHARED' ? caller.email : [])),
  );
  expect(served.size).toBe(40);
});

test('R-LIFE-53: a shared code that expires while a learner redeems on the day before is assigned, and the expired row stays void', async () => {
  const product = await addProduct(db, { shared_coupon: true, codes: ['SHARED'] });
  const { product_id } = product;
  await db.query("update coupon set use_by = '2026-11-21' where product_id = $1", [product_id]);
  const [caller] = await addLearners(1, [product]);
  const at = new Date('2026-11-20T23:59:59Z');
  const tools = { dayOf: createDayOf('UTC'), now: () => at, supportEmail: '' };
  const redeemed = await db.transaction(async (tx) => {
    const step = { product_id, today: '2026-11-21', at, limit: 10 };
    expect(await expireNextCoupons(tx, step)).toBe(1);
    const redeeming = redeemCoupon(db, { caller: caller as Learner, productId: product_id }, tools);
    const isWaiting = async () =>
      (
        await db.query(
          "select from pg_stat_activity where wait_event_type = 'Lock' and query like 'update coupon%'",
        )
      ).rowCount;
    await expect.poll(isWaiting).toBe(1);
    return { redeeming };
  });
  expect(await redeemed.redeeming).toMatchObject({ coupon: { couponCode: 'SHARED' }, use_by: '2026-11-21' });
  const { rows } = await db.query(
    'select holder is not null as held, void_reason from coupon where product_id = $1 order by id',
    [product_id],
  );
  expect(rows).toEqual([
    { held: false, void_reason: 'expired' },
    { held: true, void_reason: null },
  ]);
});

test('regenerating while learners redeem never assigns a code twice, and never removes one from its holder', async () => {
  const product = await addProduct(db, { codes: 150 });
  const learners = await addLearners(60, [product]);
  const tools = {
    dayOf: createDayOf('UTC'),
    now: () => new Date(),
    randomBytes: () => new Uint8Array([7]),
  };
  const regenerate = async ({ email }: Learner) => {
    const request = { actor: 'staff@example.org', email, productId: product.product_id };
    return (await regenerateCoupon(db, request, tools)).coupon.coupon_code;
  };
  const presses = [...learners, ...learners].map((learner) => press(learner, product.product_id));
  const [outcomes, regenerated] = await Promise.all([
    redeemAtOnce(presses),
    Promise.all(learners.map(regenerate)),
  ]);
  const holders = await listHolders(product.product_id);
  expect(new Set(holders.map(({ coupon_code }) => coupon_code)).size).toBe(holders.length);
  const assignedTo = (user_id: string | null) =>
    holders.filter(({ holder }) => holder === user_id).map(({ coupon_code }) => coupon_code);
  [...learners, ...learners].forEach(({ user_id }, at) => {
    expect(assignedTo(user_id)).toContain(outcomes[at]?.code);
  });
  learners.forEach(({ user_id }, at) => {
    expect(assignedTo(user_id)).toContain(regenerated[at]);
  });
});
