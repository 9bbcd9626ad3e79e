// Builds the portal's container image and runs containers of it with buildah, which needs no container engine.
// The tests need no registry of images: debootstrap creates the base image, which replaces Node's official image.
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
  /** Docker's image configuration; only the fields that the tests read. */
  config: {
    User: string;
    Volumes: Record<string, unknown>;
    ExposedPorts: Record<string, unknown>;
    Healthcheck: { Test: string[] };
    Entrypoint: string[];
  };
  /** Unpacked size of all layers above the base image. */
  addedBytes: number;
  /** Returns absolute paths of all files and folders, sorted. Includes files that containers wrote outside volumes. */
  listFiles(): Promise<string[]>;
  /** Creates a container with its own new volume. */
  openContainer(): Promise<Container>;
  /** Removes the image with all its containers. */
  remove(): Promise<void>;
};

export type Container = {
  /** Folder on the host that is mounted at /data. */
  volume: string;
  /** Runs `entrypoint`, by default the image's entrypoint, and waits until the portal is ready. */
  start(options: {
    mailbox: Mailbox;
    port: number;
    env: Env;
    entrypoint?: string[];
  }): Promise<ContainerPortal>;
  /**
   * Runs a command like `docker exec`, with the environment variables of the last start. Returns its output. Rejects if
   * the exit status is not 0.
   */
  run(...command: string[]): Promise<string>;
};

export type ContainerPortal = Portal & {
  /** Id of the process that a container engine would signal. */
  pid: number;
};

/** Builds the image as docs/operations.md describes. Returns a string with the reason if this machine cannot do so. */
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
      // Mounts the host's npm cache, so that packages are not downloaded again.
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

/** Installs buildah and debootstrap if they are missing. Returns null, or the reason if the installation failed. */
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
 * Creates a base image like Node's official one: a small Debian with Node and npm. npm uses the registry and the extra
 * certificates of the host. Returns null, or the reason if debootstrap fails.
 */
async function makeBase(buildah: Buildah): Promise<string | null> {
  const name = await buildah('from', 'scratch');
  const root = await buildah('mount', name);
  try {
    const format = ['--format', '$(CODENAME) $(REPO_URI)'];
    const targets = await run('apt-get', ['indextargets', ...format, 'Label: Debian']);
    const [, suite, mirror] = /^(\w+) (\S+)$/m.exec(targets) ?? [];
    if (suite === undefined || mirror === undefined) return 'apt has no source of Debian';
    // Node 26 needs libatomic1.
    // debootstrap runs in its own mount namespace, because a killed debootstrap leaves its mounts behind.
    const options = ['--variant=minbase', '--include=libatomic1'];
    await run('unshare', ['--mount', 'debootstrap', ...options, suite, root, mirror]);
    // Removes caches, documentation and translations. buildah copies the base image several times, and a smaller image
    // is copied faster.
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

/**
 * Reads the image's configuration and mounts the image. All containers share this one file system. For a separate file
 * system, buildah would copy all files for each container.
 */
async function openImage(folder: string, buildah: Buildah): Promise<Omit<Image, 'remove'>> {
  const image = JSON.parse(await buildah('inspect', '--type', 'image', IMAGE));
  const { layers } = JSON.parse(image.Manifest) as { layers: { size: number }[] };
  const config = image.Docker.config as Image['config'];
  const name = await buildah('from', '--pull-never', IMAGE);
  const root = await buildah('mount', name);
  // The image declares /data as a volume. Removes this declaration, because buildah would otherwise mount a new volume
  // over the test's own volume.
  await buildah('config', '--volume', '/data-', name);
  return {
    config,
    addedBytes: layers.slice(1).reduce((sum, { size }) => sum + size, 0),
    listFiles: async () => (await run('find', [root, '-printf', '/%P\n'])).split('\n').sort(),
    openContainer: async () => {
      const volume = await mkdtemp(join(folder, 'volume-'));
      // Copies the image's /data into the new volume with owner and mode, as container engines do.
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
          // The shell prints its process id, to which the test sends signals. `exec` then replaces the shell by the
          // portal, which keeps this id. buildah's containers use the host's process ids, so the id is valid here.
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
  // The container has its own process group, so that all of its processes can be killed.
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
      // ESRCH means that all processes have already ended.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  process.once('exit', end);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  try {
    await waitUntilReady(child, url, () => output);
  } catch (error) {
    end();
    throw error;
  }
  const pid = Number(/^entrypoint (\d+)$/m.exec(output)?.[1]);
  return {
    url,
    mailbox,
    pid,
    output: () => output,
    operate: () => Promise.reject(new Error('use `run` of the container')),
    stop: async () => {
      process.kill(pid, 'SIGTERM');
      await exited;
      return child.exitCode;
    },
    // Kills all processes of the container, as a container engine does.
    kill: async () => {
      end();
      await exited;
    },
  };
}

function describeEnv(env: Env): string[] {
  return Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
}

/** Runs a program and returns its trimmed standard output. Rejects if the exit status is not 0. */
async function run(program: string, parameters: string[], env: Env = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(program, parameters, {
    maxBuffer: OUTPUT_LIMIT_BYTES,
    env: { HOME: process.env.HOME, ...env, PATH },
  });
  return stdout.trim();
}
