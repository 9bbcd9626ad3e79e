// Queries on the job queue for staff, the operator and the metrics.
import type { Db } from '../db/database.ts';

export type JobRow = {
  id: string;
  kind: string;
  key: string;
  state: string;
  tries: number;
  due_at: string;
  ended_at: string | null;
  reason: string | null;
};

/** Returns the `limit` oldest jobs; with `failed`, the oldest of those that have failed. */
export async function listJobs(
  db: Db,
  { failed, limit }: { failed: boolean; limit: number },
): Promise<JobRow[]> {
  const { rows } = await db.query<JobRow>(
    `select id, kind, key, state, tries, due_at, ended_at, reason from job
     where not $1 or ended_at is not null and state <> 'cancelled' order by id limit $2`,
    [failed, limit],
  );
  return rows;
}

export async function findJob(db: Db, id: string): Promise<JobRow | null> {
  const { rows } = await db.query<JobRow>(
    'select id, kind, key, state, tries, due_at, ended_at, reason from job where id = $1',
    [id],
  );
  return rows[0] ?? null;
}

/**
 * A group of failed jobs with the same kind and reason. `about` is the file name or the recipient, if the group has one
 * job; else null. `since` is the time of the first failure, in ISO 8601.
 */
export type FailedJobs = { kind: string; reason: string; about: string | null; count: number; since: string };

export async function listFailedJobs(db: Db, limit: number): Promise<FailedJobs[]> {
  const { rows } = await db.query<FailedJobs>(
    `select kind, reason, case when count(*) = 1 then max(data ->> 'about') end as about, count(*)::int as count,
       min(ended_at) as since
     from job where ended_at is not null and state in ('failed', 'waiting', 'running')
     group by kind, reason order by since desc limit $1`,
    [limit],
  );
  return rows;
}

/**
 * The numbers of jobs of one kind that wait, run or have failed. `oldest_seconds` is the time since the oldest waiting
 * job first became due; 0 if no job waits.
 */
export type JobFigures = { kind: string } & Record<
  'waiting' | 'running' | 'failed' | 'oldest_seconds',
  number
>;

/** Leaves out kinds without jobs. A running job whose lease has ended counts as waiting. */
export async function measureJobs(db: Db, now: Date): Promise<JobFigures[]> {
  const { rows } = await db.query<JobFigures>(
    `select kind, count(*) filter (where waits)::int as waiting, count(*) filter (where runs)::int as running,
       count(*) filter (where ended_at is not null and state <> 'cancelled')::int as failed,
       coalesce(extract(epoch from $1::timestamptz - min(created_at) filter (where waits)), 0)::float8 as oldest_seconds
     from (select *, state = 'running' and due_at > $1 as runs,
             created_at <= $1 and (state = 'waiting' or state = 'running' and due_at <= $1) as waits from job) j
     group by kind`,
    [now.toISOString()],
  );
  return rows;
}
