// Builds the portal's container image and runs containers of it with buildah, which needs no container engine.
// A base image made by debootstrap takes the place of the official one of Node.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Mailbox } from './mailbox.ts';
import { type Portal, waitUntilReady } from './portal.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const [BASE, IMAGE] = ['localhost/portal-base', 'localhost/portal'];
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const PATH = `${process.env.PATH}:${SYSTEM_PATH}`;
const BULK = ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/locale', 'usr/share/man'];
const OUTPUT_LIMIT_BYTES = 64_000_000;

type Env = Record<string, string>;

export type Image = {
  /** The parts that the tests read of the configuration that Docker keeps with an image. */
  config: {
    User: string;
    Volumes: Record<string, unknown>;
    ExposedPorts: Record<string, unknown>;
    Healthcheck: { Test: string[] };
    Entrypoint: string[];
  };
  /** Size of the layers above the base, unpacked. */
  addedBytes: number;
  /** All its files and folders by absolute path, sorted, with those that containers have added outside of their volumes. */
  listFiles(): Promise<string[]>;
  /** With a new volume. */
  openContainer(): Promise<Container>;
  /** Removes the image with all its containers. */
  remove(): Promise<void>;
};

export type Container = {
  /** Folder of this machine that is mounted at /data. */
  volume: string;
  /** Runs the entrypoint, by default that of the image, and waits until the portal is ready. */
  start(options: {
    mailbox: Mailbox;
    port: number;
    env: Env;
    entrypoint?: string[];
  }): Promise<ContainerPortal>;
  /** Runs a command, as `docker exec` does, in the environment of the last start; rejects if its status is not 0. */
  run(...command: string[]): Promise<string>;
};

export type ContainerPortal = Portal & {
  /** Id of the process that a container engine would signal. */
  pid: number;
};

/** Builds the image as docs/operations.md describes. Returns the reason, as a string, if this machine cannot build it. */
export async function buildImage(): Promise<Image | string> {
  const obstacle = await installTools();
  if (obstacle !== null) return obstacle;
  const folder = await mkdtemp(join(tmpdir(), 'portal-container-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const buildah = (...parameters: string[]) =>
    run('buildah', [...describeStorage(folder), ...parameters], { TMPDIR: folder });
  try {
    const failure = await makeBase(buildah);
    if (failure !== null) {
      await remove();
      return failure;
    }
    const cache = await run('npm', ['config', 'get', 'cache']);
    await buildah(
      ...['build', '--isolation', 'chroot', '--pull=never', '--format', 'docker', '--tag', IMAGE],
      // npm's cache of this machine.
      ...['--volume', `${cache}:/root/.npm`, '--build-arg', `BASE=${BASE}`],
      ...['--file', join(ROOT, 'Containerfile'), ROOT],
    );
    return { ...(await openImage(folder, buildah)), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

type Buildah = (...parameters: string[]) => Promise<string>;

function describeStorage(folder: string): string[] {
  return ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
}

/** Installs buildah and debootstrap if they are missing. Returns null, or the reason if that is impossible. */
async function installTools(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'only root can build images without a container engine';
  try {
    await run('sh', ['-c', 'command -v buildah && command -v debootstrap']);
  } catch {
    const wait = ['-qq', '-o', 'DPkg::Lock::Timeout=120'];
    const install = ['install', '--no-install-recommends', 'buildah', 'debootstrap'];
    try {
      await run('apt-get', [...wait, 'update']);
      await run('apt-get', [...wait, ...install], { DEBIAN_FRONTEND: 'noninteractive' });
    } catch (error) {
      return `buildah and debootstrap cannot be installed: ${String(error)}`;
    }
  }
  return null;
}

/**
 * Makes an image like the official one of Node, with a small Debian, Node and npm. It uses npm's registry and the extra
 * certificates of this machine. Returns null, or the reason if debootstrap fails.
 */
async function makeBase(buildah: Buildah): Promise<string | null> {
  const name = await buildah('from', 'scratch');
  const root = await buildah('mount', name);
  try {
    const format = ['--format', '$(CODENAME) $(REPO_URI)'];
    const targets = await run('apt-get', ['indextargets', ...format, 'Label: Debian']);
    const [, suite, mirror] = /^(\w+) (\S+)$/m.exec(targets) ?? [];
    if (suite === undefined || mirror === undefined) return 'apt has no source of Debian';
    // Node 26 needs libatomic1. A killed debootstrap leaves its mounts behind, so it gets its own mount namespace.
    const options = ['--variant=minbase', '--include=libatomic1'];
    await run('unshare', ['--mount', 'debootstrap', ...options, suite, root, mirror]);
    // Slim images lack these files too, and buildah copies the base several times.
    await run('rm', ['-r', ...BULK.map((path) => join(root, path))]);
  } catch (error) {
    return `debootstrap makes no base: ${String(error)}`;
  }
  const npm = dirname(dirname(await run('sh', ['-c', 'realpath "$(command -v npm)"'])));
  await cp(process.execPath, join(root, 'usr/local/bin/node'));
  await cp(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
  const env: Env = {
    PATH: SYSTEM_PATH,
    npm_config_registry: await run('npm', ['config', 'get', 'registry']),
  };
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  if (certificates) {
    env.NODE_EXTRA_CA_CERTS = '/etc/machine-certificates.pem';
    await cp(certificates, join(root, env.NODE_EXTRA_CA_CERTS));
  }
  await buildah('config', ...describeEnv(env), name);
  await buildah('commit', '--rm', name, BASE);
  return null;
}

/** All containers share one file system, because buildah would copy it for each. Each has its own volume. */
async function openImage(folder: string, buildah: Buildah): Promise<Omit<Image, 'remove'>> {
  const image = JSON.parse(await buildah('inspect', '--type', 'image', IMAGE));
  const { layers } = JSON.parse(image.Manifest) as { layers: { size: number }[] };
  const config = image.Docker.config as Image['config'];
  const name = await buildah('from', '--pull-never', IMAGE);
  const root = await buildah('mount', name);
  // Otherwise buildah mounts a volume of its own over ours.
  await buildah('config', '--volume', '/data-', name);
  return {
    config,
    addedBytes: layers.slice(1).reduce((sum, { size }) => sum + size, 0),
    listFiles: async () => (await run('find', [root, '-printf', '/%P\n'])).split('\n').sort(),
    openContainer: async () => {
      const volume = await mkdtemp(join(folder, 'volume-'));
      // Container engines fill a new volume with the image's files at that path, with owner and mode.
      await run('cp', ['--archive', '--no-target-directory', join(root, 'data'), volume]);
      let env: Env = {};
      const describeRun = (command: string[]) => {
        const options = ['--isolation', 'chroot', '--volume', `${volume}:/data`, ...describeEnv(env)];
        return ['run', ...options, name, '--', ...command];
      };
      return {
        volume,
        run: (...command) => buildah(...describeRun(command)),
        start: async ({ mailbox, port, env: given, entrypoint = config.Entrypoint }) => {
          env = { ...given, PORT: String(port) };
          // buildah's containers share the process ids of this machine. `exec` keeps the shell's id for the entrypoint.
          const command = ['sh', '-c', 'echo "entrypoint $$"; exec "$@"', 'sh', ...entrypoint];
          const parameters = [...describeStorage(folder), ...describeRun(command)];
          return startContainer({ folder, parameters, mailbox, url: `http://127.0.0.1:${port}` });
        },
      };
    },
  };
}

async function startContainer({
  folder,
  parameters,
  mailbox,
  url,
}: {
  folder: string;
  parameters: string[];
  mailbox: Mailbox;
  url: string;
}): Promise<ContainerPortal> {
  // Its own process group, so that all of its processes can be killed.
  const child = spawn('buildah', parameters, {
    detached: true,
    env: { PATH, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const end = () => {
    process.off('exit', end);
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch (error) {
      // ESRCH: all processes have ended.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  process.once('exit', end);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk;
    });
  try {
    await waitUntilReady(child, url, () => said);
  } catch (error) {
    end();
    throw error;
  }
  const pid = Number(/^entrypoint (\d+)$/m.exec(said)?.[1]);
  return {
    url,
    mailbox,
    pid,
    output: () => said,
    stop: async () => {
      process.kill(pid, 'SIGTERM');
      await exited;
      return child.exitCode;
    },
    // A container engine kills all processes of a container.
    kill: async () => {
      end();
      await exited;
    },
  };
}

function describeEnv(env: Env): string[] {
  return Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
}

/** Runs a program; returns what it prints, without the last line break. Rejects with its output if its status is not 0. */
async function run(program: string, parameters: string[], env: Env = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(program, parameters, {
    maxBuffer: OUTPUT_LIMIT_BYTES,
    env: { HOME: process.env.HOME, ...env, PATH },
  });
  return stdout.trim();
}
