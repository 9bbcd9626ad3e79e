// Registers the routes that list and retry failed jobs.
import { listFailedJobs, retryFailedJobs } from '@portal/contract';
import type { Database } from '../db/database.ts';
import type { Handle } from '../http/handle.ts';
import { retryJobs } from './change-jobs.ts';
import * as lists from './job-lists.sql.ts';

const MOST_ROWS = 100;

export function handleJobs(handle: Handle, { db, now }: { db: Database; now: () => Date }): void {
  handle(listFailedJobs, () => lists.listFailedJobs(db, MOST_ROWS));

  handle(retryFailedJobs, async ({ body: { kind, reason = '', import_id }, caller }) => {
    const which = import_id === undefined ? { kind, reason } : { kind, key: import_id.toLowerCase() };
    return { retried: await retryJobs(db, which, { now: now(), actor: caller.email }) };
  });
}
