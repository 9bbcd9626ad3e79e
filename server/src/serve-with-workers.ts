// Runs several HTTP processes on one port (WORKERS above 1). The primary process only starts and restarts them.
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { passMetricsOn } from './metrics/gather-metrics.ts';

/** Pauses before a dead worker is restarted, and the limit after which the primary process gives up. */
export type Pace = {
  /** Pause before the first restart; doubled each time that all workers died at once. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** A worker that listened for longer than this is steady: it did not die at once. */
  steadyMs: number;
  /** How often each worker may die at once in a row, while none is steady. */
  tries: number;
};

const PACE: Pace = { firstPauseMs: 1_000, longestPauseMs: 30_000, steadyMs: 10_000, tries: 5 };

/** Workers cannot be kept running; the log contains the reason. */
export class WorkersError extends Error {
  override name = 'WorkersError';
}

/**
 * Runs `count` worker processes of this program and restarts each that ends. When `signal` aborts, stops them and
 * resolves. Calls `announce` when the first worker listens.
 * @throws WorkersError if a worker ends before any listened, because a restart would not help.
 * @throws WorkersError if workers keep ending at once and none serves, so that a service manager sees the failure.
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
