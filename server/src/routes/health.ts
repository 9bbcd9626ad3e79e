// Is the process alive, and does its database answer?
import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/database.ts';
import { ping } from '../stores/ping.ts';

const DATABASE_PATIENCE_MS = 2_000;

export function handleHealth(app: FastifyInstance, { db }: { db: Database }): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }));

  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const answers = await Promise.race([
      ping(db).then(
        () => true,
        () => false,
      ),
      new Promise<false>((resolve) => setTimeout(resolve, DATABASE_PATIENCE_MS, false).unref()),
    ]);
    return reply.status(answers ? 200 : 503).send({ status: answers ? 'ready' : 'database unavailable' });
  });
}
