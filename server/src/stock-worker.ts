// Adds up what became of codes, and tells administrators when few are left.
import type { Logger } from 'pino';
import type { Database } from './db/database.ts';
import { foldTally, tidyTally } from './stores/tally.ts';
import { type WarnTools, warnOfShortages } from './usecases/warn-of-shortages.ts';

const LOOK_EVERY_MS = 10_000;

export function startStockWorker(db: Database, tools: WarnTools, log: Logger): { close(): Promise<void> } {
  let work = Promise.resolve();
  const attempt = (what: string, task: () => Promise<unknown>) => async () => {
    await task().catch((error: unknown) => log.warn({ err: error }, `${what}; next try in ten seconds`));
  };
  const add = attempt('the tally could not be added up', async () => {
    const lines = await foldTally(db, tools.now());
    // The embedded engine has nobody else who clears away what is gone.
    if (lines > 0 && db.engine === 'embedded') await tidyTally(db);
  });
  const warn = attempt('administrators could not be told of a shortage', () => warnOfShortages(db, tools));
  const timer = setInterval(() => {
    work = work.then(add).then(warn);
  }, LOOK_EVERY_MS);
  return {
    close: async () => {
      clearInterval(timer);
      await work;
    },
  };
}
