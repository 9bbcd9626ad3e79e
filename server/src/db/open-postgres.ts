// Opens PostgreSQL with prepared statements, transactions and a connection pool. The pool fits the connection limit of
// the server, limits the number of waiting callers, and is replaced if the server stops responding.
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import {
  type ConnectionCounts,
  type Database,
  DatabaseError,
  type Db,
  failConnection,
  isConnectionFailure,
  isTooBusy,
  markOutcomeUnknown,
  nameFailure,
  PARSERS,
  type Result,
  type Row,
  TOO_BUSY,
} from './database.ts';

const MAX_CONNECTIONS = 16;
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const RESPONSE_GRACE_MS = 5_000;
const NO_DEADLINE_MS = 2 ** 31 - 1;
/** Minimum for each process: one connection for a transaction, and one for statements outside of this transaction. */
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
  /** Called with messages for the operator: the pool is smaller than configured, the server was lost or is back. */
  report?: (message: string) => void;
};

/**
 * Opens a connection pool to the server.
 * @throws DatabaseError if the server does not respond, is read-only, or has too few connections for `processes`.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, prepare = true, connectTimeoutMs = CONNECT_TIMEOUT_MS, report = () => undefined } = options;
  // Tests whether the server accepts the connection parameter `statement_timeout`. Some connection poolers reject it.
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
        if (/^\s*select\b/i.test(text)) return result;
        // A statement outside of a transaction commits when it ends. If the connection is lost before the response,
        // nobody knows whether the server has committed.
        return result.catch((error: unknown) => {
          throw markOutcomeUnknown(error);
        });
      }),
    execute: (script) =>
      connections.use(async (client) => {
        const { execute } = queryWith(client);
        // Removes the time limit, because a migration may take long. `set local` would have no effect outside of a
        // transaction. Behind a connection pooler (`prepare` is false), there is no time limit.
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
          // After a connection failure, the connection is closed, and the server rolls back. A `rollback` on this
          // connection could wait for ever, if an earlier statement gets no response.
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
  // Each process keeps one connection free, on which the probe tests the server.
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
    // The client has its own time limit, because a server that hangs does not enforce `statement_timeout`.
    query_timeout: STATEMENT_TIMEOUT_MS + RESPONSE_GRACE_MS,
    application_name: 'partner-benefits-portal',
    types: {
      getTypeParser: (oid: number, format?: string) =>
        PARSERS[oid] ?? pg.types.getTypeParser(oid, format as 'text'),
    },
  });
}

function rethrow(error: unknown): never {
  throw nameFailure(error);
}

const names = new Map<string, string>();

// The library pg prepares a statement only if the statement has a name. With prepared statements, the portal redeems
// twice as many codes a second.
function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 20);
    names.set(text, name);
  }
  return name;
}

/** Time limit of the probe: once for opening the connection, and once for the response to its query. */
const TIMEOUT_MS = 3_000;
/** SQLSTATE of the error that PgBouncer returns for an unknown connection parameter. */
const PROTOCOL_VIOLATION = '08P01';

export type Server = {
  /** Maximum number of connections that this user may have to this database. Other programs may use some of them. */
  room: number;
  /** Connection parameters that the server accepts. Empty for a connection pooler that rejects `statement_timeout`. */
  parameters: { statement_timeout?: number };
};

const PROBE = `
  select current_setting('transaction_read_only') = 'on' as read_only,
         least(
           current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
             - coalesce(current_setting('reserved_connections', true)::int, 0),
           (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
           (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as room`;

// Returns host and port of `url`, because messages must not contain user and password.
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'host';
}

/**
 * Tests on a new connection whether the server is writable, and reads how many connections it allows. Uses no
 * connection of the pool, because the pool may not have noticed that its connections are broken.
 * @throws DatabaseError if the server does not respond or is read-only.
 */
async function probeServer(url: string, parameters: Server['parameters']): Promise<Server> {
  const { read_only, ...server } = await probe(url, parameters).catch((error) => {
    throw refuse(url, `: ${describeError(error)}`);
  });
  if (read_only) throw refuse(url, ' is read-only');
  return server;
}

async function probe(
  url: string,
  parameters: Server['parameters'],
): Promise<Server & { read_only: boolean }> {
  const settings = { ...parameters, connectionString: url, connectionTimeoutMillis: TIMEOUT_MS };
  const client = new pg.Client(settings);
  client.on('error', () => undefined);
  try {
    await client.connect();
    const query = { text: PROBE, query_timeout: TIMEOUT_MS };
    const { rows } = await client.query<{ read_only: boolean; room: number }>(query);
    if (!rows[0]) throw new Error('no answer');
    return { ...rows[0], parameters };
  } catch (error) {
    const refused = error instanceof Error && 'code' in error && error.code === PROTOCOL_VIOLATION;
    if (!refused || Object.keys(parameters).length === 0) throw error;
    return await probe(url, {});
  } finally {
    // Does not wait until the connection is closed, because a server that hangs never closes its side.
    client.end().catch(() => undefined);
  }
}

function refuse(url: string, reason: string): DatabaseError {
  return new DatabaseError(`DATABASE_URL: no writable PostgreSQL answers (${hostOf(url)}${reason})`);
}

function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/** Maximum number of callers that wait for a connection. At a thousand statements a second, the last one waits 1 s. */
const MAX_WAITING = 1_000;
/** If no caller gets a response for this time, a probe tests whether the server hangs. */
const NO_RESPONSE_MS = 2_000;
const WATCH_INTERVAL_MS = 500;
const SERVER_FULL_RETRY_MS = 100;
const LATE_READ_MS = 100;

export type Connections = {
  /**
   * Runs `work` on a connection of the pool and returns its result. Rejects with a connection failure
   * (`isConnectionFailure`) if there is no connection, if too many callers wait for one, or if no replica confirmed a
   * commit.
   */
  use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>;
  count(): ConnectionCounts;
  close(): Promise<void>;
};

export type ConnectionOptions = {
  /** Tests the server on a new connection. Rejects if the server does not respond or is read-only. */
  probe: () => Promise<unknown>;
  openPool: () => pg.Pool;
  /** If the server has no free connection, connecting is retried for this time. */
  serverFullTimeoutMs: number;
  /** Maximum number of callers that wait for a connection. Further callers are refused. */
  maxWaiting?: number | undefined;
  /** Called with messages for the operator: why all connections were closed, and that the server is in use again. */
  report: (message: string) => void;
};

/**
 * A connection pool, with its connections that are in use now. If the server is lost, this pool is closed. When the
 * server responds again, a new pool is opened.
 */
type Generation = { pool: pg.Pool; inUse: Set<pg.PoolClient> };

/**
 * Opens a pool. A connection is closed if it fails or its server is read-only. If callers get no response for two
 * seconds, a probe tests the server. If the probe fails, all connections are closed. Calls then fail immediately, until
 * a later probe succeeds and a new pool is opened.
 */
export function openConnections(options: ConnectionOptions): Connections {
  const { probe, openPool, report, serverFullTimeoutMs, maxWaiting = MAX_WAITING } = options;
  let respondedMs = 0;
  // Notes the time of each response. The responses inside a transaction count too, so that a long transaction does not
  // look like a server that hangs.
  const open = () =>
    openGeneration(openPool(), () => {
      respondedMs = performance.now();
    });
  let current: Generation | null = open();
  let closing = false;
  let probing = false;
  let active = 0;
  let activeSinceMs = 0;
  let watchedMs = performance.now();
  let blockedMs = 0;

  const checkServer = async () => {
    if (probing) return;
    probing = true;
    const startedMs = performance.now();
    try {
      await probe();
      if (closing || current !== null) return;
      current = open();
      report('PostgreSQL is writable and used from now on');
    } catch (error) {
      // Waits until Node has read the responses that have arrived. After the event loop was blocked, Node runs expired
      // timers first, so the probe may have failed although the server has responded.
      await pause(LATE_READ_MS);
      // Keeps the pool if a connection got a response since the probe started: a full server or a connection pooler may
      // refuse the connection of the probe, but serve the open connections. Also keeps the pool if the event loop was
      // blocked during the probe.
      if (closing || current === null || Math.max(respondedMs, blockedMs) > startedMs) return;
      // Statements that run on these connections fail with a connection failure.
      for (const client of current.inUse) (client as unknown as pg.Client).end().catch(ignore);
      current.pool.end().catch(ignore);
      current = null;
      report(error instanceof Error ? error.message : String(error));
    } finally {
      probing = false;
    }
  };
  const watch = setInterval(() => {
    if (performance.now() - watchedMs > 2 * WATCH_INTERVAL_MS) blockedMs = performance.now();
    watchedMs = performance.now();
    const silentSinceMs = Math.max(respondedMs, activeSinceMs);
    if (current === null || (active > 0 && performance.now() - silentSinceMs > NO_RESPONSE_MS))
      void checkServer();
  }, WATCH_INTERVAL_MS);
  watch.unref();

  return {
    use: async (work) => {
      if (current === null) throw failConnection('no writable PostgreSQL answers');
      const generation = current;
      if (generation.pool.waitingCount >= maxWaiting)
        throw failConnection('too many wait for a connection', TOO_BUSY);
      if (active === 0) activeSinceMs = performance.now();
      active += 1;
      try {
        return await runOnConnection(generation, serverFullTimeoutMs, work);
      } finally {
        active -= 1;
      }
    },
    count: () => ({
      total: current?.pool.totalCount ?? 0,
      idle: current?.pool.idleCount ?? 0,
      waiting: current?.pool.waitingCount ?? 0,
    }),
    close: async () => {
      closing = true;
      await current?.pool.end();
      clearInterval(watch);
    },
  };
}

function openGeneration(pool: pg.Pool, noteResponse: () => void): Generation {
  // Callers get errors of a connection as rejections. Without a listener, the event 'error' would end the process.
  pool.on('error', ignore);
  pool.on('connect', (client) => {
    client.on('error', ignore);
    client.on('drain', noteResponse);
    client.on('notice', (notice) => {
      if (notice.routine === 'SyncRepWaitForLSN') unconfirmed.add(client);
    });
  });
  return { pool, inUse: new Set() };
}

// Connections on which no replica confirmed a commit. If the wait for the replica is cancelled, PostgreSQL sends only a
// warning, although a failover would lose the commit. So the caller gets an error and can retry.
const unconfirmed = new WeakSet<pg.PoolClient>();

async function runOnConnection<T>(
  { pool, inUse }: Generation,
  serverFullTimeoutMs: number,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connect(pool, serverFullTimeoutMs);
  inUse.add(client);
  let broken = false;
  try {
    const result = await work(client);
    if (unconfirmed.delete(client))
      throw markOutcomeUnknown(failConnection('a commit was not confirmed by a replica'));
    return result;
  } catch (error) {
    broken = isConnectionFailure(error);
    throw error;
  } finally {
    inUse.delete(client);
    client.release(broken);
  }
}

// While the server has no free connection, connecting is retried: another process may soon close some connections.
async function connect(pool: pg.Pool, serverFullTimeoutMs: number): Promise<pg.PoolClient> {
  const untilMs = performance.now() + serverFullTimeoutMs;
  for (;;) {
    try {
      return await pool.connect();
    } catch (error) {
      if (!isTooBusy(error) || performance.now() > untilMs) throw nameFailure(error);
      await pause(SERVER_FULL_RETRY_MS);
    }
  }
}

function ignore(): void {}
