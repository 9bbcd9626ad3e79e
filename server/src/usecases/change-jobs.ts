// Staff and the operator let failed jobs run again, or cancel jobs; an import's own state changes with its job.
import type { Database } from '../db/database.ts';
import { isRecurring } from '../jobs/job-kinds.ts';
import { findJob, type JobRow } from '../jobs/stores/job-lists.ts';
import * as jobs from '../jobs/stores/jobs.ts';
import { createAuditLine } from '../stores/audit.ts';
import { setImportState } from '../stores/imports.ts';
import { cancelImport } from './import-csv.ts';

type By = { now: Date; actor: string };

/** Lets failed jobs run again at once. Returns how many. */
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

/** Cancels a job that waits, runs or has failed. Returns what it was; null when there is none, or it is a recurring one. */
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
