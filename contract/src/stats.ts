// The call for the dashboard: totals, redemptions per day, and remaining stock.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

const count = z.int();

const stats = z.object({
  products: count,
  users: count,
  coupons: z.object({ total: count, assigned: count }),
  /** The last 30 days, oldest first; `day` is YYYY-MM-DD in UTC. */
  redemptions: z.array(z.object({ day: z.string(), count })),
  /** Lowest stock first. `left` is null for a shared product whose code has no usage limit. */
  stock: z.array(
    z.object({
      product_id: z.string(),
      name: z.string(),
      shared_coupon: z.boolean(),
      total: count,
      left: z.nullable(count),
    }),
  ),
});
export type Stats = z.output<typeof stats>;

export const getStats = endpoint({
  method: 'GET',
  path: '/api/admin/stats',
  access: 'admin',
  summary: 'Figures of the dashboard',
  reply: stats,
});
