// A PostgreSQL cluster with the settings of docs/scaling.md: three nodes with etcd and Patroni, and HAProxy in front.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { findFreePort } from '../../server/test/postgres.ts';
import { END_WITH_US, type Machine, type Network, openNetwork } from './machines.ts';

const DOCS = resolve(import.meta.dirname, '../../docs/scaling.md');
const PATRONI_FILE = '/var/lib/postgresql/patroni.yml';
const ADDRESSES = { a: 11, b: 12, c: 13 };
const NEEDED = [
  '/usr/bin/patroni',
  '/usr/bin/etcd',
  '/usr/sbin/haproxy',
  '/usr/sbin/nft',
  '/usr/lib/postgresql/15/bin/pg_rewind',
];
const ASK_TIMEOUT_MS = 1_000;
/** An old primary recovers, is rewound and catches up. */
const WHOLE_TIMEOUT_MS = 60_000;

const REPLICAS = 2;

/** What Patroni says of its node, and of the cluster. */
type Status = { replication?: { sync_state: string }[] };
type View = { members: { role: string }[] };

export type NodeName = keyof typeof ADDRESSES;
const NAMES = Object.keys(ADDRESSES) as NodeName[];

export type Cluster = {
  /** Connection string of the superuser, through HAProxy. */
  url: string;
  /** The node that HAProxy takes for the primary; null if there is none. */
  findLeader(): Promise<NodeName | null>;
  /** Ends the postmaster by SIGKILL. Patroni lives on. */
  killPostgres(name: NodeName): Promise<void>;
  /** Ends everything on the machine by SIGKILL, without a last packet to anybody. */
  cutPower(name: NodeName): Promise<void>;
  start(name: NodeName): Promise<void>;
  /** Drops all packets between a node and the other nodes. HAProxy and the portal still reach it. */
  isolate(name: NodeName): Promise<void>;
  reconnect(name: NodeName): Promise<void>;
  /** Runs `patronictl switchover`. */
  switchOver(leader: NodeName): Promise<void>;
  /** Waits until every node is up and both replicas confirm commits. */
  waitUntilWhole(): Promise<void>;
  log(): string;
  stop(): Promise<void>;
};

/** Why no cluster can run here; null if one can. */
export async function findObstacle(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  for (const file of NEEDED) {
    const missing = await access(file).then(
      () => false,
      () => true,
    );
    if (missing) return `no ${file}: apt-get install patroni etcd-server haproxy postgresql-15 nftables`;
  }
  return null;
}

export async function startCluster(): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-patroni-'));
  const network = await openNetwork();
  const { prefix } = network;
  const addressOf = (name: NodeName) => `${prefix}.${ADDRESSES[name]}`;
  const proxy = await startProxy(folder, prefix);
  const machines = new Map<NodeName, Machine>();
  const machineOf = (name: NodeName): Machine => {
    const machine = machines.get(name);
    if (!machine) throw new Error(`${name} is down`);
    return machine;
  };
  const start = async (name: NodeName) => {
    machines.set(name, await startNode(network, join(folder, name), name, prefix));
  };
  await Promise.all(NAMES.map(start));
  const ask = (name: NodeName, path: string) =>
    fetch(`http://${addressOf(name)}:8008${path}`, {
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
    }).catch(() => null);
  const findLeader = async () => {
    for (const name of NAMES) if ((await ask(name, '/primary'))?.ok) return name;
    return null;
  };

  // Only the leader knows: what the others read from etcd may be old.
  const isWhole = async () => {
    const leader = await findLeader();
    if (leader === null) return false;
    const status = (await (await ask(leader, '/patroni'))?.json()) as Status | undefined;
    const cluster = (await (await ask(leader, '/cluster'))?.json()) as View | undefined;
    const streams = status?.replication?.filter(({ sync_state }) => sync_state === 'sync') ?? [];
    const standbys = cluster?.members.filter(({ role }) => role === 'sync_standby') ?? [];
    return streams.length === REPLICAS && standbys.length === REPLICAS;
  };

  const cluster: Cluster = {
    url: `postgres://postgres:SUPERUSER_PASSWORD@127.0.0.1:${proxy.port}/postgres`,
    findLeader,
    killPostgres: async (name) => {
      await machineOf(name).run(
        'sh',
        '-c',
        'kill -9 $(head -n 1 /var/lib/postgresql/15/portal/postmaster.pid)',
      );
    },
    cutPower: async (name) => {
      await machineOf(name).cutPower();
      machines.delete(name);
    },
    start,
    isolate: async (name) => {
      const others = NAMES.filter((other) => other !== name)
        .map(addressOf)
        .join(', ');
      const drop = (hook: string, side: string) =>
        `chain ${hook} { type filter hook ${hook} priority 0; ip ${side} { ${others} } drop; };`;
      await machineOf(name).run(
        'nft',
        `table ip cut { ${drop('input', 'saddr')} ${drop('output', 'daddr')} }`,
      );
    },
    reconnect: async (name) => {
      await machineOf(name).run('nft', 'delete table ip cut');
    },
    switchOver: async (leader) => {
      await machineOf(leader).run('patronictl', '-c', PATRONI_FILE, 'switchover', 'portal', '--force');
    },
    waitUntilWhole: () => expect.poll(isWhole, { timeout: WHOLE_TIMEOUT_MS }).toBe(true),
    log: network.log,
    stop: async () => {
      await proxy.stop();
      await network.close();
      await rm(folder, { recursive: true });
    },
  };
  await cluster.waitUntilWhole().catch(async (error) => {
    await cluster.stop();
    throw error;
  });
  return cluster;
}

async function startNode(network: Network, disk: string, name: NodeName, prefix: string): Promise<Machine> {
  const address = `${prefix}.${ADDRESSES[name]}`;
  const readSettings = async (file: string) =>
    (await readDocs(file, prefix)).replaceAll('NODE_NAME', name).replaceAll('NODE_ADDRESS', address);
  const folders = ['/var/lib/etcd', '/var/lib/postgresql'];
  const machine = await network.addMachine({ address, disk, folders });
  await machine.run('chown', 'etcd:', '/var/lib/etcd');
  await machine.run('chown', 'postgres:', '/var/lib/postgresql');
  await writeFile(join(disk, PATRONI_FILE), await readSettings('/etc/patroni/config.yml'));
  const variables = [...(await readSettings('/etc/default/etcd')).matchAll(/^(\w+)=(.*)$/gm)];
  machine.start(
    'etcd',
    ['etcd'],
    Object.fromEntries(variables.map(([, key = '', value = '']) => [key, value])),
  );
  machine.start('postgres', ['patroni', PATRONI_FILE]);
  return machine;
}

async function startProxy(folder: string, prefix: string) {
  const port = await findFreePort();
  const settings = (await readDocs('/etc/haproxy/haproxy.cfg', prefix)).replace(':5432', `:${port}`);
  await writeFile(join(folder, 'haproxy.cfg'), settings);
  const [program = '', ...parameters] = [...END_WITH_US, 'haproxy', '-db', '-f', join(folder, 'haproxy.cfg')];
  const child = spawn(program, parameters, { stdio: 'ignore' });
  const exited = once(child, 'exit');
  return {
    port,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The block of the page that begins with the name of `file`, with the addresses of this network. */
async function readDocs(file: string, prefix: string): Promise<string> {
  const page = await readFile(DOCS, 'utf8');
  const block = page.split(/^```\w*$/m).find((part) => part.startsWith(`\n# ${file}\n`));
  if (block === undefined) throw new Error(`docs/scaling.md does not show ${file}`);
  return block.replaceAll('10.0.0.', `${prefix}.`);
}
