// Polls the job queue and runs due jobs, in each lane up to its limit.
import { AsyncResource } from 'node:async_hooks';
import { type JobKind, LANES, type Lane, policyOf } from './job-kinds.ts';
import { type RunTools, runJob } from './run-job.ts';
import { claimJobs, endLeases, enqueueJob, type Job, listDueLanes } from './stores/jobs.ts';

const POLL_MS = 1_000;

export type JobWorker = {
  /** Claims due jobs of a lane at once; called after this process enqueued one. */
  wake(lane: Lane): void;
  /** Runs a job that the caller enqueued as running (`enqueueRunningJob`). */
  run(job: Job): Promise<void>;
  /** Enqueues the recurring jobs and starts polling. Call it before anything enqueues a running job. */
  start(): Promise<void>;
  /** Claims no more jobs, and resolves when the running jobs have ended. */
  close(): Promise<void>;
};

/** Creates a worker for the kinds that have a handler; other processes run the other kinds. */
export function createJobWorker(tools: RunTools & { isStopping?: () => boolean }): JobWorker {
  const { db, now, log, isStopping = () => false } = tools;
  const kinds = Object.keys(tools.handlers) as JobKind[];
  const underWay = new Set<Promise<void>>();
  const running: Record<Lane, number> = { mail: 0, import: 0, upkeep: 0 };
  const claiming = new Set<Lane>();
  // Lanes that got a job during a claim, which may have missed it.
  const claimAgain = new Set<Lane>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let failing = false;
  let polling = false;

  // Logs an outage once, not at every poll.
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
  // Fills the lane when half of it is free, so that one statement claims several jobs.
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
        const jobs = await claimJobs(db, { lane, kinds, limit }, now());
        failing = false;
        for (const job of jobs) track(follow(lane, job));
        found = jobs.length > 0;
      }
    } finally {
      claiming.delete(lane);
    }
  };
  // One poll at a time: while the database is blocked, more polls would queue up before the statements of requests.
  const poll = async (): Promise<void> => {
    if (polling) return;
    polling = true;
    const lanes = await listDueLanes(db, now()).finally(() => {
      polling = false;
    });
    for (const lane of lanes) track(fill(lane));
  };

  return {
    // Binds the context of the worker: the jobs may belong to other requests, so their log lines must not get the id of
    // the request that woke the worker.
    wake: AsyncResource.bind((lane: Lane) => track(fill(lane))),
    run: (job) => {
      const work = runJob(tools, job);
      track(work);
      return work;
    },
    start: async () => {
      // No other process opens the embedded database, so the jobs that were running when it was closed run no more.
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
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
