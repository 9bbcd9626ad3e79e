// Adds up what became of codes, and tells administrators when few are left.
import type { Logger } from 'pino';
import type { Database } from './db/database.ts';
import { foldTally } from './stores/tally.ts';
import { type WarnTools, warnOfShortages } from './usecases/warn-of-shortages.ts';

const LOOK_EVERY_MS = 10_000;

export function startStockWorker(db: Database, tools: WarnTools, log: Logger): { close(): Promise<void> } {
  let work = Promise.resolve();
  const look = async () => {
    try {
      await foldTally(db, tools.now());
      await warnOfShortages(db, tools);
    } catch (error) {
      log.warn({ err: error }, 'the stock of codes could not be looked at; next try in ten seconds');
    }
  };
  const timer = setInterval(() => {
    work = work.then(look);
  }, LOOK_EVERY_MS);
  return {
    close: async () => {
      clearInterval(timer);
      await work;
    },
  };
}
