// Serves /healthz (the process runs) and /readyz (a load balancer may send requests to it).
import type { FastifyInstance } from 'fastify';
import { type Database, isTooBusy } from '../db/database.ts';
import { ping } from '../stores/ping.ts';

const DATABASE_TIMEOUT_MS = 2_000;

type HealthTools = {
  db: Database;
  /** Returns true once the process is asked to stop. /readyz is then 503, so that proxies send requests elsewhere. */
  isStopping: () => boolean;
};

export function handleHealth(app: FastifyInstance, { db, isStopping }: HealthTools): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }));

  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const problem = isStopping() ? 'stopping' : await findProblem(db);
    return reply.status(problem === null ? 200 : 503).send({ status: problem ?? 'ready' });
  });
}

async function findProblem(db: Database): Promise<'database unavailable' | null> {
  const isAvailable = await Promise.race([
    // A busy database counts as ready: a process that reports 503 would move its load to the others. It is busy if it
    // refuses the ping, or if callers wait for a connection.
    ping(db).then(() => true, isTooBusy),
    new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(db.countConnections().waiting > 0), DATABASE_TIMEOUT_MS).unref();
    }),
  ]);
  return isAvailable ? null : 'database unavailable';
}
