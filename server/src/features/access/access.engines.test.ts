// Tests who has access to a product on a day: by the user's own grants, and by grants of the user's cohorts.
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../../test/factories.ts';
import { addCohort, addGrant, type Learner } from '../../../test/lifecycle.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';
import { grantAccess, isGranted, listCountingGrants } from './access.sql.ts';

const TODAY = '2026-11-20';
const [BEFORE, AFTER] = ['2026-11-19', '2026-11-21'];

let db: Database;
let product: Product;
let other: Product;
beforeAll(async () => {
  db = await openTestDatabase();
  product = await addProduct(db);
  other = await addProduct(db);
});
afterAll(() => db.close());

const listOn = async (days: string[], { user_id }: Learner, { product_id }: Product) => {
  const granted: boolean[] = [];
  for (const today of days) granted.push(await isGranted(db, { user_id: user_id ?? '', product_id, today }));
  return granted;
};
const isGrantedOn = async (learner: Learner, of = product) => (await listOn([TODAY], learner, of))[0];

/**
 * Returns the first day, from today on, on which the learner has access, as the learner's list of products and the
 * staff page of the user show it.
 */
async function findFrom({ user_id }: Learner): Promise<string | null> {
  const { rows } = await db.query<{ from: string | null }>(
    `select greatest(min(starts_on), $3::date) as "from" from (${listCountingGrants('$1::bigint', '$3')}) g
     where product_id = $2 or product_id is null having count(*) > 0`,
    [user_id, product.product_id, TODAY],
  );
  return rows[0]?.from ?? null;
}

type Grant = {
  of?: 'product' | 'other' | 'all';
  starts_on?: string;
  ends_on?: string;
  withdrawn_on?: string;
};
const cases: [string, Grant, boolean, string | null][] = [
  ['a grant of the product without end', {}, true, TODAY],
  ['a grant of all products', { of: 'all' }, true, TODAY],
  ['a grant of another product', { of: 'other' }, false, null],
  ['a grant that begins today', { starts_on: TODAY }, true, TODAY],
  ['a grant that begins tomorrow', { starts_on: AFTER }, false, AFTER],
  ['a grant of all products that begins tomorrow', { of: 'all', starts_on: AFTER }, false, AFTER],
  ['a grant that ends today', { ends_on: TODAY }, true, TODAY],
  ['a grant that ended yesterday', { ends_on: BEFORE }, false, null],
  ['a grant of one day', { starts_on: TODAY, ends_on: TODAY }, true, TODAY],
  ['a withdrawn grant', { withdrawn_on: BEFORE }, false, null],
  ['a grant that was withdrawn before it began', { starts_on: AFTER, withdrawn_on: BEFORE }, false, null],
];

const rowOf = ({ of = 'product', ...days }: Grant) => ({
  ...(of !== 'all' && { product_id: (of === 'product' ? product : other).product_id }),
  ...days,
});

test.each(cases)('R-LIFE-01: %s', async (_what, grant, granted, from) => {
  const own = await addLearner(db, []);
  await addGrant(db, { user_id: own.user_id, ...rowOf(grant) });
  expect([await isGrantedOn(own), await findFrom(own)]).toEqual([granted, from]);
  // The same grant, given to a cohort, gives access to the members of the cohort, and to nobody else.
  const [member, stranger] = [await addLearner(db, []), await addLearner(db, [])];
  const cohort_id = await addCohort(db, [member]);
  await addGrant(db, { cohort_id, ...rowOf(grant) });
  expect([await isGrantedOn(member), await findFrom(member)]).toEqual([granted, from]);
  expect([await isGrantedOn(stranger), await findFrom(stranger)]).toEqual([false, null]);
  // If the cohort is archived, its grant gives access to nobody.
  await db.query('update cohort set archived_at = now() where cohort_id = $1', [cohort_id]);
  expect([await isGrantedOn(member), await findFrom(member)]).toEqual([false, null]);
});

test('a product that is given to an archived cohort is accessible after the cohort is brought back', async () => {
  const member = await addLearner(db, []);
  const cohort_id = await addCohort(db, [member], { archived: true });
  const { product_id } = product;
  await db.transaction((tx) =>
    grantAccess(tx, {
      ...{ cohort_id, product_ids: [product_id], starts_on: BEFORE, ends_on: null },
      ...{ today: TODAY, actor: 'staff@example.org' },
    }),
  );
  expect(await isGrantedOn(member)).toBe(false);
  await db.query('update cohort set archived_at = null where cohort_id = $1', [cohort_id]);
  expect(await isGrantedOn(member)).toBe(true);
});

test('the database refuses a grant that does not know that its cohort is archived', async () => {
  const cohort_id = await addCohort(db, [], { archived: true });
  await addGrant(db, { cohort_id });
  await expect(
    db.query('update access_grant set cohort_archived = false where cohort_id = $1', [cohort_id]),
  ).rejects.toThrow('access_grant_cohort_archived');
});

test('R-LIFE-01: access changes at the beginning of the first day and at the end of the last one', async () => {
  const learner = await addLearner(db, []);
  await addGrant(db, {
    user_id: learner.user_id,
    product_id: product.product_id,
    starts_on: '2026-12-31',
    ends_on: '2027-01-01',
  });
  const days = ['2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02'];
  expect(await listOn(days, learner, product)).toEqual([false, true, true, false]);
});

test('R-LIFE-01: several grants give the union of their days, and a withdrawn one takes nothing away', async () => {
  const learner = await addLearner(db, []);
  const cohort_id = await addCohort(db, [learner]);
  const own = { user_id: learner.user_id, product_id: product.product_id };
  await addGrant(db, { ...own, ends_on: BEFORE, purchase_id: '1' });
  await addGrant(db, { ...own, withdrawn_on: BEFORE });
  await addGrant(db, { cohort_id, starts_on: TODAY, ends_on: TODAY });
  await addGrant(db, { ...own, starts_on: AFTER, ends_on: AFTER, purchase_id: '2' });
  const days = ['2026-11-18', BEFORE, TODAY, AFTER, '2026-11-22'];
  expect(await listOn(days, learner, product)).toEqual([true, true, true, true, false]);
  expect(await listOn(days, learner, other)).toEqual([false, false, true, false, false]);
});

test('R-LIFE-01: a grant of all products counts for a product that was added later', async () => {
  const learner = await addLearner(db, []);
  await addGrant(db, { user_id: learner.user_id });
  expect(await isGrantedOn(learner, await addProduct(db))).toBe(true);
});
