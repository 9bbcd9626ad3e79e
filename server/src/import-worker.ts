// Finishes imports that were cut off: by a restart of this process, or by the end of another.
import type { Logger } from 'pino';
import type { Database } from './db/database.ts';
import { type ImportTools, resumeImports } from './usecases/import-csv.ts';

/** How often the worker looks for idle imports, and how long one must have made no progress to be taken over. */
export type ImportWaits = { lookEveryMs: number; idleSeconds: number };

const WAITS: ImportWaits = { lookEveryMs: 30_000, idleSeconds: 30 };

/** Looks at once and then every half minute. On the embedded engine nobody else can be at an import that is open. */
export function startImportWorker(
  db: Database,
  tools: ImportTools,
  { log, waits = WAITS }: { log: Logger; waits?: ImportWaits },
): { close(): Promise<void> } {
  let work = look(db.engine === 'embedded' ? 0 : waits.idleSeconds);
  const timer = setInterval(() => {
    work = work.then(() => look(waits.idleSeconds));
  }, waits.lookEveryMs);
  return {
    close: async () => {
      clearInterval(timer);
      await work;
    },
  };

  async function look(idleSeconds: number): Promise<void> {
    try {
      const finished = await resumeImports(db, tools, idleSeconds);
      if (finished > 0) log.info({ finished }, 'imports that were cut off are finished');
    } catch (error) {
      log.error({ err: error }, 'an import that was cut off could not go on');
    }
  }
}
