// Tests that a page of each order of people and codes, also one far down, reads few blocks in a large database (R-DAY-12).
import { CODE_SORTS, PEOPLE_SORTS } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProduct, utcToday } from '../../../test/factories.ts';
import { createTestDatabase } from '../../../test/open-test-database.ts';
import { vacuumAll } from '../../../test/vacuum.ts';
import type { Database } from '../../db/database.ts';
import { openPostgres } from '../../db/open-postgres.ts';
import { listCohortsOfPeople } from '../cohorts/cohorts.sql.ts';
import { listActivity } from '../people/people.sql.ts';
import { listSortedUsers, searchBestUsers } from '../people/search.sql.ts';
import { listSortedCoupons } from './code-orders.sql.ts';
import { CODE_STATES, type CodeStatus, listCoupons } from './codes.sql.ts';

const CODES = 150_000;
const PEOPLE = 50_000;
const MOST_BLOCKS = 300;
// PostgreSQL may use a generic plan after five executions.
const EXECUTIONS = 7;

let db: Database;
let product_id: string;
/** A product with 400 codes, as many as 20 pages have. */
let small_id: string;
beforeAll(async () => {
  db = await openPostgres({ url: await createTestDatabase(), maxConnections: 1 });
  for (let count = 0; count < 3; count += 1) ({ product_id } = await addProduct(db, { codes: ['ONE'] }));
  await db.query(
    `insert into auth_user (email, email_confirmed_at, last_sign_in_at, created_at, updated_at)
     select 'amara-' || n || '@example.org', at, at, at, at
     from generate_series(1, ${PEOPLE}) n cross join lateral (select now() - (n * 7919 % 50000) * interval '1 minute' as at) a
     where n % 50 <> 0`,
  );
  await db.query(
    `insert into app_user (email, name, user_role, team_role)
     select 'amara-' || n || '@example.org', 'Amara ' || n * 7919 % 50000,
       case when n % 10000 = 1 then 'admin' else 'user' end, case when n % 10000 = 1 then 'viewer' end
     from generate_series(1, ${PEOPLE}) n`,
  );
  await db.query(
    `with c as (insert into cohort (name, created_by) select 'Cohort ' || n, 'x' from generate_series(1, 40) n returning cohort_id),
       numbered as (select cohort_id, row_number() over () as n from c)
     insert into cohort_member (cohort_id, user_id, joined_by)
     select cohort_id, u.id, 'x' from app_user u join numbered on (u.id + n) % 20 = 0`,
  );
  // Of 20 codes, 8 are held, 2 revoked, 2 void and 1 has expired. Half of the codes have a last day.
  await db.query(
    `insert into coupon (product_id, batch_id, shared, coupon_code, use_by, holder, assigned_at, assigned_by, revoked_at,
       revoked_by, revoke_reason, voided_at, voided_by, void_reason)
     select $1, (select max(id) from coupon_batch), false, 'CODE-' || n,
       case when k = 12 then '2026-01-01' when n % 2 = 0 then current_date + 1 + (n * 31 % 900)::int else 'infinity' end::date,
       case when k < 10 then first + n * 6151 % ${PEOPLE} end,
       case when k < 10 then now() - n * 7919 % 400000 * interval '1 minute' end, case when k < 10 then 'learner' end,
       case when k in (8, 9) then now() end, case when k in (8, 9) then 'x' end, case when k in (8, 9) then 'y' end,
       case when k in (10, 11, 12) then now() end, case when k in (10, 11, 12) then 'x' end,
       case when k in (10, 11) then 'dead' when k = 12 then 'expired' end
     from generate_series(1::bigint, ${CODES}) n, (select min(id) as first from app_user) p,
       lateral (select (n * 13 / 2) % 20 as k) kind`,
    [product_id],
  );
  ({ product_id: small_id } = await addProduct(db, { codes: 400 }));
  await db.query(
    `update coupon set holder = n, assigned_at = now() - n * interval '1 minute', assigned_by = 'learner'
     from (select id, row_number() over () + (select min(id) from app_user) as n from coupon where product_id = $1) c
     where coupon.id = c.id and n % 2 = 0`,
    [small_id],
  );
  await vacuumAll(db);
}, 600_000);
afterAll(() => db.close());

async function countBlocks(): Promise<number> {
  await db.query('select pg_stat_force_next_flush()');
  const { rows } = await db.query<{ blocks: number }>(
    `select sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0))::int as blocks
     from pg_statio_user_tables`,
  );
  return rows[0]?.blocks ?? 0;
}

/** Returns the blocks that `call` reads, and the number of its rows. */
async function measure(call: () => Promise<unknown[]>): Promise<{ blocks: number; rows: number }> {
  for (let execution = 0; execution < EXECUTIONS; execution += 1) await call();
  const before = await countBlocks();
  const { length: rows } = await call();
  return { blocks: (await countBlocks()) - before, rows };
}

const limit = 21;
const cursor = (id: number, text: number) => `${id}-0${Buffer.from(String(text)).toString('hex')}`;
const FAR = { assigned: (Date.now() - 2e10) * 1_000, use_by: Math.floor(Date.now() / 864e5) + 450 };

const STATUSES = [undefined, ...(Object.keys(CODE_STATES) as CodeStatus[])];
test.each(CODE_SORTS)('R-DAY-12: codes in the order %s, of each state, read few blocks', async (sort) => {
  const far = sort.endsWith('assigned') ? FAR.assigned : FAR.use_by;
  for (const status of sort.endsWith('use_by') ? ['available' as const] : STATUSES)
    for (const after of [undefined, cursor(5, far), '50000-1']) {
      const filter = { product_id, status, today: utcToday(), limit, after };
      const { blocks } = await measure(() => listSortedCoupons(db, { ...filter, sort }));
      expect(blocks, `${status} after ${after}`).toBeLessThanOrEqual(MOST_BLOCKS);
    }
});

test('R-DAY-12: all of these pages have rows', async () => {
  for (const sort of CODE_SORTS)
    expect(await listSortedCoupons(db, { product_id, today: utcToday(), limit, sort })).toHaveLength(limit);
});

/** Does the same as the list of people: its rows, their cohorts, last sign-ins and codes. */
async function listPeople(list: () => ReturnType<typeof listSortedUsers>) {
  const users = await list();
  const ids = users.map(({ id }) => id);
  await listCohortsOfPeople(db, ids);
  await listActivity(db, ids);
  return users;
}

test.each(PEOPLE_SORTS)(
  'R-DAY-11: a page of people in the order %s, with all columns, reads few blocks',
  async (sort) => {
    for (const role of [undefined, 'user', 'admin'] as const)
      for (const after of [undefined, cursor(20_000, FAR.assigned + 1.9e13), '30000-1']) {
        const { blocks } = await measure(() =>
          listPeople(() => listSortedUsers(db, { limit: 20, sort, role, after })),
        );
        expect(blocks, `${role} after ${after}`).toBeLessThanOrEqual(MOST_BLOCKS);
      }
  },
);

test.each(['am', 'amara-4', 'amara 4', 'amara-777@example.org', 'example', '49999'])(
  'R-DAY-34: the search of the header for %s reads few blocks',
  async (q) => {
    const { blocks, rows } = await measure(() => searchBestUsers(db, { q, limit: 5 }));
    expect(rows).toBeGreaterThan(0);
    expect(blocks).toBeLessThanOrEqual(MOST_BLOCKS);
  },
);

test('N-206: the last of twenty pages, by its number, reads few blocks', async () => {
  const filter = { product_id: small_id, today: utcToday(), limit: 380, isSkipped: true };
  // Half of the codes are free.
  const calls: [call: () => Promise<unknown[]>, expected: number][] = [
    [() => listCoupons(db, filter), 380],
    [() => listSortedCoupons(db, { ...filter, sort: 'assigned' }), 380],
    [() => listSortedCoupons(db, { ...filter, sort: 'use_by' }), 200],
  ];
  for (const [call, expected] of calls) {
    const { blocks, rows } = await measure(call);
    expect(rows).toBe(expected);
    expect(blocks).toBeLessThanOrEqual(MOST_BLOCKS);
  }
});
