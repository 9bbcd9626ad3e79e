// Tests the access that cohorts give: joining, leaving, moving, archiving, and the union of several grants.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct, utcToday } from '../../../test/factories.ts';
import { type Learner, outcomeOn, toolsOn } from '../../../test/lifecycle.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';
import { editCohort, createCohort as newCohort, setCohortDates } from '../cohorts/cohorts.ts';
import { addMembers, moveMembers, removeMembers } from '../cohorts/members.ts';

const actor = 'staff@example.org';
const today = utcToday();
const tools = toolsOn(today);

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

let cohorts = 0;
async function addCohort(product_ids: string[]) {
  cohorts += 1;
  const cohort = { name: `Access ${cohorts}`, note: null, product_ids, starts_on: null, ends_on: null };
  return newCohort(db, { actor, cohort }, tools);
}
const change = (act: typeof addMembers | typeof removeMembers, cohort_id: string, { email }: Learner) =>
  act(db, { cohort_id, actor, emails: [email] });
const NONE = 'product_not_assigned';

test('R-COHORT-01, R-COHORT-02: people have access from the moment they join until they leave, by any of their cohorts', async () => {
  const product = await addProduct(db, { codes: 9 });
  const [one, two] = [await addCohort([product.product_id]), await addCohort([product.product_id])];
  const [learner, late] = [await addLearner(db, []), await addLearner(db, [])];
  expect(await outcomeOn(db, today, learner, product)).toBe(NONE);
  await change(addMembers, one.cohort_id, learner);
  await change(addMembers, two.cohort_id, learner);
  await change(removeMembers, one.cohort_id, learner);
  // The other cohort still gives access.
  expect(await outcomeOn(db, today, learner, product)).toMatch(/^CODE/);
  await change(addMembers, one.cohort_id, late);
  await change(removeMembers, one.cohort_id, late);
  expect(await outcomeOn(db, today, late, product)).toBe(NONE);
  await change(addMembers, one.cohort_id, late);
  expect(await outcomeOn(db, today, late, product)).toMatch(/^CODE/);
});

test('R-COHORT-03: whoever leaves or is moved keeps a code, and an own grant still gives access', async () => {
  const [product, other] = [await addProduct(db, { codes: 9 }), await addProduct(db, { codes: 9 })];
  const [from, to] = [await addCohort([product.product_id]), await addCohort([other.product_id])];
  const [holder, own, bare] = [
    await addLearner(db, []),
    await addLearner(db, [product]),
    await addLearner(db, []),
  ];
  const emails = [holder, own, bare].map(({ email }) => email);
  await addMembers(db, { cohort_id: from.cohort_id, actor, emails });
  const code = await outcomeOn(db, today, holder, product);
  await moveMembers(db, { cohort_id: from.cohort_id, to: to.cohort_id, actor, emails });
  expect(await outcomeOn(db, today, holder, product)).toBe(code);
  expect(await outcomeOn(db, today, own, product)).toMatch(/^CODE/);
  expect(await outcomeOn(db, today, bare, product)).toBe(NONE);
  expect(await outcomeOn(db, today, bare, other)).toMatch(/^CODE/);
});

test('R-COHORT-04: archiving ends the access of all members, and bringing back restores it', async () => {
  const product = await addProduct(db, { codes: 9 });
  const { cohort_id, name } = await addCohort([product.product_id]);
  const [holder, learner] = [await addLearner(db, []), await addLearner(db, [])];
  await change(addMembers, cohort_id, holder);
  await change(addMembers, cohort_id, learner);
  const code = await outcomeOn(db, today, holder, product);
  const archive = (archived: boolean, version: number) =>
    editCohort(db, { cohort_id, actor, edited: { name, note: null, archived, version, expected: 2 } }, tools);
  await archive(true, 1);
  expect(await outcomeOn(db, today, learner, product)).toBe(NONE);
  expect(await outcomeOn(db, today, holder, product)).toBe(code);
  await archive(false, 2);
  expect(await outcomeOn(db, today, learner, product)).toMatch(/^CODE/);
});

test('R-COHORT-06, N-96: somebody who has never signed in is a member, and the days of a cohort hold for all', async () => {
  const product = await addProduct(db, { codes: 9 });
  const { cohort_id } = await addCohort([product.product_id]);
  const learner = await addLearner(db, []);
  await addMembers(db, { cohort_id, actor, emails: ['never@example.org', learner.email] });
  const { rows } = await db.query("select auth_id from app_user where email = 'never@example.org'");
  expect(rows).toEqual([{ auth_id: null }]);
  const dates = (starts_on: string) =>
    setCohortDates(db, { cohort_id, actor, expected: 2, starts_on, ends_on: null }, tools);
  expect(await dates('2999-01-01')).toEqual({ changed: 1 });
  expect(await outcomeOn(db, today, learner, product)).toBe('access_not_started');
  await dates('2000-01-01');
  expect(await outcomeOn(db, today, learner, product)).toMatch(/^CODE/);
});
