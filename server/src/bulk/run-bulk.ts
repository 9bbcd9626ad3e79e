// How all work on many rows runs: in small steps, at a lower speed while learners are served, and one large file at a
// time.

import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import type { JobTools } from '../jobs/run-job.ts';
import { findUpload, setImportWaits } from './imports.sql.ts';

/**
 * What a step says: the job has ended with it, or goes on. 'released': another process has claimed the job. 'gone': the
 * job is not running any more, for example because it was cancelled.
 */
export type StepResult = 'ended' | 'goes on' | 'released' | 'gone';

/**
 * Runs steps until the job ends, with pauses while the portal is busy. Returns 'released' if the job has not ended,
 * because this process stops or another process has claimed the job.
 */
export async function runSteps(
  runStep: () => Promise<StepResult>,
  tools: WorkTools,
  { renew }: Pick<JobTools, 'renew'>,
): Promise<'released' | undefined> {
  const giveWay = createPauses(tools);
  for (;;) {
    if (tools.isStopping()) return 'released';
    const result = await runStep();
    if (result === 'gone' || result === 'ended') return;
    if (result === 'released' || !(await renew())) return 'released';
    await giveWay();
  }
}

/** Dependencies of work that pauses between its parts. */
export type PauseTools = {
  /** Resolves after `ms` milliseconds. */
  pause: (ms: number) => Promise<unknown>;
  /**
   * Returns the number of API calls that this process has served. The work pauses only while calls are frequent.
   * `countCalls` is null if other processes on this machine may serve calls too. The work then always pauses.
   */
  countCalls: (() => number) | null;
};

/** Dependencies of imports and other work in batches. */
export type WorkTools = PauseTools & {
  now: () => Date;
  /** Returns the date of `at` in the portal's time zone, as YYYY-MM-DD. */
  dayOf: (at: Date) => string;
  /**
   * Returns true if the process was told to stop. The work then stops after its current batch, and continues after the
   * restart.
   */
  isStopping: () => boolean;
};

// The work pauses this many milliseconds for each millisecond of work. With 1.75, other calls keep more than half of
// their usual throughput.
const PAUSE_RATIO = 1.75;
// The work pauses if this process serves more API calls a second than this. A web page that shows an import makes only
// one call a second; learners who redeem make tens of calls a second.
const BUSY_CALLS_A_SECOND = 10;

/**
 * Slows work in batches down while the portal serves many calls, so that learners keep their throughput.
 * Returns a function that the work calls after each batch. The function pauses if other calls are frequent, and then
 * resolves.
 */
export function createPauses({ pause, countCalls }: PauseTools): () => Promise<void> {
  let startedMs = performance.now();
  let last = { atMs: startedMs, calls: countCalls?.() ?? 0 };
  return async () => {
    const atMs = performance.now();
    // Counts the calls since the end of the last batch, including the calls during the pause. On the embedded engine,
    // no call is served while a batch is written, so all calls come during the pause.
    const calls = countCalls?.() ?? 0;
    const callsASecond = (calls - last.calls) / ((atMs - last.atMs) / 1000);
    const isBusy = countCalls === null || callsASecond > BUSY_CALLS_A_SECOND;
    last = { atMs, calls };
    await pause(isBusy ? (atMs - startedMs) * PAUSE_RATIO : 0);
    startedMs = performance.now();
  };
}

/** How often a waiting file looks whether it was cancelled. */
const LOOK_MS = 500;

/**
 * Lets a process work on one uploaded file at a time. The others wait, and their state says so (R-IMP-26).
 * Returns a function that runs `work` for the import `id` when all earlier work has ended. If the import is cancelled
 * before, the function returns undefined and never runs `work`.
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
        await setImportWaits(db, id, true);
        const isOver = before.then(() => true);
        while (!(await Promise.race([isOver, pause(LOOK_MS, false)]))) if (await hasEnded(db, id)) return;
      }
      await setImportWaits(db, id, false);
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
  const state = (await findUpload(db, id))?.state;
  return state !== 'running' && state !== 'checking';
}
