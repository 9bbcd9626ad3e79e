// Kills the portal while it voids a million codes, and while it marks a million expired codes. Tests that the portal
// continues the work after each restart and counts every code once.
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { getImport, voidBatch } from '@portal/contract';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../server/src/db/database.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { recountTally } from '../server/src/usecases/recount-tally.ts';
import { utcToday } from '../server/test/factories.ts';
import { startPostgres } from '../server/test/postgres.ts';
import { callApi, openAdmin, signIn } from './harness/api.ts';
import { openMailbox } from './harness/mailbox.ts';
import { ADMIN_EMAIL, makePlace, startPortal } from './harness/portal.ts';
import { waitForProgress } from './harness/progress.ts';

const CODES = 1_000_000;
const KILLS = 3;

/** Starts a portal with one product. The product has CODES codes from one upload, whose last day is `use_by`. */
async function openScene(use_by: string) {
  const server = await startPostgres({ durable: true });
  onTestFinished(server.stop);
  const env = { DATABASE_URL: server.url, SECRET_KEY: randomBytes(32).toString('base64') };
  const mailbox = await openMailbox();
  const place = await makePlace();
  let portal = await startPortal({ mailbox, place, env });
  const db = await openPostgres({ url: server.url, maxConnections: 2 });
  onTestFinished(async () => {
    await db.close();
    await portal.stop();
    await mailbox.close();
    await rm(place.dataDir, { recursive: true, force: true });
  });
  const product = await (await openAdmin(portal)).addProduct({ name: 'Large' });
  const { rows } = await db.query<{ id: string }>(
    `insert into coupon_batch (product_id, source, file_name, created_by, codes)
     values ($1, 'file', 'large.csv', $2, ${CODES}) returning id`,
    [product.product_id, ADMIN_EMAIL],
  );
  const batch_id = rows[0]?.id ?? '';
  await db.transaction((tx) =>
    tx.execute(
      `set local statement_timeout = 0;
       insert into coupon (product_id, batch_id, shared, coupon_code, use_by)
       select '${product.product_id}', ${batch_id}, false, 'CODE-' || n, '${use_by}' from generate_series(1, ${CODES}) n`,
    ),
  );
  return {
    db,
    batch_id,
    url: () => portal.url,
    token: (await signIn(portal, ADMIN_EMAIL)).access_token,
    /**
     * Kills and restarts the portal KILLS times, each time after it has voided more codes. Then waits until all codes
     * are void.
     */
    killDuring: async () => {
      for (let kill = 1; kill <= KILLS; kill += 1) {
        await waitForProgress(() => countVoid(db), (CODES * kill) / (KILLS + 2));
        await portal.kill();
        expect(await countVoid(db)).toBeLessThan(CODES);
        // Ends the leases that the killed process had on its jobs. Otherwise the new process could wait two minutes for
        // them.
        await db.query("update job set due_at = now() where state = 'running'");
        portal = await startPortal({ mailbox, place, env });
      }
      await waitForProgress(() => countVoid(db), CODES);
    },
  };
}

async function countVoid(db: Database): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from coupon where voided_at is not null',
  );
  return rows[0]?.count ?? 0;
}

/** Returns the column `detail` of the audit lines with this action. */
async function listLines(db: Database, action: string) {
  const { rows } = await db.query<{ detail: Record<string, unknown> }>(
    'select detail from audit where action = $1 order by id',
    [action],
  );
  return rows.map(({ detail }) => detail);
}

test('R-LIFE-18, R-LIFE-51: a void of a million codes goes on after each crash, and its counts add up', async () => {
  const { db, batch_id, url, token, killDuring } = await openScene('infinity');
  const body = { reason: 'dead' as const, note: null, expected: CODES };
  const { job_id } = await callApi(url(), voidBatch, { token, params: { id: batch_id }, body });
  await killDuring();
  const read = () => callApi(url(), getImport, { token, params: { id: job_id } });
  await expect.poll(async () => (await read()).state).toBe('done');
  const { results } = await read();
  expect(results).toMatchObject({ voided: CODES, handed_out_meanwhile: 0 });
  expect(await listLines(db, 'batch.void')).toMatchObject([{ voided: CODES }]);
  expect((await recountTally(db, new Date())).wrong).toBe(0);
});

test('R-LIFE-53: the expiry of a million codes goes on after each crash, and its audit lines add up', async () => {
  const { db, killDuring } = await openScene(utcToday());
  await killDuring();
  await expect.poll(() => listLines(db, 'coupon.expire')).toHaveLength(1);
  expect(await listLines(db, 'coupon.expire')).toEqual([{ day: utcToday(), count: CODES }]);
  expect((await recountTally(db, new Date())).wrong).toBe(0);
});
