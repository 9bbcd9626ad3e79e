// Manages the connection pool to PostgreSQL: limits the number of waiting callers, and replaces the pool if the server
// stops responding.
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

/** Further callers are refused. With a thousand statements a second, the last of these callers waits one second. */
const MAX_WAITING = 1_000;
/** The server is probed after this time without a response, because it may hang. */
const NO_RESPONSE_MS = 2_000;
const WATCH_INTERVAL_MS = 500;
const SERVER_FULL_RETRY_MS = 100;
const LATE_READ_MS = 100;

export type Connections = {
  /**
   * Runs `work` on a connection and returns its result. Rejects with a connection failure (`isConnectionFailure`) if no
   * connection is available, if too many callers wait, or if no replica confirmed the commit.
   */
  use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>;
  count(): ConnectionCounts;
  close(): Promise<void>;
};

export type ConnectionOptions = {
  /** Rejects if the server does not respond or is read-only. */
  probe: () => Promise<unknown>;
  openPool: () => pg.Pool;
  /** Time limit for retries while the server has no free connection. */
  serverFullTimeoutMs: number;
  /** Number of callers that may wait for a connection. */
  maxWaiting?: number | undefined;
  /** Receives messages for the operator: why the connections were closed, and that the server is in use again. */
  report: (message: string) => void;
};

/** A pool generation: a pool and its connections in use. After the server was lost, a new generation replaces it. */
type Generation = { pool: pg.Pool; inUse: Set<pg.PoolClient> };

/**
 * Opens a pool. A connection is closed if it fails or if its server is read-only. If the server sends no response for two
 * seconds while callers wait for one, the server is probed. If the probe fails, all connections are closed. Work is then
 * refused at once until a probe succeeds.
 */
export function openConnections(options: ConnectionOptions): Connections {
  const { probe, openPool, report, serverFullTimeoutMs, maxWaiting = MAX_WAITING } = options;
  let respondedMs = 0;
  // Notes each response, because a long transaction shows after each statement that the server works.
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
      // After a blocked event loop, expired timers run before received data is read. This pause lets the data be read.
      await pause(LATE_READ_MS);
      // A full server or a pooler may refuse the probe but serve the open connections. So a response since the probe's
      // start is enough. The probe also does not count if the event loop was blocked meanwhile.
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
  // The caller of a failed connection gets the error as a rejection. Without listeners the events would end the process.
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
 * Connections with a commit that no replica confirmed. If the wait for the replica is cancelled, PostgreSQL has committed
 * on this server only, and sends a warning instead of an error. A failover would lose the commit. So the caller gets an
 * error and can retry.
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
 * Returns a connection. While the server has no free connection, the function retries: for example, another process may
 * be closing its connections. A retry is safe, because no statement was sent.
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

/** Closes the pool and the connections in use. Statements without a response fail with a connection failure. */
function closeGeneration({ pool, inUse }: Generation): void {
  for (const client of inUse) (client as unknown as pg.Client).end().catch(ignore);
  pool.end().catch(ignore);
}

function ignore(): void {}
