// Runs bulk work, which changes many rows, in small steps. The work pauses between the steps while learners use the
// portal.

import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../day.ts';
import type { Database, Db } from '../db/database.ts';
import type { RandomBytes } from '../features/codes/codes.ts';
import { type AuditLine, createAuditLine, hasLines, setLogGroup } from '../features/log/audit.sql.ts';
import { enqueueRunningJob, type Job } from '../jobs/jobs.sql.ts';
import type { JobTools } from '../jobs/run-job.ts';
import type { BulkJob, NewBulkJob, Step } from './bulk-jobs.sql.ts';
import * as jobs from './bulk-jobs.sql.ts';

/** A call that starts a job waits for the end of the job, if the job has at most this number of rows. */
export const AT_ONCE = 5_000;

/**
 * Changes the next rows, at most some thousands, in the transaction `tx`, which has locked the job. Returns null if
 * another process has already changed these rows.
 */
type RunStep<Detail> = (tx: Db, job: BulkJob<Detail>, tools: Clock) => Promise<Step | null>;

/** A kind of work on many rows. */
export type Bulk<Detail = never> = {
  /**
   * The function that changes the next rows. It is called again until the job ends. The job stores its progress in
   * `detail`, so an interrupted job continues there. Work on a file has the function `ofFile` instead, which yields the
   * steps. `ofFile` reads the next rows of the file before each step, outside of the transaction: the embedded engine
   * serves no other request while a transaction runs.
   */
  step:
    | RunStep<Detail>
    | { ofFile: (db: Database, job: Job, tools: ImportTools) => AsyncIterable<RunStep<Detail>> };
  /** Returns true if the job changes one row, so that its audit lines need no group (R-DAY-40). */
  isSingle?: (job: BulkJob<Detail>) => boolean;
  /**
   * Returns the audit line of a job that is done, has failed or was cancelled; null if the job needs no audit line.
   * The line becomes the summary of the job's group, if the steps wrote lines: `line.summary_of` names their nouns.
   * Staff can retry a failed job, so a job may get several summaries. Each one counts only the changes since the one
   * before. `changes` is the number of all changes of the job so far. `told` has fields of the job's detail that say what
   * else the lines contain. With `needsGroup`, the line is left out if the steps wrote no lines in the group.
   */
  report: (job: BulkJob<Detail>, tx: Db) => Report | Promise<Report>;
};
type Report = { line: AuditLine; changes: number; told?: object; needsGroup?: boolean } | null;

/** Dependencies of the calls that start work on many rows. */
export type UploadTools = Clock & {
  randomUuid: () => string;
  /** Runs a job in this process. Resolves when the job has ended, or has failed and waits for its next retry. */
  runJob: (job: Job) => Promise<void>;
};

/**
 * Stores the work that `plan` returns, and the job that runs this work. `plan` gets the id of the new job. If an
 * existing job does the same work already, `plan` returns the id of that job instead. If the work has at most AT_ONCE
 * rows, waits until the job has ended. Returns the id of the job.
 */
export async function startBulk<Detail extends object>(
  db: Database,
  plan: (tx: Db, id: string) => Promise<NewBulkJob<Detail> | string>,
  { now, randomUuid, runJob }: UploadTools,
): Promise<string> {
  const id = randomUuid();
  const started = await db.transaction(async (tx) => {
    const planned = await plan(tx, id);
    if (typeof planned === 'string') return { id: planned, job: null, rows_total: 0 };
    await jobs.createBulkJob(tx, id, { ...planned, detail: { ...planned.detail, audited: 0 } });
    const { file_name = null, rows_total } = planned;
    const data = file_name === null ? {} : { about: file_name };
    return { id, job: await enqueueRunningJob(tx, { kind: 'import', key: id, data }, now()), rows_total };
  });
  // An error of the job does not fail this call: the job stays in the queue, and the state of the job shows how much is
  // done.
  const work = started.job === null ? null : runJob(started.job).catch(() => undefined);
  if (started.rows_total <= AT_ONCE) await work;
  return started.id;
}

/**
 * Continues the work of `job` in steps until the work ends, and pauses between steps while the portal is busy. Returns
 * 'released' if the work has not ended, because this process stops or another process has claimed the job.
 */
export async function runBulk<Detail>(
  db: Database,
  job: Job,
  { step, ...bulk }: Bulk<Detail>,
  tools: ImportTools,
  { renew }: Pick<JobTools, 'renew'>,
): Promise<'released' | undefined> {
  const throttle = createThrottle(tools);
  for await (const runStep of 'ofFile' in step ? step.ofFile(db, job, tools) : repeat(step)) {
    if (tools.isStopping()) return 'released';
    const ends = await db.transaction(async (tx) => {
      const locked = await jobs.lockBulkJob<Detail>(tx, job.key);
      if (locked === null) return 'done';
      await setLogGroup(tx, bulk.isSingle?.(locked) ? null : groupOf(locked));
      const done = await runStep(tx, locked, tools);
      if (done === null) return 'released';
      await jobs.addStep(tx, job.key, done);
      if (done.ends === 'done') await reportBulk(tx, job.key, bulk);
      return done.ends;
    });
    if (ends === 'released') return 'released';
    if (ends !== null) return;
    if (!(await renew())) return 'released';
    await throttle();
  }
  return;
}

function* repeat<T>(step: T): Generator<T> {
  for (;;) yield step;
}

const groupOf = ({ id, detail }: BulkJob): string => (detail as { group?: string }).group ?? id;

/**
 * Writes the audit line of the job, if `report` returns one: the summary of the job's group, or a line on its own if the
 * group has no lines. Ends the group for this transaction.
 */
export async function reportBulk<Detail>(
  tx: Db,
  id: string,
  { report }: Pick<Bulk<Detail>, 'report'>,
): Promise<void> {
  const job = await jobs.findBulkJob<Detail>(tx, id);
  if (job === null) return;
  const group = groupOf(job);
  await setLogGroup(tx, group);
  const told = await report(job, tx);
  const isGroup = await hasLines(tx, group);
  if (!isGroup) await setLogGroup(tx, null);
  if (told !== null) {
    const { summary_of, ...line } = told.line;
    if (isGroup) await createAuditLine(tx, { ...line, summary_of });
    else if (!told.needsGroup) await createAuditLine(tx, line);
    await jobs.endGroup(tx, id, { ...told.told, audited: told.changes });
  }
  await setLogGroup(tx, null);
}

export type PauseTools = {
  pause: (ms: number) => Promise<unknown>;
  /**
   * Returns the number of API calls that this process has served. The work pauses only while calls are frequent.
   * `countCalls` is null if other processes on this machine may serve calls too; the work then pauses after each step.
   */
  countCalls: (() => number) | null;
};

/** Dependencies of imports and other work in steps. */
export type WorkTools = PauseTools &
  Clock & {
    /**
     * Returns true if the process has to stop. The work then stops after its current step, and continues after the
     * restart.
     */
    isStopping: () => boolean;
  };

// Milliseconds of pause for each millisecond of work. With this ratio, other calls keep more than half of their usual
// throughput.
const PAUSE_RATIO = 1.75;
// The work pauses if this process serves more API calls a second than this number. A web page that shows an import
// makes only one call a second; learners who redeem make tens of calls a second.
const BUSY_CALLS_A_SECOND = 10;

/**
 * Returns a function that the work calls after each step. The function waits while other API calls are frequent, so
 * that learners keep their throughput.
 */
export function createThrottle({ pause, countCalls }: PauseTools): () => Promise<void> {
  let startedMs = performance.now();
  let last = { atMs: startedMs, calls: countCalls?.() ?? 0 };
  return async () => {
    const atMs = performance.now();
    // Counts the calls since the end of the last step, including the calls during the pause. On the embedded engine, no
    // call is served while a step writes, so all calls are served during the pause.
    const calls = countCalls?.() ?? 0;
    const callsASecond = (calls - last.calls) / ((atMs - last.atMs) / 1000);
    const isBusy = countCalls === null || callsASecond > BUSY_CALLS_A_SECOND;
    last = { atMs, calls };
    await pause(isBusy ? (atMs - startedMs) * PAUSE_RATIO : 0);
    startedMs = performance.now();
  };
}

export type ImportTools = WorkTools & { randomBytes: RandomBytes };

/** A waiting import checks at this interval whether it was cancelled. */
const LOOK_MS = 500;

/**
 * Makes this process work on only one uploaded file at a time. The states of the other files show that these files wait
 * (R-IMP-26). Returns a function that runs `work` for the import `id` after all earlier work has ended. If the import
 * is cancelled before that, the function returns undefined and does not call `work`.
 */
export function createTurns(db: Database): <T>(id: string, work: () => Promise<T>) => Promise<T | undefined> {
  let last: Promise<void> | null = null;
  return async (id, work) => {
    const before = last;
    const turn = Promise.withResolvers<void>();
    const mine = Promise.all([before, turn.promise]).then(() => undefined);
    last = mine;
    try {
      if (before !== null) {
        await jobs.setImportWaits(db, id, true);
        const isOver = before.then(() => true);
        while (!(await Promise.race([isOver, pause(LOOK_MS, false)]))) if (await hasEnded(db, id)) return;
      }
      await jobs.setImportWaits(db, id, false);
      return await work();
    } finally {
      turn.resolve();
      void mine.then(() => {
        if (last === mine) last = null;
      });
    }
  };
}

async function hasEnded(db: Database, id: string): Promise<boolean> {
  const state = (await jobs.findBulkJob(db, id))?.state;
  return state !== 'running' && state !== 'checking';
}
