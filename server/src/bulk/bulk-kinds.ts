// The kinds of work on many rows that have no file.
import type { Db } from '../db/database.ts';
import { USE_BY, VOID } from './batch-acts.ts';
import { findBulkJob } from './bulk-jobs.sql.ts';
import { PEOPLE_ACT } from './people-acts.ts';
import { type Bulk, reportBulk } from './run-bulk.ts';
import { UNDO } from './undo.ts';

/** All kinds, by import_job.kind. The other kinds of import_job are those of files. */
const BULKS: Record<string, Bulk | undefined> = {
  void: VOID,
  use_by: USE_BY,
  act: PEOPLE_ACT,
  undo: UNDO,
};

/** Returns the work that the job with this id does; undefined if it is an import or the check of a file. */
export async function findBulk(db: Db, id: string): Promise<Bulk | undefined> {
  return BULKS[(await findBulkJob(db, id))?.kind ?? ''];
}

/** Writes the audit line of a job that has failed or was cancelled. Writes nothing about the import of a file. */
export async function reportIfBulk(tx: Db, id: string): Promise<void> {
  const bulk = await findBulk(tx, id);
  if (bulk !== undefined) await reportBulk(tx, id, bulk);
}
