// Kills the portal while it voids a million codes, and while it marks a million expired codes. Tests that the portal
// continues the work after each restart and counts every code once. Most kills happen after the statement that voids the
// codes of a step, and before the statement that counts them.
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { getImport, voidBatch } from '@portal/contract';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../server/src/db/database.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { recountTally } from '../server/src/features/dashboard/tally.sql.ts';
import { utcToday } from '../server/test/factories.ts';
import { startPostgres } from '../server/test/postgres.ts';
import { callApi, openAdmin, redeem, signIn } from './harness/api.ts';
import { openMailbox } from './harness/mailbox.ts';
import { ADMIN_EMAIL, makePlace, startPortal } from './harness/portal.ts';
import { waitForProgress } from './harness/progress.ts';

const CODES = 1_000_000;
const KILLS = 3;
// Counting reads all codes. Without a pause, it would take as much time as the watched work.
const COUNT_EVERY_MS = 1_000;
// The job that marks expired codes works for 5 s, then pauses for 10 s, in which nothing can crash. This ends the pause.
const END_REST = "update job set due_at = now() where kind = 'expire-codes' and state = 'waiting'";
// Number of learners who redeem before each kill of the void.
const LEARNERS = 2;

// Makes a statement that counts codes wait while another session has the advisory lock LOCK_KEY. The number is
// arbitrary.
const LOCK_KEY = 271_828;
const WAIT_BEFORE_COUNT = `
  create function wait_before_count() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(${LOCK_KEY});
    return new;
  end $$;
  create trigger wait_before_count before update of success on bulk_job for each row execute function wait_before_count();
  create trigger wait_before_count before insert on coupon_expiry for each row execute function wait_before_count()`;
// The sessions whose statement waits before it counts codes.
const WAITING = `select pid from pg_locks where locktype = 'advisory' and objid = ${LOCK_KEY} and not granted`;

/**
 * Starts a portal with one product. The product has CODES codes from one upload, whose last day is `use_by`. `people` is
 * the number of learners who have access.
 */
async function openFixture(use_by: string, people = 0) {
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
  const admin = await openAdmin(portal);
  const product = await admin.addProduct({ name: 'Large' });
  const learners: string[] = [];
  for (let n = 0; n < people; n += 1) {
    const email = `crash-${n}@learner.example`;
    await admin.addLearner(email, product);
    learners.push((await signIn(portal, email)).access_token);
  }
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
  await db.execute(WAIT_BEFORE_COUNT);

  /** Calls `act`, then kills the portal, while a step has voided its codes but not counted them. */
  const killBeforeCount = (act: () => Promise<void>) =>
    db.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1)', [LOCK_KEY]);
      await expect.poll(async () => (await db.query(WAITING)).rowCount).toBe(1);
      await act();
      await portal.kill();
      // The database does not notice the kill while the statement waits, and would finish the statement.
      await db.query(`select pg_terminate_backend(pid) from (${WAITING}) waiting`);
      await expect.poll(async () => (await db.query(WAITING)).rowCount).toBe(0);
    });

  /** Waits until `count` codes are void or held. */
  const waitForCodes = (count: number) => {
    const read = async () => {
      await db.execute(END_REST);
      return countTaken(db);
    };
    return waitForProgress(read, count, { everyMs: COUNT_EVERY_MS });
  };

  return {
    db,
    batch_id,
    url: () => portal.url,
    token: (await signIn(portal, ADMIN_EMAIL)).access_token,
    /**
     * Kills and restarts the portal KILLS times, each time after it has voided more codes. Before each kill, some of the
     * learners redeem. Then waits until no code is free. Returns the codes of the learners.
     */
    killDuring: async () => {
      const codes: string[] = [];
      const press = async () => {
        for (const token of learners.splice(0, LEARNERS))
          codes.push(await redeem(portal.url, product.product_id, token));
      };
      for (let kill = 1; kill <= KILLS; kill += 1) {
        await waitForCodes((CODES * kill) / (KILLS + 2));
        // The second kill happens at a random moment.
        if (kill === 2) {
          await press();
          await portal.kill();
        } else await killBeforeCount(press);
        expect(await countVoid(db)).toBeLessThan(CODES);
        // Ends the leases that the killed process had on its jobs. Otherwise the new process could wait two minutes for
        // them. `jobs.engines.test.ts` tests that another process claims a job when its lease has expired.
        await db.query("update job set due_at = now() where state = 'running'");
        portal = await startPortal({ mailbox, place, env });
      }
      await waitForCodes(CODES);
      return codes;
    },
  };
}

async function countVoid(db: Database): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from coupon where voided_at is not null',
  );
  return rows[0]?.count ?? 0;
}

async function countHeld(db: Database): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(holder)::int as count from coupon');
  return rows[0]?.count ?? 0;
}

/** Counts the codes that are void or held. */
async function countTaken(db: Database): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from coupon where voided_at is not null or holder is not null',
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
  const { db, batch_id, url, token, killDuring } = await openFixture('infinity', LEARNERS * KILLS);
  const body = { reason: 'dead' as const, note: null, expected: CODES };
  const { job_id } = await callApi(url(), voidBatch, { token, params: { id: batch_id }, body });
  const codes = await killDuring();
  const read = () => callApi(url(), getImport, { token, params: { id: job_id } });
  await expect.poll(async () => (await read()).state).toBe('done');
  expect(new Set(codes).size).toBe(LEARNERS * KILLS);
  expect(await countHeld(db)).toBe(codes.length);
  const voided = CODES - codes.length;
  expect(await countVoid(db)).toBe(voided);
  expect((await read()).results).toMatchObject({ voided, handed_out_meanwhile: codes.length });
  expect(await listLines(db, 'batch.void')).toMatchObject([{ voided }]);
  expect((await recountTally(db, new Date())).wrong).toBe(0);
});

test('R-LIFE-53: the expiry of a million codes goes on after each crash, and its audit lines add up', async () => {
  const { db, killDuring } = await openFixture(utcToday());
  await killDuring();
  await expect.poll(() => listLines(db, 'coupon.expire')).toHaveLength(1);
  expect(await listLines(db, 'coupon.expire')).toEqual([{ day: utcToday(), count: CODES }]);
  expect((await recountTally(db, new Date())).wrong).toBe(0);
});
