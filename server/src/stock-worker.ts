// Looks at the stock of codes every minute.
import type { Logger } from 'pino';
import type { Database } from './db/database.ts';
import { type WarnTools, warnOfShortages } from './usecases/warn-of-shortages.ts';

const LOOK_EVERY_MS = 60_000;

export function startStockWorker(db: Database, tools: WarnTools, log: Logger): { close(): Promise<void> } {
  let work = Promise.resolve();
  const look = async () => {
    try {
      await warnOfShortages(db, tools);
    } catch (error) {
      log.warn({ err: error }, 'administrators could not be told of a shortage; next try in a minute');
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
