// Polls the job queue, and runs the due jobs of each lane, as many at a time as the lane allows.
import { AsyncResource } from 'node:async_hooks';
import { type JobKind, LANES, type Lane, policyOf } from './job-kinds.ts';
import { type RunTools, runJob } from './run-job.ts';
import { claimJobs, endLeases, enqueueJob, type Job, listDueLanes } from './stores/jobs.ts';

const POLL_MS = 1_000;

export type JobWorker = {
  /** Looks for due jobs of a lane at once, after one was enqueued here. */
  wake(lane: Lane): void;
  /** Runs a job that the caller enqueued as running (`enqueueRunningJob`). */
  run(job: Job): Promise<void>;
  /** Enqueues the recurring jobs and polls the queue from now on. Call it before anything else enqueues a running job. */
  start(): Promise<void>;
  /** Claims no more jobs and resolves when those under way have ended. */
  close(): Promise<void>;
};

/** A worker for the kinds that have a handler; other kinds are left to other processes. */
export function createJobWorker(tools: RunTools & { isStopping?: () => boolean }): JobWorker {
  const { db, now, log, isStopping = () => false } = tools;
  const kinds = Object.keys(tools.handlers) as JobKind[];
  const underWay = new Set<Promise<void>>();
  const running: Record<Lane, number> = { mail: 0, import: 0, upkeep: 0 };
  const claiming = new Set<Lane>();
  // Lanes that got another job while they were being looked at: that look may not have seen it.
  const lookAgain = new Set<Lane>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let failing = false;
  let polling = false;

  // Says so once an outage, not once a second.
  const noteOutage = (error: unknown): void => {
    if (!failing) log.error({ err: error }, 'The job queue cannot be worked on; trying again every second');
    failing = true;
  };
  const track = (work: Promise<void>): void => {
    const tracked = work.catch(noteOutage).finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  };
  const follow = async (lane: Lane, job: Job): Promise<void> => {
    running[lane] += 1;
    await runJob(tools, job).finally(() => {
      running[lane] -= 1;
    });
    await fill(lane);
  };
  // Claims as many jobs as the lane has room for, when half of it is free: several in one statement.
  const fill = async (lane: Lane): Promise<void> => {
    if (claiming.has(lane)) {
      lookAgain.add(lane);
      return;
    }
    claiming.add(lane);
    const hasRoom = () => running[lane] <= LANES[lane].atOnce / 2;
    try {
      for (let found = true; (found || lookAgain.has(lane)) && !closed && !isStopping() && hasRoom(); ) {
        lookAgain.delete(lane);
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
  // One at a time: while the database stands still they would pile up before those who wait for an answer.
  const poll = async (): Promise<void> => {
    if (polling) return;
    polling = true;
    const lanes = await listDueLanes(db, now()).finally(() => {
      polling = false;
    });
    for (const lane of lanes) track(fill(lane));
  };

  return {
    // Not in the name of the request that woke it: it runs the jobs of others as well.
    wake: AsyncResource.bind((lane: Lane) => track(fill(lane))),
    run: (job) => {
      const work = runJob(tools, job);
      track(work);
      return work;
    },
    start: async () => {
      // Nobody else has the embedded database open: what ran when it was left runs no more.
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
