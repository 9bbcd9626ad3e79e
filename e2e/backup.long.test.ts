// Many codes saved and put back by script/portal: in bounded memory, and a restore that is killed leaves nothing.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../server/src/db/database.ts';
import { migrate, readSchemaVersion } from '../server/src/db/migrate.ts';
import { openEmbedded } from '../server/src/db/open-embedded.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { startPostgres } from '../server/test/postgres.ts';

const OPERATOR = resolve(import.meta.dirname, '../server/src/operator.ts');
/** The embedded engine is the one with little memory; on PostgreSQL enough to be killed in the middle of. */
const ROWS = { embedded: 1_000_000, postgres: 100_000 };
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
const MEGABYTE = 2 ** 20;
const POLL_MS = 20;
const LONG_MS = 600_000;

/** A database that the tool is told of by `env`. */
type Place = { env: Record<string, string>; open: () => Promise<Database> };

/** The statement that the server is busy with tells that the restore is under way. */
const RESTORING = `select 1 from pg_stat_activity where query like 'insert into "coupon" %'`;

test('PostgreSQL: codes are saved and put back in bounded memory, and a killed restore leaves nothing', async () => {
  const server = await startPostgres();
  onTestFinished(server.stop);
  const admin = await openPostgres({ url: server.url, maxConnections: 2 });
  onTestFinished(() => admin.close());
  const makePlace = async (name: string): Promise<Place> => {
    await admin.execute(`create database ${name}`);
    const url = server.url.replace(/postgres$/, name);
    // The test itself reads a million codes in one statement.
    const unhurried = `${url}?statement_timeout=${LONG_MS}&query_timeout=${LONG_MS}`;
    return { env: { DATABASE_URL: url, SECRET_KEY }, open: () => openPostgres({ url: unhurried }) };
  };
  await saveAndRestore(ROWS.postgres, makePlace, async () => (await admin.query(RESTORING)).rows.length > 0);
});

test('embedded database: a million codes are saved and put back in bounded memory, and a killed restore leaves nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portal-million-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const makePlace = async (name: string): Promise<Place> => {
    const dataDir = join(folder, name);
    return { env: { DATA_DIR: dataDir, SECRET_KEY }, open: () => openEmbedded(dataDir) };
  };
  // An empty database is smaller; its folder grows from the restore's first rows on.
  const isGrowing = async () => (await measureFolder(join(folder, 'target/pg/base'))) > 100 * MEGABYTE;
  await saveAndRestore(ROWS.embedded, makePlace, isGrowing);
});

async function saveAndRestore(
  rows: number,
  makePlace: (name: string) => Promise<Place>,
  isRestoring: () => Promise<boolean>,
) {
  const folder = await mkdtemp(join(tmpdir(), 'portal-backup-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const source = await makePlace('source');
  const file = join(folder, 'million.backup');
  await fill(source, 1_000);
  const few = await runTool(source, 'backup', file);
  await fill(source, rows - 1_000);
  const many = await runTool(source, 'backup', file);
  expect((many - few) / MEGABYTE).toBeLessThan(250);

  const target = await makePlace('target');
  const restoring = start(target, 'restore', file);
  while (!(await isRestoring())) {
    expect(restoring.exitCode, 'the restore ended before it was seen').toBeNull();
    await delay(POLL_MS);
  }
  const ended = once(restoring, 'exit');
  restoring.kill('SIGKILL');
  await ended;
  await withDatabase(target, async (db) => expect(await readSchemaVersion(db)).toBe(0));

  await runTool(target, 'restore', file);
  const [before, after] = [await digest(source), await digest(target)];
  expect(before).toMatchObject({ codes: rows });
  expect(after).toEqual(before);
}

async function fill(place: Place, rows: number): Promise<void> {
  await withDatabase(place, async (db) => {
    await migrate(db);
    await db.execute(`
      set statement_timeout = 0;
      insert into product (name, description, url) select 'Million', 'Text', 'x.example' where not exists (select from product);
      insert into coupon_batch (product_id, source, created_by) select product_id, 'file', 'staff@example.org' from product;
      insert into coupon (product_id, batch_id, coupon_code, shared)
        select p.product_id, b.id, 'CODE-' || b.id || '-' || i, false
        from product p, (select max(id) as id from coupon_batch) b, generate_series(1, ${rows}) i`);
  });
}

/** One text over every code, in order, and the figures that the triggers keep. */
async function digest(place: Place) {
  return withDatabase(place, async (db) => {
    const { rows } = await db.query(
      `select count(*)::int as codes, md5(string_agg(md5(coupon::text), '' order by id)) as content,
              (select sum(n)::int from tally_now where what = 'code') as tally from coupon`,
    );
    return rows[0];
  });
}

/** The bytes of all files below a folder; 0 while it is not there. */
async function measureFolder(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function withDatabase<T>({ open }: Place, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await open();
  return work(db).finally(() => db.close());
}

function start({ env }: Place, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [OPERATOR, ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Answers the most memory that the tool had, in bytes. */
async function runTool(place: Place, ...args: string[]): Promise<number> {
  const tool = start(place, ...args);
  const ended = once(tool, 'exit');
  let peak = 0;
  while (tool.exitCode === null && tool.signalCode === null) {
    const status = await readFile(`/proc/${tool.pid}/status`, 'utf8').catch(() => '');
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024);
    await Promise.race([ended, delay(POLL_MS)]);
  }
  expect(tool.exitCode).toBe(0);
  return peak;
}
