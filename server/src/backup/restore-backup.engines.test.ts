import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { addCodes, addLearner, addProduct, utcToday } from '../../test/factories.ts';
import { fillDatabase, REDEEM_TOOLS, readEverything } from '../../test/fill-database.ts';
import { openEmptyTestDatabase, openTestDatabase } from '../../test/open-test-database.ts';
import type { Database } from '../db/database.ts';
import { listMigrations, migrate, readSchemaVersion } from '../db/migrate.ts';
import {
  getCouponTotal,
  getMemberTotal,
  getUserTotal,
  recountTally,
} from '../features/dashboard/tally.sql.ts';
import { redeemCoupon } from '../features/redeem/redeem.ts';
import { checkBackupFile, placeFile } from './backup-file.ts';
import { createBackup } from './create-backup.ts';
import { restoreBackup } from './restore-backup.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

let folder: string;
let file: string;
let source: Database;
let held: Awaited<ReturnType<typeof fillDatabase>>;
let content: Awaited<ReturnType<typeof readEverything>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-backup-'));
  file = join(folder, 'portal.backup');
  source = await openTestDatabase();
  held = await fillDatabase(source);
  content = await readEverything(source);
  await createBackup(source, { file, now: NOW });
});

afterAll(async () => {
  await source.close();
  await rm(folder, { recursive: true, force: true });
});

async function openTarget(): Promise<Database> {
  const db = await openEmptyTestDatabase();
  onTestFinished(() => db.close());
  return db;
}

/**
 * Changes the text of the backup with `change`, and writes the result to a new file. Returns the path of the new file.
 */
async function alter(name: string, change: (text: string) => string): Promise<string> {
  const altered = join(folder, name);
  await writeFile(altered, gzipSync(change(gunzipSync(await readFile(file)).toString())));
  return altered;
}

test('every row of every table comes back as it was', async () => {
  const target = await openTarget();
  const { header, counts } = await restoreBackup(target, { file });
  expect(await readEverything(target)).toEqual(content);
  const migrations = (await listMigrations()).map(({ version }) => version);
  expect(header).toEqual({
    format: 1,
    schema: migrations.at(-1),
    migrations,
    made_at: NOW.toISOString(),
    engine: source.engine,
  });
  expect(counts).toEqual(
    Object.fromEntries(Object.entries(content).map(([name, rows]) => [name, rows.length])),
  );
});

test('a restored portal works: same code, new ids, correct totals, and protected rows', async () => {
  const target = await openTarget();
  await restoreBackup(target, { file });
  const { caller, productId } = held;
  const again = await redeemCoupon(target, { caller, productId }, REDEEM_TOOLS);
  expect(again).toMatchObject({ coupon: { couponCode: held.code }, is_new: false });
  for (const table of ['coupon', 'audit', 'app_user']) {
    const numbers = content[table]?.map((row) => Number(/^\((\d+)/.exec(String(row))?.[1])) ?? [];
    const next = `select nextval(pg_get_serial_sequence('${table}', 'id'))::int as id`;
    expect((await target.query(next)).rows).toEqual([{ id: Math.max(...numbers) + 1 }]);
  }
  expect(await getCouponTotal(target, { today: utcToday() })).toEqual(
    await getCouponTotal(source, { today: utcToday() }),
  );
  expect(await getUserTotal(target)).toEqual(await getUserTotal(source));
  // Cohorts and their members are restored too, and the counter of members counts each member once.
  const cohort = (await target.query<{ cohort_id: string }>('select cohort_id from cohort')).rows[0];
  const members = await getMemberTotal(source, cohort?.cohort_id ?? '');
  expect(members.total).toBeGreaterThan(0);
  expect(await getMemberTotal(target, cohort?.cohort_id ?? '')).toEqual(members);
  expect((await recountTally(target, NOW)).wrong).toBe(0);
  const product = await addProduct(target, { codes: 1 });
  const other = await addLearner(target, [product]);
  await redeemCoupon(target, { caller: other, productId: product.product_id }, REDEEM_TOOLS);
  const before = (await getCouponTotal(source, { today: utcToday() })).total;
  expect(await getCouponTotal(target, { today: utcToday() })).toMatchObject({ total: before + 1 });
  await expect(target.query('update coupon set holder = null where holder is not null')).rejects.toThrow(
    /stays/,
  );
  await expect(target.query('delete from audit')).rejects.toThrow(/only added to/);
});

test('a backup of an older version is migrated', async () => {
  const known = await listMigrations();
  const older = await openTarget();
  await migrate(older, known.slice(0, 1));
  // Inserts the rows with SQL: functions of the features may use columns that this old schema does not have.
  await older.execute(`
    insert into product (name, description, url) values ('Tarnquill', 'A writing workspace.', 'tarnquill.example');
    insert into coupon_batch (product_id, source, created_by) select product_id, 'file', 'staff' from product;
    insert into coupon (product_id, batch_id, shared, coupon_code)
      select product_id, id, false, 'CODE-' || n from coupon_batch, generate_series(1, 5) n;
    insert into app_user (email) values ('amara@example.org');
    update coupon set holder = app_user.id, assigned_at = now(), assigned_by = 'learner', is_current = true
      from app_user where coupon_code = 'CODE-1'`);
  const olderFile = join(folder, 'older.backup');
  await createBackup(older, { file: olderFile, now: NOW });
  const target = await openTarget();
  expect(await restoreBackup(target, { file: olderFile })).toMatchObject({
    header: { schema: known[0]?.version },
  });
  expect(await readSchemaVersion(target)).toBe(known.at(-1)?.version);
  expect(await getCouponTotal(target, { today: utcToday() })).toMatchObject({ total: 5 });
  expect(await getCouponTotal(target, { today: utcToday(), status: 'assigned' })).toMatchObject({ total: 1 });
});

test('a backup of a newer version is refused, and nothing is written', async () => {
  const target = await openTarget();
  const migrations = (await listMigrations()).slice(0, -1);
  await expect(restoreBackup(target, { file, migrations })).rejects.toThrow(/another version of the portal/);
  expect(await readSchemaVersion(target)).toBe(0);
});

test('a truncated, altered or foreign file is refused, and nothing is written', async () => {
  const target = await openTarget();
  const whole = await readFile(file);
  const cut = join(folder, 'cut');
  const cuts = [1, 10, 100, whole.length / 2, whole.length - 9, whole.length - 1];
  for (const length of cuts) {
    await writeFile(cut, whole.subarray(0, length));
    await expect(restoreBackup(target, { file: cut }), `${length} bytes`).rejects.toThrow(
      /damaged|no backup/,
    );
  }
  const flipped = Buffer.from(whole);
  const middle = Math.floor(whole.length / 2);
  flipped.writeUInt8(flipped.readUInt8(middle) ^ 1, middle);
  await writeFile(cut, flipped);
  await expect(restoreBackup(target, { file: cut })).rejects.toThrow(/damaged/);

  const faults: [string, (text: string) => string, RegExp][] = [
    ['a code', (text) => text.replace('"ONE"', '"0NE"'), /checksum/],
    ['a row less', (text) => text.replace(/\n\{"id":1,[^\n]*/, ''), /checksum/],
    ['no end', (text) => text.replace(/#end .*\n$/, ''), /end is missing/],
    ['half a line', (text) => text.slice(0, -2), /cut off/],
    ['more after the end', (text) => `${text}{}\n`, /follows its end/],
    ['another format', (text) => text.replace('"format":1', '"format":2'), /format 2/],
    ['nothing', () => '', /no backup/],
    ['other lines', () => 'id,name\n1,a\n', /no backup/],
  ];
  for (const [name, change, fault] of faults) {
    await expect(restoreBackup(target, { file: await alter(name, change) }), name).rejects.toThrow(fault);
  }
  await writeFile(cut, 'not compressed');
  await expect(restoreBackup(target, { file: cut })).rejects.toThrow(/no backup/);
  await expect(restoreBackup(target, { file: join(folder, 'gone') })).rejects.toThrow(/cannot be read/);
  expect(await readSchemaVersion(target)).toBe(0);
});

test('a database that is not empty is refused and not changed', async () => {
  await expect(restoreBackup(source, { file })).rejects.toThrow(/not empty.*Stop the portal/);
  expect(await readEverything(source)).toEqual(content);
});

test('a restore that fails at its end writes nothing', async () => {
  const target = await openTarget();
  const check = () => Promise.reject(new Error('no'));
  await expect(restoreBackup(target, { file, check })).rejects.toThrow('no');
  expect((await target.query("select 1 from pg_tables where schemaname = 'public'")).rows).toEqual([]);
  await restoreBackup(target, { file });
  expect(await readEverything(target)).toEqual(content);
});

test('a backup with a table that is not the portal’s is refused completely', async () => {
  const odd = await openTarget();
  await migrate(odd);
  await odd.execute('create table alien (id int)');
  const oddFile = join(folder, 'odd.backup');
  await createBackup(odd, { file: oddFile, now: NOW });
  const target = await openTarget();
  await expect(restoreBackup(target, { file: oddFile })).rejects.toThrow(/does not fit .*alien/);
  expect(await readSchemaVersion(target)).toBe(0);
});

test('only its owner may read a backup, and a failed backup does not replace the older file', async () => {
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const place = join(folder, 'place');
  await createBackup(source, { file: place, now: NOW });
  const before = await readFile(place);
  await expect(createBackup(await openTarget(), { file: place, now: NOW })).rejects.toThrow(
    /nothing to back up/,
  );
  const halfOf = async (draft: string) => writeFile(draft, before.subarray(0, before.length / 2));
  await expect(placeFile(place, halfOf, checkBackupFile)).rejects.toThrow(/damaged/);
  expect(await readFile(place)).toEqual(before);
  await expect(createBackup(source, { file: join(folder, 'no/where'), now: NOW })).rejects.toThrow(
    /no\/where cannot be written/,
  );
  expect((await readdir(folder)).filter((name) => name.endsWith('.partial'))).toEqual([]);
});

test('a backup holds committed rows and no rolled back ones', async () => {
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  const product = await addProduct(db, { codes: ['KEPT'] });
  await expect(
    db.transaction(async (tx) => {
      await tx.query("update product set name = 'never'");
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  await addCodes(db, product, ['LATE']);
  const other = join(folder, 'other.backup');
  await createBackup(db, { file: other, now: NOW });
  const text = gunzipSync(await readFile(other)).toString();
  expect(text).toContain('"LATE"');
  expect(text).not.toContain('never');
});
