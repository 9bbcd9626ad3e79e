// Simulates several machines with Linux namespaces: each has its own network, processes and folders. Needs root.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const runCommand = promisify(execFile);

/** Command prefix: the kernel kills the program when its parent process ends, even if SIGKILL ended the parent. */
export const KILL_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL'];

export type Machine = {
  /** Runs a command as root and waits until it ends. Rejects if the exit status is not 0. */
  run(...command: string[]): Promise<unknown>;
  /**
   * Starts a program as `user`. The program ends when the machine ends. Its output is in the common log of all machines.
   */
  start(user: string, command: string[], env?: Record<string, string>): void;
  /** Disconnects the machine and kills all its processes, so that other machines receive no further packet. */
  cutPower(): Promise<void>;
};

export type Network = {
  /** The network's addresses are `prefix`.1 (this process) to `prefix`.254. */
  prefix: string;
  /** Adds a machine with its own `folders`. Their files are stored in `disk`, so a later machine can use them again. */
  addMachine(options: { address: string; disk: string; folders: string[] }): Promise<Machine>;
  /** Returns the output of all programs so far. */
  log(): string;
  close(): Promise<void>;
};

export async function openNetwork(): Promise<Network> {
  const prefix = findFreePrefix();
  const hub = await openNamespaces('ip link add lan type bridge && ip link set lan up');
  const allNamespaces = [hub];
  let ports = 0;
  /** Connects the namespace of process `pid` to the network. Returns a function that disconnects it. */
  const connect = async (pid: number, device: string, address: string) => {
    ports += 1;
    const port = `port${ports}`;
    const cable = `link add ${device} netns ${pid} type veth peer ${port} netns ${hub.pid}`;
    await runCommand('ip', cable.split(' '));
    await hub.run('ip', 'link', 'set', port, 'master', 'lan', 'up');
    const setUp = `ip address add ${address}/24 dev ${device} && ip link set ${device} up`;
    await runCommand('nsenter', [`--net=/proc/${pid}/ns/net`, 'sh', '-c', setUp]);
    return () => hub.run('ip', 'link', 'delete', port);
  };
  await connect(process.pid, `lan${process.pid}`, `${prefix}.1`);

  let log = '';
  const keep = (chunk: Buffer) => {
    log += chunk;
  };
  return {
    prefix,
    addMachine: async ({ address, disk, folders }) => {
      for (const folder of folders) await mkdir(join(disk, folder), { recursive: true });
      const mounts = folders.map((folder) => `mount --bind ${join(disk, folder)} ${folder}`);
      const namespaces = await openNamespaces(
        ['mount -t tmpfs -o mode=1777 none /run', ...mounts].join(' && '),
      );
      allNamespaces.push(namespaces);
      const disconnect = await connect(namespaces.pid, 'eth0', address);
      return {
        run: namespaces.run,
        start: (user, command, env = {}) => {
          const identity = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups'];
          const child = namespaces.start([...identity, ...command], env);
          child.stdout?.on('data', keep);
          child.stderr?.on('data', keep);
        },
        cutPower: async () => {
          await disconnect();
          await namespaces.end();
        },
      };
    },
    log: () => log,
    close: async () => {
      await Promise.all(allNamespaces.map((namespaces) => namespaces.end()));
    },
  };
}

/**
 * Creates Linux namespaces and runs the shell command `setUp` in them. The namespaces exist until their first process
 * ends.
 */
async function openNamespaces(setUp: string) {
  const isolate = ['unshare', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
  // The shell is the first process of its PID namespace, so it must reap orphaned processes. It does so while it runs
  // `wait`.
  const script = `ip link set lo up && ${setUp} && echo up && sleep infinity & wait`;
  const [program = '', ...parameters] = [...KILL_WITH_PARENT, ...isolate, 'sh', '-c', script];
  const holder = spawn(program, parameters, { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(holder, 'exit');
  const failed = ended.then(() => Promise.reject(new Error(`failed: ${setUp}`)));
  await Promise.race([once(holder.stdout, 'data'), failed]);
  failed.catch(() => undefined);
  const pid = Number(await readFile(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8'));
  const enter = ['--target', String(pid), '--net', '--pid', '--mount'];
  return {
    pid,
    run: (...command: string[]) => runCommand('nsenter', [...enter, ...command]),
    start: (command: string[], env: Record<string, string>): ChildProcess =>
      spawn('nsenter', [...enter, ...command], {
        env: { PATH: process.env.PATH, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    end: async () => {
      // Kills the first process of the PID namespace. The kernel then kills all other processes of the namespace.
      // `holder` is the parent of the first process and ends after the first process.
      if (holder.exitCode === null && holder.signalCode === null) process.kill(pid, 'SIGKILL');
      await ended;
    },
  };
}

/**
 * Returns the first three numbers of a free network in 198.18.0.0/15. No real network uses this range, because it is
 * reserved for benchmarks (RFC 2544).
 */
function findFreePrefix(): string {
  const taken = Object.values(networkInterfaces()).flatMap((cards) => cards?.map(({ address }) => address));
  for (let count = 0; count < 256; count += 1)
    if (!taken.includes(`198.18.${count}.1`)) return `198.18.${count}`;
  throw new Error('no free network');
}
