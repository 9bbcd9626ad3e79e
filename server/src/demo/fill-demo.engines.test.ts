// Tests that the sample data of the demo look like the data of a portal in use.

import { expect, onTestFinished, test } from 'vitest';
import { utcDayOf } from '../../test/factories.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { listImportStates } from '../bulk/bulk-jobs.sql.ts';
import { getStats } from '../features/dashboard/tally.sql.ts';
import { countUsers } from '../features/people/search.sql.ts';
import { DEMO_PRODUCTS } from './demo-data.ts';
import { fillDemo } from './fill-demo.ts';

const NOW = new Date('2026-11-23T12:00:00Z');

async function openDemo() {
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  await fillDemo(db, NOW);
  return db;
}

test('the demo shows 30 days of use: redemptions nearly every day, high, low and no stock, and an upload with invalid rows', async () => {
  const db = await openDemo();
  const stats = await getStats(db, { now: NOW, today: utcDayOf(NOW) });
  expect(stats.redemptions).toHaveLength(30);
  expect(stats.redemptions.filter(({ count }) => count > 0).length).toBeGreaterThanOrEqual(28);
  expect(stats.coupons.assigned).toBeGreaterThan(300);
  expect(stats.stock.filter(({ days_left }) => days_left !== null).length).toBeGreaterThanOrEqual(3);
  const levels = stats.stock.flatMap(({ left, total }) => (left === null ? [] : left / total));
  expect(levels.filter((level) => level === 0).length).toBeGreaterThanOrEqual(1);
  expect(levels.filter((level) => level > 0 && level < 0.1).length).toBeGreaterThanOrEqual(2);
  expect(levels.filter((level) => level > 0.5).length).toBeGreaterThanOrEqual(3);
  expect((await countUsers(db, {})).total).toBeGreaterThan(150);
  const [upload] = await listImportStates(db, { since: new Date(0), limit: 20, named: 10 });
  expect(upload?.results).toMatchObject({ success: 4, duplicates: 1, failures: 3 });
});

test('R-DAY-67: the demo has colleagues with roles, cohorts with claimed codes, codes that end soon, and a generated code', async () => {
  const db = await openDemo();
  const { rows: team } = await db.query(
    'select team_role from app_user where team_role is not null order by team_role',
  );
  expect(team.map(({ team_role }) => team_role)).toEqual(['manager', 'owner', 'support']);
  const { rows: cohorts } = await db.query<{ members: number; holders: number }>(
    `select name, count(distinct m.user_id)::int as members,
       count(distinct c.holder) filter (where g.product_id = c.product_id)::int as holders
     from cohort o join cohort_member m using (cohort_id) join access_grant g using (cohort_id)
     left join coupon c on c.holder = m.user_id group by o.cohort_id order by name`,
  );
  expect(cohorts).toHaveLength(3);
  for (const { members, holders } of cohorts) {
    expect(holders).toBeGreaterThan(0);
    expect(holders).toBeLessThan(members);
  }
  const { rows } = await db.query(
    `select count(*) filter (where use_by between $1 and $1::date + 14)::int as ending,
       count(*) filter (where b.source = 'generated' and holder is not null)::int as generated
     from coupon c join coupon_batch b on b.id = c.batch_id`,
    [utcDayOf(NOW)],
  );
  expect(rows).toEqual([{ ending: 60, generated: 1 }]);
  // The people joined before they redeemed their codes.
  const { rows: late } = await db.query(
    `select from coupon c join app_user u on u.id = c.holder
     left join cohort_member m on m.user_id = u.id
     where c.assigned_at < greatest(u.created_at, m.joined_at)`,
  );
  expect(late).toEqual([]);
});

test('the demo is the same on every start', async () => {
  const [one, other] = await Promise.all([openDemo(), openDemo()]);
  const show = async (db: typeof one) => {
    const { redemptions, stock } = await getStats(db, { now: NOW, today: utcDayOf(NOW) });
    return [redemptions, stock.map(({ name, left, total }) => [name, left, total])];
  };
  expect(await show(one)).toEqual(await show(other));
});

test('R-DAY-40: what learners of the demo did are entries of their own', async () => {
  const db = await openDemo();
  const { rows } = await db.query("select from audit where actor = 'learner' and group_id is not null");
  expect(rows).toEqual([]);
});

test('R-TRAIL-62: the lines of the demo are written in the order of their times, and each file is in the list of uploads', async () => {
  const db = await openDemo();
  const { rows: lines } = await db.query<{ at: string }>('select at from audit order by id');
  const days = lines.map(({ at }) => utcDayOf(new Date(at)));
  expect(days).toEqual([...days].sort());
  const uploads = await listImportStates(db, { since: new Date(0), limit: 20, named: 10 });
  const names = uploads.map(({ file_name }) => file_name);
  expect(names[0]).toBe('late-comers.csv');
  expect(names).toHaveLength(DEMO_PRODUCTS.length + 2);
  expect(names).toContain('learners.csv');
  const { rows: batches } = await db.query<{ file_name: string }>(
    'select file_name from coupon_batch where file_name is not null',
  );
  expect(names).toEqual(expect.arrayContaining(batches.map(({ file_name }) => file_name)));
});

test('R-CAT-04: each product of the demo has a logo of its own, of at most 6 kB', async () => {
  const db = await openDemo();
  const { rows } = await db.query<{ logos: number; longest: number }>(
    'select count(distinct sha256)::int as logos, max(octet_length(bytes)) as longest from product_logo',
  );
  expect(rows[0]?.logos).toBe(DEMO_PRODUCTS.length);
  expect(rows[0]?.longest).toBeLessThanOrEqual(6_000);
});
