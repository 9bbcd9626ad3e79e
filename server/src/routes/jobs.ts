// Registers the calls that list and retry failed jobs.
import { listFailedJobs, retryFailedJobs } from '@portal/contract';
import type { Database } from '../db/database.ts';
import * as lists from '../jobs/stores/job-lists.ts';
import { retryJobs } from '../usecases/change-jobs.ts';
import type { Handle } from './handle.ts';

const MOST_ROWS = 100;

export function handleJobs(handle: Handle, { db, now }: { db: Database; now: () => Date }): void {
  handle(listFailedJobs, () => lists.listFailedJobs(db, MOST_ROWS));

  handle(retryFailedJobs, async ({ body, caller }) => ({
    retried: await retryJobs(db, body, { now: now(), actor: caller.email }),
  }));
}
