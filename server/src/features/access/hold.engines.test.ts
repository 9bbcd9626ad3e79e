// Tests that a learner who holds a code keeps it (HOLD) when staff change the product, the access or the upload.
import { editedProduct, type Product } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, addProduct, utcToday } from '../../../test/factories.ts';
import {
  addCohort,
  type Learner,
  listProductsOf,
  outcomeOn,
  redeemOn,
  STAFF,
  toolsOn,
} from '../../../test/lifecycle.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { createUploadTools, TEST_IMPORT_TOOLS } from '../../../test/test-jobs.ts';
import { setBatchUseBy, voidBatch } from '../../bulk/batch-acts.ts';
import type { Database } from '../../db/database.ts';
import { findBatch } from '../codes/batches.sql.ts';
import { voidCoupon } from '../codes/void.ts';
import { editProduct, setProductStatus } from '../products/products.ts';
import { type Days, type GrantsOf, listGrants } from './grants.sql.ts';
import { createGrants, editGrant, withdrawGrant } from './grants.ts';

const TODAY = '2026-11-20';
const [BEFORE, AFTER] = ['2026-11-19', '2026-11-21'];
const CODES = 3;
// Number of members of the cohort in these tests.
const MEMBERS = 2;
const reason = 'The course has ended';
const tools = toolsOn(TODAY);

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

/** A product with one upload, a learner who holds a code of it, and a learner without a code. */
type Stage = { product: Product; holder: Learner; other: Learner };

const setStatus = ({ product_id }: Product, status: 'paused' | 'archived') =>
  setProductStatus(db, { product_id, actor: STAFF, status, note: null }, tools);

const edit = (product: Product, changes: { url?: string; opens_on?: string; closes_on?: string }) =>
  editProduct(
    db,
    {
      product_id: product.product_id,
      actor: STAFF,
      edited: editedProduct.parse({ ...product, ...changes, version: 1 }),
    },
    tools,
  );

async function editGrants(of: GrantsOf, days: Days): Promise<void> {
  for (const { id } of await listGrants(db, of, TODAY))
    await editGrant(db, { id, actor: STAFF, reason, expected: MEMBERS, ...days }, tools);
}

async function withdrawGrants(of: GrantsOf): Promise<void> {
  for (const { id } of await listGrants(db, of, TODAY))
    await withdrawGrant(db, { id, actor: STAFF, reason, revoke_code: false, expected: MEMBERS }, tools);
}

/** Calls `change` for the direct grants of both learners. */
const ofBoth =
  (change: (of: GrantsOf) => Promise<void>) =>
  async ({ holder, other }: Stage): Promise<void> => {
    for (const { user_id } of [holder, other]) await change({ user_id: user_id ?? '' });
  };

async function voidEachFree({ product }: Stage): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    'select id from coupon where product_id = $1 and holder is null',
    [product.product_id],
  );
  for (const { id } of rows) await voidCoupon(db, { id, actor: STAFF, reason: 'dead', note: null }, tools);
}

const actTools = () => createUploadTools(db, { ...TEST_IMPORT_TOOLS, now: tools.now });

async function findUpload({ product_id }: Product): Promise<string> {
  const { rows } = await db.query<{ id: string }>('select id from coupon_batch where product_id = $1', [
    product_id,
  ]);
  return rows[0]?.id ?? '';
}

async function voidUpload({ product }: Stage): Promise<void> {
  const order = { id: await findUpload(product), actor: STAFF, expected: CODES };
  await voidBatch(db, { ...order, reason: 'dead', note: null }, { ...actTools(), dayOf: tools.dayOf });
}

async function setUploadUseBy({ product }: Pick<Stage, 'product'>, use_by: string): Promise<void> {
  const order = { id: await findUpload(product), actor: STAFF, expected: CODES };
  await setBatchUseBy(db, { ...order, use_by }, { ...actTools(), dayOf: tools.dayOf });
}

/** Checks that the holder gets the same code as before, and that the other learner is now refused. */
async function expectHeld(
  { product, holder, other }: Stage,
  change: () => Promise<unknown>,
  refusal: string,
): Promise<void> {
  const before = await redeemOn(db, TODAY, holder, product);
  const [listed] = (await listProductsOf(db, holder, TODAY)) ?? [];
  expect(listed).toMatchObject({ product_id: product.product_id, state: 'issued' });
  await change();
  expect(await redeemOn(db, TODAY, holder, product)).toEqual({ ...before, is_new: false });
  expect(await listProductsOf(db, holder, TODAY)).toMatchObject([
    { product_id: product.product_id, state: 'issued', assigned_at: listed?.assigned_at },
  ]);
  expect(await outcomeOn(db, TODAY, other, product)).toBe(refusal);
}

describe('HOLD: a learner who holds a code sees it before and after', () => {
  test.each<[string, (stage: Stage) => Promise<unknown>, string]>([
    ['a pause', ({ product }) => setStatus(product, 'paused'), 'product_paused'],
    ['archiving', ({ product }) => setStatus(product, 'archived'), 'product_ended'],
    ['a first day in the future', ({ product }) => edit(product, { opens_on: AFTER }), 'product_not_open'],
    ['a last day in the past', ({ product }) => edit(product, { closes_on: BEFORE }), 'product_ended'],
    [
      'access that is over',
      ofBoth((of) => editGrants(of, { starts_on: BEFORE, ends_on: BEFORE })),
      'access_ended',
    ],
    [
      'access in the future',
      ofBoth((of) => editGrants(of, { starts_on: AFTER, ends_on: null })),
      'access_not_started',
    ],
    ['access that is withdrawn', ofBoth(withdrawGrants), 'access_ended'],
    ['each free code made void', voidEachFree, 'no_coupon_left'],
    ['the free codes of the upload made void', voidUpload, 'no_coupon_left'],
    ['a last day of the upload in the past', (stage) => setUploadUseBy(stage, BEFORE), 'no_coupon_left'],
  ])('%s', async (_what, change, refusal) => {
    const product = await addProduct(db, { codes: CODES });
    const stage = {
      product,
      holder: await addLearner(db, [product]),
      other: await addLearner(db, [product]),
    };
    await expectHeld(stage, () => change(stage), refusal);
    const held = await findBatch(db, await findUpload(product), utcToday());
    expect(held).toMatchObject({ held: 1, revoked: 0 });
  });

  // These tests change the cohort and its members with SQL.
  test.each<[string, (cohort_id: string, stage: Stage) => Promise<unknown>, string]>([
    [
      'both learners leave the cohort',
      (cohort_id) => db.query('delete from cohort_member where cohort_id = $1', [cohort_id]),
      'product_not_assigned',
    ],
    [
      'the cohort is archived',
      (cohort_id) => db.query('update cohort set archived_at = now() where cohort_id = $1', [cohort_id]),
      'product_not_assigned',
    ],
    [
      'the access of the cohort is over',
      (cohort_id) => editGrants({ cohort_id }, { starts_on: BEFORE, ends_on: BEFORE }),
      'access_ended',
    ],
    [
      'the access of the cohort is in the future',
      (cohort_id) => editGrants({ cohort_id }, { starts_on: AFTER, ends_on: null }),
      'access_not_started',
    ],
    ['the access of the cohort is withdrawn', (cohort_id) => withdrawGrants({ cohort_id }), 'access_ended'],
  ])('access by a cohort: %s', async (_what, change, refusal) => {
    const product = await addProduct(db, { codes: CODES });
    const stage = { product, holder: await addLearner(db, []), other: await addLearner(db, []) };
    const cohort_id = await addCohort(db, [stage.holder, stage.other]);
    const given = { cohort_id, product_ids: [product.product_id] };
    await createGrants(db, { actor: STAFF, given }, tools);
    await expectHeld(stage, () => change(cohort_id, stage), refusal);
  });

  test('a new link of the product: the same code with the new link', async () => {
    const product = await addProduct(db, { codes: CODES });
    const holder = await addLearner(db, [product]);
    const before = await redeemOn(db, TODAY, holder, product);
    const productUrl = 'https://renamed.example/';
    await edit(product, { url: productUrl });
    expect(await redeemOn(db, TODAY, holder, product)).toEqual({ ...before, productUrl, is_new: false });
  });

  test('the last day of the code passes, and the code stays', async () => {
    const product = await addProduct(db, { codes: CODES });
    await setUploadUseBy({ product }, AFTER);
    const learner = await addLearner(db, [product]);
    expect(await redeemOn(db, TODAY, learner, product)).toMatchObject({ is_new: true, use_by: AFTER });
    expect(await redeemOn(db, '2027-01-01', learner, product)).toMatchObject({
      is_new: false,
      use_by: AFTER,
    });
  });
});
