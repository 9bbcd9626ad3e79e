// API calls with which administrators list and retry the failed jobs of the job queue.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { line, time } from './fields.ts';

/** A group of failed jobs that have the same kind and failed for the same reason. */
const failedJobs = z.object({
  /**
   * Kind of the jobs, for example sign-in-mail, stock-mail or import. The schema is not an enum, because a newer server
   * may send more kinds.
   */
  kind: z.string(),
  /**
   * If this group has a single job: the name of the file that it imports, or the address of the administrator whom it
   * mails. Null for a group of several jobs, and for a job with neither file nor address.
   */
  about: z.nullable(z.string()),
  /** Why the last try failed: one line of text that the mail server or the database returned. */
  reason: z.string(),
  since: time,
  count: z.int(),
});
export type FailedJobs = z.output<typeof failedJobs>;

export const listFailedJobs = endpoint({
  method: 'GET',
  path: '/api/admin/jobs/failed',
  access: 'admin',
  role: 'manager',
  summary: 'Jobs that failed, by kind and reason, the latest first',
  reply: z.array(failedJobs),
});

export const retryFailedJobs = endpoint({
  method: 'POST',
  path: '/api/admin/jobs/retry',
  access: 'admin',
  role: 'manager',
  summary: 'Try failed jobs of one kind and reason again, or only the job of one import',
  body: z
    .object({
      kind: line('kind', 64),
      reason: z.optional(line('reason', 300)),
      /** The portal retries only the failed job of this import, and ignores `reason`. */
      import_id: z.optional(z.uuid('import_id must be a UUID')),
    })
    .check(
      z.refine(({ reason, import_id }) => reason !== undefined || import_id !== undefined, {
        error: 'reason is required',
        path: ['reason'],
      }),
    ),
  reply: z.object({ retried: z.int() }),
});
