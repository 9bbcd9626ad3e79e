// Several HTTP processes on one port (WORKERS above 1): this one only keeps the others alive.
import cluster from 'node:cluster';
import type { Logger } from 'pino';

const RESTART_DELAY_MS = 1_000;

/**
 * Runs `count` copies of this program until `signal` aborts, replacing any that dies after it had begun to listen.
 * Resolves when the first of them listens; rejects when one ends before it could.
 */
export function serveWithWorkers(count: number, log: Logger, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const listening = new Set<number>();
    cluster.on('listening', (worker) => {
      listening.add(worker.id);
      resolve();
    });
    cluster.on('exit', (worker, code, killedBy) => {
      if (signal.aborted) return;
      if (!listening.delete(worker.id)) return reject(new Error('A worker ended before it could listen.'));
      log.error({ pid: worker.process.pid, code, killedBy }, 'worker ended; starting another');
      setTimeout(() => signal.aborted || cluster.fork(), RESTART_DELAY_MS);
    });
    signal.addEventListener('abort', () => {
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
    });
    for (let worker = 0; worker < count; worker += 1) cluster.fork();
  });
}
