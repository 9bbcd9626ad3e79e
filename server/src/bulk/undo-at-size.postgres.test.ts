// Tests that the preview of an undo (N-94) is fast for many people: it reads a few blocks for each person.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProduct, utcToday } from '../../test/factories.ts';
import { createTestDatabase } from '../../test/open-test-database.ts';
import { vacuumAll } from '../../test/vacuum.ts';
import type { Database } from '../db/database.ts';
import { openPostgres } from '../db/open-postgres.ts';
import { countUndo, findUndoTarget } from './undo.sql.ts';

const PEOPLE = 60_000;
/** Most people of the upload existed before: their rows are duplicates. */
const KEPT = 50_000;
const HOLDERS = 20_000;
const EXECUTIONS = 8;

let db: Database;
const upload = randomUUID();
beforeAll(async () => {
  db = await openPostgres({ url: await createTestDatabase(), maxConnections: 1 });
  const [given, direct] = [await addProduct(db), await addProduct(db)];
  await db.query(
    `insert into app_user (email, name) select 'user-' || n || '@example.org', 'A' from generate_series(1, $1::int) n`,
    [PEOPLE + KEPT],
  );
  await db.query(
    `insert into cohort (name, created_by) select 'Cohort ' || n, 'x' from generate_series(1, 1000) n`,
  );
  const { rows } = await db.query<{ cohort_id: string }>(
    "select cohort_id from cohort where name = 'Cohort 1'",
  );
  const cohort_id = rows[0]?.cohort_id ?? '';
  await db.query(
    `insert into access_grant (cohort_id, product_id, starts_on, granted_by)
     select cohort_id, $1::uuid, '2026-01-01'::date, 'x' from cohort where cohort_id = $2
     union all select cohort_id, $3::uuid, '2026-01-01'::date, 'x' from cohort where cohort_id <> $2`,
    [given.product_id, cohort_id, direct.product_id],
  );
  await db.query(
    `insert into bulk_job (id, kind, state, product_ids, cohort_id, created_by, rows_total)
     values ($1, 'users', 'done', array[$2::uuid], $3, 'x', 1)`,
    [upload, direct.product_id, cohort_id],
  );
  // The upload made all people members, and gave them the product.
  await db.query(
    `with person as (
       select id from app_user order by id limit $2
     ), joined as (
       insert into cohort_member (cohort_id, user_id, joined_by, joined_at)
       select $1, id, 'x', '2026-11-01T10:00:00Z' from person
     ), lines as (
       insert into audit (actor, via, action, user_id, cohort_id, at, detail)
       select 'x', 'page', 'member.add', id, $1, '2026-11-01T10:00:00Z', jsonb_build_object('import_id', $3::text)
       from person
     )
     insert into access_grant (user_id, product_id, starts_on, granted_by, import_id)
     select id, $4::uuid, '2026-01-01'::date, 'x', $3::uuid from person`,
    [cohort_id, PEOPLE, upload, direct.product_id],
  );
  // All others existed before, and have the product through four cohorts each.
  await db.query(
    `with other as (select array_agg(cohort_id order by name) as ids from cohort where cohort_id <> $1)
     insert into cohort_member (cohort_id, user_id, joined_by)
     select other.ids[1 + (u.id * 4 + n) % 999], u.id, 'x'
     from other, (select id from app_user order by id offset $2) u, generate_series(1, 4) n`,
    [cohort_id, PEOPLE],
  );
  await db.query(
    `insert into import_row (import_id, row, kind, message, cells)
     select $1, row_number() over (order by id), 'duplicate', '', array[email]
     from (select id, email from app_user order by id offset $2) u`,
    [upload, PEOPLE],
  );
  await db.query(
    `with batch as (
       insert into coupon_batch (product_id, source, created_by) values ($1, 'file', 'x') returning id
     )
     insert into coupon (product_id, batch_id, shared, coupon_code, holder, assigned_by, assigned_at, is_current)
     select $1, batch.id, false, 'C' || u.id, u.id, 'x', now(), true
     from batch, (select id from app_user order by id limit $2) u`,
    [given.product_id, HOLDERS],
  );
  await vacuumAll(db);
}, 120_000);
afterAll(() => db.close());

const TABLES = ['access_grant', 'app_user', 'audit', 'cohort', 'cohort_member', 'coupon', 'import_row'];

async function countBlocks(): Promise<number> {
  await db.query('select pg_stat_force_next_flush()');
  const { rows } = await db.query<{ blocks: number }>(
    `select sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::int as blocks
     from pg_statio_user_tables where relname = any($1)`,
    [TABLES],
  );
  return rows[0]?.blocks ?? 0;
}

test('N-94: the numbers of an upload of many people into a cohort read a few blocks for each person', async () => {
  const target = await findUndoTarget(db, upload);
  if (target === null) throw new Error('the upload is missing');
  const call = () => countUndo(db, target, utcToday());
  for (let execution = 0; execution < EXECUTIONS; execution += 1) await call();
  const before = await countBlocks();
  expect(await call()).toEqual({
    ...{ grants: PEOPLE, joined: PEOPLE, people: PEOPLE, holding: HOLDERS, kept: KEPT },
    ...{ kept_later: 0, later: [], lines: PEOPLE },
  });
  expect((await countBlocks()) - before).toBeLessThan(8 * (PEOPLE + KEPT));
});
