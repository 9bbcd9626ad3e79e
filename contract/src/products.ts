// API calls for products. A product is a partner benefit, for which learners get a code.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { id, line, orNull, text, time, webAddress } from './fields.ts';

/**
 * The public fields of a product (R-ENT-03). `url` is the address of the partner's page on which the learner uses the
 * code, exactly as an administrator typed it.
 */
export const product = z.object({
  product_id: z.string(),
  name: z.string(),
  description: z.string(),
  url: z.string(),
  page_title: z.nullable(z.string()),
  header_text: z.nullable(z.string()),
  instructions: z.nullable(z.string()),
  shared_coupon: z.boolean(),
});
export type Product = z.output<typeof product>;

/**
 * A product that the calling learner may redeem. `assigned_at` is the time at which the learner got a code, or null.
 * `sold_out` is true if the learner has no code and no code is left.
 */
export const myProduct = z.extend(product, {
  assigned_at: z.nullable(time),
  sold_out: z.boolean(),
});
export type MyProduct = z.output<typeof myProduct>;

const MISSING = 'Please fill in all required fields';

/** A product to add. The last four fields are optional (R-VAL-11). */
export const newProduct = z.object({
  name: line('name', 200, MISSING),
  description: text('description', 5000, MISSING),
  url: webAddress('url', MISSING),
  page_title: orNull(line('page_title', 200)),
  header_text: orNull(line('header_text', 500)),
  instructions: orNull(text('instructions', 10_000)),
  shared_coupon: z._default(z.boolean('shared_coupon must be true or false'), false),
});
export type NewProduct = z.output<typeof newProduct>;

export const getProduct = endpoint({
  method: 'GET',
  path: '/api/products/:id',
  access: 'visitor',
  summary: 'One product',
  params: z.object({ id }),
  reply: product,
});

export const listProducts = endpoint({
  method: 'GET',
  path: '/api/products',
  access: 'admin',
  summary: 'All products, newest first',
  reply: z.array(product),
});

export const createProduct = endpoint({
  method: 'POST',
  path: '/api/products',
  access: 'admin',
  summary: 'Add a product',
  body: newProduct,
  reply: product,
  status: 201,
});

export const listMyProducts = endpoint({
  method: 'GET',
  path: '/api/my/products',
  access: 'learner',
  summary: "The caller's products",
  reply: z.array(myProduct),
});
