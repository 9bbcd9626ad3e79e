// Whether a proxy should send requests here, by what the database does: away, busy, or there.
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../test/open-test-database.ts';
import { openPostgres, type PostgresOptions } from '../db/open-postgres.ts';
import { handleHealth } from './health.ts';

async function open(options: Omit<PostgresOptions, 'url'>) {
  const db = await openPostgres({ url: await createTestDatabase(), ...options });
  const app = fastify();
  onTestFinished(() => app.close());
  handleHealth(app, { db, isStopping: () => false });
  const ask = async () => {
    const { statusCode, body } = await app.inject({ url: '/readyz' });
    return `${statusCode} ${JSON.parse(body).status}`;
  };
  return { db, ask };
}

test('a database that is merely busy is no reason to send requests elsewhere, whether more may wait or not', async () => {
  for (const maxWaiting of [1, 1_000]) {
    const { db, ask } = await open({ maxConnections: 1, maxWaiting, connectTimeoutMs: 30_000 });
    const asked = Promise.withResolvers<void>();
    const busy = db.transaction(() => asked.promise);
    const waiting = db.query('select 1');
    expect(await ask(), `${maxWaiting} may wait`).toBe('200 ready');
    asked.resolve();
    await Promise.all([busy, waiting]);
    await db.close();
  }
});

test('a database that is away is such a reason', async () => {
  const { db, ask } = await open({ maxConnections: 1 });
  expect(await ask()).toBe('200 ready');
  await db.close();
  expect(await ask()).toBe('503 database unavailable');
});
