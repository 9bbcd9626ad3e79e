// Opens PostgreSQL with prepared statements, transactions and a connection pool. The pool is never larger than the
// server allows.
import { createHash } from 'node:crypto';
import pg from 'pg';
import {
  type Database,
  type Db,
  isConnectionFailure,
  markOutcomeUnknown,
  type Result,
  type Row,
} from './database.ts';
import { DatabaseError } from './database-error.ts';
import { nameFailure } from './name-failure.ts';
import { openConnections } from './postgres-connections.ts';
import { hostOf, probeServer, type Server } from './probe-server.ts';
import { TYPE_OIDS, toIsoTime } from './times.ts';

const MAX_CONNECTIONS = 16;
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const RESPONSE_GRACE_MS = 5_000;
const NO_DEADLINE_MS = 2 ** 31 - 1;
/** The minimum for each process: one connection for a transaction, and one for statements outside of it. */
const MIN_CONNECTIONS = 2;

export type PostgresOptions = {
  url: string;
  /** False if DATABASE_URL is a connection pooler that does not support prepared statements. */
  prepare?: boolean;
  /** Upper limit of the pool. The pool is smaller if the server does not allow that many connections. */
  maxConnections?: number;
  /** Number of processes of the portal that share the server's connections. */
  processes?: number;
  /** Time limit for opening a connection, and for waiting until a connection of the pool is free. */
  connectTimeoutMs?: number;
  /** Number of statements that may wait for a connection. Further statements are refused immediately. */
  maxWaiting?: number;
  /**
   * Called with messages for the operator: the pool is smaller than configured, the server was lost, or the server is
   * in use again.
   */
  report?: (message: string) => void;
};

/**
 * Opens a connection pool to the server. @throws DatabaseError if the server does not respond, is read-only, or has too
 * few connections for `processes`.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, prepare = true, connectTimeoutMs = CONNECT_TIMEOUT_MS, report = () => undefined } = options;
  // Tests whether the server accepts the parameter `statement_timeout`. A connection pooler may reject a connection
  // with parameters that it does not know.
  const server = await probeServer(url, prepare ? { statement_timeout: STATEMENT_TIMEOUT_MS } : {});
  const settings = { ...server.parameters, connectionString: url, connectionTimeoutMillis: connectTimeoutMs };
  const max = fitPool(server, options, report);
  const connections = openConnections({
    probe: () => probeServer(url, server.parameters),
    openPool: () => openPool({ ...settings, max }),
    serverFullTimeoutMs: connectTimeoutMs,
    maxWaiting: options.maxWaiting,
    report,
  });

  const queryWith = (client: pg.PoolClient): Db => ({
    query: async <R extends Row>(text: string, params: readonly unknown[] = []): Promise<Result<R>> => {
      const config = { text, values: params as unknown[] };
      const named = prepare ? { ...config, name: statementName(text) } : config;
      const result = await client.query<R>(named).catch(rethrow);
      return { rows: result.rows, rowCount: result.rowCount ?? 0 };
    },
    execute: async (script) => {
      await client.query({ text: script, query_timeout: NO_DEADLINE_MS } as pg.QueryConfig).catch(rethrow);
    },
  });

  return {
    engine: 'postgres',
    query: <R extends Row>(text: string, params?: readonly unknown[]) =>
      connections.use((client) => {
        const result = queryWith(client).query<R>(text, params);
        // A statement outside of a transaction commits when it ends. If the connection is lost before the response, the
        // statement may have committed. Only a `select` cannot have changed anything.
        return isReading(text) ? result : result.catch(throwUnknownOutcome);
      }),
    execute: (script) =>
      connections.use(async (client) => {
        const { execute } = queryWith(client);
        // A migration may take long, so its statements get no time limit. The limit is removed for the session, because
        // `set local` works only in a transaction. Behind a connection pooler (`prepare` false), the session has no
        // time limit to remove.
        if (prepare) await execute('set statement_timeout = 0');
        try {
          await execute(script);
        } finally {
          if (prepare) await execute('reset statement_timeout');
        }
      }),
    transaction: (work) =>
      connections.use(async (client) => {
        await client.query('begin').catch(rethrow);
        try {
          const result = await work(queryWith(client));
          await client.query('commit').catch((error: unknown) => {
            throw markOutcomeUnknown(nameFailure(error));
          });
          return result;
        } catch (error) {
          // After a connection failure, no `rollback` is sent, because it could wait for ever behind a statement that
          // gets no response. The connection is closed instead, and the server then rolls back the transaction.
          if (!isConnectionFailure(error)) await client.query('rollback').catch(rethrow);
          throw error;
        }
      }),
    countConnections: connections.count,
    close: connections.close,
  };
}

/** Returns the size of the pool for this process. @throws DatabaseError if the server allows too few connections. */
function fitPool(
  { room }: Server,
  { url, maxConnections = MAX_CONNECTIONS, processes = 1 }: PostgresOptions,
  report: (message: string) => void,
): number {
  // Each process keeps one connection free for the probe, which tests the server on a new connection.
  const share = Math.floor(room / processes) - 1;
  if (share >= maxConnections) return maxConnections;
  const limit = `${hostOf(url)} has room for ${room} connections`;
  if (share < Math.min(MIN_CONNECTIONS, maxConnections)) {
    throw new DatabaseError(
      `DATABASE_URL: ${limit}, too few for WORKERS=${processes}: each needs ${MIN_CONNECTIONS + 1}. Raise max_connections or the limit of the user or database, or lower WORKERS.`,
    );
  }
  report(`${limit}: ${share} for each of ${processes} processes instead of ${maxConnections}`);
  return share;
}

function openPool(settings: pg.PoolConfig): pg.Pool {
  return new pg.Pool({
    ...settings,
    keepAlive: true,
    // A server that hangs does not enforce `statement_timeout`. So the client has a time limit too, which is 5 seconds
    // longer.
    query_timeout: STATEMENT_TIMEOUT_MS + RESPONSE_GRACE_MS,
    application_name: 'partner-benefits-portal',
    types: { getTypeParser: typeParser as typeof pg.types.getTypeParser },
  });
}

function rethrow(error: unknown): never {
  throw nameFailure(error);
}

const names = new Map<string, string>();

// Returns a name for a statement. pg prepares a statement once per connection only if the statement has a name. With
// prepared statements the portal redeems twice as many codes a second.
function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 20);
    names.set(text, name);
  }
  return name;
}

function typeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === TYPE_OIDS.timestamp_tz) return toIsoTime;
  if (oid === TYPE_OIDS.int8 || oid === TYPE_OIDS.date) return String;
  return pg.types.getTypeParser(oid, format as 'text');
}

function isReading(text: string): boolean {
  return /^\s*select\b/i.test(text);
}

function throwUnknownOutcome(error: unknown): never {
  throw markOutcomeUnknown(error);
}
