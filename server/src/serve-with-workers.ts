// Runs several worker processes that serve HTTP on the same port, if WORKERS is above 1. The primary process serves no
// requests. It starts the workers, and replaces each worker that ends.
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { passMetricsOn } from './metrics/gather-metrics.ts';

/** When the primary process replaces a worker that has ended, and when the primary process gives up. */
export type Pace = {
  /** Pause before a worker is replaced. The pause doubles when all workers in a row died soon after their start. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** A worker is steady after it has listened for this time. A worker that ends earlier 'died soon after its start'. */
  steadyMs: number;
  /**
   * The primary process gives up if no worker is steady, and the last `tries` × `count` workers (`count` is the number
   * of configured workers) died soon after their start.
   */
  tries: number;
};

const PACE: Pace = { firstPauseMs: 1_000, longestPauseMs: 30_000, steadyMs: 10_000, tries: 5 };

/** Thrown if the primary process gives up. The workers have logged the reason. */
export class WorkersError extends Error {
  override name = 'WorkersError';
}

/**
 * Runs `count` worker processes of this program, and replaces each worker that ends. Calls `announce` when the first
 * worker listens. When `signal` aborts, signals the workers to stop, and resolves.
 * @throws WorkersError if a worker ends before any worker has listened, or too many workers died soon after their start
 * (see `Pace`).
 */
export function serveWithWorkers(
  count: number,
  { log, signal, announce, pace = PACE }: { log: Logger; signal: AbortSignal; announce(): void; pace?: Pace },
): Promise<void> {
  passMetricsOn();
  const steady = new Set<Worker>();
  let listened = false;
  let diedAtOnce = 0;
  return new Promise((resolve, reject) => {
    cluster.on('listening', (worker) => {
      if (!listened) announce();
      listened = true;
      const timer = setTimeout(() => {
        steady.add(worker);
        log.info({ worker: worker.process.pid }, 'worker is steady');
      }, pace.steadyMs);
      worker.once('exit', () => clearTimeout(timer));
    });
    cluster.on('exit', (worker, code, killedBy) => {
      if (signal.aborted) return;
      if (!listened) return reject(new WorkersError('The portal did not start; the reason stands above.'));
      diedAtOnce = steady.delete(worker) ? 0 : diedAtOnce + 1;
      if (diedAtOnce >= pace.tries * count && steady.size === 0)
        return reject(
          new WorkersError(`Workers died at once ${diedAtOnce} times in a row; the reason stands above.`),
        );
      const rounds = Math.floor(Math.max(0, diedAtOnce - 1) / count);
      const pauseMs = Math.min(pace.firstPauseMs * 2 ** rounds, pace.longestPauseMs);
      const about = { worker: worker.process.pid, code, killedBy, diedAtOnce, pauseMs };
      log.error(about, 'worker ended; starting another');
      pause(pauseMs, undefined, { signal }).then(() => cluster.fork(), ignore);
    });
    signal.addEventListener('abort', () => {
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
      resolve();
    });
    for (let worker = 0; worker < count; worker += 1) cluster.fork();
  });
}

function ignore(): void {}
