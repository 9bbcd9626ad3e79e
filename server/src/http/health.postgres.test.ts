// Tests that /readyz responds 200 while the database is busy, and 503 while it is unavailable.
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../test/open-test-database.ts';
import { openPostgres, type PostgresOptions } from '../db/open-postgres.ts';
import { handleHealth } from './operations.ts';

async function open(options: Omit<PostgresOptions, 'url'>) {
  const db = await openPostgres({ url: await createTestDatabase(), ...options });
  const app = fastify();
  onTestFinished(() => app.close());
  handleHealth(app, { db, isStopping: () => false });
  const readStatus = async () => {
    const { statusCode, body } = await app.inject({ url: '/readyz' });
    return `${statusCode} ${JSON.parse(body).status}`;
  };
  return { db, readStatus };
}

test('a busy database counts as ready, whether or not another caller may wait for a connection', async () => {
  for (const maxWaiting of [1, 1_000]) {
    const { db, readStatus } = await open({ maxConnections: 1, maxWaiting, connectTimeoutMs: 30_000 });
    const release = Promise.withResolvers<void>();
    const busy = db.transaction(() => release.promise);
    const waiting = db.query('select 1');
    expect(await readStatus(), `${maxWaiting} may wait`).toBe('200 ready');
    release.resolve();
    await Promise.all([busy, waiting]);
    await db.close();
  }
});

test('a database that is unavailable does not count as ready', async () => {
  const { db, readStatus } = await open({ maxConnections: 1 });
  expect(await readStatus()).toBe('200 ready');
  await db.close();
  expect(await readStatus()).toBe('503 database unavailable');
});
