// Tests refusals of redeeming: by access, by dates, and by the status of the product. Also tests the order of the
// refusals.
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct } from '../../../test/factories.ts';
import {
  addCohort,
  addGrant,
  type Learner,
  outcomeOn,
  redeemOn,
  STAFF,
  toolsOn,
} from '../../../test/lifecycle.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { AppError } from '../../app-error.ts';
import { createDayOf } from '../../day.ts';
import type { Database } from '../../db/database.ts';
import { regenerateCoupon } from '../codes/issue.ts';
import { promoteNewestCoupon, revokeCoupon } from './redeem.sql.ts';
import { redeemCoupon } from './redeem.ts';

const TODAY = '2026-11-20';
const [BEFORE, AFTER] = ['2026-11-19', '2026-11-21'];

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const setProduct = ({ product_id }: Product, assignments: string) =>
  db.query(`update product set ${assignments} where product_id = $1`, [product_id]);
const archive = (product: Product) => setProduct(product, 'archived_at = now()');
const pause = (product: Product) => setProduct(product, 'paused_at = now()');
const open = (product: Product, day: string) => setProduct(product, `opens_on = '${day}'`);
const close = (product: Product, day: string) => setProduct(product, `closes_on = '${day}'`);

async function revokeCurrent({ user_id }: Learner, { product_id }: Product, day = TODAY): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    'select id from coupon where product_id = $1 and holder = $2 and is_current',
    [product_id, user_id],
  );
  await revokeCoupon(db, {
    coupon_id: rows[0]?.id ?? '',
    by: STAFF,
    reason: 'Leaked',
    at: toolsOn(day).now(),
  });
  await promoteNewestCoupon(db, { user_id: user_id ?? '', product_id });
}

const refusal = (code: string, title: string, message: string, day?: string) => ({
  code,
  title,
  message,
  day,
});
const WRITE = 'Please write to us at help@example.org';

describe('R-LIFE-22: the words of each refusal', () => {
  test.each<[string, (product: Product) => Promise<unknown>, object]>([
    [
      'opens later',
      (product) => open(product, AFTER),
      refusal('product_not_open', 'Not open yet', 'Redeeming opens on 21 Nov 2026.', AFTER),
    ],
    [
      'paused',
      pause,
      refusal('product_paused', 'Paused', 'This benefit is paused for the moment. Please try again later.'),
    ],
    [
      'ended',
      (product) => close(product, BEFORE),
      refusal('product_ended', 'This offer has ended', 'Codes of this benefit are no longer handed out.'),
    ],
    [
      'N-48: archived',
      archive,
      refusal('product_ended', 'This offer has ended', 'Codes of this benefit are no longer handed out.'),
    ],
    [
      'no code left',
      (product) =>
        db.query(
          `update coupon set voided_at = now(), voided_by = 'x', void_reason = 'dead' where product_id = $1`,
          [product.product_id],
        ),
      { code: 'no_coupon_left', title: 'No codes left' },
    ],
  ])('%s', async (_what, change, expected) => {
    const product = await addProduct(db, { codes: 1 });
    const learner = await addLearner(db, [product]);
    await change(product);
    await expect(redeemOn(db, TODAY, learner, product)).rejects.toMatchObject(expected);
  });

  test('the first and the last day of a product are included', async () => {
    const product = await addProduct(db, { codes: 2 });
    await setProduct(product, `opens_on = '${TODAY}', closes_on = '${AFTER}'`);
    const [first, last, late] = [
      await addLearner(db, [product]),
      await addLearner(db, [product]),
      await addLearner(db, [product]),
    ];
    expect(await outcomeOn(db, BEFORE, first, product)).toBe('product_not_open');
    expect(await outcomeOn(db, TODAY, first, product)).toBe('CODE-0');
    expect(await outcomeOn(db, AFTER, last, product)).toBe('CODE-1');
    expect(await outcomeOn(db, '2026-11-22', late, product)).toBe('product_ended');
  });

  test('access that begins later, that has ended, and that never was', async () => {
    const product = await addProduct(db, { codes: 1 });
    const { product_id } = product;
    const learner = await addLearner(db, []);
    await expect(redeemOn(db, TODAY, learner, product)).rejects.toMatchObject({
      code: 'product_not_assigned',
    });
    await addGrant(db, {
      user_id: learner.user_id,
      product_id,
      starts_on: '2026-12-01',
      ends_on: '2026-12-31',
    });
    await expect(redeemOn(db, TODAY, learner, product)).rejects.toMatchObject(
      refusal(
        'access_not_started',
        'Not yet yours',
        'Your access to this benefit begins on 1 Dec 2026.',
        '2026-12-01',
      ),
    );
    await expect(redeemOn(db, '2027-01-01', learner, product)).rejects.toMatchObject(
      refusal(
        'access_ended',
        'Your access has ended',
        `Your access to this benefit ended on 31 Dec 2026. ${WRITE}`,
        '2026-12-31',
      ),
    );
    expect(await outcomeOn(db, '2026-12-31', learner, product)).toBe('CODE-0');
  });

  test('a withdrawn code', async () => {
    const product = await addProduct(db, { codes: 2 });
    const learner = await addLearner(db, [product]);
    await redeemOn(db, TODAY, learner, product);
    await revokeCurrent(learner, product);
    await expect(redeemOn(db, TODAY, learner, product)).rejects.toMatchObject(
      refusal('code_revoked', 'Code withdrawn', `Your code of this benefit was withdrawn. ${WRITE}`),
    );
  });
});

test('R-LIFE-22: the order: e-mail, product, held code, access, status of the product, stock', async () => {
  const product = await addProduct(db);
  const learner = await addLearner(db, []);
  const stranger = { ...learner, email: 'stranger@example.org', user_id: null };
  await open(product, AFTER);
  await archive(product);
  expect(await outcomeOn(db, TODAY, stranger, { product_id: 'nope' })).toBe('email_not_registered');
  expect(await outcomeOn(db, TODAY, learner, { product_id: 'nope' })).toBe('product_not_found');
  expect(await outcomeOn(db, TODAY, learner, product)).toBe('product_not_assigned');
  const grant = await addGrant(db, { user_id: learner.user_id, starts_on: AFTER });
  expect(await outcomeOn(db, TODAY, learner, product)).toBe('access_not_started');
  await db.query(`update access_grant set starts_on = $2 where id = $1`, [grant, BEFORE]);
  expect(await outcomeOn(db, TODAY, learner, product)).toBe('product_ended');
  await setProduct(product, `archived_at = null, paused_at = now()`);
  expect(await outcomeOn(db, TODAY, learner, product)).toBe('product_paused');
  await setProduct(product, 'paused_at = null');
  expect(await outcomeOn(db, TODAY, learner, product)).toBe('product_not_open');
  await open(product, TODAY);
  expect(await outcomeOn(db, TODAY, learner, product)).toBe('no_coupon_left');
  await addCodes(db, product, ['LAST']);
  expect(await outcomeOn(db, TODAY, learner, product)).toBe('LAST');
  await revokeCurrent(learner, product);
  await archive(product);
  expect(await outcomeOn(db, TODAY, learner, product)).toBe('code_revoked');
});

describe('N-47, N-49: which day is named when access is missing', () => {
  const find = async (grants: Omit<Parameters<typeof addGrant>[1], 'user_id' | 'product_id'>[]) => {
    const { product_id } = await addProduct(db, { codes: 1 });
    const learner = await addLearner(db, []);
    for (const [index, grant] of grants.entries())
      await addGrant(db, { ...grant, user_id: learner.user_id, product_id, purchase_id: String(index) });
    return redeemOn(db, TODAY, learner, { product_id }).catch(({ code, day }) => [code, day]);
  };
  const future = { starts_on: '2027-05-01' };
  const over = { ends_on: '2026-05-01' };
  test.each([
    ['the earliest start', [{ starts_on: '2027-06-01' }, future], ['access_not_started', '2027-05-01']],
    ['the latest end', [{ ends_on: '2026-03-01' }, over], ['access_ended', '2026-05-01']],
    [
      'of a withdrawn grant the day of the withdrawal',
      [{ withdrawn_on: '2026-10-07' }],
      ['access_ended', '2026-10-07'],
    ],
    [
      'not started before ended and withdrawn',
      [over, { withdrawn_on: BEFORE }, future],
      ['access_not_started', '2027-05-01'],
    ],
    ['ended before withdrawn', [{ withdrawn_on: BEFORE }, over], ['access_ended', '2026-05-01']],
    [
      'a withdrawn grant in the future does not begin',
      [{ ...future, withdrawn_on: BEFORE }],
      ['access_ended', BEFORE],
    ],
  ])('%s', async (_what, grants, expected) => {
    expect(await find(grants)).toEqual(expected);
  });

  test('after leaving a cohort, or with an archived cohort only, access never was', async () => {
    const product = await addProduct(db, { codes: 1 });
    const learner = await addLearner(db, []);
    const cohort_id = await addCohort(db, [learner]);
    await addGrant(db, { cohort_id, starts_on: AFTER });
    expect(await outcomeOn(db, TODAY, learner, product)).toBe('access_not_started');
    await db.query('update cohort set archived_at = now() where cohort_id = $1', [cohort_id]);
    expect(await outcomeOn(db, AFTER, learner, product)).toBe('product_not_assigned');
    await db.query('update cohort set archived_at = null where cohort_id = $1', [cohort_id]);
    await db.query('delete from cohort_member where cohort_id = $1', [cohort_id]);
    expect(await outcomeOn(db, AFTER, learner, product)).toBe('product_not_assigned');
  });
});

test('R-LIFE-06: redeeming again never undoes a revocation, not even with an older code, free codes and new access', async () => {
  const product = await addProduct(db, { codes: 3 });
  const learner = await addLearner(db, [product]);
  await redeemOn(db, TODAY, learner, product);
  await revokeCurrent(learner, product);
  await addGrant(db, { user_id: learner.user_id });
  for (let press = 0; press < 3; press += 1)
    expect(await outcomeOn(db, AFTER, learner, product)).toBe('code_revoked');
  const { rows } = await db.query(
    'select coupon_code from coupon where product_id = $1 and holder is not null',
    [product.product_id],
  );
  expect(rows).toEqual([{ coupon_code: 'CODE-0' }]);
});

test('C-4: days begin and end at midnight in the portal’s time zone, also on the day on which summer time ends', async () => {
  // 25 October 2026 lasts 25 hours in Berlin.
  const [begins, ends] = ['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'].map((moment) => Date.parse(moment));
  const day = '2026-10-25';
  const pressAt = async (ms = 0, grant = {}, window = 'opens_on = null') => {
    const product = await addProduct(db, { codes: 1 });
    const caller = await addLearner(db, []);
    await addGrant(db, { user_id: caller.user_id, ...grant });
    await setProduct(product, window);
    const tools = { ...toolsOn(day), now: () => new Date(ms), dayOf: createDayOf('Europe/Berlin') };
    const pressing = redeemCoupon(db, { caller, productId: product.product_id }, tools);
    return pressing.then(
      ({ coupon }) => coupon.couponCode,
      (error: AppError) => `${error.code} ${error.day}`,
    );
  };
  const grant = { starts_on: day, ends_on: day };
  const window = `opens_on = '${day}', closes_on = '${day}'`;
  for (const at of [begins, (ends ?? 0) - 1]) expect(await pressAt(at, grant, window)).toBe('CODE-0');
  expect(await pressAt((begins ?? 0) - 1, grant)).toBe(`access_not_started ${day}`);
  expect(await pressAt(ends, grant)).toBe(`access_ended ${day}`);
  expect(await pressAt((begins ?? 0) - 1, {}, window)).toBe(`product_not_open ${day}`);
  expect(await pressAt(ends, {}, window)).toBe('product_ended undefined');
});

test('N-99: redeeming names the day on which a revoked code was replaced, and only then', async () => {
  const product = await addProduct(db, { codes: 4 });
  const [learner, other] = [await addLearner(db, [product]), await addLearner(db, [product])];
  const regenerate = ({ email }: Learner, day: string) =>
    regenerateCoupon(db, { actor: STAFF, email, productId: product.product_id }, toolsOn(day));
  expect(await redeemOn(db, BEFORE, learner, product)).toMatchObject({ replaced_on: null });
  await revokeCurrent(learner, product, BEFORE);
  await regenerate(learner, TODAY);
  expect(await redeemOn(db, AFTER, learner, product)).toMatchObject({
    coupon: { couponCode: 'CODE-1' },
    is_new: false,
    replaced_on: TODAY,
  });
  // The first code of this learner is not revoked. So after staff have issued a second code, `replaced_on` is null.
  await redeemOn(db, BEFORE, other, product);
  await regenerate(other, TODAY);
  expect(await redeemOn(db, AFTER, other, product)).toMatchObject({ replaced_on: null });
});
