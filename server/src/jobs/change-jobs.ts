// Retries failed jobs and cancels jobs, for staff and the operator. If the job belongs to an import, also changes the
// state of the import.

import { setImportState } from '../bulk/bulk-jobs.sql.ts';
import { cancelImport } from '../bulk/uploads.ts';
import type { Database } from '../db/database.ts';
import { createAuditLine } from '../features/log/audit.sql.ts';
import { isRecurring } from './job-kinds.ts';
import { findJob, type JobRow } from './job-lists.sql.ts';
import * as jobs from './jobs.sql.ts';

type By = { now: Date; actor: string };

/** Makes the selected failed jobs due now, so that a worker runs them again. Returns the number of these jobs. */
export async function retryJobs(db: Database, which: jobs.Which, { now, actor }: By): Promise<number> {
  return db.transaction(async (tx) => {
    const retried = await jobs.retryJobs(tx, which, now);
    for (const { kind, key } of retried)
      if (kind === 'import') await setImportState(tx, key, 'running', null);
    if (retried.length > 0)
      await createAuditLine(tx, {
        actor,
        action: 'job.retry',
        detail: { ...which, retried: retried.length },
      });
    return retried.length;
  });
}

/**
 * Cancels a waiting, running or failed job, and returns its kind and key. Returns null if the job does not exist, was
 * already cancelled, or is a recurring job.
 */
export async function cancelJob(
  db: Database,
  id: string,
  { now, actor }: By,
): Promise<Pick<JobRow, 'kind' | 'key'> | null> {
  const job = await findJob(db, id);
  if (job === null || job.state === 'cancelled' || isRecurring(job.kind)) return null;
  if (job.kind === 'import') return (await cancelImport(db, job.key, { now: () => now, actor })) ? job : null;
  return db.transaction(async (tx) => {
    if (!(await jobs.cancelJob(tx, { id }, now))) return null;
    await createAuditLine(tx, { actor, action: 'job.cancel', detail: { kind: job.kind, id } });
    return job;
  });
}
