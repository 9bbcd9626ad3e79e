// Starts two real PostgreSQL servers for failover tests, and a proxy in front of them. One server is the primary. The
// other is a synchronous replica: a commit on the primary waits until the replica has confirmed it.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import pg from 'pg';
import { copyData, endPostgres, findFreePort, initialise, runPostgres } from './postgres.ts';

export type PostgresPair = {
  /** Connection string of the proxy. The proxy connects to the primary, and after `promote` to the former replica. */
  url: string;
  /** Ends the primary with SIGKILL, without a regular shutdown. */
  killPrimary(): Promise<void>;
  /** Stops the replica. From then on, commits on the primary wait until the replica runs again. */
  stopReplica(): Promise<void>;
  startReplica(): Promise<void>;
  /** Makes the replica the new primary, and connects the proxy to it. */
  promote(): Promise<void>;
  stop(): Promise<void>;
};

export async function startPostgresPair(): Promise<PostgresPair> {
  const primaryFolder = await initialise();
  const replicaFolder = await copyData(primaryFolder);
  const replicaPort = await findFreePort();
  const primary = await runPostgres(primaryFolder, {
    durable: true,
    settings: ['synchronous_standby_names=*'],
  });
  await writeFile(join(replicaFolder, 'data/standby.signal'), '');
  const startReplica = () =>
    runPostgres(replicaFolder, {
      durable: true,
      port: replicaPort,
      settings: [
        `primary_conninfo=host=127.0.0.1 port=${primary.port} user=postgres`,
        'wal_retrieve_retry_interval=100ms',
      ],
    });
  let replica = await startReplica();
  const proxy = await startProxy(primary.port);
  return {
    url: primary.url.replace(`:${primary.port}/`, `:${proxy.port}/`),
    killPrimary: () => endPostgres(primary.process, 'SIGKILL'),
    stopReplica: () => endPostgres(replica.process, 'SIGINT'),
    startReplica: async () => {
      replica = await startReplica();
    },
    promote: async () => {
      const client = new pg.Client(replica.url);
      await client.connect();
      await client.query('select pg_promote()');
      await client.end();
      proxy.connectTo(replicaPort);
    },
    stop: async () => {
      proxy.close();
      await replica.stop();
      await primary.stop();
    },
  };
}

/** Starts a TCP proxy that connects to `firstPort`. `connectTo` changes this port and closes all open connections. */
async function startProxy(firstPort: number) {
  let target = firstPort;
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(target, '127.0.0.1');
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    // Ignores errors. After an error `pipeline` has closed both sockets, so client and server see a lost connection.
    pipeline(incoming, outgoing, incoming, () => undefined);
  });
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connectTo: (port: number) => {
      target = port;
      closeAll();
    },
    close: () => {
      closeAll();
      server.close();
    },
  };
}
