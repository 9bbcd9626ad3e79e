// Jobs of the queue that failed: what staff see of them, and how they are tried again.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { line, time } from './fields.ts';

/** Failed jobs of one kind with the same reason. */
const failedJobs = z.object({
  /** Such as sign-in-mail, stock-mail, import; a newer version may have kinds that the page does not know. */
  kind: z.string(),
  /** What the only one of them is about: a file, an administrator's address; null when there are several, or nothing to name. */
  about: z.nullable(z.string()),
  /** Why the last try failed: a line, in the words of the mail server or the database. */
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
