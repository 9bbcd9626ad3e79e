// Tests that the database reads only a few blocks to decide whether a user has access, however many users, memberships
// and grants there are.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { vacuumAll } from '../../../test/vacuum.ts';
import type { Database } from '../../db/database.ts';
import { hasAccess } from './access.sql.ts';

const TODAY = '2026-11-20';
const PEOPLE = 100_000;
const COHORTS_EACH = 5;
const COHORTS = 1_000;
// A call usually reads 22 blocks: 3 for the user's own grants, 4 for the memberships, 3 for each of five cohorts. If
// VACUUM could not mark the memberships as visible to all transactions, a call reads one more block for each
// membership.
const MAX_BLOCKS = 30;

let db: Database;
let product_id: string;
beforeAll(async () => {
  db = await openTestDatabase();
  const { rows } = await db.query<{ product_id: string }>(
    `insert into product (name, description, url) values ('One', 'A tool.', 'a.example'), ('Two', 'A tool.', 'b.example')
     returning product_id`,
  );
  product_id = rows[0]?.product_id ?? '';
  const other = rows[1]?.product_id ?? '';
  // The triggers that check foreign keys are off while memberships and grants are inserted. Checking row by row would
  // take most of the time.
  await db.execute(`
    set statement_timeout = 0;
    insert into app_user (id, email) overriding system value select n, n || '@example.org' from generate_series(1, ${PEOPLE}) n;
    insert into cohort (cohort_id, name, created_by)
      select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Cohort ' || n, 'staff' from generate_series(1, ${COHORTS}) n;
    alter table cohort_member disable trigger all;
    insert into cohort_member (cohort_id, user_id, joined_by)
      select ('00000000-0000-4000-8000-' || lpad((1 + (n + k * 7) % ${COHORTS})::text, 12, '0'))::uuid, n, 'staff'
      from generate_series(1, ${PEOPLE}) n, generate_series(1, ${COHORTS_EACH}) k;
    alter table cohort_member enable trigger all;
    alter table access_grant disable trigger all;
    insert into access_grant (user_id, product_id, starts_on, granted_by)
      select n, '${other}', '2026-01-01', 'staff' from generate_series(1, ${PEOPLE}) n;
    insert into access_grant (cohort_id, product_id, starts_on, ends_on, granted_by)
      select cohort_id, p.product_id, '2026-01-01', case when p.product_id = '${product_id}' then date '2026-02-01' end, 'staff'
      from cohort, product p order by 1, 2;
    alter table access_grant enable trigger all`);
  await vacuumAll(db);
}, 120_000);
afterAll(() => db.close());

type Plan = {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
};

/** Runs the query with its parameters. Returns the number of blocks that it read, and the tables that it scanned. */
async function explain(sql: string, ...params: unknown[]): Promise<{ blocks: number; scanned: string[] }> {
  const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (analyze, buffers, format json) ${sql}`,
    params,
  );
  const plan = (rows[0] as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan;
  const scanned: string[] = [];
  const walk = (node: Plan) => {
    if (node['Node Type'] === 'Seq Scan') scanned.push(node['Relation Name'] ?? '');
    for (const child of node.Plans ?? []) walk(child);
  };
  walk(plan);
  return { blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], scanned };
}

test(`R-LIFE-01: with ${PEOPLE} people and ${PEOPLE * COHORTS_EACH} memberships, access is decided from at most ${MAX_BLOCKS} blocks`, async () => {
  const { rows } = await db.query<{ n: string }>('select count(*) as n from cohort_member');
  expect(rows[0]?.n).toBe(String(PEOPLE * COHORTS_EACH));
  const sql = `select ${hasAccess('$1::bigint', '$2::uuid', '$3')}`;
  // The first call in a session also reads blocks to plan the query inside has_cohort_access.
  await db.query(sql, [1, product_id, TODAY]);
  // No user has access to this product. So each call reads all grants of the user and of the user's cohorts.
  for (const user_id of [1, 77_777, PEOPLE]) {
    const { blocks, scanned } = await explain(sql, user_id, product_id, TODAY);
    expect(scanned).toEqual([]);
    expect(blocks).toBeLessThanOrEqual(MAX_BLOCKS);
  }
});

test('why access is missing is found without a scan of the grants', async () => {
  const { blocks, scanned } = await explain(
    `select * from grants_of_user($1::bigint) g where g.product_id = $2 or g.product_id is null`,
    77_777,
    product_id,
  );
  expect(scanned.filter((table) => table !== 'cohort')).toEqual([]);
  expect(blocks).toBeLessThanOrEqual(100);
});
