// Tests that pages of entries read few blocks, however many lines the groups of the log have (R-DAY-40, R-TRAIL-04).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/open-test-database.ts';
import { vacuumAll } from '../../../test/vacuum.ts';
import type { Database } from '../../db/database.ts';
import { openPostgres } from '../../db/open-postgres.ts';
import { type LogFilter, type LogSubject, readLog } from './audit.sql.ts';

const GROUPS = 20;
const LINES = 10_000;
const SINGLE = 40_000;
const EXECUTIONS = 8;
const STAFF = 'staff@example.org';
const COHORT = '00000000-0000-4000-8000-000000000001';
const PRODUCT = '00000000-0000-4000-8000-000000000002';
const GROUP = '00000000-0000-4000-8000-000000000007';

let db: Database;
beforeAll(async () => {
  db = await openPostgres({ url: await createTestDatabase(), maxConnections: 1 });
  await db.query("insert into cohort (cohort_id, name, created_by) values ($1, 'Large', 'x')", [COHORT]);
  await db.query(
    `insert into app_user (email, name) select 'user-' || n || '@example.org', 'A' from generate_series(1, $1::int) n`,
    [LINES],
  );
  const addSingle = (count: number) =>
    db.query(
      `insert into audit (actor, actor_id, action, user_id, product_id)
       select case when n % 10 = 0 then $2 else 'learner' end, case when n % 10 = 0 then 1 end, case when n % 10 = 0 then 'note.add' else 'session.start' end,
         first.id + n % $3, case when n % 10 = 0 then $4::uuid end from generate_series(1, $1::int) n, (select min(id) as id from app_user) first`,
      [count, STAFF, LINES, PRODUCT],
    );
  await addSingle(SINGLE);
  // The groups are the newest lines of the log, of the member of the team, and of the cohort.
  for (let group = 1; group <= GROUPS; group += 1)
    await db.query(
      `with lines as (
         insert into audit (actor, actor_id, action, user_id, cohort_id, product_id, group_id)
         select $1, 1, 'member.add', id, $2, $4, $3::uuid from app_user order by id
       )
       insert into audit (actor, actor_id, action, cohort_id, group_id, summary_of, detail)
       values ($1, 1, 'user.act', $2, $3::uuid, '{member}', '{"count": 10000}')`,
      [STAFF, COHORT, GROUP.slice(0, -2) + String(group).padStart(2, '0'), PRODUCT],
    );
  await vacuumAll(db);
}, 120_000);
afterAll(() => db.close());

async function countBlocks(): Promise<number> {
  await db.query('select pg_stat_force_next_flush()');
  const { rows } = await db.query<{ blocks: number }>(
    `select sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::int as blocks
     from pg_statio_user_tables where relname in ('audit', 'app_user', 'cohort', 'cohort_member')`,
  );
  return rows[0]?.blocks ?? 0;
}

async function readBlocks(filter: Partial<LogFilter>, before: string | null = null, limit = 50) {
  const all = { entries: true, subject: null, kinds: null, from: null, until: null };
  const call = () => readLog(db, { ...all, ...filter }, { limit, before });
  for (let execution = 0; execution < EXECUTIONS; execution += 1) await call();
  const started = await countBlocks();
  const page = await call();
  return { page, blocks: (await countBlocks()) - started };
}

const subjectOf = (by: LogSubject['by'], value: string) => ({ subject: { by, value } });

const pages: [string, Partial<LogFilter>, { before?: string; summaries: number; most?: number }][] = [
  ['the whole log', {}, { summaries: GROUPS }],
  ['the whole log, in the middle of a group', {}, { before: String(SINGLE + 15_000), summaries: 2 }],
  ['a member of the team', subjectOf('actor', STAFF), { summaries: GROUPS }],
  ['learners', subjectOf('actor', 'learner'), { summaries: 0 }],
  ['a cohort', subjectOf('cohort_id', COHORT), { summaries: GROUPS }],
  // The groups of a product are found one after the other.
  ['a product', subjectOf('product_id', PRODUCT), { summaries: GROUPS, most: 200 + 13 * GROUPS }],
  ['a person', subjectOf('user_id', '77'), { summaries: 0 }],
  ['a group', subjectOf('group_id', GROUP), { summaries: 0 }],
  ['a group, far down', subjectOf('group_id', GROUP), { before: String(SINGLE + 61_000), summaries: 0 }],
];

test.each(pages)(
  'R-DAY-40: a page of %s reads few blocks, beside groups of 10,000 lines',
  async (_name, filter, { before, summaries, most = 300 }) => {
    const { page, blocks } = await readBlocks(filter, before);
    expect(page.lines.filter(({ action }) => action === 'user.act')).toHaveLength(summaries);
    if (filter.subject?.by !== 'cohort_id' && filter.subject?.by !== 'user_id')
      expect(page.lines).toHaveLength(50);
    expect(blocks).toBeLessThanOrEqual(most);
  },
);

test('R-TRAIL-04: a page that finds nothing of a kind reads the blocks of 5,000 entries', async () => {
  const { page, blocks } = await readBlocks({ kinds: ['team'] });
  expect(page).toMatchObject({ lines: [], looked_until: expect.any(String) });
  expect(blocks).toBeLessThanOrEqual(300);
});
