// Manages the connection pool to PostgreSQL. Limits the number of callers that wait for a connection. Replaces the pool
// if the server stops responding.
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import {
  type ConnectionCounts,
  isConnectionFailure,
  isTooBusy,
  markOutcomeUnknown,
  TOO_BUSY,
} from './database.ts';
import { failConnection, nameFailure } from './name-failure.ts';

/**
 * Number of callers that may wait for a connection; more are refused. At a thousand statements a second, the last of
 * them waits one second.
 */
const MAX_WAITING = 1_000;
/** If callers get no response for this time, the server may hang. Then a probe tests the server. */
const NO_RESPONSE_MS = 2_000;
const WATCH_INTERVAL_MS = 500;
const SERVER_FULL_RETRY_MS = 100;
const LATE_READ_MS = 100;

export type Connections = {
  /**
   * Runs `work` on a connection of the pool and returns its result. Rejects with a connection failure
   * (`isConnectionFailure`) if there is no connection, or too many callers wait for one. Also rejects if no replica
   * confirmed a commit.
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
  /** Number of callers that may wait for a connection; more are refused. */
  maxWaiting?: number | undefined;
  /** Called with messages for the operator: why all connections were closed, and that the server is in use again. */
  report: (message: string) => void;
};

/**
 * A pool generation: a connection pool, and the connections of the pool that run work now. If the server is lost, the
 * generation is closed. When the server responds again, a new generation is opened.
 */
type Generation = { pool: pg.Pool; inUse: Set<pg.PoolClient> };

/**
 * Opens a pool. A connection is closed if it fails or its server is read-only. If callers get no response for two
 * seconds, a probe tests the server. If the probe fails, all connections are closed. From then on, calls fail
 * immediately until a probe succeeds.
 */
export function openConnections(options: ConnectionOptions): Connections {
  const { probe, openPool, report, serverFullTimeoutMs, maxWaiting = MAX_WAITING } = options;
  let respondedMs = 0;
  // The time of each response is noted, also inside a transaction. So a long transaction does not look like a hanging
  // server.
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
      // After the event loop was blocked, Node runs expired timers before it reads received data. So the probe may have
      // failed although the server's response has arrived. This pause lets Node read the response.
      await pause(LATE_READ_MS);
      // If any connection got a response since the probe started, the server works, and the pool is kept. A full server
      // or a connection pooler may refuse new connections, such as the probe's, although it still serves the open
      // connections. The pool is also kept if the event loop was blocked during the probe.
      if (closing || current === null || Math.max(respondedMs, blockedMs) > startedMs) return;
      closeGeneration(current);
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
  // The caller already gets a connection's error as a rejection. Without a listener, Node would end the process at an
  // 'error' event.
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

/*
 * Connections with a commit that no replica confirmed. If PostgreSQL's wait for the replica is cancelled, the commit
 * exists on this server only. PostgreSQL then sends a warning, not an error. A failover would lose the commit. So the
 * caller gets an error and can retry.
 */
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

/**
 * Returns a connection of the pool. While the server has no free connection, tries again, because another process may
 * soon close some of its connections. Trying again is safe, because no statement was sent yet.
 */
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

/**
 * Closes the pool and all its connections. Statements that run on these connections then fail with a connection
 * failure.
 */
function closeGeneration({ pool, inUse }: Generation): void {
  for (const client of inUse) (client as unknown as pg.Client).end().catch(ignore);
  pool.end().catch(ignore);
}

function ignore(): void {}
