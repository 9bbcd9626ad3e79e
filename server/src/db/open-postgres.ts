// Opens PostgreSQL: statements by name, transactions, and a pool that fits the server.
import { createHash } from 'node:crypto';
import pg from 'pg';
import {
  type Database,
  type Db,
  doubtOutcome,
  isConnectionFailure,
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
const ANSWER_GRACE_MS = 5_000;
const NO_DEADLINE_MS = 2 ** 31 - 1;
/** One for a transaction and one beside it. */
const LEAST_CONNECTIONS = 2;

/** `prepare`: false for poolers that keep no statements. */
export type PostgresOptions = {
  url: string;
  prepare?: boolean;
  /** At most; fewer when the server has no room for so many. */
  maxConnections?: number;
  /** Processes of this program on this machine that share what the server has room for. */
  processes?: number;
  /** For a new connection to stand, or one of the pool to be free. */
  connectTimeoutMs?: number;
  /** Statements that may wait for a connection; more are refused at once. */
  maxWaiting?: number;
  /** Receives what the operator should know: a smaller pool, and when the server is given up and used again. */
  report?: (message: string) => void;
};

/** @throws DatabaseError when the server does not respond, is read-only, or has no room for `processes`. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, prepare = true, connectTimeoutMs = CONNECT_TIMEOUT_MS, report = () => undefined } = options;
  // Poolers refuse what they do not know among the parameters of a new connection.
  const server = await probeServer(url, prepare ? { statement_timeout: STATEMENT_TIMEOUT_MS } : {});
  const settings = { ...server.parameters, connectionString: url, connectionTimeoutMillis: connectTimeoutMs };
  const max = fitPool(server, options, report);
  const connections = openConnections({
    probe: () => probeServer(url, server.parameters),
    openPool: () => openPool({ ...settings, max }),
    patienceMs: connectTimeoutMs,
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
        const asked = queryWith(client).query<R>(text, params);
        // A statement of its own commits by itself: when the connection is lost, it may have.
        return isReading(text) ? asked : asked.catch(throwDoubted);
      }),
    execute: (script) =>
      connections.use(async (client) => {
        const { execute } = queryWith(client);
        // In the session, because there may be no transaction; one of a pooler has no deadline of ours.
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
            throw doubtOutcome(nameFailure(error));
          });
          return result;
        } catch (error) {
          // A connection that failed is closed, which rolls back too; behind a stuck statement this one would wait.
          if (!isConnectionFailure(error)) await client.query('rollback').catch(rethrow);
          throw error;
        }
      }),
    countConnections: connections.count,
    close: connections.close,
  };
}

/** @throws DatabaseError when the server has no room. */
function fitPool(
  { room }: Server,
  { url, maxConnections = MAX_CONNECTIONS, processes = 1 }: PostgresOptions,
  report: (message: string) => void,
): number {
  // One a process is left for the probe.
  const share = Math.floor(room / processes) - 1;
  if (share >= maxConnections) return maxConnections;
  const fault = `${hostOf(url)} has room for ${room} connections`;
  if (share < Math.min(LEAST_CONNECTIONS, maxConnections)) {
    throw new DatabaseError(
      `DATABASE_URL: ${fault}, too few for WORKERS=${processes}: each needs ${LEAST_CONNECTIONS + 1}. Raise max_connections or the limit of the user or database, or lower WORKERS.`,
    );
  }
  report(`${fault}: ${share} for each of ${processes} processes instead of ${maxConnections}`);
  return share;
}

function openPool(settings: pg.PoolConfig): pg.Pool {
  return new pg.Pool({
    ...settings,
    keepAlive: true,
    // For a server that stands still and cannot keep its own time.
    query_timeout: STATEMENT_TIMEOUT_MS + ANSWER_GRACE_MS,
    application_name: 'partner-benefits-portal',
    types: { getTypeParser: typeParser as typeof pg.types.getTypeParser },
  });
}

function rethrow(error: unknown): never {
  throw nameFailure(error);
}

const names = new Map<string, string>();

// A name is what makes pg prepare a statement once a connection: twice the claims a second of unnamed ones.
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
  if (oid === TYPE_OIDS.int8) return String;
  return pg.types.getTypeParser(oid, format as 'text');
}

function isReading(text: string): boolean {
  return /^\s*select\b/i.test(text);
}

function throwDoubted(error: unknown): never {
  throw doubtOutcome(error);
}
