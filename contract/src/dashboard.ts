// Calls of the dashboard: totals, redemptions per day and codes left per product; and the failed jobs, which can be retried.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { line, time } from './fields.ts';

const count = z.int();

const stats = z.object({
  products: count,
  users: count,
  /**
   * Numbers of codes of all products that are not archived (N-202). Each code has one of the five states, so the states
   * add up to `total`.
   */
  coupons: z.object({
    total: count,
    available: count,
    assigned: count,
    revoked: count,
    void: count,
    expired: count,
  }),
  /** Redemptions on each of the last 30 days, oldest day first. `day` is YYYY-MM-DD in UTC. */
  redemptions: z.array(z.object({ day: z.string(), count })),
  /**
   * Numbers of codes of each product that is not archived; the product with the fewest codes left comes first. The five
   * states add up to `codes`. `total` excludes void and expired codes. `left` is the number of codes that can still be
   * assigned; null for a product with a shared code.
   */
  stock: z.array(
    z.object({
      product_id: z.string(),
      name: z.string(),
      shared_coupon: z.boolean(),
      total: count,
      left: z.nullable(count),
      codes: count,
      free: count,
      held: count,
      revoked: count,
      void: count,
      expired: count,
    }),
  ),
});
export type Stats = z.output<typeof stats>;

export const getStats = endpoint({
  method: 'GET',
  path: '/api/admin/stats',
  access: 'admin',
  role: 'viewer',
  summary: 'Figures of the dashboard',
  reply: stats,
});

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
