// Tests that a portal which cannot start prints one line with the reason.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createForeignDatabase, createTestDatabase } from '../test/open-test-database.ts';
import { findFreePort } from '../test/postgres.ts';
import { SPAWN_ENV } from '../test/spawn-env.ts';
import { readConfig } from './config.ts';
import { describeFailure } from './describe-failure.ts';

const MAIN = resolve(import.meta.dirname, 'main.ts');
const KEY = Buffer.alloc(32, 1).toString('base64');

type Child = ChildProcessByStdio<null, Readable, Readable>;

function start(env: Record<string, string>): Child {
  const child = spawn(process.execPath, [MAIN], {
    cwd: tmpdir(),
    // Sets the log level to `error`, so that the output contains no warnings about slow SQL statements. On a busy
    // machine, the portal would log such warnings.
    env: { ...SPAWN_ENV, LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function readEnd(child: Child) {
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = await once(child, 'exit');
  const [stdout, stderr] = await said;
  return { status, stdout, stderr };
}

test('a HOST that is not this machine’s and a PORT in use end the start with one line that names them', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const database = { DATABASE_URL: await createTestDatabase(), SECRET_KEY: KEY };
  expect(await readEnd(start({ ...database, PORT: String(port) }))).toEqual({
    status: 1,
    stdout: '',
    stderr: `PORT ${port} is in use by another program on 127.0.0.1. Stop that program, or set another port. Example: PORT=${port + 1}\n`,
  });
  const PORT = String(await findFreePort());
  for (const [HOST, code] of [
    ['192.0.2.7', 'EADDRNOTAVAIL'],
    ['no.host.invalid', 'ENOTFOUND|EAI_AGAIN'],
  ] as const) {
    expect(await readEnd(start({ ...database, PORT, HOST }))).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        `^HOST ${HOST} is no address of this machine \\((${code})\\). Set one that it has. Example: HOST=127.0.0.1\n$`,
      ),
    });
  }
});

// Calls `describeFailure` directly instead of starting the portal on port 80. The superuser may listen on port 80, so a
// start would not fail if the tests run as superuser.
test('a PORT that only the superuser may listen on gives one line that names it', () => {
  const refused = Object.assign(new Error('listen EACCES'), { code: 'EACCES', syscall: 'listen', port: 80 });
  expect(describeFailure(refused, readConfig({ PORT: '80' }))).toBe(
    'PORT 80 is reserved for the superuser. Set one from 1024 on, and let a proxy listen on 80. Example: PORT=3000',
  );
});

test('a first start that is stopped says so in one line that names the folder, and the next one finds nothing half made', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'portal-first-'));
  onTestFinished(() => rm(DATA_DIR, { recursive: true, force: true }));
  const child = start({ DATA_DIR, PORT: String(await findFreePort()) });
  const ended = readEnd(child);
  await expect.poll(() => existsSync(join(DATA_DIR, 'pg.new'))).toBe(true);
  // A negative process id sends the signal to all processes of the group, as Ctrl-C and service managers do.
  process.kill(-(child.pid ?? Number.NaN), 'SIGTERM');
  expect(await ended).toEqual({
    status: 1,
    stdout: '',
    stderr: `Stopped while the first start made the database in ${join(DATA_DIR, 'pg')}. Start again: nothing is left half made.\n`,
  });
  expect(['pg', 'pg.new'].filter((name) => existsSync(join(DATA_DIR, name)))).toEqual([]);
});

test('a database whose user may not make tables in it ends the start with one line that says which right is missing', async () => {
  const DATABASE_URL = await createForeignDatabase();
  const PORT = String(await findFreePort());
  expect(await readEnd(start({ DATABASE_URL, SECRET_KEY: KEY, PORT }))).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^DATABASE_URL: its user may not make tables there \(permission denied for schema public\)\. .*createdb -O <user> .*grant .*\n$/,
    ),
  });
});

test('the start prints where the outbox is, if no mail server is set', async () => {
  const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@example.org' };
  for (const [env, outbox] of [
    [{}, '\nEmails: URL/dev/outbox'],
    [mail, ''],
  ] as const) {
    const PORT = String(await findFreePort());
    const child = start({ DATABASE_URL: await createTestDatabase(), SECRET_KEY: KEY, PORT, ...env });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      stdout += part;
    });
    await expect.poll(() => stdout, { timeout: 20_000 }).toContain('Staff sign in');
    child.kill('SIGINT');
    await once(child, 'close');
    expect(stdout.replaceAll(`http://localhost:${PORT}`, 'URL')).toMatch(
      new RegExp(`\nStaff sign in at URL/admin-login${outbox}\n$`),
    );
  }
});
