// Tests concurrent actions on PostgreSQL: four processes redeem while staff change products, access or codes. The
// embedded engine needs no such tests, because it has only one connection.
import { afterEach, expect, test } from 'vitest';
import { setBatchUseBy, voidBatch } from '../src/bulk/batch-acts.ts';
import { findJobState } from '../src/bulk/bulk-jobs.sql.ts';
import { editGrant, withdrawGrant } from '../src/features/access/grants.ts';
import { regenerateCoupon, revokeCoupon } from '../src/features/codes/issue.ts';
import { expireCoupons } from '../src/features/codes/void.ts';
import { recountTally } from '../src/features/dashboard/tally.sql.ts';
import { findProductRecord } from '../src/features/products/products.sql.ts';
import { editProduct, setProductStatus } from '../src/features/products/products.ts';
import { utcDayOf, utcToday } from './factories.ts';
import {
  ACTOR,
  CODES,
  type CodeRow,
  createRaceKit,
  type RaceLearner,
  type Stock,
} from './lifecycle-race-kit.ts';

const DAY_MS = 86_400_000;
const dayFromNow = (days: number) => utcDayOf(new Date(Date.now() + days * DAY_MS));

/**
 * Defines the tests. Each test repeats its race until `rounds` races were contested. `createDatabase` returns the
 * connection string of a new, migrated PostgreSQL database.
 */
export function testRaces({
  rounds,
  createDatabase,
}: {
  rounds: number;
  createDatabase: () => Promise<string>;
}): void {
  const kit = createRaceKit(rounds, createDatabase);
  const { addStock, race, repeat, expectClosed, tools } = kit;
  const countHeld = (codes: CodeRow[]) => codes.filter(({ holder }) => holder !== null).length;
  const countVoid = (codes: CodeRow[]) => codes.filter(({ isVoid }) => isVoid).length;
  afterEach(async () => {
    expect((await recountTally(kit.db(), new Date())).wrong).toBe(0);
  });

  test('R-LIFE-51: each code of a batch that becomes void while learners redeem ends held or void, and all are counted', async () => {
    await repeat(1, async (startAfter) => {
      const product = await addStock();
      const act = { reason: 'dead' as const, note: null, expected: CODES };
      let id = '';
      const voiding = async () => {
        id = await voidBatch(kit.db(), { id: product.batch_id, actor: ACTOR, ...act }, tools());
      };
      const raced = await race(product, voiding, { startAfter });
      const voided = countVoid(raced.codes);
      expect(voided + countHeld(raced.codes)).toBe(CODES);
      expect(await findJobState(kit.db(), id, 0)).toMatchObject({
        state: 'done',
        results: { voided, handed_out_meanwhile: CODES - voided },
      });
      await expectClosed(product, raced, 'no_coupon_left');
      return raced;
    });
  });

  test('R-LIFE-19: each code of a batch whose last day becomes today while learners redeem ends held or void', async () => {
    await repeat(1, async (startAfter) => {
      const product = await addStock();
      const order = { id: product.batch_id, actor: ACTOR, use_by: utcToday(), expected: CODES };
      const raced = await race(product, () => setBatchUseBy(kit.db(), order, tools()), { startAfter });
      // The action skips codes that already had this last day. They have expired, and `expireCoupons` makes them void.
      await expireCoupons(kit.db(), tools());
      const codes = await kit.listCodes(product);
      expect(countVoid(codes) + countHeld(codes)).toBe(CODES);
      const held = codes.filter(({ holder }) => holder !== null);
      expect(held.filter(({ use_by }) => use_by !== 'infinity')).toEqual([]);
      await expectClosed(product, raced, 'no_coupon_left');
      return raced;
    });
  });

  test('R-LIFE-53: codes that expire at midnight, while learners redeem just before midnight, end held or void', async () => {
    await repeat(1, async (startAfter) => {
      const product = await addStock();
      const tomorrow = dayFromNow(1);
      await kit
        .db()
        .query("update coupon set use_by = $2 where product_id = $1 and use_by = 'infinity'", [
          product.product_id,
          tomorrow,
        ]);
      // Learners redeem today. The process that marks expired codes already runs tomorrow.
      const midnight = tools(() => new Date(`${tomorrow}T00:00:00.000Z`));
      const at = new Date(`${utcToday()}T23:59:59.999Z`).toISOString();
      const raced = await race(product, () => expireCoupons(kit.db(), midnight), { startAfter, at });
      await expireCoupons(kit.db(), midnight);
      const codes = await kit.listCodes(product);
      expect(countVoid(codes) + countHeld(codes)).toBe(CODES);
      const { rows } = await kit
        .db()
        .query(
          `select sum((detail ->> 'count')::int)::int as count from audit where action = 'coupon.expire' and product_id = $1`,
          [product.product_id],
        );
      expect(rows).toEqual([{ count: countVoid(codes) }]);
      await expectClosed(product, raced, 'no_coupon_left');
      return raced;
    });
  });

  const setStatus =
    (status: 'paused' | 'archived') =>
    ({ product_id }: Stock) =>
      setProductStatus(kit.db(), { product_id, actor: ACTOR, status, note: null }, tools());
  const close = async ({ product_id }: Stock) => {
    const record = await findProductRecord(kit.db(), product_id, utcToday());
    if (record === null) throw new Error('the product is missing');
    const edited = { ...record, closes_on: dayFromNow(-1) };
    return editProduct(kit.db(), { product_id, actor: ACTOR, edited }, tools());
  };
  const ofEachGrant = (act: (id: string) => Promise<unknown>) => (product: Stock, onStep: () => void) =>
    Promise.all(product.grant_ids.slice(0, kit.some().length).map((id) => act(id).then(onStep)));
  const shorten = ofEachGrant((id) => {
    const edited = { id, actor: ACTOR, reason: 'Term', starts_on: '2000-01-01', ends_on: dayFromNow(-1) };
    return editGrant(kit.db(), edited, tools());
  });
  const withdraw = (revoke_code: boolean) =>
    ofEachGrant((id) => withdrawGrant(kit.db(), { id, actor: ACTOR, reason: 'Left', revoke_code }, tools()));

  test.each([
    ['a product is paused', 'product_paused', setStatus('paused')],
    ['a product is archived', 'product_ended', setStatus('archived')],
    ['the last day of a product is over', 'product_ended', close],
  ] as const)('R-LIFE-50: after %s, no code is assigned any more', async (_change, refusal, act) => {
    await repeat(1, async (startAfter) => {
      const product = await addStock();
      const raced = await race(product, () => act(product), { startAfter });
      await expectClosed(product, raced, refusal);
      return raced;
    });
  });

  test.each([
    ['the last day of the access is over', shorten],
    ['access is withdrawn', withdraw(false)],
  ] as const)('R-LIFE-50: after %s, no code is assigned to this person any more', async (_change, act) => {
    await repeat(-2, async (startAfter) => {
      const product = await addStock();
      const people = kit.some();
      const raced = await race(product, (onStep) => act(product, onStep), { startAfter, people });
      await expectClosed(product, raced, 'access_ended');
      return raced;
    });
  });

  test('R-LIFE-14: withdrawing access and revoking the code while learners redeem revokes each code that was assigned before', async () => {
    await repeat(-2, async (startAfter) => {
      const product = await addStock();
      const people = kit.some();
      // One of the learners holds a code when the race begins.
      await kit.redeem(product, people.slice(-1));
      const act = (onStep: () => void) => withdraw(true)(product, onStep);
      const raced = await race(product, act, { startAfter, people });
      const after = await kit.redeem(product, people);
      for (const [index, { user_id }] of people.entries()) {
        const own = raced.codes.filter(({ holder }) => holder === user_id);
        const code = own[0]?.isRevoked === false ? own[0].coupon_code : undefined;
        const refused = own.length === 0 ? 'access_ended' : 'code_revoked';
        expect(after[index]).toEqual(code === undefined ? { refused } : { code });
        if (index === people.length - 1) expect(own).toMatchObject([{ isRevoked: true }]);
      }
      return raced;
    });
  });

  /** Each learner holds a code when the race begins. `act` is called for each of them at the same time. */
  async function raceHolders(
    startAfter: number,
    act: (holder: RaceLearner & { product_id: string }, id: string, index: number) => Promise<unknown>,
  ) {
    const product = await addStock();
    const people = kit.some();
    const before = await kit.redeem(product, people);
    const ids = new Map((await kit.listCodes(product)).map(({ holder, id }) => [holder, id]));
    const actOn = (holder: RaceLearner, index: number) =>
      act({ ...holder, product_id: product.product_id }, ids.get(holder.user_id) ?? '', index);
    const actOnAll = (onStep: () => void) =>
      Promise.all(people.map((holder, index) => actOn(holder, index).then(onStep)));
    const raced = await race(product, actOnAll, { startAfter, people });
    const own = people.map(({ user_id }) => raced.codes.filter(({ holder }) => holder === user_id));
    return { ...raced, before, own };
  }
  const revoke = (id: string, replace: boolean) =>
    revokeCoupon(kit.db(), { id, actor: ACTOR, reason: 'Lost', replace }, tools());

  test('R-LIFE-06, N-46: a learner whose code is revoked while they redeem gets this code or a refusal, never another code', async () => {
    let old: (string | undefined)[] = [];
    await repeat(
      -2,
      async (startAfter) => {
        const raced = await raceHolders(startAfter, (_holder, id) => revoke(id, false));
        old = raced.before.map(({ code }) => code);
        for (const [index, own] of raced.own.entries()) {
          expect(own).toMatchObject([{ coupon_code: old[index], is_current: true, isRevoked: true }]);
          expect([{ code: old[index] }, { refused: 'code_revoked' }]).toContainEqual(raced.outcomes[index]);
        }
        return raced;
      },
      ({ code }) => code !== undefined,
    );
  });

  test('R-LIFE-52: two members of staff who revoke and replace a code while its holder redeems leave one current code, the new one', async () => {
    let old: (string | undefined)[] = [];
    await repeat(
      -2,
      async (startAfter) => {
        const replacements: string[][] = [];
        const raced = await raceHolders(startAfter, async (_holder, id, index) => {
          const revoked = await Promise.all([revoke(id, true), revoke(id, true)]);
          replacements[index] = revoked.map(({ replacement }) => replacement?.coupon_code ?? '');
        });
        old = raced.before.map(({ code }) => code);
        for (const [index, own] of raced.own.entries()) {
          const [fresh, again] = replacements[index] ?? [];
          expect(again).toBe(fresh);
          expect(own).toMatchObject([
            { coupon_code: old[index], is_current: false, isRevoked: true },
            { coupon_code: fresh, is_current: true, isRevoked: false },
          ]);
          expect([old[index], fresh]).toContain(raced.outcomes[index]?.code);
        }
        return raced;
      },
      ({ code }, index) => code === old[index],
    );
  });

  test('R-LIFE-52: if one member of staff issues a new code while another revokes and replaces the old one, the result is that of one act after the other', async () => {
    const orders = new Set<string>();
    const seen = new Set<string>();
    // Redemptions are faster than the two actions, so few races are contested. The test expects all outcomes over all
    // races instead. The redemptions start after 0, 1, 2 … of the learners' codes have changed. In every other race,
    // the new code is issued a few statements later, because revoking makes more statements before it locks the user.
    for (let round = 0; round < kit.rounds || orders.size < 2 || seen.size < 2; round += 1) {
      expect(round, [...orders, ...seen].join()).toBeLessThan(5 * kit.rounds + 20);
      const issued: (string | null)[] = [];
      const replaced: (string | null | undefined)[] = [];
      const raced = await raceHolders(
        -(round % kit.some().length),
        async ({ email, product_id: productId }, id, index) => {
          const request = { actor: ACTOR, email: email ?? '', productId };
          const regenerate = async () => {
            for (let late = 0; late < (round % 2) * (round % 9); late += 1) await kit.db().query('select 1');
            issued[index] = (await regenerateCoupon(kit.db(), request, tools())).coupon.coupon_code;
          };
          const replace = async () => {
            replaced[index] = (await revoke(id, true)).replacement?.coupon_code;
          };
          await Promise.all((index % 2 ? [regenerate, replace] : [replace, regenerate]).map((act) => act()));
        },
      );
      const old = raced.before.map(({ code }) => code);
      for (const [index, own] of raced.own.entries()) {
        // If the new code was issued first, the old code is revoked but not replaced, because it is no longer current.
        // In both cases the new code is the current one.
        const expected = [old[index], replaced[index], issued[index]].filter((code) => code !== undefined);
        expect(own.map(({ coupon_code }) => coupon_code).sort()).toEqual(expected.sort());
        expect(own.find(({ is_current }) => is_current)?.coupon_code).toBe(issued[index]);
        expect(own.filter(({ isRevoked }) => isRevoked).map((row) => row.coupon_code)).toEqual([old[index]]);
        orders.add(replaced[index] === undefined ? 'issued first' : 'revoked first');
        seen.add(raced.outcomes[index]?.code === old[index] ? 'old code' : 'new code');
      }
    }
  });
}
