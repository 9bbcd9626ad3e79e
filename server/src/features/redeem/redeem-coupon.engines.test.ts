// Tests redemptions: assigned codes, refusals, and the constraints of the database.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct } from '../../../test/factories.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { createDayOf } from '../../day.ts';
import type { Database } from '../../db/database.ts';
import { createCoupon } from '../codes/codes.ts';
import { generateCoupon } from '../codes/issue.ts';
import { redeemCoupon } from './redeem.ts';

const AT = new Date('2026-11-20T09:00:00.000Z');

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const tools = {
  dayOf: createDayOf('UTC'),
  now: () => AT,
  supportEmail: 'help@example.org',
};
const redeem = async (caller: Parameters<typeof redeemCoupon>[1]['caller'], productId: string) =>
  redeemCoupon(db, { caller, productId }, tools);

describe('R-REDEEM', () => {
  test('R-REDEEM-01, R-REDEEM-02: the learner gets the oldest code, with time, assigned_by and audit line', async () => {
    const product = await addProduct(db, { codes: ['FIRST', 'SECOND'] });
    const learner = await addLearner(db, [product]);
    expect(await redeem(learner, product.product_id)).toEqual({
      success: true,
      coupon: { couponCode: 'FIRST', assigned_at: AT.toISOString() },
      productUrl: 'tarnquill.example/redeem',
      is_new: true,
      use_by: null,
      replaced_on: null,
      unconfirmed: false,
    });
    const { rows } = await db.query(
      `select c.coupon_code, u.email, c.assigned_at, c.assigned_by, c.is_current, b.source, a.actor, a.action
       from coupon c join app_user u on u.id = c.holder join coupon_batch b on b.id = c.batch_id
       join audit a on a.coupon_id = c.id where c.product_id = $1`,
      [product.product_id],
    );
    expect(rows).toEqual([
      {
        coupon_code: 'FIRST',
        email: learner.email,
        assigned_at: AT.toISOString(),
        assigned_by: 'learner',
        is_current: true,
        source: 'file',
        actor: 'learner',
        action: 'coupon.redeem',
      },
    ]);
  });

  test('R-REDEEM-03: a second redemption returns the same code, also in another process', async () => {
    const product = await addProduct(db, { codes: 3 });
    const learner = await addLearner(db, [product]);
    const first = await redeem(learner, product.product_id);
    expect(await redeem(learner, product.product_id)).toEqual({ ...first, is_new: false });
    const other = { ...tools, dayOf: createDayOf('UTC'), now: () => new Date(0) };
    expect(await redeemCoupon(db, { caller: learner, productId: product.product_id }, other)).toEqual({
      ...first,
      is_new: false,
    });
  });

  test('R-REDEEM-07, R-REDEEM-12: without access there is a refusal with the specified texts, and no code is assigned', async () => {
    const product = await addProduct(db, { codes: 1 });
    const other = await addProduct(db, { codes: 1 });
    const learner = await addLearner(db, [other]);
    await expect(redeem(learner, product.product_id)).rejects.toMatchObject({
      code: 'product_not_assigned',
      title: 'Sorry, access is restricted!',
      message:
        'Oops! Seems like you do not have access! Please write to us at help@example.org if you think this is an error.',
    });
    expect(
      (
        await db.query('select 1 from coupon where holder is not null and product_id = $1', [
          product.product_id,
        ])
      ).rows,
    ).toEqual([]);
  });

  test('R-REDEEM-08: an unknown address gets a refusal', async () => {
    const product = await addProduct(db, { codes: 1 });
    const stranger = { ...(await addLearner(db, [product])), email: 'stranger@example.org', user_id: null };
    await expect(redeem(stranger, product.product_id)).rejects.toMatchObject({
      code: 'email_not_registered',
      title: 'Email not registered',
      message: 'Your email is not in our database.',
    });
  });

  test('R-REDEEM-09: without a free code there is a refusal, and the learner gets a code that is added later', async () => {
    const product = await addProduct(db, { codes: 1 });
    const [first, second] = [await addLearner(db, [product]), await addLearner(db, [product])];
    await redeem(first, product.product_id);
    await expect(redeem(second, product.product_id)).rejects.toMatchObject({
      code: 'no_coupon_left',
      title: 'No codes left',
    });
    await addCodes(db, product, ['LATER']);
    expect((await redeem(second, product.product_id)).coupon.couponCode).toBe('LATER');
  });

  test('R-REDEEM-10: an unknown or malformed product id is refused', async () => {
    const learner = await addLearner(db, [await addProduct(db)]);
    for (const id of ['00000000-0000-4000-8000-000000000000', 'no-uuid', "'; drop table coupon"]) {
      await expect(redeem(learner, id)).rejects.toMatchObject({ code: 'product_not_found' });
    }
  });

  test('A-27: a product with shared codes assigns its newest code again, up to its usage limit', async () => {
    const product = await addProduct(db, { shared_coupon: true, codes: ['OLD', 'NEW'] });
    await db.query('update coupon set usage_limit = 2 where product_id = $1', [product.product_id]);
    const codes: string[] = [];
    for (let learner = 0; learner < 2; learner += 1) {
      const { coupon } = await redeem(await addLearner(db, [product]), product.product_id);
      codes.push(coupon.couponCode);
    }
    expect(codes).toEqual(['NEW', 'NEW']);
    const late = await addLearner(db, [product]);
    await expect(redeem(late, product.product_id)).rejects.toMatchObject({ code: 'no_coupon_left' });
    await db.query('update coupon set usage_limit = null where product_id = $1', [product.product_id]);
    expect((await redeem(late, product.product_id)).coupon.couponCode).toBe('NEW');
  });
});

describe('A-22, A-23: a code that was generated for one user of a product with shared codes', () => {
  const issueTools = { ...tools, randomBytes };
  const generate = (email: string, productId: string) =>
    generateCoupon(db, { actor: 'staff@example.org', email, productId }, issueTools);

  test('belongs to this user alone: others get the shared code, or none if its limit is reached', async () => {
    const product = await addProduct(db, { shared_coupon: true, codes: ['SHARED'] });
    const productId = product.product_id;
    await db.query('update coupon set usage_limit = 1 where product_id = $1', [productId]);
    const [first, second, third] = [
      await addLearner(db, [product]),
      await addLearner(db, [product]),
      await addLearner(db, [product]),
    ];
    expect((await redeem(first, productId)).coupon.couponCode).toBe('SHARED');
    const generated = await generate(second.email, productId);
    expect(generated.warning).toMatch(/^No available coupon was left/);
    await expect(redeem(third, productId)).rejects.toMatchObject({ code: 'no_coupon_left' });
    expect((await redeem(second, productId)).coupon.couponCode).toBe(generated.coupon.coupon_code);
    await db.query('update coupon set usage_limit = null where product_id = $1', [productId]);
    expect((await redeem(third, productId)).coupon.couponCode).toBe('SHARED');
  });

  test('a code that staff add without a text is for everybody', async () => {
    const product = await addProduct(db, { shared_coupon: true, codes: [] });
    const coupon = { product_id: product.product_id, coupon_code: null, usage_limit: null };
    const added = await createCoupon(db, { actor: 'staff@example.org', coupon }, issueTools);
    const learner = await addLearner(db, [product]);
    expect((await redeem(learner, product.product_id)).coupon.couponCode).toBe(added.coupon_code);
  });
});

describe('the database itself refuses', () => {
  test('R-GEN-17: to give an assigned code to another holder, or to free, change or delete the code', async () => {
    const product = await addProduct(db, { codes: 1 });
    const holder = await addLearner(db, [product]);
    const other = await addLearner(db, [product]);
    await redeem(holder, product.product_id);
    const change = (assignment: string) =>
      db.query(`update coupon set ${assignment} where product_id = '${product.product_id}'`);
    await expect(change(`holder = ${other.user_id}`)).rejects.toThrow(/stays with its holder/);
    await expect(
      change('holder = null, assigned_at = null, assigned_by = null, is_current = false'),
    ).rejects.toThrow(/stays with its holder/);
    for (const assignment of [
      "coupon_code = 'OTHER'",
      "assigned_at = '2001-01-01'",
      "assigned_by = 'nobody'",
    ]) {
      await expect(change(assignment)).rejects.toThrow(/stays with its holder/);
    }
    await expect(db.query('truncate coupon')).rejects.toThrow(/stays with its holder/);
    await expect(db.query('delete from coupon where product_id = $1', [product.product_id])).rejects.toThrow(
      /never deleted/,
    );
  });

  test('a void or revoked code without a time, a person or a valid reason, and one that is void and held', async () => {
    const { product_id } = await addProduct(db, { codes: 1 });
    const change = (assignments: string) =>
      db.query(`update coupon set ${assignments} where product_id = $1`, [product_id]);
    for (const incomplete of [
      'voided_at = now()',
      "voided_at = now(), voided_by = 'staff'",
      "void_reason = 'dead'",
      "voided_at = now(), voided_by = 'staff', void_reason = 'other'",
    ])
      await expect(change(incomplete), incomplete).rejects.toThrow(/coupon_marks|valid reason/);
    const { user_id: holder } = await addLearner(db, []);
    const held = `holder = ${holder}, assigned_at = now(), assigned_by = 'learner'`;
    await expect(change("revoked_at = now(), revoked_by = 'staff', revoke_reason = 'Lost'")).rejects.toThrow(
      /coupon_state/,
    );
    await expect(change(`${held}, revoked_at = now(), revoked_by = 'staff'`)).rejects.toThrow(/valid reason/);
    await expect(
      change(`${held}, voided_at = now(), voided_by = 'staff', void_reason = 'dead'`),
    ).rejects.toThrow(/coupon_state/);
    const { rows } = await db.query<{ definition: string }>(
      "select conname from pg_constraint where conrelid = 'coupon'::regclass and contype = 'c' and not convalidated",
    );
    expect(rows).toEqual([]);
  });

  test('two current codes of one learner for one product', async () => {
    const product = await addProduct(db, { codes: 2 });
    const learner = await addLearner(db, [product]);
    const both = `update coupon set holder = ${learner.user_id}, assigned_at = now(), assigned_by = 'learner', is_current = true
      where product_id = '${product.product_id}'`;
    await expect(db.query(both)).rejects.toThrow(/coupon_current/);
  });

  test('the same code twice in a product, unless its codes are shared', async () => {
    const copy = (product: { product_id: string }, shared: boolean) =>
      db.query(
        `insert into coupon (product_id, batch_id, coupon_code, shared)
         select product_id, batch_id, coupon_code, $2 from coupon where product_id = $1`,
        [product.product_id, shared],
      );
    const single = await addProduct(db, { codes: ['ONCE'] });
    await expect(copy(single, false)).rejects.toThrow(/coupon_code_once/);
    // A foreign key covers `shared` and the product's `shared_coupon`, so both must be equal.
    await expect(copy(single, true)).rejects.toThrow(/foreign key/);
    const shared = await addProduct(db, { codes: ['AGAIN'], shared_coupon: true });
    await expect(copy(shared, true)).resolves.toMatchObject({ rowCount: 1 });
  });

  test('an update, delete or truncate of the audit table', async () => {
    for (const statement of ['update audit set actor = $1', 'delete from audit where actor <> $1']) {
      await expect(db.query(statement, ['x'])).rejects.toThrow(/only added to/);
    }
    await expect(db.query('truncate audit')).rejects.toThrow(/only added to/);
  });
});
