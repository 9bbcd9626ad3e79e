import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { fillDatabase, readEverything } from '../../test/fill-database.ts';
import { openEmptyTestDatabase, openTestDatabase } from '../../test/open-test-database.ts';
import type { Database } from '../db/database.ts';
import { listMigrations, type Migration, readSchemaVersion } from '../db/migrate.ts';
import { upgradeDatabase } from './create-backup.ts';
import { restoreBackup } from './restore-backup.ts';

let db: Database;
let dataDir: string;
let known: Migration[];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portal-upgrade-'));
  db = await openTestDatabase();
  known = await listMigrations();
});

afterAll(async () => {
  await db.close();
  await rm(dataDir, { recursive: true, force: true });
});

/**
 * Upgrades `db` as a newer program with `count` more migrations would do. The clock of the upgrade is set by `count`, so
 * that the backup of each upgrade has another file name.
 */
function upgradeBy(count: number) {
  const more = Array.from({ length: count }, (_, index) => ({
    version: 9000 + index,
    name: `${9000 + index}-more.sql`,
    sql: `create table more_${index} (id int)`,
  }));
  const now = new Date(`2026-11-21T1${count}:00:00Z`);
  return upgradeDatabase(db, { dataDir, now, migrations: [...known, ...more] });
}

const listBackups = () => readdir(join(dataDir, 'backups')).catch(() => []);

test('no backup is made if the database is empty or current', async () => {
  const fresh = await openEmptyTestDatabase();
  onTestFinished(() => fresh.close());
  expect(await upgradeDatabase(fresh, { dataDir, now: new Date() })).toBeNull();
  expect(await upgradeBy(0)).toBeNull();
  expect(await listBackups()).toEqual([]);
});

test('an upgrade makes a backup before it, which can be restored', async () => {
  await fillDatabase(db);
  const content = await readEverything(db);
  const saved = await upgradeBy(1);
  expect(saved).toBe(
    join(dataDir, 'backups', `before-upgrade-20261121T110000Z-schema-${known.at(-1)?.version}.backup`),
  );
  const target = await openEmptyTestDatabase();
  onTestFinished(() => target.close());
  await restoreBackup(target, { file: saved ?? '' });
  expect(await readEverything(target)).toEqual(content);
});

test('the last three backups are kept, and no other file is touched', async () => {
  await writeFile(join(dataDir, 'backups', 'mine.backup'), '');
  for (const count of [2, 3, 4]) await upgradeBy(count);
  expect((await listBackups()).map((name) => name.slice(0, 27)).sort()).toEqual([
    'before-upgrade-20261121T120',
    'before-upgrade-20261121T130',
    'before-upgrade-20261121T140',
    'mine.backup',
  ]);
});

test('if the backup cannot be written, the schema is not upgraded', async () => {
  const folder = join(dataDir, 'backups');
  await rm(folder, { recursive: true });
  await writeFile(folder, 'a file in its place');
  const before = await readSchemaVersion(db);
  await expect(upgradeBy(5)).rejects.toThrow(/backup before the upgrade/);
  expect(await readSchemaVersion(db)).toBe(before);
});
