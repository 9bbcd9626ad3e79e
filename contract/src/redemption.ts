// The API call with which a learner redeems a product and gets a code.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { day } from './fields.ts';

/**
 * The learner's code (R-REDEEM-01). `productUrl` is the stored address, unchanged. `is_new` is true if this call
 * assigned the code, false if the learner already had it. `use_by`: the last day of the code, or null. `replaced_on`: the day
 * on which staff replaced a revoked code by this one, or null (N-99).
 */
export const redemption = z.object({
  success: z.literal(true),
  coupon: z.object({ couponCode: z.string(), assigned_at: z.string() }),
  productUrl: z.string(),
  is_new: z.boolean(),
  use_by: z.nullable(day),
  replaced_on: z.nullable(day),
});
export type Redemption = z.output<typeof redemption>;

export const redeemCoupon = endpoint({
  method: 'POST',
  path: '/api/redeem-secure',
  access: 'learner',
  summary: "Take the caller's code of a product; the same one on every later call",
  body: z.object({
    productId: z.string().check(z.minLength(1), z.maxLength(64)),
  }),
  reply: redemption,
  refusals: {
    authentication_required: {
      title: 'Authentication Required',
      message: 'Please log in to redeem coupons.',
    },
    invalid_request: { title: 'Error', message: 'Product information not available' },
  },
});
