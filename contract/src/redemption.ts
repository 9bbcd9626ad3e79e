// The API call with which a learner redeems a product and gets a code.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { day } from './fields.ts';
import { learnerCalls } from './learner-calls.ts';

/**
 * The code that a learner gets (R-REDEEM-01). `productUrl` is the address of the product, as staff typed it. `is_new`
 * is true if this call assigned the code, and false if the learner already had the code. `use_by` is the last day of
 * the code, or null. If this code replaces a revoked code, `replaced_on` is the day on which staff replaced it;
 * otherwise null (N-99).
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
  ...learnerCalls.redeemCoupon,
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
