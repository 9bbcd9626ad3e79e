// Tests revoking codes: which code the holder then sees, replacements, refusals and audit lines.
import { randomBytes } from 'node:crypto';
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct, utcDayOf } from '../../../test/factories.ts';
import { REDEEM_TOOLS } from '../../../test/fill-database.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { generateCoupon, regenerateCoupon, revokeCoupon } from './issue.ts';

type Learner = Awaited<ReturnType<typeof addLearner>>;

const actor = 'staff@example.org';
const reason = 'Posted in a forum';
const tools = { now: () => new Date(), dayOf: utcDayOf, randomBytes };

let db: Database;
let product: Product;
let learner: Learner;
beforeAll(async () => {
  db = await openTestDatabase();
});
beforeEach(async () => {
  product = await addProduct(db, { codes: ['ONE', 'TWO', 'THREE'] });
  learner = await addLearner(db, [product]);
});
afterAll(() => db.close());

const redeem = async (caller = learner) =>
  (await redeemCoupon(db, { caller, productId: product.product_id }, REDEEM_TOOLS)).coupon.couponCode;
const issue = (email = learner.email) => ({ actor, email, productId: product.product_id });
const revoke = async (code: string, replace = false) =>
  revokeCoupon(db, { id: await findId(code), actor, reason, replace }, tools);

async function findId(code: string): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    'select id from coupon where product_id = $1 and coupon_code = $2 order by id limit 1',
    [product.product_id, code],
  );
  return rows[0]?.id ?? '0';
}

async function listAudit(): Promise<unknown[]> {
  const { rows } = await db.query<Record<string, string>>(
    `select a.action, a.actor, a.user_id = $2 as theirs, c.coupon_code, a.detail
     from audit a left join coupon c on c.id = a.coupon_id
     where a.product_id = $1 and a.action in ('coupon.revoke', 'coupon.replace', 'coupon.regenerate') order by a.id`,
    [product.product_id, learner.user_id],
  );
  return rows;
}

describe('R-LIFE-15: a code is revoked', () => {
  test('R-LIFE-06: its holder is refused, gets no other code by pressing again, and the audit has the reason', async () => {
    await redeem();
    const { coupon, replacement, warning } = await revoke('ONE');
    expect(coupon).toMatchObject({
      coupon_code: 'ONE',
      email: learner.email,
      state: 'revoked',
      revoked_at: expect.stringMatching(/Z$/),
    });
    expect({ replacement, warning }).toEqual({ replacement: null, warning: undefined });
    for (let press = 0; press < 2; press += 1)
      await expect(redeem()).rejects.toMatchObject({ code: 'code_revoked', title: 'Code withdrawn' });
    expect(await listAudit()).toEqual([
      { action: 'coupon.revoke', actor, theirs: true, coupon_code: 'ONE', detail: { reason } },
    ]);
    await expect(
      db.query("update coupon set revoke_reason = 'x' where coupon_code = 'ONE' and product_id = $1", [
        product.product_id,
      ]),
    ).rejects.toThrow(/stays with its holder/);
  });

  test('N-46: the newest of the other codes that are not revoked becomes the current one', async () => {
    await redeem();
    await regenerateCoupon(db, issue(), tools);
    await regenerateCoupon(db, issue(), tools);
    await revoke('TWO');
    expect(await redeem()).toBe('THREE');
    expect((await revoke('THREE')).replacement).toBeNull();
    expect(await redeem()).toBe('ONE');
    await revoke('ONE');
    await expect(redeem()).rejects.toMatchObject({ code: 'code_revoked' });
  });

  test('a second time: the first result is returned, and nothing is written', async () => {
    await redeem();
    const first = await revoke('ONE', true);
    expect(first.replacement).toMatchObject({ coupon_code: 'TWO' });
    const lines = await listAudit();
    expect(await revoke('ONE', true)).toEqual(first);
    expect(await revoke('ONE', false)).toEqual(first);
    expect(await listAudit()).toEqual(lines);
    expect(await redeem()).toBe('TWO');
  });

  test.each([
    ['a free code', 'TWO', 'not_held'],
    ['an unknown code', 'NOTHING', 'not_found'],
  ])('not: %s', async (_what, code, refused) => {
    await expect(revoke(code)).rejects.toMatchObject({ code: refused });
    expect(await listAudit()).toEqual([]);
  });

  test('N-56: not: an id that is none', async () => {
    for (const id of ['', 'x', '-1', '1e3', '9223372036854775808', '99999999999999999999'])
      await expect(revokeCoupon(db, { id, actor, reason, replace: true }, tools)).rejects.toMatchObject({
        code: 'not_found',
      });
  });

  test('not: a shared code', async () => {
    product = await addProduct(db, { shared_coupon: true, codes: ['ALL'] });
    learner = await addLearner(db, [product]);
    await redeem();
    await expect(revoke('ALL')).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'The code of this product is shared: it cannot be revoked for one person',
    });
    expect(await redeem()).toBe('ALL');
  });
});

describe('R-LIFE-15: a code is revoked and replaced', () => {
  test('N-53: by the free code that expires first; the learner sees it on the next press, with the day', async () => {
    await redeem();
    await db.query(
      "update coupon set use_by = '2999-01-01' where coupon_code = 'THREE' and product_id = $1",
      [product.product_id],
    );
    const { coupon, replacement, warning } = await revoke('ONE', true);
    expect(coupon).toMatchObject({ coupon_code: 'ONE', state: 'revoked' });
    expect({ replacement, warning }).toEqual({
      replacement: { coupon_code: 'THREE', assigned_at: expect.any(String), unconfirmed: false },
      warning: undefined,
    });
    const again = await redeemCoupon(db, { caller: learner, productId: product.product_id }, REDEEM_TOOLS);
    expect(again).toMatchObject({
      coupon: { couponCode: 'THREE' },
      is_new: false,
      use_by: '2999-01-01',
      replaced_on: utcDayOf(new Date()),
    });
    expect(await listAudit()).toEqual([
      { action: 'coupon.revoke', actor, theirs: true, coupon_code: 'ONE', detail: { reason } },
      {
        action: 'coupon.replace',
        actor,
        theirs: true,
        coupon_code: 'THREE',
        detail: { reason, replaced: await findId('ONE') },
      },
    ]);
  });

  test('A-22, N-71: by a generated code if none is left, with the warning', async () => {
    product = await addProduct(db, { codes: ['ONLY'] });
    learner = await addLearner(db, [product]);
    await redeem();
    const { replacement, warning } = await revoke('ONLY', true);
    expect(replacement?.coupon_code).toMatch(/^\w{4}-\w{4}-\w{4}$/);
    expect(warning).toMatch(/a new code was generated/);
    expect(await redeem()).toBe(replacement?.coupon_code);
    const { rows } = await db.query(
      'select b.source, b.codes from coupon c join coupon_batch b on b.id = c.batch_id where c.coupon_code = $1',
      [replacement?.coupon_code],
    );
    expect(rows).toEqual([{ source: 'generated', codes: 1 }]);
    expect((await listAudit())[1]).toMatchObject({
      action: 'coupon.replace',
      detail: { reason, made_up: true },
    });
  });

  test('N-54: also without access, and when the product is archived, paused or over', async () => {
    const others = [learner, await addLearner(db, [product])] as const;
    for (const each of others) await redeem(each);
    await db.query(
      `update access_grant set withdrawn_at = now(), withdrawn_by = 'x', withdraw_reason = 'gone' where user_id = $1`,
      [learner.user_id],
    );
    expect((await revoke('ONE', true)).replacement?.coupon_code).toBe('THREE');
    await db.query(
      `update product set archived_at = now(), paused_at = now(), closes_on = '2001-01-01', use_by_default = '2999-12-31'
       where product_id = $1`,
      [product.product_id],
    );
    const { replacement } = await revoke('TWO', true);
    expect(replacement?.coupon_code).toMatch(/-/);
    expect(await redeem()).toBe('THREE');
    expect(await redeem(others[1])).toBe(replacement?.coupon_code);
    // N-70: the generated code has the default last day.
    const { rows } = await db.query('select use_by from coupon where coupon_code = $1', [
      replacement?.coupon_code,
    ]);
    expect(rows).toEqual([{ use_by: '2999-12-31' }]);
  });

  test('N-44: later than it was revoked; regenerating does the same', async () => {
    const other = await addLearner(db, [product]);
    await redeem();
    await redeem(other);
    await revoke('ONE');
    await revoke('TWO');
    expect((await revoke('ONE', true)).replacement?.coupon_code).toBe('THREE');
    expect(await redeem()).toBe('THREE');
    await addCodes(db, product, ['FOUR']);
    const { coupon } = await regenerateCoupon(db, issue(other.email), tools);
    expect(coupon.coupon_code).toBe('FOUR');
    expect(await redeem(other)).toBe('FOUR');
    // The regenerated code FOUR already replaces TWO, so revoking TWO issues no second replacement.
    expect((await revoke('TWO', true)).replacement?.coupon_code).toBe('FOUR');
  });

  test('a former code is revoked only: its holder keeps the current one in sight', async () => {
    await redeem();
    await regenerateCoupon(db, issue(), tools);
    const { replacement, warning } = await revoke('ONE', true);
    expect({ replacement, warning }).toEqual({
      replacement: null,
      warning: expect.stringMatching(/not replaced/),
    });
    expect(await redeem()).toBe('TWO');
  });
});

describe('codes that staff issue', () => {
  test('N-45: generating for a person whose current code is revoked is refused', async () => {
    await redeem();
    await revoke('ONE');
    await expect(generateCoupon(db, issue(), tools)).rejects.toMatchObject({
      code: 'code_revoked',
      message: 'The code of this person was withdrawn. Replace it instead.',
    });
  });

  test('R-LIFE-07: need access and a product that is not archived; pause and window do not bind staff', async () => {
    const stranger = await addLearner(db, []);
    await expect(generateCoupon(db, issue(stranger.email), tools)).rejects.toMatchObject({
      code: 'product_not_granted',
    });
    await db.query(
      "update product set paused_at = now(), opens_on = '2998-01-01', closes_on = '2998-01-02' where product_id = $1",
      [product.product_id],
    );
    expect((await generateCoupon(db, issue(), tools)).coupon.coupon_code).toBe('ONE');
    expect((await regenerateCoupon(db, issue(), tools)).coupon.coupon_code).toBe('TWO');
    await db.query('update product set archived_at = now() where product_id = $1', [product.product_id]);
    await expect(regenerateCoupon(db, issue(), tools)).rejects.toMatchObject({ code: 'product_ended' });
    // A user who holds a code gets this code again, even if the product is archived.
    expect((await generateCoupon(db, issue(), tools)).coupon.coupon_code).toBe('TWO');
  });

  test('R-LIFE-07, R-LIFE-05: are neither void nor expired, and the earliest last day goes first', async () => {
    const { product_id } = product;
    const today = utcDayOf(new Date());
    const set = (code: string, change: string) =>
      db.query(`update coupon set ${change} where product_id = $1 and coupon_code = $2`, [product_id, code]);
    await addCodes(db, product, ['FOUR', 'FIVE']);
    await set('ONE', "voided_at = now(), voided_by = 'x', void_reason = 'dead'");
    await set('TWO', `use_by = '${today}'`);
    await set('FOUR', "use_by = '2999-12-31'");
    await set('FIVE', "use_by = '2999-12-30'");
    const codes: (string | null)[] = [];
    for (let turn = 0; turn < 3; turn += 1)
      codes.push((await regenerateCoupon(db, issue(), tools)).coupon.coupon_code);
    expect(codes).toEqual(['FIVE', 'FOUR', 'THREE']);
    expect(await regenerateCoupon(db, issue(), tools)).toHaveProperty('warning');
  });
});
