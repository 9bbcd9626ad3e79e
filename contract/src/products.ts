// API calls for products. A product is a partner benefit, for which learners get a code.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import {
  day,
  dayField,
  formId,
  idInPath,
  inOrder,
  line,
  text as lines,
  orNull,
  REASON_MAX,
  time,
  WEB_ADDRESS_MAX,
  webAddress,
} from './fields.ts';
import { learnerCalls } from './learner-calls.ts';

/**
 * Status of a product today. Learners may redeem only a 'live' product. Staff set 'paused' and 'archived'. 'scheduled'
 * means before `opens_on`; 'ended' means after `closes_on`. If several of these apply, the status is the first of:
 * archived, paused, ended, scheduled.
 */
export const productStatus = z.enum(['live', 'paused', 'archived', 'ended', 'scheduled']);
export type ProductStatus = z.output<typeof productStatus>;

/**
 * The texts of a product that staff enter, in the order of their form. The schemas, the form, the labels of the log, and
 * the columns and samples of the CSV file come from this list. `max` is the limit in characters. A text with `rows` may
 * have several lines, and its field is so high. A text that is not required is null if it is blank.
 */
export const PRODUCT_TEXTS = [
  { name: 'name', label: 'Name', max: 200, required: true, samples: ['Sample Tool', 'Another Tool'] },
  // The address at which learners use their code at the partner. It is stored as staff typed it.
  {
    name: 'url',
    label: 'URL',
    max: WEB_ADDRESS_MAX,
    required: true,
    samples: ['https://tool.example/redeem', 'tool2.example/codes'],
  },
  {
    name: 'description',
    label: 'Description',
    max: 5000,
    rows: 3,
    required: true,
    samples: ['A writing tool, twelve months', 'Clear speech from text'],
  },
  { name: 'page_title', label: 'Page Title', max: 200, samples: ['Sample Tool offer', ''] },
  { name: 'header_text', label: 'Header Text', max: 500, samples: ['For the autumn cohort', ''] },
  {
    name: 'instructions',
    label: 'Instructions',
    max: 10_000,
    rows: 3,
    samples: ['Open https://tool.example\nPaste your code', ''],
  },
] as const;
type ProductText = (typeof PRODUCT_TEXTS)[number];
export type ProductTextName = ProductText['name'];

/** The days of a product that staff set after it was added. */
export const PRODUCT_DAYS = [
  { name: 'opens_on', label: 'Redeeming opens' },
  { name: 'closes_on', label: 'Redeeming closes' },
  { name: 'use_by_default', label: 'Default last day for codes' },
] as const;
export type ProductDayName = (typeof PRODUCT_DAYS)[number]['name'];

type RequiredText = Extract<ProductText, { required: true }>['name'];
type OfTexts<Required, Optional> = Record<RequiredText, Required> &
  Record<Exclude<ProductTextName, RequiredText>, Optional>;

/** Returns an object with a value for each text. */
function ofTexts<Required, Optional>(pick: (text: ProductText) => Required | Optional) {
  const values = Object.fromEntries(PRODUCT_TEXTS.map((text) => [text.name, pick(text)]));
  return values as OfTexts<Required, Optional>;
}

const text = z.string();
const textOrNull = z.nullable(text);
const productTexts = {
  ...ofTexts<typeof text, typeof textOrNull>((each) => ('required' in each ? text : textOrNull)),
  shared_coupon: z.boolean(),
};

/**
 * A product as everybody may read it, without codes (R-ENT-03). `opens_on` and `closes_on` are the first and the last
 * day on which learners may redeem; null means no limit.
 */
export const product = z.object({
  product_id: z.string(),
  ...productTexts,
  status: productStatus,
  opens_on: z.nullable(day),
  closes_on: z.nullable(day),
});
export type Product = z.output<typeof product>;

/**
 * A product in the list for staff (R-LIFE-12). `use_by_default` is the last day of codes that are added without a last
 * day; null if such codes never expire.
 */
export const staffProduct = z.extend(product, {
  use_by_default: z.nullable(day),
  /** Each edit increases the version. The server refuses an edit that is based on an older version. */
  version: z.int(),
});
export type StaffProduct = z.output<typeof staffProduct>;

/**
 * A product on its staff page (N-100). `paused_by`, `archived_by` and `changed_by` are e-mail addresses of staff, or
 * null. `changed_at` is the time of the last edit, or null. `held`, `left`, `revoked`, `void` and `expired` are the numbers
 * of its codes; `left` counts the free codes.
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
  revoked: z.int(),
  void: z.int(),
  expired: z.int(),
});
export type ProductRecord = z.output<typeof productRecord>;

/**
 * What the calling learner can do with a product. 'ready': redeem it. 'issued': see the code that the learner holds.
 * 'revoked': see that staff revoked the code. 'sold_out': nothing, because no code is left. 'not_yet': wait for the day
 * `from`. 'paused': wait until staff resume the product.
 */
export const myProductState = z.enum(['ready', 'issued', 'revoked', 'sold_out', 'not_yet', 'paused']);
export type MyProductState = z.output<typeof myProductState>;

/**
 * A product of the calling learner (R-LIFE-23). `assigned_at` is the time at which the learner got a code, or null.
 * `sold_out` is true if no code is left. `from` is the first day on which the learner may redeem; null unless `state`
 * is 'not_yet'. `use_by` is the last day of the learner's code, or null.
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

type Line = ReturnType<typeof line>;

function readText(each: ProductText) {
  const { name, max } = each;
  if (name === 'url') return webAddress(name, MISSING);
  const read = 'rows' in each ? lines : line;
  return 'required' in each ? read(name, max, MISSING) : orNull(read(name, max));
}

const newProductFields = {
  ...ofTexts<Line, ReturnType<typeof orNull<Line>>>(readText),
  shared_coupon: z._default(z.boolean('shared_coupon must be true or false'), false),
};

/** A product to add. Texts that are not required, and `shared_coupon`, are optional (R-VAL-11). */
export const newProduct = z.object(newProductFields);
export type NewProduct = z.output<typeof newProduct>;

/**
 * An edit of a product: the new values of all fields, and the version of the product before the edit (R-LIFE-10). A day
 * that staff leave blank becomes null.
 */
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

/**
 * Request to change the status of a product (R-LIFE-11). `note` says why the product is paused; only staff see it. `was` is
 * the status that staff saw: if somebody else changed it meanwhile, the call is refused with `edit_conflict`. 'live' then
 * also stands for 'scheduled' and 'ended'.
 */
export const newStatus = z.object({
  status: z.enum(['live', 'paused', 'archived'], 'status must be live, paused or archived'),
  note: orNull(line('note', REASON_MAX)),
  was: z.optional(z.enum(['live', 'paused', 'archived'], 'was must be live, paused or archived')),
});
export type NewStatus = z.output<typeof newStatus>;

export const getProduct = endpoint({
  ...learnerCalls.getProduct,
  access: 'visitor',
  summary: 'One product',
  params: z.object({ id: idInPath }),
  reply: product,
});

export const listProducts = endpoint({
  method: 'GET',
  path: '/api/products',
  access: 'admin',
  role: 'viewer',
  summary: 'All products, newest first; with archived=true only the archived ones',
  query: z.object({ archived: z.optional(z.enum(['true', 'false'], 'archived must be true or false')) }),
  reply: z.array(staffProduct),
});

export const getProductRecord = endpoint({
  method: 'GET',
  path: '/api/admin/products/:id',
  access: 'admin',
  role: 'viewer',
  summary: 'One product with its status and its numbers of codes',
  params: z.object({ id: idInPath }),
  reply: productRecord,
});

export const createProduct = endpoint({
  method: 'POST',
  path: '/api/products',
  access: 'admin',
  role: 'manager',
  summary: 'Add a product',
  /** `id` becomes the id of the product. */
  body: z.extend(newProduct, { id: formId }),
  reply: staffProduct,
  status: 201,
});

export const editProduct = endpoint({
  method: 'POST',
  path: '/api/admin/products/:id/edit',
  access: 'admin',
  role: 'manager',
  summary: 'Change a product',
  params: z.object({ id: idInPath }),
  body: editedProduct,
  reply: staffProduct,
});

export const setProductStatus = endpoint({
  method: 'POST',
  path: '/api/admin/products/:id/status',
  access: 'admin',
  role: 'manager',
  summary: 'Pause, resume, archive or bring back a product',
  params: z.object({ id: idInPath }),
  body: newStatus,
  reply: staffProduct,
});

export const listMyProducts = endpoint({
  ...learnerCalls.listMyProducts,
  access: 'learner',
  summary: "The caller's products",
  reply: z.array(myProduct),
});
