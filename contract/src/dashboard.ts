// Calls of the dashboard: totals, redemptions per day, codes left per product, and failed jobs, which staff can retry.
import * as z from 'zod/mini';
import { staffCall } from './endpoint.ts';
import { line, time } from './fields.ts';
import { stockForecast } from './products.ts';

const count = z.int();

const stats = z.object({
  products: count,
  users: count,
  /** Numbers of codes of all products that are not archived (N-202). The five states add up to `total`. */
  coupons: z.object({
    total: count,
    available: count,
    assigned: count,
    revoked: count,
    void: count,
    expired: count,
  }),
  /** How far the portal is set up (R-DAY-51). */
  setup: z.object({
    /** A product that is not archived. */
    product: z.boolean(),
    /** A code of such a product. */
    codes: z.boolean(),
    /** Any grant. */
    access: z.boolean(),
    /** SMTP is configured. */
    mail: z.boolean(),
    /** More than one member of the team. */
    team: z.boolean(),
    /** A person has or had a code, from staff too. */
    issued: z.boolean(),
    /** A learner has redeemed a code. */
    redeemed: z.boolean(),
    /** The caller has hidden the card. */
    hidden: z.boolean(),
  }),
  /** Redemptions on each of the last 30 days, oldest first. `day` is YYYY-MM-DD in UTC. */
  redemptions: z.array(z.object({ day: z.string(), count })),
  /**
   * Numbers of codes of each product that is not archived. The products whose codes end first come first: without a
   * code, then by `days_left`, then those that are short, then by `left`. Ended products and shared codes come last. The
   * five states add up to `codes`. `total` excludes void and expired codes. `left` is null for a product with a shared
   * code. `unconfirmed` is the number of codes, in any state, that the portal made and the partner does not know yet.
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
      unconfirmed: count,
      ...stockForecast,
    }),
  ),
});
export type Stats = z.output<typeof stats>;

export const getStats = staffCall('viewer', 'GET', '/api/admin/stats', {
  summary: 'Figures of the dashboard',
  reply: stats,
});

export const hideSetup = staffCall('viewer', 'POST', '/api/admin/setup/hide', {
  summary: "Hide the card 'Set up your portal' from the caller",
  reply: z.object({ hidden: z.literal(true) }),
});

/** The failed jobs of one kind and reason. */
const failedJobs = z.object({
  /** For example sign-in-mail or import. Not an enum, because a newer server may send more kinds. */
  kind: z.string(),
  /** Of a single job: the name of the imported file, or the address of the mailed administrator. Otherwise null. */
  about: z.nullable(z.string()),
  /** Why the last try failed: one line from the mail server or the database. */
  reason: z.string(),
  since: time,
  count: z.int(),
});
export type FailedJobs = z.output<typeof failedJobs>;

export const listFailedJobs = staffCall('manager', 'GET', '/api/admin/jobs/failed', {
  summary: 'Jobs that failed, by kind and reason, the latest first',
  reply: z.array(failedJobs),
});

export const retryFailedJobs = staffCall('manager', 'POST', '/api/admin/jobs/retry', {
  summary: 'Try failed jobs of one kind and reason again, or only the job of one import',
  body: z
    .object({
      kind: line('kind', 64),
      reason: z.optional(line('reason', 300)),
      /** Retries only the failed job of this import; `reason` is ignored. */
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
