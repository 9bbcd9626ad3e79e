// Tests concurrent changes of cohorts and their members. Runs on PostgreSQL only, because the embedded engine has one
// connection.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addLearner, addProduct, utcToday } from '../../../test/factories.ts';
import { addCohort, addGrant, toolsOn } from '../../../test/lifecycle.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { AppError } from '../../app-error.ts';
import type { Database } from '../../db/database.ts';
import { listGrants } from '../access/grants.sql.ts';
import { createGrants, editGrant } from '../access/grants.ts';
import { getMemberTotal, recountTally } from '../dashboard/tally.sql.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { createCohort, editCohort, setCohortDates } from './cohorts.ts';
import { addMembers, moveMembers, removeMembers } from './members.ts';

const actor = 'staff@example.org';
const tools = toolsOn(utcToday());
const PEOPLE = 200;
const ROUNDS = 12;

let db: Database;
let cohort_id: string;
let other: string;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  [cohort_id, other] = [await addCohort(db, []), await addCohort(db, [])];
});

const total = async (id: string) => (await getMemberTotal(db, id)).total;
const emailsOf = (word: string) => Array.from({ length: PEOPLE }, (_, n) => `${word}-${n}@race.example`);
/** Returns for each call the code of its AppError, or null if it succeeded. Throws other errors. */
async function codesOf(calls: Promise<unknown>[]): Promise<(string | null)[]> {
  const ended = await Promise.allSettled(calls);
  return ended.map((result) => {
    if (result.status === 'fulfilled') return null;
    if (result.reason instanceof AppError) return result.reason.code;
    throw result.reason;
  });
}

test('two calls that add the same people in opposite order: each person joins once', async () => {
  const emails = emailsOf('same');
  const results = await Promise.all(
    [emails, emails.toReversed(), emails].map((list) => addMembers(db, { cohort_id, actor, emails: list })),
  );
  const sum = (count: 'joined' | 'created' | 'already') =>
    results.reduce((all, result) => all + result[count], 0);
  expect([sum('joined'), sum('created'), sum('already')]).toEqual([PEOPLE, PEOPLE, 2 * PEOPLE]);
  expect(await total(cohort_id)).toBe(PEOPLE);
});

test('R-COHORT-05: while people move both ways, nobody is seen without a cohort, and no call fails', async () => {
  const emails = emailsOf('mover');
  await addMembers(db, { cohort_id, actor, emails });
  let isMoving = true;
  const watch = async () => {
    while (isMoving) {
      const { rows } = await db.query<{ people: number }>(
        'select count(distinct user_id)::int as people from cohort_member where cohort_id = any($1)',
        [[cohort_id, other]],
      );
      expect(rows[0]?.people).toBe(PEOPLE);
    }
  };
  const move = async (from: string, to: string, list: string[]) => {
    for (let round = 0; round < ROUNDS; round += 1)
      await moveMembers(db, { cohort_id: from, to, actor, emails: list });
  };
  const watching = watch();
  await Promise.all([
    move(cohort_id, other, emails),
    move(other, cohort_id, emails.toReversed()),
    move(cohort_id, other, emails.slice(PEOPLE / 2)),
  ]).finally(() => {
    isMoving = false;
  });
  await watching;
  expect((await total(cohort_id)) + (await total(other))).toBe(PEOPLE);
  const adding = async () => {
    for (let round = 0; round < ROUNDS; round += 1) await addMembers(db, { cohort_id, actor, emails });
  };
  const removing = async () => {
    for (let round = 0; round < ROUNDS; round += 1)
      await removeMembers(db, { cohort_id, actor, emails: emails.toReversed() });
  };
  await Promise.all([adding(), removing(), move(cohort_id, other, emails), move(other, cohort_id, emails)]);
  expect((await recountTally(db, new Date())).wrong).toBe(0);
});

test('of two calls that add people in 49 cohorts to another one, one is refused', async () => {
  const emails = emailsOf('nearly-full');
  await addMembers(db, { cohort_id: await addCohort(db, []), actor, emails });
  await db.query(
    `with added as (
       insert into cohort (name, created_by) select gen_random_uuid(), 'x' from generate_series(1, 48) returning cohort_id
     )
     insert into cohort_member (cohort_id, user_id, joined_by)
     select cohort_id, u.id, 'x' from added, app_user u where email = any($1)`,
    [emails],
  );
  const add = (id: string) => addMembers(db, { cohort_id: id, actor, emails });
  for (let round = 0; round < ROUNDS; round += 1) {
    expect((await codesOf([add(cohort_id), add(other)])).sort()).toEqual([null, 'too_many'].sort());
    for (const id of [cohort_id, other]) await removeMembers(db, { cohort_id: id, actor, emails });
  }
});

test('R-COHORT-33: of two edits of one version, one is refused; a name is given once', async () => {
  const { rows } = await db.query<{ name: string }>('select name from cohort where cohort_id = $1', [
    cohort_id,
  ]);
  const edit = (note: string) =>
    editCohort(
      db,
      { cohort_id, actor, edited: { name: rows[0]?.name ?? '', note, archived: false, version: 1 } },
      tools,
    );
  expect((await codesOf([edit('one'), edit('two')])).sort()).toEqual(['edit_conflict', null].sort());
  const cohort = { name: 'Taken at once', note: null, product_ids: [], starts_on: null, ends_on: null };
  const create = () => createCohort(db, { actor, cohort }, tools);
  const codes = await codesOf([create(), create(), create()]);
  expect(codes.filter((code) => code === 'duplicate_name')).toHaveLength(2);
});

test('the days and the products of a cohort change at once without a deadlock', async () => {
  const products = await Promise.all(Array.from({ length: 8 }, () => addProduct(db)));
  // The order of the grants' ids is the opposite of the order of products, in which other actions lock the grants.
  const product_ids = products.map(({ product_id }) => product_id).sort();
  for (const product_id of product_ids.toReversed()) await addGrant(db, { cohort_id, product_id });
  const days = (day: number) => ({ starts_on: `2026-01-0${day}`, ends_on: null });
  const dates = (day: number) =>
    setCohortDates(db, { cohort_id, actor, expected: 1000, ...days(day) }, tools);
  const grant = (ids: string[], day: number) =>
    createGrants(db, { actor, given: { cohort_id, product_ids: ids, ...days(day) } }, tools);
  for (let round = 0; round < ROUNDS; round += 1)
    await Promise.all([grant(product_ids, 3), dates(2), grant(product_ids.toReversed(), 1), dates(4)]);
});

test('R-COHORT-31: a member who is removed gets no code afterwards, and keeps a code from before', async () => {
  const product = await addProduct(db, { codes: PEOPLE });
  const { product_id: productId } = product;
  const learners = await Promise.all(Array.from({ length: 20 }, () => addLearner(db, [])));
  const emails = learners.map(({ email }) => email);
  await addMembers(db, { cohort_id, actor, emails });
  await addGrant(db, { cohort_id, product_id: productId });
  const redeem = (caller: (typeof learners)[number]) => redeemCoupon(db, { caller, productId }, tools);
  const [codes] = await Promise.all([
    codesOf(learners.map(redeem)),
    removeMembers(db, { cohort_id, actor, emails }),
  ]);
  expect(codes.every((code) => code === null || code === 'product_not_assigned')).toBe(true);
  expect(await codesOf(learners.map(redeem))).toEqual(codes);
});

test('a cohort is archived and brought back while its products, days and members change: no deadlock', async () => {
  const { product_id } = await addProduct(db);
  const id = await addGrant(db, { cohort_id, product_id });
  const emails = emailsOf('archived');
  const setArchived = (archived: boolean, version: number) =>
    editCohort(
      db,
      {
        cohort_id,
        actor,
        edited: { name: `Archived ${cohort_id}`, note: null, archived, version, expected: 1000 },
      },
      tools,
    );
  const days = (day: number) => ({ starts_on: `2026-01-0${day}`, ends_on: null });
  for (let round = 0; round < ROUNDS; round += 1) {
    const another = await addProduct(db);
    const archived = round % 2 === 0;
    await Promise.all([
      setArchived(archived, round + 1),
      addMembers(db, { cohort_id, actor, emails }),
      createGrants(db, { actor, given: { cohort_id, product_ids: [another.product_id], ...days(1) } }, tools),
      editGrant(db, { id, actor, reason: null, expected: 1000, ...days((round % 9) + 1) }, tools),
      setCohortDates(db, { cohort_id, actor, expected: 1000, ...days(2) }, tools),
    ]);
    await removeMembers(db, { cohort_id, actor, emails });
    const states = (await listGrants(db, { cohort_id }, utcToday())).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set([archived ? 'archived' : 'live']));
  }
});
