// Tests withdrawing access: who keeps the code, and when the code is revoked too.
import type { Grant, NewGrant } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../../test/factories.ts';
import {
  addCohort,
  addGrant,
  findLastLine,
  type Learner,
  listAuditLines,
  outcomeOn,
  redeemOn,
  STAFF,
  toolsOn,
} from '../../../test/lifecycle.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';
import { regenerateCoupon } from '../codes/issue.ts';
import { createGrants, withdrawGrant } from './grants.ts';

const TODAY = '2026-11-20';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const giveOne = async (given: NewGrant, day = TODAY) =>
  (await createGrants(db, { actor: STAFF, given }, toolsOn(day))).grants[0] as Grant;
const withdraw = (id: string, revoke_code = false, day = TODAY) =>
  withdrawGrant(
    db,
    { id, actor: 'noor@example.org', reason: 'Left the course', revoke_code, expected: 1 },
    toolsOn(day),
  );
const listLines = (learner: Learner, after = '0') => listAuditLines(db, learner, after);
const lastLine = (learner: Learner) => findLastLine(db, learner);

test('R-LIFE-14, HOLD: ends access, keeps the code, and repeating answers the same', async () => {
  const product = await addProduct(db, { codes: ['KEPT', 'FREE'] });
  const [holder, other] = [await addLearner(db, []), await addLearner(db, [])];
  const product_ids = [product.product_id];
  const { id } = await giveOne({ email: holder.email, product_ids });
  const { id: otherId } = await giveOne({ email: other.email, product_ids });
  await redeemOn(db, TODAY, holder, product);
  const after = await lastLine(holder);
  const withdrawn = await withdraw(id);
  expect(withdrawn).toMatchObject({ id, state: 'withdrawn' });
  expect(withdrawn).not.toHaveProperty('kept');
  expect(await withdraw(id, true)).toEqual(withdrawn);
  await withdraw(otherId);
  expect(await listLines(holder, after)).toEqual([
    {
      ...{ id: expect.any(String), actor: 'noor@example.org', action: 'grant.withdraw' },
      product_id: product.product_id,
      detail: { grant_id: id, reason: 'Left the course', revoke_code: false },
    },
  ]);
  expect(await outcomeOn(db, TODAY, holder, product)).toBe('KEPT');
  expect(await outcomeOn(db, TODAY, other, product)).toBe('access_ended');
});

test('R-LIFE-14: revoke_code also revokes the code', async () => {
  const product = await addProduct(db, { codes: ['GONE'] });
  const learner = await addLearner(db, []);
  const { id } = await giveOne({ email: learner.email, product_ids: [product.product_id] });
  await redeemOn(db, TODAY, learner, product);
  const after = await lastLine(learner);
  expect(await withdraw(id, true)).not.toHaveProperty('kept');
  expect(await outcomeOn(db, TODAY, learner, product)).toBe('code_revoked');
  const lines = await listLines(learner, after);
  expect(lines.map(({ action }) => action)).toEqual(['grant.withdraw', 'coupon.revoke']);
  expect(JSON.stringify(lines)).not.toContain('GONE');
  const { rows } = await db.query(
    'select revoked_by, revoke_reason, revoked_at, is_current from coupon where product_id = $1',
    [product.product_id],
  );
  const revoked_at = toolsOn(TODAY).now().toISOString();
  expect(rows).toEqual([
    { revoked_by: 'noor@example.org', revoke_reason: 'Left the course', revoked_at, is_current: true },
  ]);
});

test('N-46: with an older code, that one becomes the current code', async () => {
  const product = await addProduct(db, { codes: ['OLDEST', 'OLDER', 'NEW'] });
  const learner = await addLearner(db, []);
  const { id } = await giveOne({ email: learner.email, product_ids: [product.product_id] });
  await redeemOn(db, '2026-11-20', learner, product);
  const request = { actor: STAFF, email: learner.email, productId: product.product_id };
  for (const day of ['2026-11-21', '2026-11-22']) await regenerateCoupon(db, request, toolsOn(day));
  expect(await outcomeOn(db, TODAY, learner, product)).toBe('NEW');
  await withdraw(id, true, '2026-11-23');
  expect(await outcomeOn(db, TODAY, learner, product)).toBe('OLDER');
});

test('R-LIFE-14: revoke_code leaves the code while another grant still gives access, and says so', async () => {
  const product = await addProduct(db, { codes: ['STAYS'] });
  const learner = await addLearner(db, []);
  const product_ids = [product.product_id];
  const { id } = await giveOne({ email: learner.email, product_ids });
  const cohort_id = await addCohort(db, [learner]);
  await addGrant(db, { cohort_id, starts_on: TODAY, ends_on: TODAY });
  await redeemOn(db, TODAY, learner, product);
  const withdrawn = await withdraw(id, true);
  expect(withdrawn).toMatchObject({ state: 'withdrawn', kept: expect.stringContaining('another grant') });
  expect(await withdraw(id, true)).toEqual(withdrawn);
  expect(await outcomeOn(db, TODAY, learner, product)).toBe('STAYS');
  // This grant is withdrawn on the day before the learner's next grant begins. The next grant gives no access on that
  // day, so the code is revoked.
  const again = await giveOne({ email: learner.email, product_ids }, '2026-11-21');
  await addGrant(db, { user_id: learner.user_id, starts_on: '2026-11-22' });
  expect(await withdraw(again.id, true, '2026-11-21')).not.toHaveProperty('kept');
  expect(await outcomeOn(db, '2026-11-21', learner, product)).toBe('code_revoked');
});

test('N-62: a shared code stays and `kept` says so; a grant of all products or of a cohort is refused', async () => {
  const shared = await addProduct(db, { shared_coupon: true, codes: ['ALL'] });
  const learner = await addLearner(db, []);
  const { id } = await giveOne({ email: learner.email, product_ids: [shared.product_id] });
  await redeemOn(db, TODAY, learner, shared);
  for (let again = 0; again < 2; again += 1)
    expect(await withdraw(id, true)).toMatchObject({
      kept: 'The code of this product is shared: it cannot be revoked for one person',
    });
  expect(await outcomeOn(db, TODAY, learner, shared)).toBe('ALL');
  const all = await giveOne({ email: learner.email, product_ids: 'all' });
  const cohort_id = await addCohort(db, [learner]);
  const cohorts = await giveOne({ cohort_id, product_ids: [shared.product_id] });
  for (const grant of [all, cohorts]) {
    await expect(withdraw(grant.id, true)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await withdraw(grant.id)).toMatchObject({ state: 'withdrawn' });
  }
});

test('R-LIFE-14: without a code, or with one that is revoked already, only access ends', async () => {
  const product = await addProduct(db);
  const learner = await addLearner(db, []);
  const { id } = await giveOne({ email: learner.email, product_ids: [product.product_id] });
  const after = await lastLine(learner);
  expect(await withdraw(id, true)).toMatchObject({ state: 'withdrawn' });
  expect((await listLines(learner, after)).map(({ action }) => action)).toEqual(['grant.withdraw']);
});
