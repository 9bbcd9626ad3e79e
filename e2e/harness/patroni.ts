// Starts a PostgreSQL cluster with the settings of docs/examples: three nodes with etcd and Patroni, behind HAProxy.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { findFreePort } from '../../server/test/postgres.ts';
import { KILL_WITH_PARENT, type Machine, type Network, openNetwork } from './machines.ts';

const SETTINGS = resolve(import.meta.dirname, '../../docs/examples');
const PATRONI_FILE = '/var/lib/postgresql/patroni.yml';
const ADDRESSES = { a: 11, b: 12, c: 13 };
const NEEDED = [
  '/usr/bin/patroni',
  '/usr/bin/etcd',
  '/usr/sbin/haproxy',
  '/usr/sbin/nft',
  '/usr/lib/postgresql/15/bin/pg_rewind',
];
const REQUEST_TIMEOUT_MS = 1_000;
/** Time limit for a failed primary to become a replica. The node rewinds its data (pg_rewind) and catches up first. */
const HEALTHY_TIMEOUT_MS = 60_000;

const REPLICAS = 2;

/** Responses of Patroni's API for one node (`/patroni`) and for the cluster (`/cluster`): only the fields in use. */
type NodeStatus = { replication?: { sync_state: string }[] };
type ClusterStatus = { members: { role: string }[] };

export type NodeName = keyof typeof ADDRESSES;
const NAMES = Object.keys(ADDRESSES) as NodeName[];

export type Cluster = {
  /** Connection string of the superuser, through HAProxy. */
  url: string;
  /** Returns the node that responds to HAProxy's health check as the primary, or null if no node does. */
  findLeader(): Promise<NodeName | null>;
  /** Kills PostgreSQL's main process with SIGKILL. Patroni keeps running. */
  killPostgres(name: NodeName): Promise<void>;
  /** Disconnects the machine and kills all its processes, so that other machines receive no further packet. */
  cutPower(name: NodeName): Promise<void>;
  start(name: NodeName): Promise<void>;
  /** Drops all packets between a node and the other nodes. HAProxy and the portal still reach the isolated node. */
  isolate(name: NodeName): Promise<void>;
  reconnect(name: NodeName): Promise<void>;
  /** Runs `patronictl switchover`. */
  switchOver(leader: NodeName): Promise<void>;
  /** Waits until every node is up and both replicas confirm commits. */
  waitUntilHealthy(): Promise<void>;
  log(): string;
  stop(): Promise<void>;
};

/** Returns the reason why this machine cannot run a cluster; null if it can. */
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
  const request = (name: NodeName, path: string) =>
    fetch(`http://${addressOf(name)}:8008${path}`, {
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    }).catch(() => null);
  const findLeader = async () => {
    for (const name of NAMES) if ((await request(name, '/primary'))?.ok) return name;
    return null;
  };

  // Only the leader is queried, because the other nodes may read old data from etcd.
  const isHealthy = async () => {
    const leader = await findLeader();
    if (leader === null) return false;
    const status = (await (await request(leader, '/patroni'))?.json()) as NodeStatus | undefined;
    const cluster = (await (await request(leader, '/cluster'))?.json()) as ClusterStatus | undefined;
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
    waitUntilHealthy: () => expect.poll(isHealthy, { timeout: HEALTHY_TIMEOUT_MS }).toBe(true),
    log: network.log,
    stop: async () => {
      await proxy.stop();
      await network.close();
      await rm(folder, { recursive: true });
    },
  };
  await cluster.waitUntilHealthy().catch(async (error) => {
    await cluster.stop();
    throw error;
  });
  return cluster;
}

async function startNode(network: Network, disk: string, name: NodeName, prefix: string): Promise<Machine> {
  const address = `${prefix}.${ADDRESSES[name]}`;
  const readOwn = async (file: string) =>
    (await readSettings(file, prefix)).replaceAll('NODE_NAME', name).replaceAll('NODE_ADDRESS', address);
  const folders = ['/var/lib/etcd', '/var/lib/postgresql'];
  const machine = await network.addMachine({ address, disk, folders });
  await machine.run('chown', 'etcd:', '/var/lib/etcd');
  await machine.run('chown', 'postgres:', '/var/lib/postgresql');
  await writeFile(join(disk, PATRONI_FILE), await readOwn('patroni.yml'));
  const variables = [...(await readOwn('etcd')).matchAll(/^(\w+)=(.*)$/gm)];
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
  const settings = (await readSettings('haproxy.cfg', prefix)).replace(':5432', `:${port}`);
  await writeFile(join(folder, 'haproxy.cfg'), settings);
  const [program = '', ...parameters] = [
    ...KILL_WITH_PARENT,
    'haproxy',
    '-db',
    '-f',
    join(folder, 'haproxy.cfg'),
  ];
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

/** Returns a file of docs/examples, with addresses of this network. */
async function readSettings(file: string, prefix: string): Promise<string> {
  return (await readFile(join(SETTINGS, file), 'utf8')).replaceAll('10.0.0.', `${prefix}.`);
}
