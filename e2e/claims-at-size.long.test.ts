// Tests how many 8-kB blocks the search for a free code reads with 500,000 expired codes, or 400,000 assigned codes of an
// earlier day, in front of the first free code. The bounds are for the part `free` of the claim: its index pages of
// every index that it uses, and its pages of the table coupon. They leave out access, the session and the writing.
// `claims-at-size.postgres.test.ts` tests the same with fewer codes, together with my products.
import { expect, onTestFinished, test } from 'vitest';
import type { Db } from '../server/src/db/database.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { type ClaimHint, claimCoupon, recordClaimPlaces } from '../server/src/stores/claims.ts';
import { addLearner, addProduct } from '../server/test/factories.ts';
import { startPostgres } from '../server/test/postgres.ts';

const TODAY = '2026-11-20';
const BOUND = 10;
const FIRST_CALL_BOUND = 20;

/** Starts a server and creates a product with `front` codes of the day `use_by`, and 100 codes that expire later. */
async function openScene({ front, use_by, assigned }: { front: number; use_by: string; assigned: boolean }) {
  const server = await startPostgres();
  onTestFinished(server.stop);
  const db = await openPostgres({ url: server.url, maxConnections: 2 });
  const run = (sql: string) => db.transaction((tx) => tx.execute(`set local statement_timeout = 0; ${sql}`));
  const keeper = await openPostgres({ url: server.url, maxConnections: 1 });
  await migrate(db);
  const product = await addProduct(db, { codes: ['ONE'] });
  const { product_id } = product;
  const { user_id } = await addLearner(db, [product]);
  // The indexes except coupon_free are created after the codes, and no trigger runs. That is faster.
  const { rows: indexes } = await db.query<{ name: string; sql: string }>(
    `select indexname as name, indexdef as sql from pg_indexes where tablename = 'coupon'
     and indexname <> 'coupon_free' and indexname not in (select conname from pg_constraint)`,
  );
  expect(indexes.length).toBeGreaterThan(8);
  await run(`
    alter table coupon set (autovacuum_enabled = false);
    alter table coupon disable trigger all;
    ${indexes.map(({ name }) => `drop index ${name}`).join(';')};
    insert into coupon (product_id, batch_id, shared, coupon_code, use_by)
      select '${product_id}', (select max(id) from coupon_batch), false, 'CODE-' || n,
             case when n <= ${front} then date '${use_by}' else date '2027-12-31' end
      from generate_series(1, ${front + 100}) n`);
  // With this old snapshot, the entries of assigned codes stay in coupon_free.
  const released = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const snapshot = keeper.transaction(async (tx) => {
    await tx.execute(
      'set transaction isolation level repeatable read; set local idle_in_transaction_session_timeout = 0',
    );
    await tx.query('select 1 from product');
    begun.resolve();
    await released.promise;
  });
  onTestFinished(async () => {
    released.resolve();
    await snapshot;
    await keeper.close();
    await db.close();
  });
  await begun.promise;
  if (assigned)
    await run(
      `update coupon set holder = ${user_id}, assigned_at = now(), assigned_by = 'learner' where use_by = '${use_by}'`,
    );
  await run(`${indexes.map(({ sql }) => sql).join(';')}; alter table coupon enable trigger all; analyze`);
  return { db, product };
}
type Scene = Awaited<ReturnType<typeof openScene>>;

type Plan = {
  'Subplan Name'?: string;
  'Parent Relationship'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
};
const blocksOf = (plan: Plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

function findCte(plan: Plan, name: string): Plan | undefined {
  if (plan['Subplan Name'] === `CTE ${name}`) return plan;
  for (const child of plan.Plans ?? []) {
    const found = findCte(child, name);
    if (found) return found;
  }
  return undefined;
}

// The values that the search compares with come from other parts of the claim, for example access.
function blocksOfParameters(plan: Plan): number {
  return (plan.Plans ?? []).reduce(
    (sum, child) =>
      sum + (child['Parent Relationship'] === 'InitPlan' ? blocksOf(child) : blocksOfParameters(child)),
    0,
  );
}

/** Claims a code for a new learner. Returns the number of blocks that the search for the code read, and the new hint. */
async function claim({ db, product }: Scene, hint: ClaimHint | null) {
  const user_id = (await addLearner(db, [product])).user_id ?? '';
  let plan: Plan | undefined;
  const explaining: Db = {
    ...db,
    query: async (sql: string, params: unknown[] = []) => {
      const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, buffers, format json) ${sql}`,
        params,
      );
      plan = findCte((rows[0] as (typeof rows)[0])['QUERY PLAN'][0].Plan, 'free');
      return { rows: [], rowCount: 0 };
    },
  };
  const order = { product_id: product.product_id, claimant: { user_id }, at: new Date(), today: TODAY };
  await claimCoupon(explaining, { ...order, hint, assigned_by: 'learner', action: 'coupon.redeem' });
  const { rows } = await db.query<ClaimHint>(
    `select c.use_by::text, c.pos::text, p.stock_version::text from coupon c join product p using (product_id)
     where c.holder = $1`,
    [user_id],
  );
  expect(rows, 'the claim assigned a code').toHaveLength(1);
  return {
    blocks: blocksOf(plan as Plan) - blocksOfParameters(plan as Plan),
    hint: rows[0] as ClaimHint,
  };
}

async function expectFew(scene: Scene, first: number, hint: ClaimHint | null = null): Promise<void> {
  let next = await claim(scene, hint);
  expect(next.blocks).toBeGreaterThan(0);
  expect(next.blocks).toBeLessThanOrEqual(first);
  for (let again = 0; again < 3; again += 1) {
    next = await claim(scene, next.hint);
    expect(next.blocks).toBeLessThanOrEqual(BOUND);
  }
}

test('R-LIFE-53: with 500,000 expired codes in front, the search for a free code reads at most 10 blocks', async () => {
  await expectFew(await openScene({ front: 500_000, use_by: TODAY, assigned: false }), BOUND);
});

test('R-LIFE-05: with 400,000 assigned codes of an earlier day in front, it reads at most 10 blocks with a hint, and 20 with a recorded place', async () => {
  const scene = await openScene({ front: 400_000, use_by: '2026-12-31', assigned: true });
  // No place is recorded yet. So the first claim of a process reads the entries of all assigned codes, about 7,700
  // blocks. The bound for the first claim holds only after `recordClaimPlaces` has run.
  await expectFew(scene, BOUND, (await claim(scene, null)).hint);
  await recordClaimPlaces(scene.db, TODAY);
  await expectFew(scene, FIRST_CALL_BOUND);
});
