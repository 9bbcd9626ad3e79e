// Tests that need several connections: a backup during writes, concurrent restores, and a move of the data from one
// engine to the other.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { addLearner, addProduct } from '../../test/factories.ts';
import { fillDatabase, REDEEM_TOOLS, readEverything } from '../../test/fill-database.ts';
import { openEmptyTestDatabase, openTestDatabase } from '../../test/open-test-database.ts';
import { createTestJobs, createUploadTools, TEST_IMPORT_TOOLS } from '../../test/test-jobs.ts';
import { findImportState } from '../bulk/bulk-jobs.sql.ts';
import { importCsv } from '../bulk/uploads.ts';
import type { Database } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { redeemCoupon } from '../features/redeem/redeem.ts';
import { createImportHandler } from '../jobs/job-handlers.ts';
import { createBackup } from './create-backup.ts';
import { restoreBackup } from './restore-backup.ts';

const LEARNERS = 300;
const AT_ONCE = 8;
const IMPORTED = 40_000;
const BACKUPS = 3;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-engines-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function openTarget(engine?: 'embedded'): Promise<Database> {
  const db = await openEmptyTestDatabase(engine);
  onTestFinished(() => db.close());
  return db;
}

test('from the embedded engine to PostgreSQL and back, every row stays as it was', async () => {
  const embedded = await openTestDatabase('embedded');
  onTestFinished(() => embedded.close());
  const { caller, productId, code } = await fillDatabase(embedded);
  const content = await readEverything(embedded);
  const there = join(folder, 'there');
  await createBackup(embedded, { file: there, now: new Date() });
  const postgres = await openTarget();
  await restoreBackup(postgres, { file: there });
  expect(await readEverything(postgres)).toEqual(content);
  const again = await redeemCoupon(postgres, { caller, productId }, REDEEM_TOOLS);
  expect(again).toMatchObject({ coupon: { couponCode: code }, is_new: false });

  const back = join(folder, 'back');
  await createBackup(postgres, { file: back, now: new Date() });
  const home = await openTarget('embedded');
  expect(await restoreBackup(home, { file: back })).toMatchObject({ header: { engine: 'postgres' } });
  expect(await readEverything(home)).toEqual(content);
});

test.each([
  ['embedded', undefined],
  ['postgres', 'embedded'],
] as const)(
  'R-IMP-27: a large import that was interrupted on the %s engine continues on the other one',
  async (from, to) => {
    const source = await openTestDatabase(from);
    onTestFinished(() => source.close());
    const { product_id } = await addProduct(source);
    const rows = Array.from({ length: 20 }, (_, at) => `MOVED-${at},${'😀'.repeat(40_000)}`);
    const csvData = `coupon_code,note\n${rows.join('\n')}\n`;
    const upload = {
      kind: 'coupons' as const,
      csvData,
      product_ids: [product_id],
      actor: 'staff@example.org',
    };
    const stopping = { ...TEST_IMPORT_TOOLS, isStopping: () => true };
    const { id } = await importCsv(source, upload, createUploadTools(source, stopping));
    const file = join(folder, `import-${from}`);
    await createBackup(source, { file, now: new Date() });
    const target = await openTarget(to);
    await restoreBackup(target, { file });
    const now = () => new Date(Date.now() + 33_000);
    const jobs = createTestJobs(target, { import: createImportHandler(target, TEST_IMPORT_TOOLS) }, { now });
    jobs.wake('import');
    await jobs.close();
    expect(await findImportState(target, id, 1)).toMatchObject({ state: 'done', results: { success: 20 } });
    expect((await target.query('select from import_source')).rowCount).toBe(0);
  },
);

test('a backup during redemptions and an import holds every code assigned before it, and no half transaction', async () => {
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  const product = await addProduct(db, { codes: LEARNERS });
  const imported = await addProduct(db, { name: 'Imported' });
  const callers = await Promise.all(Array.from({ length: LEARNERS }, () => addLearner(db, [product])));
  const answered: string[] = [];
  const waiting = [...callers];
  const redeem = async () => {
    for (let caller = waiting.pop(); caller !== undefined; caller = waiting.pop()) {
      const { coupon } = await redeemCoupon(db, { caller, productId: product.product_id }, REDEEM_TOOLS);
      answered.push(`${coupon.couponCode} ${caller.user_id}`);
    }
  };
  const importing = importCsv(
    db,
    {
      kind: 'coupons',
      csvData: `coupon_code\n${Array.from({ length: IMPORTED }, (_, index) => `NEW-${index}`).join('\n')}\n`,
      product_ids: [imported.product_id],
      actor: 'staff@example.org',
    },
    createUploadTools(db, { ...TEST_IMPORT_TOOLS, countCalls: null }),
  );
  const redeeming = Promise.all(Array.from({ length: AT_ONCE }, redeem));
  const taken: { file: string; before: string[] }[] = [];
  for (let index = 0; index < BACKUPS; index += 1) {
    const due = (LEARNERS / (BACKUPS + 1)) * (index + 1);
    await expect.poll(() => answered.length, { interval: 1 }).toBeGreaterThanOrEqual(due);
    const before = [...answered];
    const file = join(folder, `storm-${index}`);
    await createBackup(db, { file, now: new Date() });
    taken.push({ file, before });
  }
  await Promise.all([importing, redeeming]);
  expect(taken.some(({ before }) => before.length < LEARNERS)).toBe(true);

  for (const { file, before } of taken) {
    const target = await openTarget();
    await restoreBackup(target, { file });
    const held = await target.query<{ line: string }>(
      "select coupon_code || ' ' || holder as line from coupon where holder is not null",
    );
    const lines = held.rows.map(({ line }) => line);
    for (const line of before) expect(lines).toContain(line);
    expect(await compareCounts(target)).toEqual({
      lines: true,
      codes: true,
      handed_out: true,
      imported: true,
    });
  }
});

test('of two restores at once one is refused, and a migration waits for a restore', async () => {
  const source = await openTestDatabase();
  onTestFinished(() => source.close());
  await fillDatabase(source);
  const content = await readEverything(source);
  const file = join(folder, 'at-once');
  await createBackup(source, { file, now: new Date() });
  const target = await openTarget();
  const [one, other] = await Promise.allSettled([1, 2].map(() => restoreBackup(target, { file })));
  const failed = [one, other].filter((outcome) => outcome?.status === 'rejected');
  expect(failed).toMatchObject([
    { reason: { message: expect.stringMatching(/^The database is not empty/) } },
  ]);
  expect(await readEverything(target)).toEqual(content);

  const next = await openTarget();
  let started: Promise<unknown> | undefined;
  const check = async () => {
    started = migrate(next);
  };
  await restoreBackup(next, { file, check });
  expect(await started).toEqual([]);
  expect(await readEverything(next)).toEqual(content);
});

/**
 * Compares pairs of numbers that each transaction changes together, for example redeemed codes and their audit lines.
 * If a backup contained only half of a transaction, the two numbers of a pair would differ.
 */
async function compareCounts(db: Database) {
  const { rows } = await db.query(
    `select
       (select count(*) from coupon where holder is not null)
         = (select count(*) from audit where action = 'coupon.redeem') as lines,
       (select count(*) from coupon) = (select sum(n) from tally_now where what = 'code') as codes,
       (select count(*) from coupon where holder is not null)
         = (select coalesce(sum(n), 0) from tally_now where what = 'redeemed') as handed_out,
       (select count(*) from coupon where coupon_code like 'NEW-%')
         = (select coalesce(sum(success), 0) from bulk_job) as imported`,
  );
  return rows[0];
}
