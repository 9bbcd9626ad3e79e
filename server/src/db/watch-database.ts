// Measures the time of every statement, and reports slow statements.
import type { Database, Db } from './database.ts';

/**
 * Statements that take longer are slow. This limit is half of the second in which a page should be complete. A
 * statement with an index takes a few milliseconds. A slow one waited for a lock or a connection, or used no index.
 */
const SLOW_STATEMENT_MS = 500;
const NAME_LENGTH = 80;

export type SlowStatement = { statement: string; ms: number; waiting: number };

type Watcher = {
  note: (seconds: number) => void;
  /** Called with the start of a slow statement, and with the number of callers that wait for a connection now. */
  warn: (slow: SlowStatement) => void;
  slowMs?: number;
};

/** Returns `db` with measured statements. The times include the wait for a connection. */
export function watchDatabase(db: Database, { note, warn, slowMs = SLOW_STATEMENT_MS }: Watcher): Database {
  const time = (startedMs: number): number => {
    const ms = performance.now() - startedMs;
    note(ms / 1000);
    return ms;
  };
  const warnIfSlow = (text: string, startedMs: number) => {
    const ms = time(startedMs);
    if (ms < slowMs) return;
    warn({ statement: nameStatement(text), ms: Math.round(ms), waiting: db.countConnections().waiting });
  };
  const watch = (inner: Db): Db => ({
    query: async (text, params) => {
      const startedMs = performance.now();
      try {
        return await inner.query(text, params);
      } finally {
        warnIfSlow(text, startedMs);
      }
    },
    execute: async (script) => {
      const startedMs = performance.now();
      try {
        await inner.execute(script);
      } finally {
        // A script is a migration, which may take long, so it is not reported as slow.
        time(startedMs);
      }
    },
  });
  return {
    ...db,
    ...watch(db),
    transaction: async (work) => {
      const startedMs = performance.now();
      let workedMs = startedMs;
      const result = await db.transaction(async (tx) => {
        warnIfSlow('begin', startedMs);
        const done = await work(watch(tx));
        workedMs = performance.now();
        return done;
      });
      warnIfSlow('commit', workedMs);
      return result;
    },
  };
}

// The SQL text is a constant of the program, so it contains no personal data.
function nameStatement(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').slice(0, NAME_LENGTH);
}
