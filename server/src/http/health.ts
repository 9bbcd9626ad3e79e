// Serves two health checks. /healthz responds 200 while the process runs. /readyz responds 200 while a load balancer
// may send requests to this process.
import type { FastifyInstance } from 'fastify';
import { type Database, isTooBusy } from '../db/database.ts';
import { ping } from '../db/deployment.sql.ts';

const DATABASE_TIMEOUT_MS = 2_000;

type HealthTools = {
  db: Database;
  /**
   * Returns true after the process was told to stop. /readyz then responds 503, so that load balancers send requests to
   * other processes.
   */
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
    // If the database is busy, the ping fails or waits for a connection. In both cases the process still counts
    // as ready. With a 503, the load balancer would send all requests to the other processes and overload them too.
    ping(db).then(() => true, isTooBusy),
    new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(db.countConnections().waiting > 0), DATABASE_TIMEOUT_MS).unref();
    }),
  ]);
  return isAvailable ? null : 'database unavailable';
}
