// Starts two PostgreSQL servers for tests: a primary and a synchronous replica.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { copyData, endPostgres, findFreePort, initialise, runPostgres } from './postgres.ts';

export type PostgresPair = {
  /** Connection string with both hosts. */
  url: string;
  /** Kills the primary with SIGKILL. */
  killPrimary(): Promise<void>;
  /** Starts the killed primary again with its old data: it still acts as the primary. */
  revivePrimary(): Promise<void>;
  /** Stops the replica. Commits then wait until it is back. */
  stopReplica(): Promise<void>;
  startReplica(): Promise<void>;
  /** Promotes the replica to primary, as an operator does, and returns its connection string. */
  promote(): Promise<string>;
  stop(): Promise<void>;
};

export async function startPostgresPair(): Promise<PostgresPair> {
  const primaryFolder = await initialise();
  const replicaFolder = await copyData(primaryFolder);
  const replicaPort = await findFreePort();
  const startPrimary = (port?: number) =>
    runPostgres(primaryFolder, {
      durable: true,
      settings: ['synchronous_standby_names=*'],
      ...(port !== undefined && { port }),
    });
  let primary = await startPrimary();
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
  return {
    url: primary.url.replace(`:${primary.port}/`, `:${primary.port},127.0.0.1:${replicaPort}/`),
    killPrimary: () => endPostgres(primary.process, 'SIGKILL'),
    revivePrimary: async () => {
      primary = await startPrimary(primary.port);
    },
    stopReplica: () => endPostgres(replica.process, 'SIGINT'),
    startReplica: async () => {
      replica = await startReplica();
    },
    promote: async () => {
      const client = new pg.Client(replica.url);
      await client.connect();
      await client.query('select pg_promote()');
      await client.end();
      return replica.url;
    },
    stop: async () => {
      await replica.stop();
      await primary.stop();
    },
  };
}
