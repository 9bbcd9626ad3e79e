// Calls about products. A product is a partner benefit, for which learners get a code.
import * as z from 'zod/mini';
import { endpoint, staffCall } from './endpoint.ts';
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
 * Status of a product today. Learners may redeem only a 'live' product. 'scheduled': before `opens_on`. 'ended': after
 * `closes_on`. If several apply, the status is the first of: archived, paused, ended, scheduled.
 */
export const productStatus = z.enum(['live', 'paused', 'archived', 'ended', 'scheduled']);
export type ProductStatus = z.output<typeof productStatus>;

/**
 * The texts of a product, in the order of the form. Schemas, form, labels of the log, columns and samples of the CSV file
 * come from this list. `max` is the limit in characters. A text with `rows` may have several lines; `rows` is the height
 * of its field. A text that is not required is null if it is blank.
 */
export const PRODUCT_TEXTS = [
  { name: 'name', label: 'Name', max: 200, required: true, samples: ['Sample Tool', 'Another Tool'] },
  // The partner's address at which learners use their code, as staff typed it.
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

/**
 * The texts for the learner's card and page, each null if it is blank. As `PRODUCT_TEXTS`, but a call that leaves one out
 * leaves it unchanged (N-244), and in a CSV file their columns follow all others.
 */
export const PRODUCT_FACTS = [
  { name: 'category', label: 'Category', max: 40 },
  { name: 'value', label: 'Value', max: 40 },
  { name: 'terms', label: 'Terms', max: 2000, rows: 3 },
] as const;
export type ProductFactName = (typeof PRODUCT_FACTS)[number]['name'];

/** Limits of the perks of a product: their number, and the characters of each. */
export const PERKS_MAX = 3;
export const PERK_MAX = 80;
/** The last place on the learner's home. */
export const POSITION_MAX = 9999;

export type ProductTextName = ProductText['name'];

/** The days that staff set after they have added the product. */
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
  category: textOrNull,
  value: textOrNull,
  terms: textOrNull,
  /** One to three short advantages; null: the perks of the brand. */
  perks: z.nullable(z.array(text)),
  /** Path of the picture (`getLogo`), which changes with the picture; null: none (R-CAT-02). */
  logo: textOrNull,
};

/** A product as everybody may read it (R-ENT-03). Learners may redeem from `opens_on` to `closes_on`; null is no limit. */
export const product = z.object({
  product_id: z.string(),
  ...productTexts,
  status: productStatus,
  opens_on: z.nullable(day),
  closes_on: z.nullable(day),
});
export type Product = z.output<typeof product>;

/** A product in the list of staff (R-LIFE-12). `use_by_default` is the last day of codes that are added without one. */
export const staffProduct = z.extend(product, {
  use_by_default: z.nullable(day),
  /** Place on the learner's home, from 0. Products with the same place are sorted by name. */
  position: z.int(),
  /** Each edit raises the version. The server refuses an edit of an older version. */
  version: z.int(),
});
export type StaffProduct = z.output<typeof staffProduct>;

/**
 * A row of the list of products (N-208). `left` is the number of free codes, null for a shared code. `held` is the number
 * of codes that people hold. `redeemed_30` is the number of redemptions by learners in the last 30 days in UTC.
 */
export const listedProduct = z.extend(staffProduct, {
  left: z.nullable(z.int()),
  held: z.int(),
  redeemed_30: z.int(),
});
export type ListedProduct = z.output<typeof listedProduct>;

/**
 * How long the codes of a product last (R-DAY-68). The portal counts people and hand-outs at intervals, at least once an
 * hour. The codes that are left and handed out since that count are taken into account. All fields are null if there was
 * no count yet, the product is archived or ended, or it has a shared code.
 */
export const stockForecast = {
  /** People with access today who never held a code of the product. */
  without_code: z.nullable(z.int()),
  /** Codes that are missing if each of these people redeems; 0 if the codes are enough. */
  short: z.nullable(z.int()),
  /**
   * Codes handed out a day, rounded to one decimal: the mean of the last 14 full days in UTC. Null if there were fewer
   * than ten, or the first code of the product was handed out less than seven days ago.
   */
  pace: z.nullable(z.number()),
  /**
   * Full days until no code is left at that pace. Leaves out the codes that expire first. `days_left` and
   * `expiring_first` are null without a pace, and while the product is paused or scheduled.
   */
  days_left: z.nullable(z.int()),
  /** Codes that expire before they are handed out at that pace. */
  expiring_first: z.nullable(z.int()),
  /** The first day on which some of these codes expire; null if there are none. */
  expires_on: z.nullable(day),
  /** The time of the count. */
  forecast_at: z.nullable(time),
};

/**
 * A product on its staff page (N-100). The fields `…_by` are addresses of staff. `held`, `left` (free), `revoked`, `void`
 * and `expired` are numbers of codes.
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
  ...stockForecast,
});
export type ProductRecord = z.output<typeof productRecord>;

/**
 * What the calling learner can do with a product. 'ready': redeem. 'issued': see the held code. 'revoked': see that staff
 * revoked the code. 'sold_out': nothing. 'not_yet': wait for the day `from`. 'paused': wait until staff resume the product.
 */
export const myProductState = z.enum(['ready', 'issued', 'revoked', 'sold_out', 'not_yet', 'paused']);
export type MyProductState = z.output<typeof myProductState>;

/**
 * A product of the calling learner (R-LIFE-23). `assigned_at` and `use_by` are the time of assignment and the last day of
 * the learner's code, or null. `from` is the first day on which the learner may redeem; null unless `state` is 'not_yet'.
 * An `unconfirmed` code may not work yet; false without a code. `coupon_code` is the learner's code while the state is
 * 'issued', otherwise null (N-242). `ends_on` is set in two states: if 'issued', the last day of the code; if 'ready', the
 * earliest of `closes_on`, the last day of the access and that of the next code. It is null if there is no such day. The
 * list is in the order of the learner's home (R-CAT-11).
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
  unconfirmed: z.boolean(),
  coupon_code: textOrNull,
  ends_on: z.nullable(day),
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

const perkList = z.array(
  line('perks', PERK_MAX, 'perks must not contain a blank text'),
  'perks must be a list of texts',
);

// Each may be absent: then a new product has none, and an edit leaves it unchanged (N-244).
const catalogueFields = {
  category: z.optional(orNull(line('category', factMax('category')))),
  value: z.optional(orNull(line('value', factMax('value')))),
  terms: z.optional(orNull(lines('terms', factMax('terms')))),
  perks: z.optional(
    z.pipe(
      z.nullable(perkList.check(z.maxLength(PERKS_MAX, `perks must have at most ${PERKS_MAX} texts`))),
      z.transform((perks) => (perks?.length ? perks : null)),
    ),
  ),
  position: z.optional(
    z
      .int('position must be a whole number')
      .check(
        z.gte(0, `position must be from 0 to ${POSITION_MAX}`),
        z.lte(POSITION_MAX, `position must be from 0 to ${POSITION_MAX}`),
      ),
  ),
};

function factMax(fact: ProductFactName): number {
  return PRODUCT_FACTS.find(({ name }) => name === fact)?.max ?? 0;
}

/** A product to add (R-VAL-11). */
export const newProduct = z.object({ ...newProductFields, ...catalogueFields });
export type NewProduct = z.output<typeof newProduct>;

/** An edit of a product: new values of all fields, and the version that staff saw (R-LIFE-10). */
export const editedProduct = z
  .object({
    ...newProductFields,
    ...catalogueFields,
    opens_on: orNull(dayField('opens_on')),
    closes_on: orNull(dayField('closes_on')),
    use_by_default: orNull(dayField('use_by_default')),
    version: z.int('version must be a whole number'),
  })
  .check(inOrder('opens_on', 'closes_on'));
export type EditedProduct = z.output<typeof editedProduct>;

/**
 * A change of a product's status (R-LIFE-11). `note` says why the product is paused; only staff see the note. `was` is the
 * status that staff saw, with 'live' also for 'scheduled' and 'ended'. If the status is another by now, the call is
 * refused with `edit_conflict`.
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

export const listProducts = staffCall('viewer', 'GET', '/api/products', {
  summary: 'All products, newest first; with archived=true only the archived ones',
  query: z.object({ archived: z.optional(z.enum(['true', 'false'], 'archived must be true or false')) }),
  reply: z.array(listedProduct),
});

export const getProductRecord = staffCall('viewer', 'GET', '/api/admin/products/:id', {
  summary: 'One product with its status and its numbers of codes',
  params: z.object({ id: idInPath }),
  reply: productRecord,
});

export const createProduct = staffCall('manager', 'POST', '/api/products', {
  summary: 'Add a product',
  body: z.extend(newProduct, { id: formId }),
  reply: staffProduct,
  status: 201,
});

export const editProduct = staffCall('manager', 'POST', '/api/admin/products/:id/edit', {
  summary: 'Change a product',
  params: z.object({ id: idInPath }),
  body: editedProduct,
  reply: staffProduct,
});

export const setProductStatus = staffCall('manager', 'POST', '/api/admin/products/:id/status', {
  summary: 'Pause, resume, archive or bring back a product',
  params: z.object({ id: idInPath }),
  body: newStatus,
  reply: staffProduct,
});

/** Limits of a logo: bytes, and pixels a side (R-CAT-01). SVG is no type, because it can hold script. */
export const LOGO = {
  types: ['image/png', 'image/jpeg', 'image/webp'],
  bytesMax: 200_000,
  least: 32,
  most: 1024,
} as const;
export type LogoType = (typeof LOGO.types)[number];

export const setLogo = staffCall('manager', 'PUT', '/api/admin/products/:id/logo', {
  summary: 'Set the logo of a product. The body is the picture: PNG, JPEG or WebP, 32 to 1,024 pixels a side',
  params: z.object({ id: idInPath }),
  body: z.unknown(),
  bodyTypes: LOGO.types,
  bodyLimit: LOGO.bytesMax,
  reply: z.object({ logo: z.string() }),
});

export const removeLogo = staffCall('manager', 'DELETE', '/api/admin/products/:id/logo', {
  summary: 'Remove the logo of a product',
  params: z.object({ id: idInPath }),
  reply: z.object({ logo: z.null() }),
});

export const getLogo = endpoint({
  method: 'GET',
  path: '/api/products/:id/logo/:sha256',
  access: 'visitor',
  summary: 'The picture of a product',
  params: z.object({ id: idInPath, sha256: z.string() }),
  reply: z.unknown(),
});

export const listMyProducts = endpoint({
  ...learnerCalls.listMyProducts,
  access: 'learner',
  summary: "The caller's products",
  reply: z.array(myProduct),
});
