// Runs one claimed job and writes its result to the database: done, failed, or waiting for a retry.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database, Db } from '../db/database.ts';
import { withOrigin } from '../features/log/audit.sql.ts';
import { type JobKind, LANES, type LaneRules, policyOf, RETRY_JITTER } from './job-kinds.ts';
import { failJob, finishJob, type Job, originOfJob, postponeJob, renewJob, repeatJob } from './jobs.sql.ts';

// A job is aborted this long before its lease ends. After that end, another process may claim the job, and two
// processes must not run the job at the same time.
const LEASE_MARGIN_SECONDS = 30;
// A process that stops gives its unfinished jobs back to the queue. They are due after this pause, so that the same
// process does not claim them again.
const RELEASE_SECONDS = 1;
// Pauses between attempts to write a job's result. The sum is 26 seconds, enough for a failover of the database. The
// sum is less than LEASE_MARGIN_SECONDS, so that no other process has claimed the job meanwhile.
const WRITE_RETRY_SECONDS = [0.1, 1, 5, 10, 10];
const MAX_REASON = 300;

export type JobTools = {
  /** Aborts LEASE_MARGIN_SECONDS before the lease ends, or some time after the process began to stop. */
  signal: AbortSignal;
  /**
   * Renews the lease and sets the number of tries back to 1. Handlers that work in steps call `renew` after each step.
   * Returns false if the job was cancelled or another process has claimed the job. The handler must then stop.
   */
  renew: () => Promise<boolean>;
};

export type JobHandler = {
  /**
   * Runs the job. The result 'released' means that the job is unfinished, for example because the process is stopping;
   * another process continues the job.
   * @throws if the attempt fails. The error may have these fields (type `Hint`). `final`: the job is not retried.
   * `unconfirmed`: the attempt may have done its work, and the job is retried only once. `waitSeconds`: the job is
   * retried after this time, and the attempt does not count. `reason`: staff see the reason instead of the message.
   */
  run(job: Job, tools: JobTools): Promise<unknown>;
  /**
   * Called when the job is done. `result` is the result of `run`. `tx` is the transaction that deletes the job. Also
   * called if the claim is outdated, because the work was done.
   */
  onDone?(tx: Db, job: Job, result: unknown): Promise<void>;
  /**
   * Called when an attempt has failed and the job will be retried. `tx` is the transaction that schedules the retry.
   */
  onRetry?(tx: Db, job: Job, reason: string): Promise<void>;
  /** Called when the job has failed and is not retried. `tx` is the transaction that stores the failure. */
  onFailed?(tx: Db, job: Job, reason: string, failure: { error: unknown; now: Date }): Promise<void>;
};

export type JobHandlers = Partial<Record<JobKind, JobHandler>>;

export type RunTools = {
  db: Database;
  handlers: JobHandlers;
  now: () => Date;
  /** Returns a random number, like Math.random, for the jitter of retries. */
  random: () => number;
  log: Pick<Logger, 'warn' | 'error'>;
  /** Aborts a while after the process began to stop. */
  stopping?: AbortSignal;
};

/** Thrown for a failure that a retry would repeat, so the job is not retried. Staff see the message. */
export class JobFailure extends Error {
  override name = 'JobFailure';
  readonly final = true;
}

/**
 * Runs a job and stores the result. Resolves when the job has ended or waits for a retry.
 * @throws if the result cannot be written to the database.
 */
export function runJob(tools: RunTools, job: Job): Promise<void> {
  const { db } = tools;
  const { everySeconds } = policyOf(job.kind);
  // Without `withOrigin`, the job's audit lines could have the origin of another request, which woke the worker.
  return withOrigin(originOfJob(job), async () => {
    const [attempted] = await Promise.allSettled([attempt(tools, job)]);
    await retryWrite(async () => {
      if (attempted.status === 'rejected') await recordFailure(tools, job, attempted.reason);
      else if (attempted.value === 'released')
        await postponeJob(db, job, after(tools, RELEASE_SECONDS), null);
      else if (everySeconds === undefined) await recordDone(tools, job, attempted.value);
      else await repeatJob(db, job, after(tools, everySeconds));
    });
  });
}

async function attempt({ db, handlers, now, stopping }: RunTools, job: Job): Promise<unknown> {
  const { lane, retrySeconds } = policyOf(job.kind);
  const { leaseSeconds, renews, giveUpSeconds = Infinity }: LaneRules = LANES[lane];
  if (job.tries > retrySeconds.length + 1)
    throw new JobFailure('The portal ended each time while it ran this job.');
  if (now().getTime() >= Date.parse(job.tried_since) + giveUpSeconds * 1000)
    throw new JobFailure(job.reason ?? `Not done in ${giveUpSeconds / 3600} hours.`);
  const lease = watchLease(Math.max(leaseSeconds - LEASE_MARGIN_SECONDS, 1) * 1000);
  const signal = stopping === undefined ? lease.signal : AbortSignal.any([lease.signal, stopping]);
  const renew = async (progress: boolean) => {
    const renewed = await renewJob(db, job, { now: now(), progress });
    if (renewed) lease.renew();
    return renewed;
  };
  // Ignores an error, because the next renewal may succeed. If none succeeds, the lease ends and another process claims
  // the job.
  const renewLease = () => void renew(false).catch(() => undefined);
  const timer = renews ? setInterval(renewLease, (leaseSeconds * 1000) / 3) : undefined;
  try {
    return await handlers[job.kind]?.run(job, { signal, renew: () => renew(true) });
  } finally {
    clearInterval(timer);
  }
}

/** Returns a signal that aborts `ms` after the last call of `renew`. */
function watchLease(ms: number): { signal: AbortSignal; renew(): void } {
  const ended = new AbortController();
  let current: AbortSignal | undefined;
  const renew = () => {
    const timeout = AbortSignal.timeout(ms);
    current = timeout;
    timeout.addEventListener('abort', () => {
      if (current === timeout) ended.abort(timeout.reason);
    });
  };
  renew();
  return { signal: ended.signal, renew };
}

// Retries `work`, which writes the result of a job. Without retries, a short outage of the database could lose the
// result, and the finished job would run again.
async function retryWrite(work: () => Promise<void>): Promise<void> {
  for (const seconds of WRITE_RETRY_SECONDS) {
    try {
      return await work();
    } catch {
      await pause(seconds * 1000);
    }
  }
  await work();
}

async function recordDone({ db, handlers }: RunTools, job: Job, result: unknown): Promise<void> {
  const handler = handlers[job.kind];
  if (!handler?.onDone) return finishJob(db, job);
  // `onDone` of a mail job stores the response of the mail server, which may contain an address.
  const cleaned = typeof result === 'string' ? clean(result) : result;
  await db.transaction(async (tx) => {
    await finishJob(tx, job);
    await handler.onDone?.(tx, job, cleaned);
  });
}

async function recordFailure(tools: RunTools, job: Job, error: unknown): Promise<void> {
  const { db, handlers, now, random, log } = tools;
  const { retrySeconds, everySeconds } = policyOf(job.kind);
  const reason = describeFailure(error);
  const about = { kind: job.kind, job: job.id, tries: job.tries, err: error };
  const hint = readHint(error);
  const delay = hint.waitSeconds ?? retrySeconds[job.tries - 1];
  // An attempt that may have done its work is retried only once.
  const isFinal = hint.final || (hint.unconfirmed && job.unconfirmed);
  if (delay !== undefined && !isFinal) {
    const seconds = delay * (1 + RETRY_JITTER * (2 * random() - 1));
    log.warn({ ...about, seconds }, 'A job failed and will be tried again');
    const dueAt = after(tools, seconds);
    return db.transaction(async (tx) => {
      const counts = hint.waitSeconds === undefined;
      if (await postponeJob(tx, job, dueAt, reason, { counts, unconfirmed: hint.unconfirmed === true }))
        await handlers[job.kind]?.onRetry?.(tx, job, reason);
    });
  }
  log.error(about, 'A job failed');
  const dueAt = everySeconds === undefined ? null : after(tools, everySeconds);
  await db.transaction(async (tx) => {
    if (await failJob(tx, job, { reason, now: now(), dueAt }))
      await handlers[job.kind]?.onFailed?.(tx, job, reason, { error, now: now() });
  });
}

// Returns the reason of a failure as one line without e-mail addresses, for staff and the operator. An error without a
// message, such as Node's AggregateError for a refused connection, gives its code or name. The reason is never empty,
// because staff select the failed jobs to retry by the reason.
function describeFailure(error: unknown): string {
  const { reason = error instanceof Error ? error.message : String(error), code, name } = readHint(error);
  const line = clean(reason);
  return line === '' ? (code ?? name ?? 'Error') : line;
}

// Removes links and e-mail addresses, because mail servers repeat parts of a mail in their responses. A link may
// contain a sign-in token.
function clean(reason: string): string {
  return reason
    .replaceAll(/https?:\/\/\S+/gi, '…')
    .replaceAll(/[^\s<>"'(]+@[^\s<>"')]+/g, '…')
    .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .slice(0, MAX_REASON)
    .trim();
}

type Hint = { final?: boolean; unconfirmed?: boolean; waitSeconds?: number; reason?: string; code?: string };

function readHint(error: unknown): Hint & { name?: string } {
  return error instanceof Error ? (error as Error & Hint) : {};
}

function after({ now }: RunTools, seconds: number): Date {
  return new Date(now().getTime() + seconds * 1000);
}
