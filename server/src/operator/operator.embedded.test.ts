import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TEST_IMPORT_TOOLS } from '../../test/open-test-app.ts';
import type { Database } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { openEmbedded } from '../db/open-embedded.ts';
import { findUser } from '../stores/users.ts';
import { serveOperator } from './socket.ts';

const OPERATOR = fileURLToPath(import.meta.resolve('../operator.ts'));

let dataDir: string;
let db: Database;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portal-operator-'));
  db = await openEmbedded(dataDir);
  await migrate(db);
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** Runs the tool as script/portal does, in a folder without a .env file. */
async function runTool(...args: string[]) {
  const options = { cwd: dataDir, env: { PATH: process.env.PATH, DATA_DIR: dataDir } };
  return promisify(execFile)(process.execPath, [OPERATOR, ...args], options);
}

test('while the portal runs, the tool speaks to it through a socket that only its owner may open', async () => {
  const operator = await serveOperator(dataDir, { db, importTools: TEST_IMPORT_TOOLS });
  expect((await stat(join(dataDir, 'portal.sock'))).mode & 0o777).toBe(0o600);
  expect((await runTool('admin', 'add', 'Ada@Example.org')).stdout).toBe(
    'ada@example.org is now an administrator.\n',
  );
  expect(await findUser(db, 'ada@example.org')).toMatchObject({ user_role: 'admin' });
  await operator.close();
  await db.close();
});

test('while it does not run, the tool opens the database itself', async () => {
  expect((await runTool('admin', 'add', 'ada@example.org')).stdout).toMatch(/already/);
  expect((await runTool('admin', 'remove', 'ada@example.org')).stdout).toMatch(/no longer/);
});

test('a file is imported as the page would import it, from the folder that the tool was called in', async () => {
  await writeFile(
    join(dataDir, 'tools.csv'),
    'name,description,url\nTool,Text,tool.example\n,Text,tool.example\n',
  );
  const { stdout } = await runTool('import', 'products', 'tools.csv');
  expect(stdout).toBe('2 rows: 1 created, 0 duplicates, 1 failed\n  line 3: name is missing\n');
  await expect(runTool('import', 'products', 'gone.csv')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^gone.csv cannot be read/),
  });
});

test.each([
  [['import', 'coupons', 'tools.csv'], /needs one product named by --product/],
  [['import', 'users'], /needs at least one product/],
  [['admin', 'add'], /Name one e-mail address/],
  [['admin', 'add', 'nobody'], /Name one e-mail address, .*got: nobody/],
  [['fly'], /Unknown command: fly\nUsage:/],
])('a command that makes no sense is refused with status 1: %s', async (args, message) => {
  await expect(runTool(...args)).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
});

test('help names every command', async () => {
  expect((await runTool('--help')).stdout).toContain('admin add <e-mail>');
});
