// Polls the job queue and runs due jobs. Each lane (group of kinds of jobs) has a limit of concurrent jobs.
import { AsyncResource } from 'node:async_hooks';
import type { Db } from '../db/database.ts';
import type { PacedMailer } from '../mail/mail-pace.ts';
import { type JobKind, LANES, type Lane, policyOf } from './job-kinds.ts';
import { claimJobs, endLeases, enqueueJob, type Job, limitDueTimes, listDueLanes } from './jobs.sql.ts';
import { type RunTools, runJob } from './run-job.ts';

const POLL_MS = 1_000;
// Number of polls after which a worker corrects due times that are too late (see `limitDueTimes`), because the clock of
// another machine may be wrong. If the clock of this machine was put back, the next poll corrects the due times.
const POLLS_TO_LIMIT = 60;
// A process that stops aborts its running jobs after this time. Another process then retries them.
const STOP_MS = 60_000;

export type JobWorker = {
  /**
   * Claims the due jobs of a lane now. Call `wake` after you enqueue a job, so that it does not wait for the next poll.
   */
  wake(lane: Lane): void;
  /**
   * Runs a job that the caller added with `enqueueRunningJob`. No worker claims such a job, because its state is
   * 'running'.
   */
  run(job: Job): Promise<void>;
  /**
   * Enqueues the recurring jobs and starts polling. On the embedded engine, `start` also ends the leases of all running
   * jobs. So a job that `enqueueRunningJob` added before `start` would run twice.
   */
  start(): Promise<void>;
  /** Stops claiming jobs. Resolves when the jobs that run have ended. */
  close(): Promise<void>;
};

/**
 * Creates a worker for the kinds of jobs in `handlers`. Jobs of other kinds stay in the queue for other processes.
 * `claimMails` claims the mails (see `PacedMailer`); without it, the worker claims them like other jobs.
 */
export function createJobWorker({
  isStopping = () => false,
  claimMails = (limit, claim) => claim(runTools.db, limit),
  ...runTools
}: RunTools & { isStopping?: () => boolean; claimMails?: PacedMailer['claim'] | undefined }): JobWorker {
  const stop = new AbortController();
  const tools = { ...runTools, stopping: stop.signal };
  const { db, now, log } = tools;
  const kinds = Object.keys(tools.handlers) as JobKind[];
  const underWay = new Set<Promise<void>>();
  const running: Record<Lane, number> = { mail: 0, import: 0, upkeep: 0, forecast: 0 };
  const claiming = new Set<Lane>();
  // Lanes for which `fill` was called while a statement claimed jobs of the lane. The statement may have missed a new
  // job, so the worker claims again.
  const claimAgain = new Set<Lane>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let failing = false;

  // Logs an outage of the database once, not at every poll.
  const logOutage = (error: unknown): void => {
    if (!failing) log.error({ err: error }, 'The job queue cannot be worked on; trying again every second');
    failing = true;
  };
  const track = (work: Promise<void>): void => {
    const tracked = work.catch(logOutage).finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  };
  const follow = async (lane: Lane, job: Job): Promise<void> => {
    running[lane] += 1;
    await runJob(tools, job).finally(() => {
      running[lane] -= 1;
    });
    await fill(lane);
  };
  // Claims jobs only while at most half of the lane's limit of jobs is running, so that one statement claims several
  // jobs.
  const fill = async (lane: Lane): Promise<void> => {
    if (claiming.has(lane)) {
      claimAgain.add(lane);
      return;
    }
    claiming.add(lane);
    const hasRoom = () => running[lane] <= LANES[lane].atOnce / 2;
    try {
      for (let found = true; (found || claimAgain.has(lane)) && !closed && !isStopping() && hasRoom(); ) {
        claimAgain.delete(lane);
        const limit = LANES[lane].atOnce - running[lane];
        const claim = (to: Db, most: number) => claimJobs(to, { lane, kinds, limit: most }, now());
        const jobs = await (lane === 'mail' ? claimMails(limit, claim) : claim(db, limit));
        failing = false;
        for (const job of jobs) track(follow(lane, job));
        found = jobs.length > 0;
      }
    } finally {
      claiming.delete(lane);
    }
  };
  const poll = createPoll(runTools, (lane) => track(fill(lane)));

  return {
    // A request that wakes the worker may start jobs of other requests. `bind` keeps the worker's own logging context,
    // so that the log lines of these jobs do not have the id of the waking request.
    wake: AsyncResource.bind((lane: Lane) => track(fill(lane))),
    run: (job) => {
      const work = runJob(tools, job);
      track(work);
      return work;
    },
    start: async () => {
      // Only one process at a time can open an embedded database. So at the start, no process runs a job.
      if (db.engine === 'embedded') await endLeases(db, now());
      for (const kind of kinds)
        if (policyOf(kind).everySeconds !== undefined) await enqueueJob(db, { kind, key: '' }, now());
      track(poll());
      timer = setInterval(() => track(poll()), POLL_MS);
      timer.unref();
    },
    close: async () => {
      closed = true;
      clearInterval(timer);
      const stopTimer = setTimeout(() => stop.abort(), STOP_MS);
      while (underWay.size > 0) await Promise.all(underWay);
      clearTimeout(stopTimer);
    },
  };
}

/** Returns a function that polls the queue once: calls `fillLane` for each lane that has due jobs. */
function createPoll({ db, now }: RunTools, fillLane: (lane: Lane) => void): () => Promise<void> {
  let polling = false;
  let polls = 0;
  let last = now();
  // Only one poll runs at a time. Otherwise, while the database is blocked, more and more polls would wait for
  // connections, and requests would have to wait longer for a connection.
  return async () => {
    if (polling) return;
    polling = true;
    try {
      const at = now();
      if (polls % POLLS_TO_LIMIT === 0 || at < last) await limitDueTimes(db, at);
      polls += 1;
      last = at;
      for (const lane of await listDueLanes(db, now())) fillLane(lane);
    } finally {
      polling = false;
    }
  };
}
