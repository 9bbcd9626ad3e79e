// Tests how the dashboard's data say what is set up, and hiding the card of the setup (R-DAY-51).
import type { Stats } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct } from '../../../test/factories.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { addUpTally } from './tally.sql.ts';

let portal: TestApp;
let owner: string;
beforeAll(async () => {
  portal = await openTestApp();
  owner = await portal.signInAdmin();
});
afterAll(() => portal.close());

async function readSetup(token = owner): Promise<Stats['setup']> {
  const { status, body } = await portal.call('GET', '/api/admin/stats', { token });
  expect(status).toBe(200);
  return (body as Stats).setup;
}

const NOTHING = {
  product: false,
  codes: false,
  access: false,
  mail: false,
  team: false,
  issued: false,
  redeemed: false,
  hidden: false,
};

test('R-DAY-51, N-231: each step is ticked by the data of its own; a code from staff ends the setup, not the empty chart', async () => {
  expect(await readSetup()).toEqual(NOTHING);

  const product = await addProduct(portal.db, {});
  expect(await readSetup()).toEqual({ ...NOTHING, product: true });

  await addCodes(portal.db, product, ['SETUP-1', 'SETUP-2']);
  expect(await readSetup()).toEqual({ ...NOTHING, product: true, codes: true });

  const email = 'first@learner.example';
  await addLearner(portal.db, [product], email);
  const given = { ...NOTHING, product: true, codes: true, access: true };
  expect(await readSetup()).toEqual(given);

  const viewer = await portal.signInAdmin('viewer@example.org', 'viewer');
  expect(await readSetup(viewer)).toEqual({ ...given, team: true });

  const body = { email, productId: product.product_id };
  expect(await portal.call('POST', '/api/admin/generate-coupon', { token: owner, body })).toMatchObject({
    status: 200,
  });
  const issued = { ...given, team: true, issued: true };
  expect(await readSetup()).toEqual(issued);
  await addUpTally(portal.db, new Date());
  expect(await readSetup()).toEqual(issued);

  const other = await addProduct(portal.db, { codes: 1 });
  await addLearner(portal.db, [other], 'second@learner.example');
  const learner = await portal.signIn('second@learner.example');
  expect(
    await portal.call('POST', '/api/redeem-secure', {
      token: learner,
      body: { productId: other.product_id },
    }),
  ).toMatchObject({ status: 200 });
  expect(await readSetup()).toEqual({ ...issued, redeemed: true });
});

test('R-DAY-51: archived products and their codes do not count', async () => {
  await portal.db.query('update product set archived_at = now()');
  expect(await readSetup()).toMatchObject({ product: false, codes: false, access: true, redeemed: true });
});

test('R-DAY-51: a member hides the card from nobody else, once and for all', async () => {
  const viewer = await portal.signInAdmin('hiding@example.org', 'viewer');
  const hide = () => portal.call('POST', '/api/admin/setup/hide', { token: viewer });
  const readHidden = async () => {
    const { rows } = await portal.db.query(
      "select email, setup_hidden_at, version from app_user where setup_hidden_at is not null or email = 'hiding@example.org'",
    );
    return rows;
  };
  expect(await hide()).toMatchObject({ status: 200, body: { hidden: true } });
  const hidden = await readHidden();
  expect(hidden).toEqual([{ email: 'hiding@example.org', setup_hidden_at: expect.any(String), version: 1 }]);
  expect(await hide()).toMatchObject({ status: 200, body: { hidden: true } });
  expect(await readHidden()).toEqual(hidden);
  expect(await readSetup(viewer)).toMatchObject({ hidden: true });
  expect(await readSetup()).toMatchObject({ hidden: false });
});
