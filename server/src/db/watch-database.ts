// Times every statement, on either engine, and has the slow ones logged.
import type { Database, Db } from './database.ts';

/**
 * Half of the second in which a page should be there. Statements that walk an index, as those of pages and redemptions
 * do, take a few milliseconds: what takes so long waits for something, or has outgrown its index.
 */
const SLOW_STATEMENT_MS = 500;
const NAME_LENGTH = 80;

export type SlowStatement = { statement: string; ms: number; waiting: number };

type Watcher = {
  note: (seconds: number) => void;
  /** `statement` is how it begins, without parameters; `waiting` how many wait for a connection now. */
  warn: (slow: SlowStatement) => void;
  slowMs?: number;
};

/** The same database, watched. A statement's time includes the wait for a connection; so does that of a `begin`. */
export function watchDatabase(db: Database, { note, warn, slowMs = SLOW_STATEMENT_MS }: Watcher): Database {
  const time = (startedMs: number): number => {
    const ms = performance.now() - startedMs;
    note(ms / 1000);
    return ms;
  };
  const tell = (text: string, startedMs: number) => {
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
        tell(text, startedMs);
      }
    },
    execute: async (script) => {
      const startedMs = performance.now();
      try {
        await inner.execute(script);
      } finally {
        // A migration may take as long as it needs.
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
        tell('begin', startedMs);
        const done = await work(watch(tx));
        workedMs = performance.now();
        return done;
      });
      tell('commit', workedMs);
      return result;
    },
  };
}

// Statements are constants; what people typed is in their parameters.
function nameStatement(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').slice(0, NAME_LENGTH);
}
