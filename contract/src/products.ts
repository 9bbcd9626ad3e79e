// API calls for products. A product is a partner benefit, for which learners get a code.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { day, dayField, id, inOrder, line, orNull, text, time, webAddress } from './fields.ts';

/**
 * What learners may do with a product today. 'paused' by staff; 'scheduled' before the first day of redeeming, 'ended'
 * after the last one. Several may apply: the first of archived, paused, ended, scheduled, live counts.
 */
export const productStatus = z.enum(['live', 'paused', 'archived', 'ended', 'scheduled']);
export type ProductStatus = z.output<typeof productStatus>;

/** The fields of a product that staff write. `url`: where the learner redeems, stored as typed. */
const productTexts = {
  name: z.string(),
  description: z.string(),
  url: z.string(),
  page_title: z.nullable(z.string()),
  header_text: z.nullable(z.string()),
  instructions: z.nullable(z.string()),
  shared_coupon: z.boolean(),
};

/**
 * A product, without secrets: anybody may read it (R-ENT-03). `opens_on` and `closes_on`: the first and the last day on
 * which learners may redeem; null if there is no such limit.
 */
export const product = z.object({
  product_id: z.string(),
  ...productTexts,
  status: productStatus,
  opens_on: z.nullable(day),
  closes_on: z.nullable(day),
});
export type Product = z.output<typeof product>;

/** A product in the list of staff (R-LIFE-12). `use_by_default`: last day for codes that are added without one. */
export const staffProduct = z.extend(product, {
  use_by_default: z.nullable(day),
  /** Raised by each edit; an edit of an older version is refused. */
  version: z.int(),
});
export type StaffProduct = z.output<typeof staffProduct>;

/**
 * A product on its page for staff (N-100). The fields that end in `_by` are addresses of staff, or null. `changed_at`:
 * the last edit, or null. `held`, `left` and `void` are numbers of codes.
 */
export const productRecord = z.extend(staffProduct, {
  paused_at: z.nullable(time),
  paused_by: z.nullable(z.string()),
  pause_note: z.nullable(z.string()),
  archived_at: z.nullable(time),
  archived_by: z.nullable(z.string()),
  changed_by: z.nullable(z.string()),
  changed_at: z.nullable(time),
  held: z.int(),
  left: z.int(),
  void: z.int(),
});
export type ProductRecord = z.output<typeof productRecord>;

/**
 * What the calling learner can do with a product: redeem ('ready'), see their code ('issued'), see that it was withdrawn
 * ('revoked'), wait for a day ('not_yet', see `from`) or for staff ('paused'), or nothing because no code is left.
 */
export const myProductState = z.enum(['ready', 'issued', 'revoked', 'sold_out', 'not_yet', 'paused']);
export type MyProductState = z.output<typeof myProductState>;

/**
 * A product of the calling learner (R-LIFE-23). `assigned_at`: when the learner got a code, or null. `sold_out`: no code
 * is left. `from`: the day on which redeeming begins, only with 'not_yet'. `use_by`: the last day of the learner's code.
 */
export const myProduct = z.object({
  product_id: z.string(),
  ...productTexts,
  closes_on: z.nullable(day),
  assigned_at: z.nullable(time),
  sold_out: z.boolean(),
  state: myProductState,
  from: z.nullable(day),
  use_by: z.nullable(day),
});
export type MyProduct = z.output<typeof myProduct>;

const MISSING = 'Please fill in all required fields';

const newProductFields = {
  name: line('name', 200, MISSING),
  description: text('description', 5000, MISSING),
  url: webAddress('url', MISSING),
  page_title: orNull(line('page_title', 200)),
  header_text: orNull(line('header_text', 500)),
  instructions: orNull(text('instructions', 10_000)),
  shared_coupon: z._default(z.boolean('shared_coupon must be true or false'), false),
};

/** A product to add. The last four fields are optional (R-VAL-11). */
export const newProduct = z.object(newProductFields);
export type NewProduct = z.output<typeof newProduct>;

/** A changed product: all fields, and the version that was read before (R-LIFE-10). A blank day becomes null. */
export const editedProduct = z
  .object({
    ...newProductFields,
    opens_on: orNull(dayField('opens_on')),
    closes_on: orNull(dayField('closes_on')),
    use_by_default: orNull(dayField('use_by_default')),
    version: z.int('version must be a whole number'),
  })
  .check(inOrder('opens_on', 'closes_on'));
export type EditedProduct = z.output<typeof editedProduct>;

/** A status that staff set (R-LIFE-11). `note` is for staff only, why a product is paused. */
export const newStatus = z.object({
  status: z.enum(['live', 'paused', 'archived'], 'status must be live, paused or archived'),
  note: orNull(line('note', 200)),
});
export type NewStatus = z.output<typeof newStatus>;

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
  summary: 'All products, newest first; with archived=true only the archived ones',
  query: z.object({ archived: z.optional(z.enum(['true', 'false'], 'archived must be true or false')) }),
  reply: z.array(staffProduct),
});

export const getProductRecord = endpoint({
  method: 'GET',
  path: '/api/admin/products/:id',
  access: 'admin',
  summary: 'One product with its status and its numbers of codes',
  params: z.object({ id }),
  reply: productRecord,
});

export const createProduct = endpoint({
  method: 'POST',
  path: '/api/products',
  access: 'admin',
  summary: 'Add a product',
  body: newProduct,
  reply: staffProduct,
  status: 201,
});

export const editProduct = endpoint({
  method: 'POST',
  path: '/api/admin/products/:id/edit',
  access: 'admin',
  summary: 'Change a product',
  params: z.object({ id }),
  body: editedProduct,
  reply: staffProduct,
});

export const setProductStatus = endpoint({
  method: 'POST',
  path: '/api/admin/products/:id/status',
  access: 'admin',
  summary: 'Pause, resume, archive or bring back a product',
  params: z.object({ id }),
  body: newStatus,
  reply: staffProduct,
});

export const listMyProducts = endpoint({
  method: 'GET',
  path: '/api/my/products',
  access: 'learner',
  summary: "The caller's products",
  reply: z.array(myProduct),
});
