// Tests that statements for learners read few blocks to decide who has access, however many users, members and grants
// there are.
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct, startSessionOf, utcToday } from '../../../test/factories.ts';
import { addCohort, addGrant, type Learner, listProductsOf, toolsOn } from '../../../test/lifecycle.ts';
import { createTestDatabase } from '../../../test/open-test-database.ts';
import { vacuumAll } from '../../../test/vacuum.ts';
import type { Database } from '../../db/database.ts';
import { openPostgres } from '../../db/open-postgres.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { findCaller, type Identity } from '../team/callers.sql.ts';
import { hasAccess } from './access.sql.ts';

const PEOPLE = 20_000;
const COHORTS = 500;
const COHORTS_OF_A_PERSON = 5;
const PRODUCTS = 6;
const BOUND = 12;

let db: Database;
let products: Product[];
let learners: { name: string; learner: Learner; session: Identity }[];
beforeAll(async () => {
  db = await openPostgres({ url: await createTestDatabase(), maxConnections: 1 });
  products = [];
  for (let count = 0; count < PRODUCTS; count += 1) products.push(await addProduct(db, { codes: 20 }));
  // Adds users. A third of the users have access to all products. Each of the other users has access to two products.
  await db.query(
    `insert into app_user (email, name) select 'user-' || n || '@example.org', 'Amara' from generate_series(1, ${PEOPLE}) n`,
  );
  await db.query(
    `insert into access_grant (user_id, product_id, starts_on, granted_by)
     select u.id, case when u.id % 3 > 0 then ($1::uuid[])[1 + (u.id + n) % ${PRODUCTS}] end, '2026-01-01', 'operator'
     from app_user u cross join generate_series(0, 1) n where u.id % 3 > 0 or n = 0`,
    [products.map(({ product_id }) => product_id)],
  );
  await db.execute(
    `insert into cohort (name, created_by) select 'Group ' || n, 'operator' from generate_series(1, ${COHORTS}) n;
     insert into cohort_member (cohort_id, user_id, joined_by)
       select o.cohort_id, u.id, 'operator'
       from (select *, row_number() over () as n from cohort) o
       cross join generate_series(0, ${COHORTS_OF_A_PERSON - 1}) k
       join app_user u on (u.id * 7 + k * 101) % ${COHORTS} + 1 = o.n;
     insert into access_grant (cohort_id, product_id, starts_on, ends_on, granted_by)
       select cohort_id, product_id, '2026-01-01', '2026-02-01', 'operator' from cohort cross join product`,
  );
  const people = { none: await addLearner(db, []), own: await addLearner(db, products) };
  const member = await addLearner(db, []);
  const all = await addLearner(db, []);
  await addGrant(db, { cohort_id: await addCohort(db, [member]) });
  await addGrant(db, { user_id: all.user_id });
  learners = await Promise.all(
    Object.entries({ ...people, member, all }).map(async ([name, learner]) => ({
      name,
      learner,
      session: await startSessionOf(db, learner),
    })),
  );
  await vacuumAll(db);
});
afterAll(() => db.close());

/** Returns how many 8-kB blocks were read so far from the tables that decide on access, and from their indexes. */
async function countBlocks(): Promise<number> {
  await db.query('select pg_stat_force_next_flush()');
  const { rows } = await db.query<{ blocks: number }>(
    `select sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::int as blocks
     from pg_statio_user_tables where relname in ('access_grant', 'cohort_member', 'cohort', 'app_user')`,
  );
  return rows[0]?.blocks ?? 0;
}

/**
 * Runs `calls` with generic query plans, and returns how many blocks each call read. Leaves out the first call, because
 * it also reads blocks to create the plan.
 */
async function blocksOf(calls: (() => Promise<unknown>)[]): Promise<number[]> {
  await db.execute('set plan_cache_mode = force_generic_plan');
  const blocks: number[] = [];
  for (const call of calls) {
    const before = await countBlocks();
    await call();
    blocks.push((await countBlocks()) - before);
  }
  await db.execute('reset plan_cache_mode');
  return blocks.slice(1);
}

type Plan = { Plan: Record<'Shared Hit Blocks' | 'Shared Read Blocks', number> };

test('R-LIFE-01: the condition of access reads at most 12 blocks, for people with and without access', async () => {
  const statement = `select ${hasAccess('$1::bigint', '$2::uuid', '$3')} as access`;
  for (const { name, learner } of learners) {
    const params = [learner.user_id, products[3]?.product_id, utcToday()];
    const ask = () => db.query<{ access: boolean }>(statement, params);
    expect((await ask()).rows[0]?.access).toBe(name !== 'none');
    expect(Math.max(...(await blocksOf([ask, ask]))), name).toBeLessThanOrEqual(BOUND);
    // Runs the statement with a plan that is made for these parameters. The counted blocks do not include the blocks
    // that the planner has read. The planner keeps its plan of the query inside has_cohort_access after a few calls.
    for (let call = 0; call < 6; call += 1) await ask();
    const { rows } = await db.query<{ 'QUERY PLAN': [Plan] }>(
      `explain (analyze, buffers, format json) ${statement}`,
      params,
    );
    const [{ Plan: plan }] = (rows[0] as { 'QUERY PLAN': [Plan] })['QUERY PLAN'];
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], name).toBeLessThanOrEqual(BOUND);
  }
});

test('R-LIFE-01: my products and redeeming read few blocks of grants and memberships', async () => {
  const today = utcToday();
  for (const { name, learner, session } of learners) {
    const list = () => listProductsOf(db, session, today);
    // For a product without access, the statement reads the grants twice: to decide whether there is access today, and
    // to find the first day of access.
    const times = name === 'none' ? 2 : 1;
    expect(Math.max(...(await blocksOf([list, list]))), name).toBeLessThanOrEqual(times * BOUND * PRODUCTS);
    const presses = products.map(
      ({ product_id: productId }) =>
        () =>
          redeemCoupon(db, { caller: learner, productId }, toolsOn(today)).catch(() => undefined),
    );
    // A refused redemption reads the grants up to four times: in at most three claims, and in the query for the reason
    // of the refusal.
    expect(Math.max(...(await blocksOf(presses))), name).toBeLessThanOrEqual(4 * BOUND);
  }
});

test('a caller is looked up by the address, also if all who signed in before have addresses from the start of the alphabet', async () => {
  const zoe = await startSessionOf(db, await addLearner(db, [], 'zoe@example.org'));
  const find = () => findCaller(db, zoe);
  expect(await find()).toMatchObject({ email: 'zoe@example.org' });
  expect(Math.max(...(await blocksOf([find, find])))).toBeLessThanOrEqual(BOUND);
});
