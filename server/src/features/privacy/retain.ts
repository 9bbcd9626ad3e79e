// The daily job that deletes what the portal keeps for a number of days only (R-PRIV-06).
import type { Database, Db } from '../../db/database.ts';
import { deleteOldErrors, deleteOldFiles, deleteOldNotices, deleteOldRows } from './retain.sql.ts';

/** The settings RETAIN_IMPORT_DAYS and RETAIN_MAIL_DAYS; 0 keeps for ever. */
export type Retention = { importDays: number; mailDays: number };

// One statement deletes this many rows, so that other statements wait only briefly on the embedded engine.
const BATCH = 2_000;

/** Deletes all rows that are older. Stops early if `signal` is aborted; the next run goes on. */
export async function deleteOldData(
  db: Database,
  { importDays, mailDays, now }: Retention & { now: Date },
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const runAll = async (
    days: number,
    work: (db: Db, batch: { before: Date; limit: number }) => Promise<number>,
  ) => {
    const before = new Date(now.getTime() - days * 86_400_000);
    while (days > 0 && !signal.aborted && (await work(db, { before, limit: BATCH })) === BATCH);
  };
  await runAll(importDays, deleteOldErrors);
  await runAll(importDays, deleteOldRows);
  await runAll(importDays, deleteOldFiles);
  await runAll(mailDays, deleteOldNotices);
}
