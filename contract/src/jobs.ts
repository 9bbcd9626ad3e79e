// Calls for failed jobs of the queue: administrators list them and retry them.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { line, time } from './fields.ts';

/** Failed jobs of one kind with the same reason. */
const failedJobs = z.object({
  /** For example sign-in-mail, stock-mail or import. A newer server may send kinds that the page does not know. */
  kind: z.string(),
  /**
   * The subject of the job if there is only one: a file name or an administrator's address. Null if there are several
   * jobs, or if the job has no subject.
   */
  about: z.nullable(z.string()),
  /** Why the last try failed: one line, as the mail server or the database worded it. */
  reason: z.string(),
  since: time,
  count: z.int(),
});
export type FailedJobs = z.output<typeof failedJobs>;

export const listFailedJobs = endpoint({
  method: 'GET',
  path: '/api/admin/jobs/failed',
  access: 'admin',
  summary: 'Jobs that failed, by kind and reason, the latest first',
  reply: z.array(failedJobs),
});

export const retryFailedJobs = endpoint({
  method: 'POST',
  path: '/api/admin/jobs/retry',
  access: 'admin',
  summary: 'Try failed jobs of one kind and reason again',
  body: z.object({ kind: line('kind', 64), reason: line('reason', 300) }),
  reply: z.object({ retried: z.int() }),
});
