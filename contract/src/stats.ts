// What the dashboard shows: how many there are, how many codes were redeemed a day, and what is left.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

const count = z.int();

const stats = z.object({
  products: count,
  users: count,
  coupons: z.object({ total: count, assigned: count }),
  /** The last 30 days, oldest first; `day` as YYYY-MM-DD, in UTC. */
  redemptions: z.array(z.object({ day: z.string(), count })),
  /** Scarcest first. `left` is null for a shared product whose code may be given without limit. */
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
