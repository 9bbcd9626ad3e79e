// API call of the search field in the header of the staff pages. It finds people, a code and products.
import * as z from 'zod/mini';
import { couponState } from './coupons.ts';
import { endpoint } from './endpoint.ts';
import { page } from './fields.ts';
import { productStatus } from './products.ts';

/** Number of characters from which the search finds something. */
export const FIND_LEAST = 2;
/** Maximum number of people, and of products, that the search returns. */
export const FIND_MOST = 5;

const foundPerson = z.object({ user_id: z.string(), email: z.string(), name: z.nullable(z.string()) });
export type FoundPerson = z.output<typeof foundPerson>;

/** `mails_refused`: the mail server refuses mails to this address for good (R-TRAIL-32). */
const foundUser = z.extend(foundPerson, { mails_refused: z.boolean() });

/**
 * A code that somebody typed as a whole (N-85). The reply never contains the code itself. `hint` contains its last
 * characters, or null if the code is too short for a hint. `holder` is null if nobody holds the code, or several people
 * hold it.
 */
const foundCode = z.object({
  id: z.string(),
  hint: z.nullable(z.string()),
  product: z.object({ product_id: z.string(), name: z.string() }),
  state: couponState,
  holder: z.nullable(foundPerson),
});
export type FoundCode = z.output<typeof foundCode>;

/** `total` and `left` are the numbers of codes, as in the statistics. */
const foundProduct = z.object({
  product_id: z.string(),
  name: z.string(),
  url: z.string(),
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

export const findForStaff = endpoint({
  method: 'GET',
  path: '/api/admin/find',
  access: 'admin',
  role: 'viewer',
  summary:
    'At most 5 people, found by words of name and address, 5 products, and the code that is so; products only for a viewer',
  query: z.object({ q: page.q }),
  reply: found,
});
