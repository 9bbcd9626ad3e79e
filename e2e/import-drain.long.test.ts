// Tests that another process continues an import on PostgreSQL without losing a row, if the importing process is
// stopped.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { getImport, getStats, importCoupons } from '@portal/contract';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../server/src/db/database.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { startPostgres } from '../server/test/postgres.ts';
import { callApi, openAdmin, redeem, signIn } from './harness/api.ts';
import { openMailbox } from './harness/mailbox.ts';
import { ADMIN_EMAIL, startPortal } from './harness/portal.ts';
import { waitForProgress } from './harness/progress.ts';
import { SHORT_WAITS } from './harness/short-waits.ts';

// The chunk size on PostgreSQL. The invalid rows are in the third chunk.
const CHUNK_ROWS = 5_000;
const ROWS = 5 * CHUNK_ROWS;
const DUPLICATES = 2;
const INVALID_ROWS = 3;
const CREATED = ROWS - DUPLICATES - INVALID_ROWS;
const EMAIL = 'lea@learner.example';
const PRESS_EVERY_MS = 50;

/** Returns how many statements wait for the lock of the table import_error. */
async function countWaiting(db: Database): Promise<number> {
  const { rows } = await db.query<{ waiting: number }>(
    "select count(*)::int as waiting from pg_locks where relation = 'import_error'::regclass and not granted",
  );
  return rows[0]?.waiting ?? 0;
}

test('an import loses and duplicates no row when its process stops and another continues it, and learners are served meanwhile', async () => {
  const server = await startPostgres();
  onTestFinished(server.stop);
  const mailbox = await openMailbox();
  onTestFinished(() => mailbox.close());
  const env = { DATABASE_URL: server.url, SECRET_KEY: randomBytes(32).toString('base64') };
  const first = await startPortal({ mailbox, env, program: SHORT_WAITS });
  // Access tokens contain the portal's public address, so both portals must have the same public address.
  const second = await startPortal({
    mailbox,
    env: { ...env, PUBLIC_URL: first.url },
    program: SHORT_WAITS,
  });
  onTestFinished(async () => {
    await first.stop();
    await second.stop();
  });
  const admin = await openAdmin(first);
  const product = await admin.addProduct({ name: 'Large' });
  const other = await admin.addProduct({ name: 'Other' });
  await admin.addCodes(other, 'THE-ONE');
  await admin.addLearner(EMAIL, other);
  const [{ access_token: token }, { access_token: learner }] = [
    await signIn(first, ADMIN_EMAIL),
    await signIn(first, EMAIL),
  ];
  const db = await openPostgres({ url: server.url });
  onTestFinished(() => db.close());

  const id = randomUUID();
  const body = { import_id: id, productId: product.product_id, csvData: makeCodes(), file_name: 'large.csv' };
  const redeeming = redeemRepeatedly(second.url, other.product_id, learner);
  const read = () => callApi(second.url, getImport, { token, params: { id } });
  // Until the server has received the upload, the import does not exist and `read` fails.
  const readRows = async () => (await read().catch(() => null))?.rows_done ?? 0;
  const { upload, stopped } = await db.transaction(async (tx) => {
    // The lock blocks the insert of invalid rows, so the import waits in its third chunk until this transaction ends.
    await tx.execute('lock table import_error in share mode');
    const upload = callApi(first.url, importCoupons, { token, body }).catch((error: unknown) =>
      String(error),
    );
    await waitForProgress(readRows, 2 * CHUNK_ROWS);
    // Waits for the third chunk: an earlier stop would end the import earlier.
    await expect.poll(() => countWaiting(db)).toBe(1);
    const stopped = first.stop();
    await expect.poll(async () => (await fetch(`${first.url}/readyz`)).status).toBe(503);
    return { upload, stopped };
  });
  expect(await stopped).toBe(0);
  // Before the stopped process ended, it finished the third chunk and responded that the import continues.
  expect(await read()).toMatchObject({ state: 'running', results: null, rows_done: 3 * CHUNK_ROWS });
  expect(await upload).toContain('goes on');

  await waitForProgress(readRows, ROWS);
  await expect.poll(async () => (await read()).state).toBe('done');
  expect(await redeeming.stop()).toEqual(['THE-ONE']);
  expect((await read()).results).toEqual({
    success: CREATED,
    duplicates: DUPLICATES,
    failures: INVALID_ROWS,
    productAccess: 0,
    generated: 0,
    total: ROWS,
  });
  const { stock } = await callApi(second.url, getStats, { token });
  expect(stock.find((line) => line.product_id === product.product_id)?.total).toBe(CREATED);
  expect(await countCodes(db)).toEqual({ codes: CREATED + 1, invalid_rows: INVALID_ROWS });
  expect(second.output()).not.toMatch(/"level":50/);
});

/**
 * Redeems repeatedly and collects the distinct results: codes or error messages. Ends after the second distinct
 * result, or when the test calls `stop`. `stop` returns the results.
 */
function redeemRepeatedly(url: string, productId: string, token: string) {
  const results = new Set<string>();
  let pressing = true;
  const presses = (async () => {
    while (pressing && results.size < 2) {
      results.add(await redeem(url, productId, token).catch(String));
      await delay(PRESS_EVERY_MS);
    }
  })();
  return {
    stop: async () => {
      pressing = false;
      await presses;
      return [...results];
    },
  };
}

/** Counts the codes and the invalid rows in their tables, to compare these counts with the tally. */
async function countCodes(db: Database): Promise<unknown> {
  const { rows } = await db.query(
    'select count(*)::int as codes, (select count(*)::int from import_error) as invalid_rows from coupon',
  );
  return rows[0];
}

function makeCodes(): string {
  const rows = Array.from({ length: CREATED }, (_, index) => `DRAIN-${index}`);
  rows.splice(2.5 * CHUNK_ROWS, 0, ...Array(INVALID_ROWS).fill('X'.repeat(256)));
  return `coupon_code\n${[...rows, ...rows.slice(0, DUPLICATES)].join('\n')}\n`;
}
