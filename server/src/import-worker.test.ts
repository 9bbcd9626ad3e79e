// How long an import waits that its process left, with the waits of production.
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { TEST_IMPORT_TOOLS } from '../test/open-test-app.ts';
import { openTestDatabase } from '../test/open-test-database.ts';
import type { Database } from './db/database.ts';
import { startImportWorker } from './import-worker.ts';

const HALF_A_MINUTE_MS = 30_000;

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());
afterEach(() => vi.useRealTimers());

/** A running import of one product that a process got on with so many seconds ago. */
async function addImport(idleSeconds: number): Promise<string> {
  const id = randomUUID();
  await db.query(
    `insert into import_job (id, kind, created_by, rows_total, source, worked_at)
     values ($1, 'products', 'staff@example.org', 1, $2, now() - make_interval(secs => $3))`,
    [id, `name,description,url\nTool,Text,${id}.example\n`, idleSeconds],
  );
  return id;
}

async function listRunning(): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>("select id from import_job where state = 'running'");
  return rows.map(({ id }) => id);
}

test('the worker looks every half minute, and takes over what nobody got on with for half a minute', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  // Its first look, at the start, takes nothing.
  let stopping = true;
  const tools = { ...TEST_IMPORT_TOOLS, isStopping: () => stopping };
  const worker = startImportWorker(db, tools, { log: pino({ level: 'silent' }) });
  stopping = false;
  await addImport(31);
  const underWay = await addImport(5);
  vi.advanceTimersByTime(HALF_A_MINUTE_MS - 1);
  expect(await listRunning()).toHaveLength(2);
  vi.advanceTimersByTime(1);
  await expect.poll(listRunning).toEqual([underWay]);
  await worker.close();
  expect(await listRunning()).toEqual([underWay]);
});
