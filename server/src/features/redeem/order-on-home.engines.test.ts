// Tests the order of a learner's home, the last day that a product shows there, and the learner's code.
import type { MyProduct, Product } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct } from '../../../test/factories.ts';
import { addCohort, addGrant, type Learner, listProductsOf, redeemOn } from '../../../test/lifecycle.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';

const TODAY = '2026-11-20';
const [SOON, LATER, LAST] = ['2026-11-25', '2026-12-05', '2026-12-20'];

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const list = async (learner: Learner) => (await listProductsOf(db, learner, TODAY)) ?? [];
const find = async (learner: Learner, { product_id }: Product) =>
  (await list(learner)).find((row) => row.product_id === product_id) as MyProduct;
const setProduct = ({ product_id }: Product, assignments: string) =>
  db.query(`update product set ${assignments} where product_id = $1`, [product_id]);

test('R-CAT-11, N-243: to redeem first, those that end soonest before others; then held; then the rest; by place, then name', async () => {
  const add = (name: string, fields: { position?: number; codes?: number } = {}) =>
    addProduct(db, { name, codes: 1, ...fields });
  const products = {
    plainB: await add('Plain B'),
    plainA: await add('plain a'),
    first: await add('Zulu', { position: 0 }),
    placed: await add('A placed', { position: 5 }),
    soon: await add('Soon', { position: 9 }),
    later: await add('Later'),
    heldB: await add('Held B'),
    heldA: await add('Held A', { position: 2 }),
    paused: await add('Paused'),
    none: await add('None', { codes: 0, position: 1 }),
  };
  await setProduct(products.soon, `closes_on = '${SOON}'`);
  await setProduct(products.later, `closes_on = '${LATER}'`);
  await setProduct(products.paused, 'paused_at = now()');
  const learner = await addLearner(db, Object.values(products));
  for (const held of [products.heldA, products.heldB]) await redeemOn(db, TODAY, learner, held);
  expect((await list(learner)).map(({ name }) => name)).toEqual([
    ...['Soon', 'Later', 'plain a', 'Plain B', 'Zulu', 'A placed'],
    ...['Held B', 'Held A'],
    ...['Paused', 'None'],
  ]);
});

const ENDS: [string, { closes?: string; grants?: (string | null)[]; codes?: string[] }, string | null][] = [
  ['nothing ends', {}, null],
  ['redeeming closes', { closes: SOON }, SOON],
  ['the access ends', { grants: [LATER] }, LATER],
  ['of two accesses, the later end counts', { grants: [SOON, LATER] }, LATER],
  ['an access without end counts', { grants: [SOON, null] }, null],
  ['the next code ends', { codes: ['infinity', LATER] }, LATER],
  ['a code that nobody can get any more does not count', { codes: [TODAY, LAST] }, LAST],
  ['the earliest of all counts', { closes: LAST, grants: [LATER], codes: [SOON] }, SOON],
];
test.each(ENDS)(
  'N-243: the last day to redeem: %s',
  async (_what, { closes, grants = [null], codes = ['infinity'] }, ends_on) => {
    const product = await addProduct(db);
    if (closes) await setProduct(product, `closes_on = '${closes}'`);
    for (const [index, use_by] of codes.entries()) await addCodes(db, product, [`CODE-${index}`], use_by);
    const [own, member] = [await addLearner(db, []), await addLearner(db, [])];
    const { product_id } = product;
    for (const [index, ends] of grants.entries()) {
      const dates = ends === null ? {} : { ends_on: ends };
      // A person has one grant of a product; a second one is for all products.
      const given = index === 0 ? { product_id } : {};
      await addGrant(db, { user_id: own.user_id, ...given, ...dates });
      // A cohort has one grant of a product, so each grant has a cohort of its own.
      await addGrant(db, { cohort_id: await addCohort(db, [member]), product_id, ...dates });
    }
    for (const learner of [own, member])
      expect(await find(learner, product)).toMatchObject({ state: 'ready', ends_on });
  },
);

test('N-243: an access that has not begun does not lengthen the one that ends', async () => {
  const product = await addProduct(db, { codes: 1 });
  const learner = await addLearner(db, []);
  const { product_id } = product;
  await addGrant(db, { user_id: learner.user_id, product_id, ends_on: SOON });
  await addGrant(db, { user_id: learner.user_id, starts_on: LATER, ends_on: LAST });
  expect(await find(learner, product)).toMatchObject({ state: 'ready', ends_on: SOON });
});

test('N-243: the last day of a shared code counts too', async () => {
  const product = await addProduct(db, { shared_coupon: true });
  await addCodes(db, product, ['SHARED'], LATER);
  expect(await find(await addLearner(db, [product]), product)).toMatchObject({
    state: 'ready',
    ends_on: LATER,
  });
});

test('N-242: only the holder reads the code, and not after it was revoked', async () => {
  const product = await addProduct(db, { codes: ['MINE', 'OTHER'] });
  const [holder, other] = [await addLearner(db, [product]), await addLearner(db, [product])];
  expect(await find(holder, product)).toMatchObject({ state: 'ready', coupon_code: null });
  await redeemOn(db, TODAY, holder, product);
  expect(await find(holder, product)).toMatchObject({ state: 'issued', coupon_code: 'MINE', ends_on: null });
  expect(await find(other, product)).toMatchObject({ state: 'ready', coupon_code: null });
  await db.query(
    "update coupon set revoked_at = now(), revoked_by = 'x', revoke_reason = 'Leaked' where product_id = $1 and coupon_code = 'MINE'",
    [product.product_id],
  );
  expect(await find(holder, product)).toMatchObject({ state: 'revoked', coupon_code: null, ends_on: null });
});
