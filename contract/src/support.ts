// Calls for support: the search field, which finds people, a code and products; and View as learner.
import * as z from 'zod/mini';
import { couponState, unconfirmed } from './codes.ts';
import { staffCall } from './endpoint.ts';
import { day, idInPath, page } from './fields.ts';
import { myProduct, myProductState, productStatus } from './products.ts';

/** Number of characters from which the search finds something. */
export const FIND_LEAST = 2;
/** Maximum number of people, and of products, that the search returns. */
export const FIND_MOST = 5;

const foundPerson = z.object({ user_id: z.string(), email: z.string(), name: z.nullable(z.string()) });
export type FoundPerson = z.output<typeof foundPerson>;

/** `mails_refused`: the mail server has refused the address for good (R-TRAIL-32). */
const foundUser = z.extend(foundPerson, { mails_refused: z.boolean() });

/** A code that staff typed as a whole (N-85). `holder` is null if nobody holds the code, or several people hold it. */
const foundCode = z.object({
  id: z.string(),
  hint: z.nullable(z.string()),
  product: z.object({ product_id: z.string(), name: z.string() }),
  state: couponState,
  unconfirmed,
  holder: z.nullable(foundPerson),
});
export type FoundCode = z.output<typeof foundCode>;

/** `total` and `left` are the numbers of codes, as in the statistics. */
const foundProduct = z.object({
  product_id: z.string(),
  name: z.string(),
  url: z.string(),
  logo: z.nullable(z.string()),
  status: productStatus,
  total: z.int(),
  left: z.nullable(z.int()),
});
export type FoundProduct = z.output<typeof foundProduct>;

const found = z.object({
  people: z.array(foundUser),
  code: z.nullable(foundCode),
  products: z.array(foundProduct),
});
export type Found = z.output<typeof found>;

export const findForStaff = staffCall('viewer', 'GET', '/api/admin/find', {
  summary:
    'At most 5 people, found by words of name and address, 5 products, and the code that is so; products only for a viewer',
  query: z.object({ q: page.q }),
  reply: found,
});

/**
 * The ticket on the page of a product, as the learner sees it, but without the code. If the learner would get no code now,
 * `refusal` is the error code that `redeemCoupon` would return, with its `title`, `message` and `day`. If the learner holds
 * a code that is not revoked, `coupon_id` and `hint` are set, and `use_by`, `replaced_on` and `unconfirmed` as in `redemption`.
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
  unconfirmed: z.optional(unconfirmed),
});
export type ViewedTicket = z.output<typeof viewedTicket>;

/** What a learner sees (R-TRAIL-40). `tickets` has the ticket of each product, by `product_id`. */
export const learnerView = z.object({
  person: z.object({ user_id: z.string(), email: z.string(), name: z.nullable(z.string()) }),
  // The ticket has the hint. Staff read no code here.
  products: z.array(z.extend(myProduct, { coupon_code: z.null() })),
  tickets: z.record(z.string(), viewedTicket),
});
export type LearnerView = z.output<typeof learnerView>;

export const viewAsLearner = staffCall('support', 'GET', '/api/admin/view-as/:user_id', {
  summary: 'What a person sees as a learner: the list of products and the tickets, codes as hints',
  // `user_id` may also be the address.
  params: z.object({ user_id: idInPath }),
  reply: learnerView,
});
