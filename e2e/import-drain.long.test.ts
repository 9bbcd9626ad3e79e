// A process is told to stop in the middle of a large import on PostgreSQL: another goes on with it, row by row.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { getImport, getStats, importCoupons } from '@portal/contract';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { startPostgres } from '../server/test/postgres.ts';
import { callApi, openAdmin, redeem, signIn } from './harness/api.ts';
import { openMailbox } from './harness/mailbox.ts';
import { ADMIN_EMAIL, startPortal } from './harness/portal.ts';

const ROWS = 100_000;
const DUPLICATES = 2;
const FAULTS = 3;
const EMAIL = 'lea@learner.example';
const PRESS_EVERY_MS = 50;
const BEGUN_MS = 60_000;
// Whoever takes over looks every half minute for imports that have stood still for as long.
const TAKEN_OVER_MS = 300_000;

test('an import loses and doubles no row when its process stops and another takes it over, and learners are served all along', async () => {
  const server = await startPostgres();
  onTestFinished(server.stop);
  const mailbox = await openMailbox();
  onTestFinished(() => mailbox.close());
  const env = { DATABASE_URL: server.url, SECRET_KEY: randomBytes(32).toString('base64') };
  const first = await startPortal({ mailbox, env });
  // What tokens are issued for is the same for both.
  const second = await startPortal({ mailbox, env: { ...env, PUBLIC_URL: first.url } });
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

  const id = randomUUID();
  const body = { import_id: id, productId: product.product_id, csvData: makeCodes(), file_name: 'large.csv' };
  const asked = callApi(first.url, importCoupons, { token, body }).catch((error: unknown) => String(error));
  const learning = redeemOverAndOver(second.url, other.product_id, learner);
  const read = () => callApi(second.url, getImport, { token, params: { id } });
  // At first there is no import of that id.
  const readRows = async () => (await read().catch(() => null))?.rows_done ?? 0;
  await expect.poll(readRows, { timeout: BEGUN_MS }).toBeGreaterThan(ROWS / 10);
  expect(await first.stop()).toBe(0);
  const stoppedAt = await read();
  expect(stoppedAt).toMatchObject({ state: 'running', results: null });
  expect(stoppedAt.rows_done).toBeLessThan(ROWS);
  // It was answered, and with nothing that is not true.
  expect(await asked).toContain('goes on');

  await expect.poll(async () => (await read()).state, { timeout: TAKEN_OVER_MS }).toBe('done');
  expect(await learning.stop()).toEqual(['THE-ONE']);
  expect((await read()).results).toEqual({
    success: ROWS - DUPLICATES - FAULTS,
    duplicates: DUPLICATES,
    failures: FAULTS,
    productAccess: 0,
    total: ROWS,
  });
  const { stock } = await callApi(second.url, getStats, { token });
  expect(stock.find((line) => line.product_id === product.product_id)?.total).toBe(
    ROWS - DUPLICATES - FAULTS,
  );
  expect(await countCodes(server.url)).toEqual({ codes: ROWS - DUPLICATES - FAULTS + 1, at_fault: FAULTS });
  expect(second.output()).not.toMatch(/"level":50/);
});

/** A learner presses until told something else than before; `stop` answers what was told, refusals too. */
function redeemOverAndOver(url: string, productId: string, token: string) {
  const told = new Set<string>();
  let pressing = true;
  const presses = (async () => {
    while (pressing && told.size < 2) {
      told.add(await redeem(url, productId, token).catch(String));
      await delay(PRESS_EVERY_MS);
    }
  })();
  return {
    stop: async () => {
      pressing = false;
      await presses;
      return [...told];
    },
  };
}

/** As the tables have them, whatever was counted on the way. */
async function countCodes(url: string): Promise<unknown> {
  const db = await openPostgres({ url });
  const { rows } = await db.query(
    'select count(*)::int as codes, (select count(*)::int from import_error) as at_fault from coupon',
  );
  await db.close();
  return rows[0];
}

function makeCodes(): string {
  const unique = Array.from({ length: ROWS - DUPLICATES - FAULTS }, (_, index) => `DRAIN-${index}`);
  const rows = [...unique, ...unique.slice(0, DUPLICATES), ...Array(FAULTS).fill('X'.repeat(256))];
  return `coupon_code\n${rows.join('\n')}\n`;
}
