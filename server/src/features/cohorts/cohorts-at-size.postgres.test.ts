// Tests that statements about cohorts read few blocks in a database with many people, both for a small cohort and for
// one with all people.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProduct, utcToday } from '../../../test/factories.ts';
import { createTestDatabase } from '../../../test/open-test-database.ts';
import { vacuumAll } from '../../../test/vacuum.ts';
import type { Database } from '../../db/database.ts';
import { openPostgres } from '../../db/open-postgres.ts';
import { addUpTally } from '../dashboard/tally.sql.ts';
import { countSelected, listSelected } from '../people/search.sql.ts';
import { listCohorts, listCohortsOfPeople, setDatesOfCohort } from './cohorts.sql.ts';

const PEOPLE = 60_000;
const SMALL = 1_000;
const COHORTS = 1_000;
const EXECUTIONS = 8;

let db: Database;
const ids = { large: '', small: '' };
beforeAll(async () => {
  db = await openPostgres({ url: await createTestDatabase(), maxConnections: 1 });
  const products = await Promise.all(Array.from({ length: 12 }, () => addProduct(db)));
  await db.query(
    `insert into app_user (email, name, user_role, team_role)
     select 'user-' || n || '@example.org', 'Amara ' || n, case when n <= 3 then 'admin' else 'user' end,
       case when n <= 3 then 'viewer' end
     from generate_series(1, ${PEOPLE}) n`,
  );
  await db.query(
    `insert into cohort (name, created_by, archived_at)
     select 'Cohort ' || n, 'x', case when n % 10 = 0 then now() end from generate_series(1, ${COHORTS}) n`,
  );
  await db.query(
    `insert into access_grant (cohort_id, product_id, starts_on, granted_by)
     select cohort_id, p, '2026-01-01', 'x' from cohort, unnest($1::uuid[]) p`,
    [products.map(({ product_id }) => product_id)],
  );
  const { rows } = await db.query<{ large: string; small: string }>(
    `select (select cohort_id from cohort where name = 'Cohort 1') as large,
            (select cohort_id from cohort where name = 'Cohort 2') as small`,
  );
  Object.assign(ids, rows[0]);
  const { rows: others } = await db.query<{ cohort_id: string }>(
    'select cohort_id from cohort where cohort_id <> all($1)',
    [Object.values(ids)],
  );
  // The members of the small cohort are the oldest people. Each person is in five cohorts.
  await db.query(
    `insert into cohort_member (cohort_id, user_id, joined_by)
     select $1::uuid, id, 'x' from app_user
     union all select $2::uuid, id, 'x' from (select id from app_user order by id limit ${SMALL}) oldest
     union all select ($3::uuid[])[1 + (u.id * 4 + n) % ${COHORTS - 2}], u.id, 'x'
       from app_user u, generate_series(1, 4) n`,
    [ids.large, ids.small, others.map(({ cohort_id }) => cohort_id)],
  );
  await addUpTally(db, new Date());
  await vacuumAll(db);
}, 120_000);
afterAll(() => db.close());

async function countBlocks(): Promise<number> {
  await db.query('select pg_stat_force_next_flush()');
  const { rows } = await db.query<{ blocks: number }>(
    `select sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::int as blocks
     from pg_statio_user_tables where relname in ('app_user', 'cohort_member', 'cohort', 'access_grant', 'tally', 'product')`,
  );
  return rows[0]?.blocks ?? 0;
}

async function measure<T>(call: () => Promise<T>): Promise<{ blocks: number; result: T }> {
  for (let execution = 0; execution < EXECUTIONS; execution += 1) await call();
  const before = await countBlocks();
  const result = await call();
  return { blocks: (await countBlocks()) - before, result };
}

const limit = 20;
const both = ['large', 'small'] as const;

test.each(both)('R-COHORT-15: a page of the %s cohort reads few blocks, with its total', async (which) => {
  const cohort_id = ids[which];
  const first = await measure(() => listSelected(db, { cohort_id }, { limit }));
  expect(first.result).toHaveLength(limit);
  expect(first.blocks).toBeLessThan(150);
  const after = first.result.at(-1)?.id;
  const next = await measure(() => listSelected(db, { cohort_id, role: 'user' }, { limit, after }));
  expect(next.result).toHaveLength(limit);
  expect(next.blocks).toBeLessThan(150);
  const count = await measure(() => countSelected(db, { cohort_id }));
  expect(count.result.total).toBe(which === 'large' ? PEOPLE : SMALL);
  expect(count.blocks).toBeLessThan(60);
  const admins = await measure(() => listSelected(db, { cohort_id, role: 'admin' }, { limit }));
  expect(admins.result).toHaveLength(3);
  expect(admins.blocks).toBeLessThan(150);
  const counted = await measure(() => countSelected(db, { cohort_id, role: 'admin' }));
  expect(counted.blocks).toBeLessThan(150);
});

test.each(both)('R-COHORT-15, R-FIND-01: a search in the %s cohort reads few blocks', async (which) => {
  const cohort_id = ids[which];
  // All people match 'amara', so the search reads the newest people of each cohort first.
  const page = await measure(() => listSelected(db, { cohort_id, q: 'amara' }, { limit }));
  expect(page.result).toHaveLength(limit);
  const next = { limit, after: (page.result.at(-1) as { cursor?: string }).cursor };
  const later = await measure(() => listSelected(db, { cohort_id, q: 'amara' }, next));
  expect(new Set([...page.result, ...later.result].map(({ id }) => id)).size).toBe(2 * limit);
  expect(page.blocks).toBeLessThan(500);
  expect(later.blocks).toBeLessThan(500);
  const [exact] = await listSelected(db, { cohort_id, q: 'user-777@example.org' }, { limit });
  expect(exact?.email).toBe('user-777@example.org');
  const count = await measure(() => countSelected(db, { cohort_id, q: 'amara' }));
  expect(count.result.total).toBe(SMALL);
  expect(count.blocks).toBeLessThan(5_000);
});

test('R-COHORT-15: the cohorts of the people of a page are read in few blocks', async () => {
  const people = await listSelected(db, {}, { limit });
  const named = await measure(() =>
    listCohortsOfPeople(
      db,
      people.map(({ id }) => id),
    ),
  );
  expect(named.result.size).toBe(limit);
  expect(named.blocks).toBeLessThan(500);
});

test('R-COHORT-10: the list of 1,000 cohorts with 12 grants each reads each table about once', async () => {
  const { result, blocks } = await measure(() => listCohorts(db, { archived: false }, utcToday()));
  expect(result).toHaveLength(COHORTS * 0.9);
  expect(result.every(({ grants }) => grants.length === 12)).toBe(true);
  expect(result.find(({ name }) => name === 'Cohort 1')?.members).toBe(PEOPLE);
  expect(blocks).toBeLessThan(1_500);
});

test('R-COHORT-32: the days of all grants of the largest cohort are set without reading its members', async () => {
  const days = { starts_on: '2026-02-01', ends_on: null, today: utcToday() };
  const { result, blocks } = await measure(() => setDatesOfCohort(db, ids.large, days));
  expect(result.count).toBe(12);
  expect(blocks).toBeLessThan(200);
});
