// API call that returns to a member of the team what a learner sees.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { day, idInPath } from './fields.ts';
import { myProduct, myProductState } from './products.ts';

/**
 * The ticket on the page of a product, as the learner sees it.
 * If the learner would get no code now, `refusal` is the error code of the call with which the learner redeems, and
 * `title`, `message` and `day` are those of its response. If the learner holds a code that is not revoked, `coupon_id`
 * is set; `hint` contains the last characters of the code, or null if the code is too short for a hint; `use_by` and
 * `replaced_on` are those of `redemption`. Never contains the code.
 */
export const viewedTicket = z.object({
  state: myProductState,
  refusal: z.optional(z.string()),
  title: z.optional(z.string()),
  message: z.optional(z.string()),
  day: z.optional(day),
  coupon_id: z.optional(z.string()),
  hint: z.optional(z.nullable(z.string())),
  use_by: z.optional(z.nullable(day)),
  replaced_on: z.optional(z.nullable(day)),
});
export type ViewedTicket = z.output<typeof viewedTicket>;

/** What a learner sees (R-TRAIL-40). `tickets` has one entry for each of the `products`, by its `product_id`. */
export const learnerView = z.object({
  person: z.object({ user_id: z.string(), email: z.string(), name: z.nullable(z.string()) }),
  products: z.array(myProduct),
  tickets: z.record(z.string(), viewedTicket),
});
export type LearnerView = z.output<typeof learnerView>;

export const viewAsLearner = endpoint({
  method: 'GET',
  path: '/api/admin/view-as/:user_id',
  access: 'admin',
  role: 'support',
  summary: 'What a person sees as a learner: the list of products and the tickets, codes as hints',
  // Also accepts the address of the person.
  params: z.object({ user_id: idInPath }),
  reply: learnerView,
});
