// The connections to PostgreSQL: lent one by one, refused when too many wait, and all given up when the server is gone.
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { type ConnectionCounts, doubtOutcome, isConnectionFailure, isTooBusy, TOO_BUSY } from './database.ts';
import { failConnection, nameFailure } from './name-failure.ts';

/** Beyond it a wait is not worth it: at a thousand statements a second it is a second. */
const MAX_WAITING = 1_000;
/** Nothing answered for so long: perhaps the server stands still. */
const QUIET_MS = 2_000;
const LOOK_EVERY_MS = 500;
const ROOM_RETRY_MS = 100;
const HELD_UP_MS = 100;

export type Connections = {
  /**
   * Runs `work` on a connection. Rejects with a connection failure (see `isConnectionFailure`) when there is none, when
   * too many wait, and when it is not certain that what was committed would outlive the server.
   */
  use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>;
  count(): ConnectionCounts;
  close(): Promise<void>;
};

export type ConnectionOptions = {
  /** Rejects when the server does not respond or may not be written to. */
  probe: () => Promise<unknown>;
  openPool: () => pg.Pool;
  /** For a server without room for one more connection. */
  patienceMs: number;
  maxWaiting?: number | undefined;
  /** Receives what the operator should know: why the server is given up, and that it is used again. */
  report: (message: string) => void;
};

/** A pool, and those of its connections that somebody has. */
type Generation = { pool: pg.Pool; lent: Set<pg.PoolClient> };

/**
 * Opens a pool. A connection that fails, or that leads to a server which may not be written to, is closed. If nothing
 * responds for two seconds while somebody waits, the server is probed. If the probe fails, all connections are closed, and
 * work is refused at once until a probe succeeds.
 */
export function openConnections(options: ConnectionOptions): Connections {
  const { probe, openPool, report, patienceMs, maxWaiting = MAX_WAITING } = options;
  let answeredMs = 0;
  // Each statement of a long transaction counts, not its end alone.
  const open = () =>
    openGeneration(openPool(), () => {
      answeredMs = performance.now();
    });
  let current: Generation | null = open();
  let closing = false;
  let looking = false;
  let busy = 0;
  let busySinceMs = 0;
  let watchedMs = performance.now();
  let heldUpMs = 0;

  const look = async () => {
    if (looking) return;
    looking = true;
    const startedMs = performance.now();
    try {
      await probe();
      if (closing || current !== null) return;
      current = open();
      report('PostgreSQL is writable and used from now on');
    } catch (error) {
      // In a process that was held up, what has come is read after the deadlines that have passed: look again.
      await pause(HELD_UP_MS);
      // A server that is full, or a pooler, may refuse the probe and serve the connections that stand.
      if (closing || current === null || Math.max(answeredMs, heldUpMs) > startedMs) return;
      retire(current);
      current = null;
      report(error instanceof Error ? error.message : String(error));
    } finally {
      looking = false;
    }
  };
  const watch = setInterval(() => {
    if (performance.now() - watchedMs > 2 * LOOK_EVERY_MS) heldUpMs = performance.now();
    watchedMs = performance.now();
    const quietSinceMs = Math.max(answeredMs, busySinceMs);
    if (current === null || (busy > 0 && performance.now() - quietSinceMs > QUIET_MS)) void look();
  }, LOOK_EVERY_MS);
  watch.unref();

  return {
    use: async (work) => {
      if (current === null) throw failConnection('no writable PostgreSQL answers');
      const mine = current;
      if (mine.pool.waitingCount >= maxWaiting)
        throw failConnection('too many wait for a connection', TOO_BUSY);
      if (busy === 0) busySinceMs = performance.now();
      busy += 1;
      try {
        return await lend(mine, patienceMs, work);
      } finally {
        busy -= 1;
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

function openGeneration(pool: pg.Pool, noteAnswer: () => void): Generation {
  // What dies says so to whoever waits for it; without listeners the events themselves would end the process.
  pool.on('error', ignore);
  pool.on('connect', (client) => {
    client.on('error', ignore);
    client.on('drain', noteAnswer);
    client.on('notice', (notice) => {
      if (notice.routine === 'SyncRepWaitForLSN') unconfirmed.add(client);
    });
  });
  return { pool, lent: new Set() };
}

/*
 * A commit that waits for a replica and is cancelled has happened, and says so in a mere warning: it would be lost with
 * this server. Whoever is told nothing asks again.
 */
const unconfirmed = new WeakSet<pg.PoolClient>();

async function lend<T>(
  { pool, lent }: Generation,
  patienceMs: number,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connect(pool, patienceMs);
  lent.add(client);
  let broken = false;
  try {
    const result = await work(client);
    if (unconfirmed.delete(client))
      throw doubtOutcome(failConnection('a commit was not confirmed by a replica'));
    return result;
  } catch (error) {
    broken = isConnectionFailure(error);
    throw error;
  } finally {
    lent.delete(client);
    client.release(broken);
  }
}

/** Nothing was sent to a server that had no room: it can be asked again, as when another process is just making way. */
async function connect(pool: pg.Pool, patienceMs: number): Promise<pg.PoolClient> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    try {
      return await pool.connect();
    } catch (error) {
      if (!isTooBusy(error) || performance.now() > untilMs) throw nameFailure(error);
      await pause(ROOM_RETRY_MS);
    }
  }
}

/** Cuts off those who wait for an answer: they are told to ask again. */
function retire({ pool, lent }: Generation): void {
  for (const client of lent) (client as unknown as pg.Client).end().catch(ignore);
  pool.end().catch(ignore);
}

function ignore(): void {}
