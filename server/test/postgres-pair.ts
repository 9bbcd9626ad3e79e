// Two real PostgreSQL servers for tests behind one address: a primary, and a replica that confirms every commit.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import pg from 'pg';
import { copyData, endPostgres, findFreePort, initialise, runPostgres } from './postgres.ts';

export type PostgresPair = {
  /** Connection string of the address in front. It leads to the primary, and after `promote` to the replica. */
  url: string;
  /** Kills the primary with SIGKILL. */
  killPrimary(): Promise<void>;
  /** Ends the replica; commits wait for it from then on. */
  stopReplica(): Promise<void>;
  startReplica(): Promise<void>;
  /** Makes the replica the primary. */
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
      proxy.leadTo(replicaPort);
    },
    stop: async () => {
      proxy.close();
      await replica.stop();
      await primary.stop();
    },
  };
}

/** Passes connections on to one port, and closes them when it leads to another one, as HAProxy does. */
async function startProxy(firstPort: number) {
  let target = firstPort;
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(target, '127.0.0.1');
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    // A pipeline that fails has closed both; whoever uses the connection notices.
    pipeline(incoming, outgoing, incoming, () => undefined);
  });
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    leadTo: (port: number) => {
      target = port;
      closeAll();
    },
    close: () => {
      closeAll();
      server.close();
    },
  };
}
