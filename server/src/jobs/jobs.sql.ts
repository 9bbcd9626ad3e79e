// SQL of the job queue (table `job`).
import type { Db } from '../db/database.ts';
import { currentOrigin, type Origin, UNKNOWN_ORIGIN } from '../features/log/audit.sql.ts';
import { JOB_KINDS, type JobKind, LANES, type Lane, policyOf, RETRY_JITTER } from './job-kinds.ts';

/**
 * A job that a worker has claimed. `data` is the input of the job's handler. `tries` counts the tries, this one
 * included; after some failures, a try does not count (see `postponeJob`). `claims` counts the claims of the job.
 */
export type Job = {
  id: string;
  kind: JobKind;
  key: string;
  data: unknown;
  tries: number;
  claims: number;
  /** In ISO 8601. */
  created_at: string;
  /** The error of the last failed try; null if no try has failed. */
  reason: string | null;
  /** When the first try began, in ISO 8601. */
  tried_since: string;
  /** True if an earlier try may have done its work although it failed. */
  unconfirmed: boolean;
};

/**
 * Identifies one claim of a job. Each later claim, and a cancellation, increases `claims` in the database. The earlier
 * claim is outdated from then on, and statements with an outdated claim change nothing.
 */
export type Claim = Pick<Job, 'id' | 'claims'>;

export type NewJob = { kind: JobKind; key: string; data?: object };

/**
 * Returns the lane and the priority of a kind of job, in the order of the arguments of the SQL function enqueue_job.
 */
export function placeOf(kind: JobKind): [lane: Lane, priority: number] {
  const { lane, priority } = policyOf(kind);
  return [lane, priority];
}

/**
 * Adds a job that is due at `dueAt`, and returns the id of the job. Adds no job and returns null if a job with the same
 * kind and key waits or runs. Call `enqueueJob` in the transaction of the change that needs the job.
 */
export function enqueueJob(db: Db, job: NewJob, now: Date, dueAt = now): Promise<string | null> {
  return insertJob(db, job, 'waiting', now, dueAt.toISOString());
}

/**
 * Adds a job that the caller itself runs, and returns the job as claimed. Returns null if a job with the same kind and
 * key waits or runs. The job stores the origin of the current request, so that the job's audit lines have this origin
 * even if another process finishes the job (R-TRAIL-02).
 */
export async function enqueueRunningJob(
  db: Db,
  { kind, key, data = {} }: NewJob,
  now: Date,
): Promise<Job | null> {
  const origin = currentOrigin();
  const known = origin.ip === null ? data : { ...data, origin };
  const dueAt = endLease(policyOf(kind).lane, now);
  const id = await insertJob(db, { kind, key, data: known }, 'running', now, dueAt);
  if (id === null) return null;
  const at = now.toISOString();
  const firstTry = { tries: 1, claims: 1, created_at: at, tried_since: at, reason: null, unconfirmed: false };
  return { id, kind, key, data: known, ...firstTry };
}

async function insertJob(
  db: Db,
  { kind, key, data = {} }: NewJob,
  state: 'waiting' | 'running',
  now: Date,
  dueAt: string,
): Promise<string | null> {
  const { rows } = await db.query<{ id: string | null }>(
    'select enqueue_job($1, $2, $3, $4, $5::jsonb, $6, $7, $8, false) as id',
    [kind, key, ...placeOf(kind), JSON.stringify(data), state, now.toISOString(), dueAt],
  );
  return rows[0]?.id ?? null;
}

/** Returns the origin of the request that added the job; UNKNOWN_ORIGIN if the job has none. */
export function originOfJob(job: Pick<Job, 'data'> | null): Origin {
  const { origin = UNKNOWN_ORIGIN } = (job?.data ?? {}) as { origin?: Origin };
  return origin;
}

/** Returns the job of this kind and key that was not cancelled; null if there is none. */
export async function findJobData(
  db: Db,
  { kind, key }: Pick<Job, 'kind' | 'key'>,
): Promise<Pick<Job, 'data'> | null> {
  const { rows } = await db.query<Pick<Job, 'data'>>(
    "select data from job where kind = $1 and key = $2 and state <> 'cancelled'",
    [kind, key],
  );
  return rows[0] ?? null;
}

/**
 * Corrects due times that were written while the clock of a machine was ahead. A waiting job becomes due no later than
 * after the longest pause of its kind, and a running job no later than after a whole lease. Does not change untried
 * jobs of kinds with `waitsForDay`.
 */
export async function limitDueTimes(db: Db, now: Date): Promise<void> {
  const kinds = Object.keys(JOB_KINDS) as JobKind[];
  const limits = kinds.flatMap((kind) => {
    const { lane, retrySeconds, everySeconds = 0, waitsForDay = false } = policyOf(kind);
    const longest = Math.max(everySeconds, (1 + RETRY_JITTER) * Math.max(...retrySeconds));
    return [
      { kind, state: 'waiting', from_tries: waitsForDay ? 1 : 0, seconds: longest },
      { kind, state: 'running', from_tries: 0, seconds: LANES[lane].leaseSeconds },
    ];
  });
  await db.query(
    `update job set due_at = $1::timestamptz + make_interval(secs => rule.seconds)
     from jsonb_to_recordset($2::jsonb) as rule (kind text, state text, from_tries integer, seconds double precision)
     where job.kind = rule.kind and job.state = rule.state and job.tries >= rule.from_tries
       and job.due_at > $1::timestamptz + make_interval(secs => rule.seconds)`,
    [now.toISOString(), JSON.stringify(limits)],
  );
}

export async function listDueLanes(db: Db, now: Date): Promise<Lane[]> {
  const { rows } = await db.query<{ lane: Lane }>(
    `select lane from unnest($1::text[]) as lane where exists (
       select from job where job.lane = lane.lane and state in ('waiting', 'running') and due_at <= $2)`,
    [Object.keys(LANES), now.toISOString()],
  );
  return rows.map(({ lane }) => lane);
}

/** Claims at most `limit` due jobs of the lane that are of `kinds`. A running job is due when its lease has ended. */
export async function claimJobs(
  db: Db,
  { lane, kinds, limit }: { lane: Lane; kinds: readonly JobKind[]; limit: number },
  now: Date,
): Promise<Job[]> {
  const { rows } = await db.query<Job>(
    // Without `materialized`, PostgreSQL could run the subquery several times, and claim more than `limit` jobs.
    `with due as materialized (
       select id from job where lane = $1 and state in ('waiting', 'running') and due_at <= $4 and kind = any($2::text[])
       order by priority, due_at, id limit $3 for update skip locked)
     update job set state = 'running', tries = tries + 1, claims = claims + 1, due_at = $5,
       tried_since = least(tried_since, $4)
     from due where job.id = due.id
     returning job.id, kind, key, data, tries, claims, created_at, reason, tried_since, unconfirmed`,
    [lane, kinds, limit, now.toISOString(), endLease(lane, now)],
  );
  return rows;
}

/**
 * Renews the lease of a job. With `progress`, also sets the number of tries back to 1. Returns false if the claim is
 * outdated.
 */
export async function renewJob(
  db: Db,
  { id, claims, kind }: Job,
  { now, progress }: { now: Date; progress: boolean },
): Promise<boolean> {
  const { rowCount } = await db.query(
    "update job set due_at = $3, tries = case when $4 then 1 else tries end where id = $1 and claims = $2 and state = 'running'",
    [id, claims, endLease(policyOf(kind).lane, now), progress],
  );
  return rowCount === 1;
}

export async function finishJob(db: Db, { id, claims }: Claim): Promise<void> {
  await db.query('delete from job where id = $1 and claims = $2', [id, claims]);
}

/** Schedules the next run of a recurring job after a run without an error. */
export async function repeatJob(db: Db, { id, claims }: Claim, dueAt: Date): Promise<void> {
  await db.query(
    `update job set state = 'waiting', tries = 0, due_at = $3, created_at = $3, ended_at = null, reason = null
     where id = $1 and claims = $2 and state = 'running'`,
    [id, claims, dueAt.toISOString()],
  );
}

/**
 * Schedules the next try of a job at `dueAt`. `reason` is the error of the last try; null if the try did not fail.
 * `counts` is false if the last try does not count towards the maximum number of tries. `unconfirmed` is true if the
 * last try may have done its work. Returns false if the claim is outdated.
 */
export async function postponeJob(
  db: Db,
  { id, claims }: Claim,
  dueAt: Date,
  reason: string | null,
  { counts = reason !== null, unconfirmed = false }: { counts?: boolean; unconfirmed?: boolean } = {},
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update job set state = 'waiting', due_at = $3, reason = coalesce($4, reason), tries = tries - (not $5)::integer,
       unconfirmed = unconfirmed or $6
     where id = $1 and claims = $2 and state = 'running'`,
    [id, claims, dueAt.toISOString(), reason, counts, unconfirmed],
  );
  return rowCount === 1;
}

/**
 * Stores that the last try of a job has failed. `dueAt` is the time of the next run of a recurring job; null for other
 * jobs. Returns false if the claim is outdated.
 */
export async function failJob(
  db: Db,
  { id, claims }: Claim,
  { reason, now, dueAt }: { reason: string; now: Date; dueAt: Date | null },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update job set state = case when $5::timestamptz is null then 'failed' else 'waiting' end, reason = $3,
       ended_at = coalesce(ended_at, $4), due_at = coalesce($5, due_at),
       tries = case when $5 is null then tries else 0 end
     where id = $1 and claims = $2 and state = 'running'`,
    [id, claims, reason, now.toISOString(), dueAt?.toISOString() ?? null],
  );
  return rowCount === 1;
}

/** Makes all running jobs due now. Call this function only when no process can be running a job. */
export async function endLeases(db: Db, now: Date): Promise<void> {
  await db.query("update job set due_at = $1 where state = 'running'", [now.toISOString()]);
}

/** Selects one job, by its id or by its kind and key. */
type WhichJob = { id: string } | { kind: string; key: string };

/** Selects one job, or all failed jobs of one kind with the same reason. */
export type Which = WhichJob | { kind: string; reason: string };

const WHICH = `($1::bigint is null or id = $1) and ($2::text is null or kind = $2)
       and ($3::text is null or key = $3) and ($4::text is null or reason = $4)`;

function listWhich(which: Which): (string | null)[] {
  const { id, kind, key, reason }: { id?: string; kind?: string; key?: string; reason?: string } = which;
  return [id ?? null, kind ?? null, key ?? null, reason ?? null];
}

/** Makes those of the selected jobs due now that have failed, and returns these jobs. */
export async function retryJobs(
  db: Db,
  which: Which,
  now: Date,
): Promise<Pick<Job, 'id' | 'kind' | 'key'>[]> {
  const { rows } = await db.query<Pick<Job, 'id' | 'kind' | 'key'>>(
    `update job set state = 'waiting', tries = 0, due_at = $5, created_at = $5, ended_at = null,
       tried_since = null, unconfirmed = false
     where ended_at is not null and state in ('failed', 'waiting') and ${WHICH} returning id, kind, key`,
    [...listWhich(which), now.toISOString()],
  );
  return rows;
}

/** Cancels a job that waits, runs or has failed. Returns false if there is no such job. */
export async function cancelJob(db: Db, which: WhichJob, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `update job set state = 'cancelled', ended_at = $5, claims = claims + 1
     where ${WHICH} and state <> 'cancelled'`,
    [...listWhich(which), now.toISOString()],
  );
  return rowCount > 0;
}

/**
 * Deletes jobs that failed or were cancelled before `before`; for sign-in mails, before the later time `mailsBefore`.
 */
export async function deleteEndedJobs(
  db: Db,
  { before, mailsBefore }: { before: Date; mailsBefore: Date },
): Promise<void> {
  await db.query(
    `delete from job where state in ('failed', 'cancelled')
       and ended_at < case kind when 'sign-in-mail' then $2::timestamptz else $1 end`,
    [before.toISOString(), mailsBefore.toISOString()],
  );
}

/** Frees the space of deleted rows, for the embedded engine, which has no autovacuum. */
export async function vacuumJobs(db: Db): Promise<void> {
  await db.execute('vacuum job');
}

function endLease(lane: Lane, now: Date): string {
  return new Date(now.getTime() + LANES[lane].leaseSeconds * 1000).toISOString();
}
