// Several machines on this one: each has its own network, processes and system folders (Linux namespaces, as root).
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const runCommand = promisify(execFile);

/** Ends a program when the test run ends, even by SIGKILL. */
export const END_WITH_US = ['setpriv', '--pdeathsig', 'KILL'];

export type Machine = {
  /** Runs a command as root. */
  run(...command: string[]): Promise<unknown>;
  /** Starts a program as `user`. It ends with the machine, and its output is appended to the network's log. */
  start(user: string, command: string[], env?: Record<string, string>): void;
  /** Ends all processes by SIGKILL, without a last packet to anybody. */
  cutPower(): Promise<void>;
};

export type Network = {
  /** The addresses are `prefix`.1 (this process) to `prefix`.254. */
  prefix: string;
  /** Adds a machine. `folders` are its own and kept in `disk`, so a machine that is added later finds them again. */
  addMachine(options: { address: string; disk: string; folders: string[] }): Promise<Machine>;
  /** The output of all programs. */
  log(): string;
  close(): Promise<void>;
};

export async function openNetwork(): Promise<Network> {
  const prefix = findFreePrefix();
  const hub = await openSpace('ip link add lan type bridge && ip link set lan up');
  const spaces = [hub];
  let ports = 0;
  /** Returns how to pull the cable. */
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
      const space = await openSpace(['mount -t tmpfs -o mode=1777 none /run', ...mounts].join(' && '));
      spaces.push(space);
      const disconnect = await connect(space.pid, 'eth0', address);
      return {
        run: space.run,
        start: (user, command, env = {}) => {
          const identity = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups'];
          const child = space.start([...identity, ...command], env);
          child.stdout?.on('data', keep);
          child.stderr?.on('data', keep);
        },
        cutPower: async () => {
          await disconnect();
          await space.end();
        },
      };
    },
    log: () => log,
    close: async () => {
      await Promise.all(spaces.map((space) => space.end()));
    },
  };
}

/** Namespaces that live as long as their first process. */
async function openSpace(setUp: string) {
  const isolate = ['unshare', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
  // A shell that waits: the first process of a process namespace has to collect orphans that have ended.
  const script = `ip link set lo up && ${setUp} && echo up && sleep infinity & wait`;
  const [program = '', ...parameters] = [...END_WITH_US, ...isolate, 'sh', '-c', script];
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
      // The first process takes the others with it; only then does its parent end.
      if (holder.exitCode === null && holder.signalCode === null) process.kill(pid, 'SIGKILL');
      await ended;
    },
  };
}

/** Of the addresses for rehearsals of networks, which no real network uses (RFC 2544). */
function findFreePrefix(): string {
  const taken = Object.values(networkInterfaces()).flatMap((cards) => cards?.map(({ address }) => address));
  for (let count = 0; count < 256; count += 1)
    if (!taken.includes(`198.18.${count}.1`)) return `198.18.${count}`;
  throw new Error('no free network');
}
