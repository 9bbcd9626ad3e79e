// Tests concurrent actions of staff and learners on PostgreSQL. Four processes redeem. Meanwhile staff make codes void,
// let codes expire, pause or archive a product, withdraw access, or revoke and replace codes. The embedded engine needs
// no such tests, because it has only one connection.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../src/db/database.ts';
import { openPostgres } from '../src/db/open-postgres.ts';
import type { Identity } from '../src/stores/callers.ts';
import { withdrawGrant } from '../src/usecases/change-grants.ts';
import { createClaimHints } from '../src/usecases/claim-hints.ts';
import { setProductStatus } from '../src/usecases/edit-product.ts';
import { expireCoupons } from '../src/usecases/expire-coupons.ts';
import { recountTally } from '../src/usecases/recount-tally.ts';
import { revokeCoupon } from '../src/usecases/revoke-coupon.ts';
import { voidBatch } from '../src/usecases/start-batch-act.ts';
import { addLearner, addProduct, startSessionOf, utcDayOf, utcToday } from './factories.ts';
import type { Outcome, Press } from './redeem-in-process.ts';
import { type Redeemers, startRedeemers } from './redeemers.ts';
import { createUploadTools, TEST_IMPORT_TOOLS } from './test-jobs.ts';

const ACTOR = 'staff@example.org';
const LEARNERS = 40;
// Number of codes of a product. 34 of them can be assigned; the others expire today. 34 codes are too few for all
// learners (LEARNERS), but enough for the learners in one race (RACING).
const CODES = 48;
const RACING = 20;

/**
 * Defines the tests of concurrent actions. `createDatabase` returns the connection string of a new, migrated PostgreSQL
 * database.
 */
export function testRaces({
  rounds,
  createDatabase,
}: {
  rounds: number;
  createDatabase: () => Promise<string>;
}): void {
  let db: Database;
  let redeemers: Redeemers;
  let learners: (Identity & { user_id: string })[];
  beforeAll(async () => {
    const url = await createDatabase();
    db = await openPostgres({ url, connectTimeoutMs: 30_000 });
    redeemers = startRedeemers(url);
    learners = await Promise.all(
      Array.from({ length: LEARNERS }, async () => {
        const learner = await addLearner(db, []);
        return { user_id: learner.user_id ?? '', ...(await startSessionOf(db, learner)) };
      }),
    );
  });
  afterAll(async () => {
    await redeemers.end();
    await db.close();
  });

  const tools = () => ({
    ...TEST_IMPORT_TOOLS,
    ...createUploadTools(db),
    now: () => new Date(),
    dayOf: utcDayOf,
    hints: createClaimHints(),
    randomBytes,
    randomUuid: randomUUID,
  });

  /**
   * Adds a product with codes, to which all learners have access. Of the 48 codes, 14 have today as their last day, so
   * these 14 codes must not be assigned.
   */
  async function addStock(): Promise<Product & { batch_id: string }> {
    const product = await addProduct(db, { codes: CODES });
    const { product_id } = product;
    await db.query(
      `update coupon set use_by = $2 where product_id = $1 and right(coupon_code, 1)::int % 4 = 0`,
      [product_id, utcToday()],
    );
    await db.query(
      `insert into access_grant (user_id, product_id, starts_on, granted_by)
     select id, $1, '2000-01-01', $2 from app_user where id = any($3)`,
      [product_id, ACTOR, learners.map(({ user_id }) => user_id)],
    );
    const { rows } = await db.query<{ id: string }>('select id from coupon_batch where product_id = $1', [
      product_id,
    ]);
    return { ...product, batch_id: rows[0]?.id ?? '' };
  }

  type Row = {
    coupon_code: string;
    holder: string | null;
    is_current: boolean;
    isRevoked: boolean;
    isVoid: boolean;
    isExpired: boolean;
    source: string;
  };

  async function listCodes(product_id: string): Promise<Row[]> {
    const { rows } = await db.query<Row>(
      `select c.coupon_code, c.holder, c.is_current, c.revoked_at is not null as "isRevoked",
            c.voided_at is not null as "isVoid", c.use_by <= $2::date as "isExpired", b.source
     from coupon c join coupon_batch b on b.id = c.batch_id where c.product_id = $1 order by c.id`,
      [product_id, utcToday()],
    );
    return rows;
  }

  const pressAll = (product_id: string, count = LEARNERS): Press[] =>
    learners.slice(0, count).map((caller) => ({ caller, product_id }));

  /**
   * Runs `act` while `count` learners redeem in four processes. Then checks three rules. No void or expired code has a
   * holder. A learner who got a code is its holder. Each learner with codes has exactly one current code.
   */
  async function race(
    { product_id }: Product,
    act: () => Promise<unknown>,
    count = RACING,
  ): Promise<{ codes: Row[]; outcomes: Outcome[] }> {
    const outcomes = await redeemers.redeemAtOnce(pressAll(product_id, count), act);
    const codes = await listCodes(product_id);
    const held = codes.filter(({ holder }) => holder !== null);
    expect(held.filter(({ isVoid, isExpired }) => isVoid || isExpired)).toEqual([]);
    outcomes.forEach(({ code, refused }, at) => {
      const own = held.filter(({ holder }) => holder === learners[at]?.user_id);
      expect(own.filter(({ is_current }) => is_current)).toHaveLength(own.length > 0 ? 1 : 0);
      if (refused === undefined) expect(own.map(({ coupon_code }) => coupon_code)).toContain(code);
    });
    return { codes, outcomes };
  }

  /**
   * Lets all learners redeem after the race. A learner who got a code in the race must get the same code again. All
   * other learners must be refused with one of `refusals`, also learners who took no part in the race.
   */
  async function expectClosed(product: Product, before: Outcome[], refusals: string[]): Promise<void> {
    const after = await redeemers.redeemAtOnce(pressAll(product.product_id));
    after.forEach(({ code, refused }, at) => {
      const earlier = before[at]?.code;
      if (earlier === undefined) expect(refusals).toContain(refused);
      else expect(code).toBe(earlier);
    });
  }

  const everyRound = Array.from({ length: rounds }, (_, round) => round);

  test('R-LIFE-51: each code of a batch that becomes void while learners redeem ends held or void, and all are counted', async () => {
    for (const _round of everyRound) {
      const product = await addStock();
      const order = {
        id: product.batch_id,
        actor: ACTOR,
        reason: 'dead' as const,
        note: null,
        expected: CODES,
      };
      let id = '';
      const voiding = async () => {
        id = await voidBatch(db, order, tools());
      };
      const { codes, outcomes } = await race(product, voiding);
      const voided = codes.filter(({ isVoid }) => isVoid).length;
      expect(voided).toBeGreaterThan(0);
      expect(voided + codes.filter(({ holder }) => holder !== null).length).toBe(CODES);
      const { rows } = await db.query('select state, success from import_job where id = $1', [id]);
      expect(rows).toEqual([{ state: 'done', success: voided }]);
      await expectClosed(product, outcomes, ['no_coupon_left']);
    }
    expect((await recountTally(db, new Date())).wrong).toBe(0);
  });

  test('R-LIFE-04, R-LIFE-53: codes on their last day expire while learners redeem, and nobody gets one of them', async () => {
    for (const _round of everyRound) {
      const product = await addStock();
      const { codes } = await race(product, () => expireCoupons(db, tools()), LEARNERS);
      expect(codes.filter(({ isExpired }) => isExpired).every(({ isVoid }) => isVoid)).toBe(true);
      const usable = codes.filter(({ isExpired }) => !isExpired);
      expect(usable.every(({ holder, isVoid }) => holder !== null && !isVoid)).toBe(true);
    }
    expect((await recountTally(db, new Date())).wrong).toBe(0);
  });

  test.each([
    ['paused', 'product_paused'],
    ['archived', 'product_ended'],
  ] as const)('R-LIFE-50: after a product is %s, no code is assigned any more', async (status, refusal) => {
    for (const _round of everyRound) {
      const product = await addStock();
      const act = { product_id: product.product_id, actor: ACTOR, status, note: null };
      const { outcomes } = await race(product, () => setProductStatus(db, act, tools()));
      await expectClosed(product, outcomes, [refusal]);
    }
  });

  test('R-LIFE-50: after access is withdrawn, no code is assigned to this person any more', async () => {
    for (const _round of everyRound) {
      const product = await addStock();
      const { rows } = await db.query<{ id: string }>('select id from access_grant where product_id = $1', [
        product.product_id,
      ]);
      const withdrawAll = () =>
        Promise.all(
          rows.map(({ id }) =>
            withdrawGrant(db, { id, actor: ACTOR, reason: 'Left', revoke_code: false }, tools()),
          ),
        );
      const { outcomes } = await race(product, withdrawAll);
      await expectClosed(product, outcomes, ['access_ended']);
    }
  });

  test('R-LIFE-52: revoking and replacing while the same learners redeem leaves each with one current code, the new one', async () => {
    for (const _round of everyRound) {
      const product = await addStock();
      const { product_id } = product;
      // Eight of the learners in the race hold a code before the race. Staff revoke and replace these codes during the
      // race.
      const holders = learners.slice(0, 8);
      await redeemers.redeemAtOnce(holders.map((caller) => ({ caller, product_id })));
      const { rows } = await db.query<{ id: string; holder: string }>(
        'select id, holder from coupon where product_id = $1 and holder is not null',
        [product_id],
      );
      expect(rows).toHaveLength(holders.length);
      const replacements = new Map<string, string | undefined>();
      const { codes } = await race(product, () =>
        Promise.all(
          rows.map(async ({ id, holder }) => {
            const order = { id, actor: ACTOR, reason: 'Lost', replace: true };
            const { replacement } = await revokeCoupon(db, order, tools());
            replacements.set(holder, replacement?.coupon_code);
          }),
        ),
      );
      for (const { user_id } of holders) {
        const current = codes.filter(({ holder, is_current }) => holder === user_id && is_current);
        expect(current).toMatchObject([{ coupon_code: replacements.get(user_id), isRevoked: false }]);
      }
      expect(codes.filter(({ isRevoked }) => isRevoked)).toHaveLength(holders.length);
    }
    expect((await recountTally(db, new Date())).wrong).toBe(0);
  });
}
