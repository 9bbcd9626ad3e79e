// Lets a process work on one uploaded file at a time. The others wait, and their state says so (R-IMP-26).
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import { findUpload, setImportWaits } from './imports.sql.ts';

/** How often a waiting file looks whether it was cancelled. */
const LOOK_MS = 500;

/**
 * Returns a function that runs `work` for the import `id` when all earlier work has ended. If the import is cancelled
 * before, the function returns undefined and never runs `work`.
 */
export function createTurns(db: Database): <T>(id: string, work: () => Promise<T>) => Promise<T | undefined> {
  let last: Promise<void> | null = null;
  return async (id, work) => {
    const before = last;
    const turn = Promise.withResolvers<void>();
    const mine = Promise.all([before, turn.promise]).then(() => undefined);
    last = mine;
    try {
      if (before !== null) {
        await setImportWaits(db, id, true);
        const isOver = before.then(() => true);
        while (!(await Promise.race([isOver, pause(LOOK_MS, false)]))) if (await hasEnded(db, id)) return;
      }
      await setImportWaits(db, id, false);
      return await work();
    } finally {
      turn.resolve();
      void mine.then(() => {
        if (last === mine) last = null;
      });
    }
  };
}

async function hasEnded(db: Database, id: string): Promise<boolean> {
  const state = (await findUpload(db, id))?.state;
  return state !== 'running' && state !== 'checking';
}
