// Tests the upgrade from the last version before the baseline (schema 80), on a stored database and stored backups.
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { listSchemaObjects } from '../../test/describe-schema.ts';
import { REDEEM_TOOLS, readEverything } from '../../test/fill-database.ts';
import { openStoredDatabase, storedBackup } from '../../test/open-stored-database.ts';
import { openEmptyTestDatabase, openTestDatabase } from '../../test/open-test-database.ts';
import type { Database } from '../db/database.ts';
import { listApplied, listMigrations, type Migration, migrate } from '../db/migrate.ts';
import { recountTally } from '../features/dashboard/tally.sql.ts';
import { redeemCoupon } from '../features/redeem/redeem.ts';
import { examineDatabase } from '../operator/examine-database.ts';
import { createBackup, upgradeDatabase } from './create-backup.ts';
import { restoreBackup } from './restore-backup.ts';

const NOW = new Date('2026-11-27T12:00:00Z');
const LAST = 80;

let folder: string;
let known: Migration[];
let baseline: Migration[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-from-80-'));
  known = await listMigrations();
  baseline = known.slice(0, 1);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function openStored(name: string) {
  const stored = await openStoredDatabase(inject('engine'), join(folder, name));
  onTestFinished(() => stored.db.close());
  return stored.db;
}

async function openTarget(): Promise<Database> {
  const db = await openEmptyTestDatabase();
  onTestFinished(() => db.close());
  return db;
}

const readMigrations = async (db: Database) =>
  (await db.query('select * from schema_migration order by version')).rows;

/** Expects that the holder of the redeemed code in the stored data gets it again, and that all counters are right. */
async function expectToWork(db: Database): Promise<void> {
  const { rows } = await db.query<{ user_id: string; product_id: string; coupon_code: string }>(
    `select u.id as user_id, c.product_id, c.coupon_code from coupon c join app_user u on u.id = c.holder
     where is_current and not shared`,
  );
  const [held] = rows;
  if (held === undefined) throw new Error('no code is held');
  const again = await redeemCoupon(db, { caller: held, productId: held.product_id }, REDEEM_TOOLS);
  expect(again).toMatchObject({ coupon: { couponCode: held.coupon_code }, is_new: false });
  expect((await recountTally(db, NOW)).wrong).toBe(0);
}

test('the baseline makes the schema of a database at 80, object by object', async () => {
  const old = await openStored('same');
  const fresh = await openTarget();
  await migrate(fresh, baseline);
  expect(await listSchemaObjects(fresh)).toEqual(await listSchemaObjects(old));
});

test('the upgrade keeps every row, and then the schema is that of a new database', async () => {
  const db = await openStored('rows');
  const content = await readEverything(db);
  expect(await migrate(db, baseline)).toEqual([]);
  expect(await readEverything(db)).toEqual(content);
  expect(await migrate(db)).toEqual(known.slice(1).map(({ name }) => name));
  expect(await migrate(db)).toEqual([]);
  const fresh = await openTestDatabase();
  onTestFinished(() => fresh.close());
  expect(await listSchemaObjects(db)).toEqual(await listSchemaObjects(fresh));
  await expectToWork(db);
});

test('of processes that start together, one upgrades', async () => {
  const { db, openAgain } = await openStoredDatabase(inject('engine'), join(folder, 'together'));
  onTestFinished(() => db.close());
  const other = db.engine === 'postgres' ? await openAgain() : db;
  if (other !== db) onTestFinished(() => other.close());
  const applied = await Promise.all([migrate(db), migrate(other), migrate(db)]);
  expect(applied.flat()).toEqual(known.slice(1).map(({ name }) => name));
  expect((await listApplied(db)).filter((version) => version > LAST)).toEqual(
    known.map(({ version }) => version),
  );
});

test('the rows of the older migrations stay, so that an older program refuses the database as newer', async () => {
  const db = await openStored('older-program');
  const before = await readMigrations(db);
  await migrate(db);
  const after = await readMigrations(db);
  // An older program compares the highest number to 80, and applies migrations that are missing.
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length)).toMatchObject(known.map(({ version, name }) => ({ version, name })));
  expect(Math.min(...known.map(({ version }) => version))).toBeGreaterThan(LAST);
});

test('doctor asks for a start of the portal before the upgrade', async () => {
  const db = await openStored('doctor');
  const checkResults = await examineDatabase(db, Date.now);
  expect(checkResults[1]).toMatchObject({
    state: 'wrong',
    text: expect.stringContaining('version 80, without 0002'),
  });
});

test('on the embedded engine, the upgrade makes a backup that an older program can restore too', async () => {
  const db = await openStored('saved');
  const content = await readEverything(db);
  const saved = await upgradeDatabase(db, { dataDir: folder, now: NOW });
  if (db.engine === 'postgres') {
    expect(saved).toBeNull();
    return;
  }
  expect(saved).toBe(join(folder, 'backups', 'before-upgrade-20261127T120000Z-schema-80.backup'));
  const target = await openTarget();
  const { header } = await restoreBackup(target, { file: saved ?? '', migrations: baseline });
  expect(header).toMatchObject({ format: 1, schema: LAST });
  expect(header.migrations?.at(-1)).toBe(LAST);
  expect(await readEverything(target)).toEqual(content);
});

test('a backup after the upgrade, with the rows of the older migrations, can be restored', async () => {
  const db = await openStored('backup');
  await migrate(db);
  const content = await readEverything(db);
  const file = join(folder, 'after.backup');
  await createBackup(db, { file, now: NOW });
  const target = await openTarget();
  await restoreBackup(target, { file });
  expect(await readEverything(target)).toEqual(content);
  expect(await listApplied(target)).toEqual(known.map(({ version }) => version));
});

test.each(['embedded', 'postgres'] as const)(
  'a backup of the %s engine at 80 is restored',
  async (engine) => {
    const target = await openTarget();
    const { header } = await restoreBackup(target, { file: storedBackup(engine), migrations: baseline });
    expect(header).toMatchObject({ schema: LAST, engine });
    if (engine === inject('engine'))
      expect(await readEverything(target)).toEqual(await readEverything(await openStored('restored')));
    await migrate(target);
    await expectToWork(target);
  },
);

test('a database that is older than 80, or lacks a migration, is refused and not changed', async () => {
  for (const [at, missing] of ['version = 80', 'version > 10', 'version = 33'].entries()) {
    const db = await openStored(`older-${at}`);
    await db.execute(`delete from schema_migration where ${missing}`);
    const before = [await readMigrations(db), await readEverything(db)];
    const refusal = /too old for this one \(schema \d+\): start a version with schema 80 first/;
    await expect(migrate(db)).rejects.toMatchObject({
      name: 'DatabaseError',
      message: expect.stringMatching(refusal),
    });
    await expect(upgradeDatabase(db, { dataDir: join(folder, 'none'), now: NOW })).rejects.toThrow(refusal);
    expect(await readdir(join(folder, 'none')).catch(() => [])).toEqual([]);
    expect([await readMigrations(db), await readEverything(db)]).toEqual(before);
    const checkResults = await examineDatabase(db, Date.now);
    expect(checkResults[1]).toMatchObject({ state: 'wrong', text: expect.stringMatching(refusal) });
  }
});

test('a backup that is older than 80, or lacks a migration, is refused, and nothing is written', async () => {
  const text = gunzipSync(await readFile(storedBackup('embedded'))).toString();
  const older: ((header: string) => string)[] = [
    (header) => header.replace('"schema":80', '"schema":78').replace(',80]', ']'),
    (header) => header.replace(',33,', ','),
    (header) => header.replace(/"migrations":\[.*?\],/, ''),
  ];
  for (const [at, change] of older.entries()) {
    const lines = text.split('\n');
    const body = [change(lines[0] ?? ''), ...lines.slice(1, -2)].join('\n');
    const end = JSON.parse((lines.at(-2) ?? '').slice('#end '.length)) as { rows: number };
    const sha256 = createHash('sha256').update(`${body}\n`).digest('hex');
    const file = join(folder, `older-${at}.backup`);
    await writeFile(file, gzipSync(`${body}\n#end ${JSON.stringify({ rows: end.rows, sha256 })}\n`));
    const target = await openTarget();
    await expect(restoreBackup(target, { file })).rejects.toMatchObject({
      name: 'BackupError',
      message: expect.stringMatching(
        /too old for this one \(schema \d+\): restore it with the version that made it/,
      ),
    });
    expect((await target.query("select 1 from pg_tables where schemaname = 'public'")).rows).toEqual([]);
  }
});
