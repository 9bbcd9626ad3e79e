// Tests the daily job that deletes old rows of uploads and of mails.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';
import { deleteOldData } from './retain.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
  await db.query(
    `with jobs as (
       insert into bulk_job (id, kind, created_by, state, rows_total, failures, source, detail, worked_at)
       select gen_random_uuid(), 'users', state || age, state, 3000, 3000,
         case when state in ('failed', 'running') then 'email' end, '{"emails": ["ada@example.org"], "act": "join"}',
         now() - age * interval '1 day'
       from unnest(array['done', 'failed', 'running']) state, unnest(array[89, 91]) age returning id
     ), errors as (
       insert into import_error (import_id, "row", message, cells) select id, n, 'no', '{a}' from jobs, generate_series(2, 3001) n
     )
     insert into import_row (import_id, kind, "row", message, cells)
     select id, 'duplicate', n, 'no', '{a}' from jobs, generate_series(2, 3001) n`,
  );
  await db.query(
    `with person as (insert into app_user (email) values ('ada@example.org') returning id)
     insert into ready_notice (user_id, product_ids, due_on, language, state, ended_at, words)
     select id, '{}', '2026-01-01', 'en', case when age is null then 'queued' else 'failed' end, now() - age * interval '1 day', 'x'
     from person, unnest(array[179, 181, null]) age`,
  );
});
afterAll(() => db.close());

const run = (importDays: number, mailDays: number, signal = new AbortController().signal) =>
  deleteOldData(db, { importDays, mailDays, now: new Date() }, { signal });

async function listJobs() {
  const { rows } = await db.query(
    `select created_by as job, source is not null as source, detail ? 'emails' as emails, failures,
       (select count(*)::int from import_error e where e.import_id = b.id) as errors,
       (select count(*)::int from import_row r where r.import_id = b.id) as rows
     from bulk_job b order by 1`,
  );
  return rows;
}

const countNotices = async () =>
  (await db.query<{ n: number }>('select count(*)::int as n from ready_notice')).rows[0]?.n;

test('R-PRIV-06: with 0 days, and after the job was stopped, everything stays', async () => {
  const before = await listJobs();
  await run(0, 0);
  await run(90, 180, AbortSignal.abort());
  expect(await listJobs()).toEqual(before);
  expect(await countNotices()).toBe(3);
});

test('R-PRIV-06: the job deletes rows and files of uploads that ended earlier, in batches; counts and running ones stay', async () => {
  await run(90, 180);
  const kept = { emails: true, failures: 3000, errors: 3000, rows: 3000 };
  const gone = { source: false, emails: false, failures: 3000, errors: 0, rows: 0 };
  expect(await listJobs()).toEqual([
    { job: 'done89', source: false, ...kept },
    { job: 'done91', ...gone },
    { job: 'failed89', source: true, ...kept },
    { job: 'failed91', ...gone },
    { job: 'running89', source: true, ...kept },
    { job: 'running91', source: true, ...kept },
  ]);
  expect(await countNotices()).toBe(2);
});
