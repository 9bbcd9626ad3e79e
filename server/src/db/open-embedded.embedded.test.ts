import { execFile } from 'node:child_process';
import fs, { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyTestDatabase } from '../../test/open-test-database.ts';
import { openEmbedded } from './open-embedded.ts';

const run = promisify(execFile);
const OPEN = new URL('./open-embedded.ts', import.meta.url).href;

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portal-data-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

test('committed rows survive when the process is killed, and the folder is unlocked', async () => {
  const script = `
      import { openEmbedded } from '${OPEN}';
      const db = await openEmbedded(process.argv[1]);
      await db.query('create table kept (id int)');
      await db.query('insert into kept values (1)');
      process.kill(process.pid, 'SIGKILL');`;
  await expect(run(process.execPath, ['--input-type=module', '-e', script, dataDir])).rejects.toMatchObject({
    signal: 'SIGKILL',
  });
  const db = await openEmbedded(dataDir);
  expect((await db.query('select id from kept')).rows).toEqual([{ id: 1 }]);
  await db.close();
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
});

test('a data folder that other users could read gets mode 0700', async () => {
  const open = await mkdtemp(join(tmpdir(), 'portal-open-'));
  // Copies a prepared database, because creating one takes seconds.
  await copyTestDatabase(open);
  await chmod(open, 0o755);
  await (await openEmbedded(open)).close();
  expect((await stat(open)).mode & 0o777).toBe(0o700);
  await rm(open, { recursive: true });
});

test.runIf(process.getuid?.() === 0)(
  'the superuser cannot open a folder of another user, who could not open it afterwards',
  async () => {
    const theirs = await mkdtemp(join(tmpdir(), 'portal-theirs-'));
    await chown(theirs, 65_534, 65_534);
    await expect(openEmbedded(theirs)).rejects.toThrow(/belongs to another user \(65534\)/);
    expect(await readdir(theirs)).toEqual([]);
    await rm(theirs, { recursive: true });
  },
);

test('every commit is flushed to disk before it is acknowledged', async () => {
  const db = await openEmbedded(dataDir);
  const { fsyncSync } = fs;
  let syncs = 0;
  fs.fsyncSync = (descriptor) => {
    syncs += 1;
    fsyncSync(descriptor);
  };
  syncBuiltinESMExports();
  try {
    for (let commit = 1; commit <= 5; commit += 1) {
      await db.query('insert into kept values (2)');
      expect(syncs).toBeGreaterThanOrEqual(commit);
    }
  } finally {
    fs.fsyncSync = fsyncSync;
    syncBuiltinESMExports();
    await db.close();
  }
});

test('a JSON document that is nested too deep is refused, and the engine still returns right rows', async () => {
  const db = await openEmbedded(dataDir);
  for (let turn = 0; turn < 100; turn += 1) {
    const nested = db.query('select $1::jsonb', [`${'['.repeat(3000)}${']'.repeat(3000)}`]);
    await expect(nested).rejects.toMatchObject({ code: '54001' });
  }
  expect((await db.query('select count(*)::int as rows from kept')).rows).toEqual([{ rows: 6 }]);
  await db.close();
});

test('a folder in use is refused with the process that uses it, from the same process and from another', async () => {
  const db = await openEmbedded(dataDir);
  await expect(openEmbedded(dataDir)).rejects.toThrow(`is in use by process ${process.pid}`);
  const script = `import { openEmbedded } from '${OPEN}'; await openEmbedded(process.argv[1]);`;
  await expect(run(process.execPath, ['--input-type=module', '-e', script, dataDir])).rejects.toMatchObject({
    stderr: expect.stringContaining(`is in use by process ${process.pid}`),
  });
  await db.close();
});

test('a folder of another version or a damaged one is refused in one sentence', async () => {
  await writeFile(join(dataDir, 'pg/PG_VERSION'), '17\n');
  await expect(openEmbedded(dataDir)).rejects.toThrow(/written by PostgreSQL 17; .* needs 18/);
  await writeFile(join(dataDir, 'pg/PG_VERSION'), '18\n');
  await writeFile(join(dataDir, 'pg/global/pg_control'), Buffer.alloc(8192, 7));
  await expect(openEmbedded(dataDir)).rejects.toThrow(
    /is damaged and does not open \(.*\)\. Restore a backup/,
  );
});

test('a data folder that cannot be made is refused in one sentence', async () => {
  const inside = join(dataDir, 'lock.json', 'data');
  await expect(openEmbedded(inside)).rejects.toThrow(`The data folder ${inside} cannot be written`);
});

// The test opens the database in a child process. If `mkdir` never returned, only ending this child process could stop
// the test.
test.runIf(existsSync('/proc/self'))('a data folder below /proc is refused in one sentence', async () => {
  const script = `import { openEmbedded } from '${OPEN}'; await openEmbedded('/proc/nope/data');`;
  const opened = run(process.execPath, ['--input-type=module', '-e', script], { timeout: 20_000 });
  await expect(opened).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The data folder /proc/nope/data cannot be written'),
  });
});
