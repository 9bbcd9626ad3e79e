// Is the process alive, and is it worth sending requests to it?
import type { FastifyInstance } from 'fastify';
import { type Database, isTooBusy } from '../db/database.ts';
import { ping } from '../stores/ping.ts';

const DATABASE_PATIENCE_MS = 2_000;

type HealthTools = {
  db: Database;
  /** True from the moment that the process was asked to end: it answers, but wants no new requests. */
  isStopping: () => boolean;
};

export function handleHealth(app: FastifyInstance, { db, isStopping }: HealthTools): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }));

  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const fault = isStopping() ? 'stopping' : await findFault(db);
    return reply.status(fault === null ? 200 : 503).send({ status: fault ?? 'ready' });
  });
}

async function findFault(db: Database): Promise<'database unavailable' | null> {
  const answers = await Promise.race([
    // Too busy is no reason to leave the others alone with the load, and neither is a line of those who wait.
    ping(db).then(() => true, isTooBusy),
    new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(db.countConnections().waiting > 0), DATABASE_PATIENCE_MS).unref();
    }),
  ]);
  return answers ? null : 'database unavailable';
}
