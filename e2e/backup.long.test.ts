// Tests script/portal backup and restore, with and without encryption: the restore recreates all codes; a killed restore
// leaves an empty database; encryption of a large file takes no more memory than that of a small one.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../server/src/db/database.ts';
import { migrate, readSchemaVersion } from '../server/src/db/migrate.ts';
import { openEmbedded } from '../server/src/db/open-embedded.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { startPostgres } from '../server/test/postgres.ts';

const OPERATOR = resolve(import.meta.dirname, '../server/src/operator.ts');
const ENCRYPTION = resolve(import.meta.dirname, '../server/src/backup/encryption.ts');
// With so many rows, the backup is several times larger than the buffers of a pipe and of a file stream. So a restore
// cannot read the whole backup at once, and the test can kill the restore before its end.
const ROWS = 20_000;
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

/** A database. `env` are the variables with which script/portal opens the database. */
type Place = { env: Record<string, string>; open: () => Promise<Database> };

test('PostgreSQL: a restore recreates all codes, and a killed restore leaves nothing', async () => {
  const server = await startPostgres();
  onTestFinished(server.stop);
  const admin = await openPostgres({ url: server.url, maxConnections: 2 });
  onTestFinished(() => admin.close());
  await saveAndRestore(async (name) => {
    await admin.execute(`create database ${name}`);
    const url = server.url.replace(/postgres$/, name);
    return { env: { DATABASE_URL: url, SECRET_KEY }, open: () => openPostgres({ url }) };
  });
});

test('embedded database: a restore recreates all codes, and a killed restore leaves nothing', async () => {
  const folder = await makeFolder();
  await saveAndRestore(async (name) => {
    const dataDir = join(folder, name);
    return { env: { DATA_DIR: dataDir, SECRET_KEY }, open: () => openEmbedded(dataDir) };
  });
});

test('encrypting and decrypting 500 MB takes little more memory than 20 MB', async () => {
  const [small, large] = [await measureMemory(20), await measureMemory(500)];
  // An implementation that collects the content needs at least 480 MB more.
  expect(large).toBeLessThan(small + 150);
});

/** Returns how much memory in MB a process takes that encrypts and decrypts `megabytes`. */
async function measureMemory(megabytes: number): Promise<number> {
  const code = `
    import { createKeyPair, decryptIfEncrypted, encryptForRecipients } from ${JSON.stringify(ENCRYPTION)};
    const piece = Buffer.alloc(1e6);
    async function* source() { for (let i = 0; i < ${megabytes}; i++) yield piece; }
    const { encrypt, keys } = encryptForRecipients([(await createKeyPair()).recipient]);
    let bytes = 0;
    for await (const chunk of decryptIfEncrypted('file', encrypt(source()), keys)) bytes += chunk.length;
    console.log(JSON.stringify({ bytes, kilobytes: process.resourceUsage().maxRSS }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
  const { bytes, kilobytes } = JSON.parse(stdout) as { bytes: number; kilobytes: number };
  expect(bytes).toBe(megabytes * 1e6);
  return kilobytes / 1000;
}

async function saveAndRestore(makePlace: (name: string) => Promise<Place>): Promise<void> {
  const file = join(await makeFolder(), 'codes.backup');
  const source = await makePlace('source');
  await fill(source);
  await runTool(source, 'backup', file);

  const target = await makePlace('target');
  await killRestore(target, file);
  await withDatabase(target, async (db) => expect(await readSchemaVersion(db)).toBe(0));

  await runTool(target, 'restore', file);
  const before = await digest(source);
  expect(before).toMatchObject({ codes: ROWS });
  expect(await digest(target)).toEqual(before);

  await saveAndRestoreEncrypted(source, await makePlace('decrypted'), before);
}

async function saveAndRestoreEncrypted(source: Place, target: Place, before: unknown): Promise<void> {
  const folder = await makeFolder();
  const [file, keyFile] = [join(folder, 'codes.age'), join(folder, 'secret.key')];
  await runTool(source, 'backup-key', keyFile);
  const [, publicKey = ''] = /public key: (\w+)/.exec(await readFile(keyFile, 'utf8')) ?? [];
  await runTool(source, 'backup', file, '--encrypt', '--to', publicKey);

  await killRestore(target, file, '--key', keyFile);
  await withDatabase(target, async (db) => expect(await readSchemaVersion(db)).toBe(0));

  await runTool(target, 'restore', file, '--key', keyFile);
  expect(await digest(target)).toEqual(before);
}

/**
 * Starts a restore and kills it while it waits for the last tenth of the backup file. The restore opens the file
 * twice: first to check the content, then to import the content. Two named pipes replace the file: the first pipe
 * delivers the complete content, the second pipe only nine tenths.
 */
async function killRestore(target: Place, file: string, ...options: string[]): Promise<void> {
  const folder = await makeFolder();
  const [name, next] = [join(folder, 'codes.backup'), join(folder, 'next')];
  for (const pipe of [name, next]) await promisify(execFile)('mkfifo', [pipe]);
  const content = await readFile(file);
  const restoring = start(target, 'restore', name, ...options);
  const ended = once(restoring, 'exit');
  const feed = async () => {
    const whole = await open(name, 'w');
    await rename(next, name);
    // 'r+' opens the pipe for writing and reading. So the pipe keeps its content until the restore opens the pipe.
    const cut = await open(name, 'r+');
    onTestFinished(() => cut.close());
    await whole.writeFile(content);
    await whole.close();
    await cut.writeFile(content.subarray(0, content.length * 0.9));
  };
  await Promise.race([feed(), ended.then(() => expect.unreachable('the restore ended by itself'))]);
  restoring.kill('SIGKILL');
  await ended;
}

async function fill(place: Place): Promise<void> {
  await withDatabase(place, async (db) => {
    await migrate(db);
    await db.execute(`
      insert into product (name, description, url) values ('Many', 'Text', 'x.example');
      insert into coupon_batch (product_id, source, created_by) select product_id, 'file', 'staff@example.org' from product;
      insert into coupon (product_id, batch_id, coupon_code, shared)
        select product_id, id, md5(i::text), false from coupon_batch, generate_series(1, ${ROWS}) i`);
  });
}

/** Returns the number of codes, a hash over all codes in order, and the number of codes according to the tally. */
async function digest(place: Place) {
  return withDatabase(place, async (db) => {
    const { rows } = await db.query(
      `select count(*)::int as codes, md5(string_agg(md5(coupon::text), '' order by id)) as content,
              (select sum(n)::int from tally_now where what = 'code') as tally from coupon`,
    );
    return rows[0];
  });
}

async function withDatabase<T>(place: Place, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await place.open();
  return work(db).finally(() => db.close());
}

function start({ env }: Place, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [OPERATOR, ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function runTool(place: Place, ...args: string[]): Promise<void> {
  const [status] = await once(start(place, ...args), 'exit');
  expect(status).toBe(0);
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-backup-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
