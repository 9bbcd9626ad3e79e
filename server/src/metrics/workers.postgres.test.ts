// Tests the metrics of a portal with two workers on one port, and of a portal whose database has failed.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addLearner, addProduct } from '../../test/factories.ts';
import { openTestApp } from '../../test/open-test-app.ts';
import { createTestDatabase } from '../../test/open-test-database.ts';
import { findFreePort } from '../../test/postgres.ts';
import { readSamples, type Sample, sumSamples } from '../../test/read-samples.ts';
import { SPAWN_ENV } from '../../test/spawn-env.ts';
import { openPostgres } from '../db/open-postgres.ts';

const MAIN = fileURLToPath(import.meta.resolve('../main.ts'));
const REQUESTS = 'portal_http_request_duration_seconds_count';
const RESPONSE_TIMEOUT_MS = 5_000;

let folder: string;
let origin: string;
let portal: ChildProcess;

beforeAll(async () => {
  const databaseUrl = await createTestDatabase();
  const db = await openPostgres({ url: databaseUrl, maxConnections: 1 });
  await addProduct(db, { codes: 7 });
  await db.close();
  folder = await mkdtemp(join(tmpdir(), 'portal-workers-'));
  const port = await findFreePort();
  origin = `http://127.0.0.1:${port}`;
  portal = spawn(process.execPath, [MAIN], {
    cwd: folder,
    env: {
      ...SPAWN_ENV,
      PORT: String(port),
      PUBLIC_URL: origin,
      DATABASE_URL: databaseUrl,
      SECRET_KEY: randomBytes(32).toString('base64'),
      WORKERS: '2',
      LOG_LEVEL: 'warn',
    },
    stdio: 'ignore',
  });
  // `expect.poll` works only inside a test, so this hook uses `vi.waitFor`.
  await vi.waitFor(async () => expect((await scrape()).workers).toHaveLength(2), { timeout: 30_000 });
});

afterAll(async () => {
  const exited = once(portal, 'exit');
  portal.kill('SIGTERM');
  await exited;
  await rm(folder, { recursive: true, force: true });
});

/**
 * Fetches `path` on a new connection, because the two workers take new connections in turn. The time-out is needed
 * because a connection may go to a worker that has just ended.
 */
async function fetchText(path: string): Promise<string> {
  const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
  const response = await fetch(`${origin}${path}`, { headers: { connection: 'close' }, signal });
  return response.text();
}

async function scrape(): Promise<{ samples: Sample[]; workers: string[] }> {
  const samples = readSamples(await fetchText('/metrics').catch(() => ''));
  const processes = samples.filter(({ name }) => name === 'process_resident_memory_bytes');
  return { samples, workers: processes.map(({ labels }) => labels.worker ?? '').sort() };
}

test('a scrape of any worker has the requests of all workers, and the metrics of the database once', async () => {
  const ofHealth = (samples: Sample[]) =>
    samples.filter(({ name, labels }) => name === REQUESTS && labels.route === '/healthz');
  let sent = 0;
  const requestBoth = async () => {
    // Three requests are sent before each scrape. With only one request, one worker would get all requests, and the
    // other worker all scrapes, because two workers take connections in turn.
    for (const _turn of [1, 2, 3]) await fetchText('/healthz');
    sent += 3;
    return ofHealth((await scrape()).samples);
  };
  await expect.poll(requestBoth).toHaveLength(2);
  for (const _worker of [1, 2]) {
    await expect.poll(async () => sumSamples(ofHealth((await scrape()).samples), REQUESTS)).toBe(sent);
    const { samples } = await scrape();
    const values = (name: string) =>
      samples.filter((sample) => sample.name === name).map(({ value }) => value);
    expect(values('portal_product_codes_free')).toEqual([7]);
    expect(values('portal_workers')).toEqual([2, 2]);
  }
});

test('after a worker ended, a scrape has the metrics of its replacement', async () => {
  const children = await readFile(`/proc/${portal.pid}/task/${portal.pid}/children`, 'utf8');
  process.kill(Number(children.split(' ')[0]), 'SIGKILL');
  await expect.poll(async () => (await scrape()).workers).toEqual(['2', '3']);
});

test('a redemption that fails because of the database is counted as unavailable', async () => {
  const app = await openTestApp();
  const product = await addProduct(app.db, { codes: 1 });
  const token = await app.signIn((await addLearner(app.db, [product])).email);
  await app.db.close();
  const body = { productId: product.product_id };
  expect((await app.call('POST', '/api/redeem-secure', { token, body })).status).toBe(503);
  const response = await app.app.inject({ url: '/metrics', headers: { host: 'localhost:3000' } });
  const samples = readSamples(response.body);
  expect(sumSamples(samples, 'portal_redemptions_total', { outcome: 'unavailable' })).toBe(1);
  expect(sumSamples(samples, 'portal_database_up')).toBe(0);
  await app.app.close();
});
