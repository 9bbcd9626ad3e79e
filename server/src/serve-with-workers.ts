// Several HTTP processes on one port (WORKERS above 1): this one only keeps the others alive.
import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { ConfigError } from './config.ts';
import { passMetricsOn } from './metrics/gather-metrics.ts';

const RESTART_DELAY_MS = 1_000;

/**
 * Runs `count` copies of this program until `signal` aborts, and replaces each that dies, again and again.
 * Resolves when the first of them listens.
 * @throws ConfigError when one ends before any listened, which no second try would change.
 */
export function serveWithWorkers(count: number, log: Logger, signal: AbortSignal): Promise<void> {
  passMetricsOn();
  return new Promise((resolve, reject) => {
    let listened = false;
    cluster.on('listening', () => {
      listened = true;
      resolve();
    });
    cluster.on('exit', (worker, code, killedBy) => {
      if (signal.aborted) return;
      if (!listened) return reject(new ConfigError('The portal did not start; the reason stands above.'));
      log.error({ worker: worker.process.pid, code, killedBy }, 'worker ended; starting another');
      setTimeout(() => signal.aborted || cluster.fork(), RESTART_DELAY_MS);
    });
    signal.addEventListener('abort', () => {
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
    });
    for (let worker = 0; worker < count; worker += 1) cluster.fork();
  });
}
