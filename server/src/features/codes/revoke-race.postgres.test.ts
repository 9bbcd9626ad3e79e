// Tests revoking and voiding codes while learners claim them, on several connections. The tests run on PostgreSQL only,
// because the embedded engine has one connection and cannot run two statements at the same time.
import { randomBytes } from 'node:crypto';
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, addProduct, startSessionOf, utcDayOf, utcToday } from '../../../test/factories.ts';
import { createTestDatabase, openTestPostgres } from '../../../test/open-test-database.ts';
import { createUploadTools, TEST_IMPORT_TOOLS } from '../../../test/test-jobs.ts';
import { setBatchUseBy, voidBatch } from '../../bulk/batch-acts.ts';
import { findJobState } from '../../bulk/bulk-jobs.sql.ts';
import type { Database } from '../../db/database.ts';
import { claimCoupon } from '../redeem/redeem.sql.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import type { Identity } from '../team/callers.sql.ts';
import { regenerateCoupon, revokeCoupon } from './issue.ts';
import { expireCoupons, voidCoupon } from './void.ts';

const actor = 'staff@example.org';
const NEXT_YEAR = '2999-01-01';
const common = { now: () => new Date(), dayOf: utcDayOf };

let url: string;
let db: Database;
// Two connection pools, which stand for two other processes of the portal.
let others: Database[];
beforeAll(async () => {
  url = await createTestDatabase();
  db = await openTestPostgres(url);
  others = await Promise.all([0, 1].map(() => openTestPostgres(url)));
});
afterAll(async () => {
  for (const other of others) await other.close();
  await db.close();
});

type Learner = Identity & { user_id: string | null };

function addLearners(count: number, product: Product): Promise<Learner[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const learner = await addLearner(db, [product]);
      return { ...(await startSessionOf(db, learner)), user_id: learner.user_id };
    }),
  );
}

/** Redeems a code through one of `others`. Returns the code, or a text with the reason of the refusal. */
function press(caller: Learner, { product_id }: Product, index = 0): Promise<string> {
  return redeemCoupon(
    others[index % others.length] as Database,
    { caller, productId: product_id },
    { ...common, supportEmail: 'help@example.org' },
  ).then(
    ({ coupon }) => coupon.couponCode,
    ({ code }: { code?: string }) => `refused: ${code}`,
  );
}

const issueTools = () => ({ ...common, randomBytes });
const actTools = () => ({ ...createUploadTools(db), dayOf: utcDayOf });

async function countWaiting(): Promise<number> {
  const { rowCount } = await db.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rowCount;
}

async function findBatchOf({ product_id }: Product): Promise<string> {
  const { rows } = await db.query<{ id: string }>('select id from coupon_batch where product_id = $1', [
    product_id,
  ]);
  return rows[0]?.id ?? '';
}

async function listCodes({ product_id }: Product) {
  const { rows } = await db.query<{
    id: string;
    coupon_code: string;
    holder: string | null;
    is_current: boolean;
    voided: boolean;
    revoked: boolean;
    use_by: string;
  }>(
    `select id, coupon_code, holder, is_current, voided_at is not null as voided, revoked_at is not null as revoked, use_by
     from coupon where product_id = $1 order by pos`,
    [product_id],
  );
  return rows;
}

/**
 * Calls `during` while a claim has locked the first free code of the product and has not committed yet. Returns the
 * result of `during`.
 */
async function whileClaiming<T>(product: Product, claimant: Learner, during: () => Promise<T>): Promise<T> {
  let started: Promise<T> | undefined;
  await db.transaction(async (tx) => {
    await claimCoupon(tx, {
      product_id: product.product_id,
      user_id: claimant.user_id ?? '',
      assigned_by: 'learner',
      action: 'coupon.redeem',
      at: new Date(),
      today: utcToday(),
    });
    started = during();
    // `during` may fail before this transaction has returned. The caller of this function handles the error.
    started.catch(() => undefined);
    await expect.poll(countWaiting).toBe(1);
  });
  return started as Promise<T>;
}

describe('R-LIFE-51: void against claim', () => {
  test('the act waits for a claim in progress: the code stays with its holder, and the counts are exact', async () => {
    const product = await addProduct(db, { codes: ['ONE', 'TWO', 'THREE'] });
    const [learner] = (await addLearners(1, product)) as [Learner];
    const order = { id: await findBatchOf(product), actor, expected: 3 };
    const id = await whileClaiming(product, learner, () =>
      voidBatch(db, { ...order, reason: 'dead', note: null }, actTools()),
    );
    expect(await findJobState(db, id, 0)).toMatchObject({
      state: 'done',
      results: { voided: 2, handed_out_meanwhile: 1 },
    });
    expect(await listCodes(product)).toMatchObject([
      { coupon_code: 'ONE', holder: learner.user_id, voided: false },
      { coupon_code: 'TWO', holder: null, voided: true },
      { coupon_code: 'THREE', holder: null, voided: true },
    ]);
  });

  test('R-LIFE-16: a code that is being claimed cannot be made void', async () => {
    const product = await addProduct(db, { codes: ['ONE'] });
    const [learner] = (await addLearners(1, product)) as [Learner];
    const [{ id = '' } = {}] = await listCodes(product);
    const voiding = whileClaiming(product, learner, () =>
      voidCoupon(db, { id, actor, reason: 'dead', note: null }, common),
    );
    await expect(voiding).rejects.toMatchObject({ code: 'held' });
  });

  test('R-LIFE-53: marking expired codes neither waits for a claim nor takes its code', async () => {
    const product = await addProduct(db, { codes: ['ONE', 'TWO'] });
    const [learner] = (await addLearners(1, product)) as [Learner];
    // The codes expire in two days. The process that marks expired codes has a clock that is five days ahead. So it
    // marks codes that learners can still claim.
    await db.query('update coupon set use_by = current_date + 2 where product_id = $1', [product.product_id]);
    const ahead = { ...TEST_IMPORT_TOOLS, now: () => new Date(Date.now() + 5 * 86_400_000) };
    await db.transaction(async (tx) => {
      await claimCoupon(tx, {
        product_id: product.product_id,
        user_id: learner.user_id ?? '',
        assigned_by: 'learner',
        action: 'coupon.redeem',
        at: new Date(),
        today: utcToday(),
      });
      await expireCoupons(db, ahead);
    });
    expect(await listCodes(product)).toMatchObject([
      { holder: learner.user_id, voided: false },
      { holder: null, voided: true },
    ]);
    await expireCoupons(db, ahead);
    const { rows } = await db.query(
      "select detail -> 'count' as count from audit where action = 'coupon.expire' and product_id = $1",
      [product.product_id],
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  test('two hundred learners press while the upload is dated and then made void: each code is held or void', async () => {
    const product = await addProduct(db, { codes: 3_000 });
    const learners = await addLearners(200, product);
    const id = await findBatchOf(product);
    const order = { id, actor, expected: 3_000 };
    const pressed: Promise<string>[] = [];
    const pressSome = async () => {
      for (let turn = 0; turn < 40; turn += 1) {
        const index = pressed.length;
        const learner = learners[index];
        if (learner) pressed.push(press(learner, product, index));
      }
    };
    // With these tools, learners also redeem during the pause after each step of a job.
    const tools = {
      ...createUploadTools(db, { ...TEST_IMPORT_TOOLS, pause: pressSome }),
      dayOf: utcDayOf,
    };
    void pressSome();
    await setBatchUseBy(db, { ...order, use_by: NEXT_YEAR }, tools);
    const job = await voidBatch(db, { ...order, reason: 'dead', note: null }, tools);
    void pressSome();
    await pressSome();
    const codes = await Promise.all(pressed);
    const rows = await listCodes(product);
    const held = rows.filter(({ holder }) => holder !== null);
    const voided = rows.filter((row) => row.voided);
    expect(held.filter((row) => row.voided)).toEqual([]);
    expect(held.length + voided.length).toBe(3_000);
    expect(await findJobState(db, job, 0)).toMatchObject({
      results: { voided: voided.length, handed_out_meanwhile: 3_000 - voided.length },
    });
    const got = codes.filter((code) => code.startsWith('CODE-'));
    expect(new Set(got).size).toBe(got.length);
    expect(held.map(({ coupon_code }) => coupon_code).sort()).toEqual(got.sort());
    const { rows: tally } = await db.query(
      "select sum(n)::int as n from tally_now where what = 'void' and product_id = $1",
      [product.product_id],
    );
    expect(tally).toEqual([{ n: voided.length }]);
  });
});

describe('R-LIFE-52: revoke and replace against the press of the learner', () => {
  test('the learner ends with exactly one current code, the new one', async () => {
    const product = await addProduct(db, { codes: 400 });
    const learners = await addLearners(40, product);
    const first = await Promise.all(learners.map((learner, index) => press(learner, product, index)));
    const ids = new Map((await listCodes(product)).map((row) => [row.coupon_code, row.id]));
    const results = await Promise.all(
      learners.map(async (learner, index) => {
        const id = ids.get(first[index] ?? '') ?? '';
        const revoking = [0, 1, 2].map(() =>
          revokeCoupon(db, { id, actor, reason: 'Leaked', replace: true }, issueTools()),
        );
        const presses = Array.from({ length: 5 }, (_, turn) => press(learner, product, turn));
        const [replaced, seen] = await Promise.all([Promise.all(revoking), Promise.all(presses)]);
        return { replaced: replaced.map(({ replacement }) => replacement?.coupon_code), seen };
      }),
    );
    const rows = await listCodes(product);
    for (const [index, { replaced, seen }] of results.entries()) {
      const { user_id } = learners[index] as Learner;
      const [old = '', fresh = ''] = [first[index], replaced[0]];
      expect(new Set(replaced).size).toBe(1);
      expect(fresh).toMatch(/^CODE-/);
      expect(seen.filter((code) => code !== old && code !== fresh)).toEqual([]);
      const theirs = rows.filter(({ holder }) => holder === user_id);
      expect(
        theirs.map(({ coupon_code, is_current, revoked }) => [coupon_code, is_current, revoked]).sort(),
      ).toEqual(
        [
          [old, false, true],
          [fresh, true, false],
        ].sort(),
      );
    }
    const current = rows.filter(({ is_current }) => is_current);
    expect(new Set(current.map(({ holder }) => holder)).size).toBe(current.length);
  });

  test('a press during the revocation never gets another code, and a revocation waits for another act of staff', async () => {
    const product = await addProduct(db, { codes: 4 });
    const [learner] = (await addLearners(1, product)) as [Learner];
    const old = await press(learner, product);
    const [{ id = '' } = {}] = await listCodes(product);
    const { rows: people } = await db.query<{ email: string }>('select email from app_user where id = $1', [
      learner.user_id,
    ]);
    let revoking: Promise<unknown> | undefined;
    let seen = '';
    await db.transaction(async (tx) => {
      await tx.query('select 1 from app_user where id = $1 for no key update', [learner.user_id]);
      revoking = revokeCoupon(db, { id, actor, reason: 'Leaked', replace: false }, issueTools());
      await expect.poll(countWaiting).toBe(1);
      seen = await press(learner, product);
    });
    expect(seen).toBe(old);
    await revoking;
    expect(await press(learner, product)).toBe('refused: code_revoked');
    const request = { actor, email: people[0]?.email ?? '', productId: product.product_id };
    const [regenerated, again] = await Promise.all([
      regenerateCoupon(db, request, issueTools()),
      revokeCoupon(db, { id, actor, reason: 'Leaked', replace: true }, issueTools()),
    ]);
    // `regenerateCoupon` and `revokeCoupon` ran one after the other. The later call has replaced the code that the
    // earlier call issued, so only one code is current.
    const rows = (await listCodes(product)).filter(({ is_current }) => is_current);
    expect(rows).toHaveLength(1);
    expect([regenerated.coupon.coupon_code, again.replacement?.coupon_code]).toContain(rows[0]?.coupon_code);
  });
});
