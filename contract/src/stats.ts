// The API call for the dashboard. It returns totals, redemptions per day, and the number of codes left per product.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

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
