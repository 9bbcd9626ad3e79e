// Tests how many 8-kB blocks of the index coupon_free a claim reads, if 500,000 expired codes, or 400,000 assigned codes
// of an earlier day, come before the first free code. Blocks of the table coupon and its other indexes have their own
// bound. `claims-at-size.postgres.test.ts` tests the same with fewer codes.
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../server/src/db/migrate.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import {
  type ClaimResult,
  claimCoupon,
  recordClaimPlaces,
} from '../server/src/features/redeem/redeem.sql.ts';
import { type Blocks, blocksOf } from '../server/test/coupon-blocks.ts';
import { addCodes, addLearner, addProduct } from '../server/test/factories.ts';
import { startPostgres } from '../server/test/postgres.ts';

const TODAY = '2026-11-20';
const BOUND = 10;
const FIRST_CALL_BOUND = 20;
// All codes together fill more than ten thousand blocks of the table.
const OTHERS_BOUND = 200;

/** Starts a server and creates a product with `front` codes of the day `use_by`, and 100 codes that expire later. */
async function openFixture({
  front,
  use_by,
  assigned,
}: {
  front: number;
  use_by: string;
  assigned: boolean;
}) {
  const server = await startPostgres();
  onTestFinished(server.stop);
  const migrated = await openPostgres({ url: server.url });
  await migrate(migrated);
  await migrated.close();
  const db = await openPostgres({ url: server.url, maxConnections: 1 });
  const run = (sql: string) => db.transaction((tx) => tx.execute(`set local statement_timeout = 0; ${sql}`));
  const keeper = await openPostgres({ url: server.url, maxConnections: 1 });
  const product = await addProduct(db, { codes: ['ONE'] });
  const { product_id } = product;
  const { user_id } = await addLearner(db, [product]);
  // The indexes except coupon_free are created after the codes, and only the trigger of claim_day runs. That is faster.
  const { rows: indexes } = await db.query<{ name: string; sql: string }>(
    `select indexname as name, indexdef as sql from pg_indexes where tablename = 'coupon'
     and indexname <> 'coupon_free' and indexname not in (select conname from pg_constraint)`,
  );
  expect(indexes.length).toBeGreaterThan(8);
  await run(`
    alter table coupon set (autovacuum_enabled = false);
    alter table coupon disable trigger all;
    alter table coupon enable trigger coupon_added_is_claimable;
    ${indexes.map(({ name }) => `drop index ${name}`).join(';')};
    insert into coupon (product_id, batch_id, shared, coupon_code, use_by)
      select '${product_id}', (select max(id) from coupon_batch), false, 'CODE-' || n,
             case when n <= ${front} then date '${use_by}' else date '2027-12-31' end
      from generate_series(1, ${front + 100}) n`);
  // This old snapshot keeps the entries of assigned codes in coupon_free.
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
type Fixture = Awaited<ReturnType<typeof openFixture>>;

/** Claims a code for a new learner. Returns the number of blocks that the claim read. */
async function claim({ db, product }: Fixture): Promise<Blocks> {
  const user_id = (await addLearner(db, [product])).user_id ?? '';
  const order = { product_id: product.product_id, user_id, at: new Date(), today: TODAY };
  let result: ClaimResult | null = null;
  const blocks = await blocksOf(db, async () => {
    result = await claimCoupon(db, { ...order, assigned_by: 'learner', action: 'coupon.redeem' });
  });
  expect((result as ClaimResult | null)?.is_new, 'the claim assigned a code').toBe(true);
  return blocks;
}

function expectBlocks({ free, others }: Blocks, bound: number): void {
  expect(free).toBeGreaterThan(0);
  expect(free).toBeLessThanOrEqual(bound);
  expect(others).toBeLessThanOrEqual(OTHERS_BOUND);
}

async function expectFew(fixture: Fixture, first: number): Promise<void> {
  expectBlocks(await claim(fixture), first);
  for (let again = 0; again < 8; again += 1) expectBlocks(await claim(fixture), BOUND);
}

test('R-LIFE-53: with 500,000 expired codes in front, the search for a free code reads at most 10 blocks', async () => {
  await expectFew(await openFixture({ front: 500_000, use_by: TODAY, assigned: false }), BOUND);
});

test('R-LIFE-05: with 400,000 assigned codes of an earlier day in front, it reads at most 10 blocks, and 20 on the first call of a process', async () => {
  const fixture = await openFixture({ front: 400_000, use_by: '2026-12-31', assigned: true });
  // The portal does this every ten seconds.
  await recordClaimPlaces(fixture.db);
  await expectFew(fixture, FIRST_CALL_BOUND);
  // The claims take the codes of an upload with an even earlier day, and then skip the 400,000 codes again.
  await claim(fixture);
  await addCodes(fixture.db, fixture.product, ['SOON-1', 'SOON-2', 'SOON-3'], '2026-12-01');
  await expectFew(fixture, FIRST_CALL_BOUND);
  await expectFew(fixture, FIRST_CALL_BOUND);
  const { rowCount } = await fixture.db.query(
    "select from coupon where use_by = '2026-12-01' and holder is null",
  );
  expect(rowCount).toBe(0);
});
