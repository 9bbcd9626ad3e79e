// Runs one claimed job and ends it as done, failed, or waiting for its next try.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database, Db } from '../db/database.ts';
import { type JobKind, LANES, policyOf } from './job-kinds.ts';
import { failJob, finishJob, type Job, postponeJob, renewJob, repeatJob } from './stores/jobs.ts';

// A job is broken off so long before its lease ends that no other process starts it meanwhile.
const LEASE_MARGIN_SECONDS = 30;
// A process that is stopping must not claim at once what it has just released.
const RELEASE_SECONDS = 1;
// The waits between tries to write down how a job ended: a database fails over in them, and a mail's lease outlives them.
const INSIST_SECONDS = [0.1, 1, 5, 10, 10];
const MAX_REASON = 300;

export type JobTools = {
  /** Aborts well before the lease ends; not for imports, whose lease is renewed. */
  signal: AbortSignal;
  /** After progress: counts the tries anew. False when the job was cancelled or claimed by another. */
  renew: () => Promise<boolean>;
};

export type JobHandler = {
  /**
   * Does the job. Returns 'released' to give it back undone, as when the process stops. @throws what made it fail; when the
   * error has `final`, no other try is made, and `reason` is shown to staff in the place of its message.
   */
  run(job: Job, tools: JobTools): Promise<unknown>;
  /** In the transaction in which the job ends as failed. */
  onFailed?(tx: Db, job: Job, reason: string): Promise<void>;
};

export type JobHandlers = Partial<Record<JobKind, JobHandler>>;

export type RunTools = {
  db: Database;
  handlers: JobHandlers;
  now: () => Date;
  /** From 0 to below 1, as Math.random: spreads the tries of jobs that failed together. */
  random: () => number;
  log: Pick<Logger, 'warn' | 'error'>;
};

/** A failure that another try would not change. The message is shown to staff. */
export class JobFailure extends Error {
  override name = 'JobFailure';
  readonly final = true;
}

/** Resolves when the job has ended or waits for its next try. @throws when the database does not take how it ended. */
export async function runJob(tools: RunTools, job: Job): Promise<void> {
  const { db } = tools;
  const { everySeconds } = policyOf(job.kind);
  const result = await attempt(tools, job).catch((error: unknown) => new Failed(error));
  await insist(async () => {
    if (result instanceof Failed) await noteFailure(tools, job, result.error);
    else if (result === 'released') await postponeJob(db, job, after(tools, RELEASE_SECONDS), null);
    else if (everySeconds === undefined) await finishJob(db, job);
    else await repeatJob(db, job, after(tools, everySeconds));
  });
}

class Failed {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

async function attempt({ db, handlers, now }: RunTools, job: Job): Promise<unknown> {
  const { lane, retrySeconds } = policyOf(job.kind);
  const { leaseSeconds, renews } = LANES[lane];
  if (job.tries > retrySeconds.length + 1)
    throw new JobFailure('The portal ended each time while it ran this job.');
  const signal = AbortSignal.timeout(Math.max(leaseSeconds - LEASE_MARGIN_SECONDS, 1) * 1000);
  const renew = (progress: boolean) => renewJob(db, job, { now: now(), progress });
  // One that fails is made up for by the next, or the job is claimed by another process.
  const keep = () => void renew(false).catch(() => undefined);
  const timer = renews ? setInterval(keep, (leaseSeconds * 1000) / 3) : undefined;
  try {
    return await handlers[job.kind]?.run(job, { signal, renew: () => renew(true) });
  } finally {
    clearInterval(timer);
  }
}

// What has been done must not be done again because the database was away for a moment.
async function insist(work: () => Promise<void>): Promise<void> {
  for (const seconds of INSIST_SECONDS) {
    try {
      return await work();
    } catch {
      await pause(seconds * 1000);
    }
  }
  await work();
}

async function noteFailure(tools: RunTools, job: Job, error: unknown): Promise<void> {
  const { db, handlers, now, random, log } = tools;
  const { retrySeconds, everySeconds } = policyOf(job.kind);
  const reason = describeFailure(error);
  const about = { kind: job.kind, job: job.id, tries: job.tries, err: error };
  const delay = retrySeconds[job.tries - 1];
  if (delay !== undefined && !readHint(error).final) {
    // Jitter: jobs that failed together are not all tried again at the same moment.
    const seconds = delay * (0.9 + 0.2 * random());
    log.warn({ ...about, seconds }, 'A job failed and will be tried again');
    return postponeJob(db, job, after(tools, seconds), reason);
  }
  log.error(about, 'A job failed');
  const dueAt = everySeconds === undefined ? null : after(tools, everySeconds);
  await db.transaction(async (tx) => {
    if (await failJob(tx, job, { reason, now: now(), dueAt }))
      await handlers[job.kind]?.onFailed?.(tx, job, reason);
  });
}

// What the mail server or the database said, in a line for staff and operator, without addresses. Never empty: jobs are
// tried again by their reason, and some errors have no message, such as Node's AggregateError of a refused connection.
function describeFailure(error: unknown): string {
  const { reason = error instanceof Error ? error.message : String(error), code, name } = readHint(error);
  const line = clean(reason);
  return line === '' ? (code ?? name ?? 'Error') : line;
}

function clean(reason: string): string {
  return reason
    .replaceAll(/[^\s<>"'(]+@[^\s<>"')]+/g, '…')
    .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .slice(0, MAX_REASON)
    .trim();
}

type Hint = { final?: boolean; reason?: string; code?: string; name?: string };

function readHint(error: unknown): Hint {
  return error instanceof Error ? (error as Hint) : {};
}

function after({ now }: RunTools, seconds: number): Date {
  return new Date(now().getTime() + seconds * 1000);
}
