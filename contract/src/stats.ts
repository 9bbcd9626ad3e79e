// The API call for the dashboard. It returns totals, redemptions per day, and the number of codes left per product.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

const count = z.int();

const stats = z.object({
  products: count,
  users: count,
  /** Numbers of codes of all products. `total` includes void codes, and `assigned` includes revoked codes. */
  coupons: z.object({ total: count, assigned: count, revoked: count, void: count }),
  /** Redemptions on each of the last 30 days, oldest day first. `day` is YYYY-MM-DD in UTC. */
  redemptions: z.array(z.object({ day: z.string(), count })),
  /**
   * Numbers of codes of each product; the product with the fewest codes left comes first. `total` excludes void codes.
   * `left` is the number of codes that can still be assigned; null for a product with a shared code without a usage
   * limit.
   */
  stock: z.array(
    z.object({
      product_id: z.string(),
      name: z.string(),
      shared_coupon: z.boolean(),
      total: count,
      left: z.nullable(count),
      revoked: count,
      void: count,
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
