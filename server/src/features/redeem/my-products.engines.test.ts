// Tests a learner's list of products: which products it contains, and the state that it shows for each product.
import type { MyProduct, Product } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct } from '../../../test/factories.ts';
import {
  addCohort,
  addGrant,
  type Learner,
  listProductsOf,
  redeemOn,
  STAFF,
  toolsOn,
} from '../../../test/lifecycle.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';
import { promoteNewestCoupon, revokeCoupon } from './redeem.sql.ts';

const TODAY = '2026-11-20';
const [BEFORE, AFTER, LATER] = ['2026-11-19', '2026-11-21', '2026-11-22'];

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const list = async (learner: Learner, today = TODAY) => (await listProductsOf(db, learner, today)) ?? [];
const find = async (learner: Learner, { product_id }: Product, today = TODAY) =>
  (await list(learner, today)).find((row) => row.product_id === product_id);
const setProduct = ({ product_id }: Product, assignments: string) =>
  db.query(`update product set ${assignments} where product_id = $1`, [product_id]);

async function revokeCurrent({ user_id }: Learner, { product_id }: Product): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    'select id from coupon where product_id = $1 and holder = $2 and is_current',
    [product_id, user_id],
  );
  await revokeCoupon(db, {
    coupon_id: rows[0]?.id ?? '',
    by: STAFF,
    reason: 'Leaked',
    at: toolsOn(TODAY).now(),
  });
  await promoteNewestCoupon(db, { user_id: user_id ?? '', product_id });
}

type Case = {
  product?: string;
  codes?: number;
  grant?: { starts_on?: string; ends_on?: string; withdrawn_on?: string };
  expected: Partial<MyProduct> | undefined;
};
const cases: [string, Case][] = [
  ['ready', { expected: { state: 'ready', from: null, sold_out: false, use_by: null, closes_on: null } }],
  [
    'ready on its last day',
    { product: `closes_on = '${TODAY}'`, expected: { state: 'ready', closes_on: TODAY } },
  ],
  ['sold out', { codes: 0, expected: { state: 'sold_out', from: null, sold_out: true } }],
  ['access begins later', { grant: { starts_on: AFTER }, expected: { state: 'not_yet', from: AFTER } }],
  [
    'redeeming opens later',
    { product: `opens_on = '${AFTER}'`, expected: { state: 'not_yet', from: AFTER } },
  ],
  ['opens today', { product: `opens_on = '${TODAY}'`, expected: { state: 'ready', from: null } }],
  ['paused', { product: 'paused_at = now()', expected: { state: 'paused', from: null } }],
  [
    'N-60: from is the later of both days',
    {
      product: `opens_on = '${AFTER}'`,
      grant: { starts_on: LATER },
      expected: { state: 'not_yet', from: LATER },
    },
  ],
  [
    'N-60: also if redeeming opens after access begins',
    {
      product: `opens_on = '${LATER}'`,
      grant: { starts_on: AFTER },
      expected: { state: 'not_yet', from: LATER },
    },
  ],
  [
    'N-60: access that begins later comes before a pause',
    {
      product: 'paused_at = now()',
      grant: { starts_on: AFTER },
      expected: { state: 'not_yet', from: AFTER },
    },
  ],
  [
    'N-60: a pause comes before the first day of redeeming',
    { product: `paused_at = now(), opens_on = '${AFTER}'`, expected: { state: 'paused', from: null } },
  ],
  [
    'N-60: a pause comes before sold out',
    { codes: 0, product: 'paused_at = now()', expected: { state: 'paused', sold_out: true } },
  ],
  [
    'N-60: the first day comes before sold out',
    { codes: 0, product: `opens_on = '${AFTER}'`, expected: { state: 'not_yet', from: AFTER } },
  ],
  ['N-48: an archived product is not listed', { product: 'archived_at = now()', expected: undefined }],
  [
    'a paused product whose last day is over is paused, not ended',
    { product: `closes_on = '${BEFORE}', paused_at = now()`, expected: { state: 'paused' } },
  ],
  ['an ended product is not listed', { product: `closes_on = '${BEFORE}'`, expected: undefined }],
  ['access that is over is not listed', { grant: { ends_on: BEFORE }, expected: undefined }],
  ['access that is withdrawn is not listed', { grant: { withdrawn_on: BEFORE }, expected: undefined }],
];

test.each(cases)(
  'R-LIFE-23: without a code: %s',
  async (_what, { product: change, codes = 1, grant, expected }) => {
    const product = await addProduct(db, { codes });
    if (change) await setProduct(product, change);
    // The list must be the same for a user's own grant and for a grant of the user's cohort.
    const [own, member] = [await addLearner(db, []), await addLearner(db, [])];
    const cohort_id = await addCohort(db, [member]);
    const { product_id } = product;
    await addGrant(db, { user_id: own.user_id, product_id, ...grant });
    await addGrant(db, { cohort_id, product_id, ...grant });
    for (const learner of [own, member]) {
      const found = await find(learner, product);
      if (expected === undefined) expect(found).toBeUndefined();
      else expect(found).toMatchObject({ product_id, assigned_at: null, ...expected });
    }
  },
);

describe('R-LIFE-23, HOLD: with a code', () => {
  const addHolder = async (codes: string[] = ['ONE']) => {
    const product = await addProduct(db, { codes });
    const learner = await addLearner(db, [product]);
    await redeemOn(db, TODAY, learner, product);
    return { product, learner };
  };
  const issued = {
    state: 'issued',
    from: null,
    sold_out: false,
    assigned_at: toolsOn(TODAY).now().toISOString(),
  };

  test.each<[string, (product: Product, learner: Learner) => Promise<unknown>]>([
    ['no change', async () => {}],
    ['paused', (product) => setProduct(product, 'paused_at = now()')],
    ['not open yet', (product) => setProduct(product, `opens_on = '${AFTER}'`)],
    ['ended', (product) => setProduct(product, `closes_on = '${BEFORE}'`)],
    ['N-48: archived', (product) => setProduct(product, 'archived_at = now()')],
    [
      'access over',
      (_, { user_id }) =>
        db.query('update access_grant set ends_on = $2 where user_id = $1', [user_id, BEFORE]),
    ],
    [
      'access that begins later',
      (_, { user_id }) =>
        db.query('update access_grant set starts_on = $2 where user_id = $1', [user_id, AFTER]),
    ],
    [
      'access withdrawn',
      (_, { user_id }) =>
        db.query(
          "update access_grant set withdrawn_at = now(), withdrawn_by = 'x', withdraw_reason = 'Left' where user_id = $1",
          [user_id],
        ),
    ],
  ])('%s: the product stays in the list as issued', async (_what, change) => {
    const { product, learner } = await addHolder();
    await change(product, learner);
    expect(await find(learner, product)).toMatchObject(issued);
  });

  test('the last day of the code is shown, also after it', async () => {
    const product = await addProduct(db, { codes: ['DATED'] });
    await db.query('update coupon set use_by = $2 where product_id = $1', [product.product_id, AFTER]);
    const learner = await addLearner(db, [product]);
    expect(await find(learner, product)).toMatchObject({ state: 'ready', use_by: null });
    await redeemOn(db, TODAY, learner, product);
    for (const today of [TODAY, AFTER, LATER])
      expect(await find(learner, product, today)).toMatchObject({ state: 'issued', use_by: AFTER });
  });

  test('a revoked code: the product stays in the list, also when it is archived and access is over', async () => {
    const { product, learner } = await addHolder(['ONE', 'TWO']);
    await revokeCurrent(learner, product);
    expect(await find(learner, product)).toMatchObject({ state: 'revoked', sold_out: false, from: null });
    await setProduct(product, 'archived_at = now()');
    await db.query('update access_grant set ends_on = $2 where user_id = $1', [learner.user_id, BEFORE]);
    expect(await find(learner, product)).toMatchObject({ state: 'revoked' });
  });

  test('codes that cannot be assigned any more make a product sold out for others', async () => {
    const product = await addProduct(db, { codes: ['LAST-DAY', 'VOID'] });
    const learner = await addLearner(db, [product]);
    await db.query("update coupon set use_by = $2 where product_id = $1 and coupon_code = 'LAST-DAY'", [
      product.product_id,
      TODAY,
    ]);
    expect(await find(learner, product)).toMatchObject({ state: 'ready' });
    await db.query(
      "update coupon set voided_at = now(), voided_by = 'x', void_reason = 'dead' where product_id = $1 and coupon_code = 'VOID'",
      [product.product_id],
    );
    // N-52: a code can be assigned until the day before its last day.
    expect(await find(learner, product, BEFORE)).toMatchObject({ state: 'ready' });
    expect(await find(learner, product)).toMatchObject({ state: 'sold_out', sold_out: true });
    await addCodes(db, product, ['MORE']);
    expect(await find(learner, product)).toMatchObject({ state: 'ready', sold_out: false });
  });
});

test('R-LIFE-23: products are sorted by name, and a learner without access has none', async () => {
  const products = [await addProduct(db, { name: 'Zeta' }), await addProduct(db, { name: 'Alpha' })];
  const learner = await addLearner(db, products);
  expect((await list(learner)).map(({ name }) => name)).toEqual(['Alpha', 'Zeta']);
  expect(await list(await addLearner(db, []))).toEqual([]);
});
