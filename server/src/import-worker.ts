// Finishes imports that were cut off: by a restart of this process, or by the end of another.
import type { Logger } from 'pino';
import type { Database } from './db/database.ts';
import { type ImportTools, resumeImports } from './usecases/import-csv.ts';

const LOOK_EVERY_MS = 30_000;
const IDLE_SECONDS = 30;

/** Looks at once and then every half minute. On the embedded engine nobody else can be at an import that is open. */
export function startImportWorker(db: Database, tools: ImportTools, log: Logger): { close(): Promise<void> } {
  let work = look(db.engine === 'embedded' ? 0 : IDLE_SECONDS);
  const timer = setInterval(() => {
    work = work.then(() => look(IDLE_SECONDS));
  }, LOOK_EVERY_MS);
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
