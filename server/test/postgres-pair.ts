// Starts two real PostgreSQL servers and a proxy for tests: a primary, and a replica that confirms every commit.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import pg from 'pg';
import { copyData, endPostgres, findFreePort, initialise, runPostgres } from './postgres.ts';

export type PostgresPair = {
  /** Connection string of the proxy, which connects to the primary, and after `promote` to the replica. */
  url: string;
  /** Kills the primary with SIGKILL. */
  killPrimary(): Promise<void>;
  /** Stops the replica. Commits then wait until the replica runs again. */
  stopReplica(): Promise<void>;
  startReplica(): Promise<void>;
  /** Makes the replica the primary, and connects the proxy to it. */
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

/** Starts a TCP proxy to one port. `connectTo` changes the port and closes all connections, as HAProxy does. */
async function startProxy(firstPort: number) {
  let target = firstPort;
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(target, '127.0.0.1');
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    // Errors are ignored: a failed pipeline has closed both sockets, and client and server handle that.
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
