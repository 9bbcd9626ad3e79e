// Calls about codes: staff list, add, issue, revoke and void them, one by one or by upload (batch); a learner redeems.
import * as z from 'zod/mini';
import { endpoint, staffCall } from './endpoint.ts';
import {
  day,
  dayField,
  id,
  idInPath,
  inPages,
  keyLine,
  knownEmail,
  line,
  orNull,
  page,
  REASON_MAX,
  REASON_MIN,
  reason,
  requiredId,
  time,
} from './fields.ts';
import { expectedCount, startedJob } from './grants.ts';
import { learnerCalls } from './learner-calls.ts';

/** Maximum length of a code, in characters. */
export const COUPON_CODE_MAX = 255;

/**
 * State of a code. 'free': can be assigned to a user. 'held': assigned to a user, also after its last day. 'revoked':
 * stays assigned to the user, who no longer sees the code. 'void': assigned to nobody, and must not be assigned.
 * 'expired': assigned to nobody, and its last day is today or earlier (N-201).
 */
export const couponState = z.enum(['free', 'held', 'revoked', 'void', 'expired']);
export type CouponState = z.output<typeof couponState>;

/**
 * True if the portal made the code, and staff have not said yet that the partner knows it (R-DAY-33). False for codes that
 * are older than this mark.
 */
export const unconfirmed = z.boolean();

/**
 * A coupon code (R-ENT-05, R-LIFE-24). `email` is the address of the holder, or null. `use_by` is the last day on which
 * the partner accepts the code, or null.
 */
export const coupon = z.object({
  id: z.string(),
  coupon_code: z.string(),
  product_id: z.string(),
  email: z.nullable(z.string()),
  assigned_at: z.nullable(time),
  usage_limit: z.nullable(z.int()),
  state: couponState,
  unconfirmed,
  use_by: z.nullable(day),
  batch_id: z.string(),
});
export type Coupon = z.output<typeof coupon>;

/** A hidden code (R-IMP-41) has `coupon_code` null and its suffix as `hint` (`findSuffix`). Other codes have no `hint`. */
export const maskedCode = { coupon_code: z.nullable(z.string()), hint: z.optional(z.nullable(z.string())) };

export const listedCoupon = z.extend(coupon, maskedCode);
export type ListedCoupon = z.output<typeof listedCoupon>;

// Blank, missing and non-numeric values all mean "no limit".
const usageLimit = z.pipe(
  z.transform((value: unknown) => {
    const parsed = Number.parseInt(String(value ?? ''), 10);
    return Number.isNaN(parsed) ? null : parsed;
  }),
  z.nullable(
    z
      .int('usage_limit must be a whole number')
      .check(
        z.gte(1, 'usage_limit must be at least 1'),
        z.lte(2_147_483_647, 'usage_limit must be at most 2147483647'),
      ),
  ),
);

/** A code to add. If `coupon_code` is blank, the server generates a code. */
export const newCoupon = z.object({
  coupon_code: orNull(keyLine('coupon_code', COUPON_CODE_MAX)),
  product_id: requiredId('Please select a product'),
  usage_limit: usageLimit,
});
export type NewCoupon = z.output<typeof newCoupon>;

/** The states by which codes are listed, counted and exported: free, held, revoked, void and expired. */
export const codeStatus = z.enum(['available', 'assigned', 'revoked', 'void', 'expired']);

/** With 'true', a list has only codes of archived products; otherwise it has such codes only with `product_id` (N-202). */
export const onlyArchived = z.optional(z.enum(['true', 'false'], 'archived must be true or false'));

/** With 'true', a list has only codes that the portal generated, newest first (R-IMP-15). */
export const onlyGenerated = z.optional(z.literal('true', "generated must be 'true'"));

export const issueRequest = z.object({ email: knownEmail, productId: requiredId('productId is required') });

const issuedCoupon = z.object({
  success: z.literal(true),
  /** Hidden only if somebody else assigned the code to the user before (R-IMP-44). */
  coupon: z.object({
    ...maskedCode,
    product_id: z.string(),
    email: z.string(),
    assigned_at: time,
    use_by: z.nullable(day),
    unconfirmed,
  }),
  /** A warning, for example that no code was left, so the portal generated one. */
  warning: z.optional(z.string()),
});
export type IssuedCoupon = z.output<typeof issuedCoupon>;

/**
 * Orders of the list of coupons (N-205). `assigned` begins with the newest; `use_by`, for free codes only, with the
 * earliest; '-' reverses. Codes without the value always come last.
 */
export const CODE_SORTS = ['assigned', '-assigned', 'use_by', '-use_by'] as const;
export type CodeSort = (typeof CODE_SORTS)[number];

type CodesQuery = Partial<Record<'sort' | 'product_id' | 'status' | 'q' | 'generated', string>> & {
  limit?: number;
};

/** All other selections in another order than newest first would read all their codes. */
const isSortable = ({ sort, limit, product_id, q, generated }: CodesQuery) =>
  sort === undefined || (limit !== undefined && product_id !== undefined && !q && generated === undefined);
const isSortableByDay = ({ sort, status }: CodesQuery) => !sort?.endsWith('use_by') || status === 'available';

export const listCoupons = staffCall('support', 'GET', '/api/coupons', {
  summary:
    'Coupons, newest first; with q those whose code begins so, or is so if codes are hidden, then those whose holder’s address begins so',
  query: z
    .object({
      ...page,
      product_id: z.optional(z.string().check(z.maxLength(64))),
      status: z.optional(codeStatus),
      archived: onlyArchived,
      generated: onlyGenerated,
      sort: z.optional(z.enum(CODE_SORTS, `sort must be one of ${CODE_SORTS.join(', ')}`)),
    })
    .check(inPages)
    .check(
      z.refine(isSortable, 'sort needs limit and product_id, and cannot be combined with q or generated'),
      z.refine(isSortableByDay, 'sort by use_by needs status=available'),
    ),
  reply: z.array(listedCoupon),
});

export const createCoupon = staffCall('manager', 'POST', '/api/admin/coupons/single', {
  summary: 'Add a coupon',
  body: newCoupon,
  reply: coupon,
  status: 201,
});

export const generateCoupon = staffCall('support', 'POST', '/api/admin/generate-coupon', {
  summary: 'Give a user a code of a product; the same one when they hold one',
  /** With `generate` false, the call is refused with `no_coupon_left` instead of making a code (R-DAY-33). */
  body: z.extend(issueRequest, { generate: z._default(z.boolean('generate must be true or false'), true) }),
  reply: issuedCoupon,
});

export const regenerateCoupon = staffCall('support', 'POST', '/api/admin/regenerate-coupon', {
  summary: 'Give a user a new code of a product; the old one stays theirs',
  body: issueRequest,
  reply: issuedCoupon,
});

export const issueCode = staffCall('support', 'POST', '/api/admin/coupons/:id/issue', {
  summary: 'Give this free code to a user with access who holds none of the product',
  params: z.object({ id: idInPath }),
  body: z.object({ email: knownEmail }),
  reply: issuedCoupon,
});

/** Why staff make a code void. 'mistake': staff may upload the code again. 'dead': the code stays void even then. */
export const voidReason = z.enum(['mistake', 'dead'], 'reason must be mistake or dead');
export type VoidReason = z.output<typeof voidReason>;

/** An optional note in which staff explain a change. Only the audit log contains the note (N-69). */
export const note = orNull(
  line('note', REASON_MAX).check(z.minLength(REASON_MIN, `note must be at least ${REASON_MIN} characters`)),
);

export const revokedCoupon = z.object({
  coupon: z.extend(listedCoupon, { revoked_at: z.nullable(time) }),
  replacement: z.nullable(z.object({ ...maskedCode, assigned_at: time, unconfirmed })),
  warning: z.optional(z.string()),
});
export type RevokedCoupon = z.output<typeof revokedCoupon>;

/** The reasons to replace a code that staff choose from. The log keeps them in English (R-DAY-31, N-211). */
export const REPLACE_REASONS = ['Does not work', 'Expired', 'Used by somebody else'] as const;

/** Least role that may revoke a code without replacing it (N-12). The role of `revokeCoupon` may replace a code. */
export const REVOKE_ONLY_ROLE = 'manager';

export const revokeCoupon = staffCall('support', 'POST', '/api/admin/coupons/:id/revoke', {
  summary: 'Revoke a code that somebody holds, and replace it if asked to',
  params: z.object({ id: idInPath }),
  body: z.object({ reason, replace: z._default(z.boolean('replace must be true or false'), false) }),
  reply: revokedCoupon,
});

export const revealCoupon = staffCall('support', 'POST', '/api/admin/coupons/:id/reveal', {
  summary: 'Show one code in full; support only a code that somebody holds; at most 30 in 10 minutes',
  params: z.object({ id: idInPath }),
  reply: z.object({ coupon_code: z.string() }),
});

export const voidCoupon = staffCall('manager', 'POST', '/api/admin/coupons/:id/void', {
  summary: 'Make a free code void',
  params: z.object({ id: idInPath }),
  body: z.object({ reason: voidReason, note }),
  reply: listedCoupon,
});

const confirmed = z.object({ confirmed: z.int() });

/** `confirmed` of the reply is the number of changed rows: 0 if the code had no mark, several for a shared code. */
export const confirmCoupon = staffCall('support', 'POST', '/api/admin/coupons/:id/confirm', {
  summary: 'Note that the partner knows a code that the portal made',
  params: z.object({ id: idInPath }),
  reply: confirmed,
});

export const confirmProduct = staffCall('support', 'POST', '/api/admin/products/:id/confirm', {
  summary: 'Note that the partner knows all codes of a product that the portal made',
  params: z.object({ id: idInPath }),
  // Without `expected`, all marked codes are confirmed.
  body: z.nullish(z.object({ expected: z.optional(expectedCount) })),
  reply: confirmed,
});

/** A batch: codes that were added together, for example from one file (R-LIFE-17). `codes` is their number. */
export const batch = z.object({
  id: z.string(),
  product_id: z.string(),
  source: z.enum(['form', 'file', 'generated']),
  file_name: z.nullable(z.string()),
  created_by: z.string(),
  created_at: time,
  codes: z.int(),
});
export type Batch = z.output<typeof batch>;

/**
 * A batch with the numbers of its codes by state. `moved` codes were uploaded again later, and belong to another batch
 * now. `use_by` is the last day of the free codes; null if the free codes have no last day, or different last days
 * (`use_by_mixed`). `kept` is the number of free codes that are in another upload too. These codes stay free if this
 * upload is undone as a mistake. `kept_by` contains at most five of these other uploads.
 */
export const batchRecord = z.extend(batch, {
  free: z.int(),
  held: z.int(),
  revoked: z.int(),
  void: z.int(),
  expired: z.int(),
  moved: z.int(),
  kept: z.int(),
  kept_by: z.array(z.object({ id: z.string(), file_name: z.nullable(z.string()), codes: z.int() })),
  use_by: z.nullable(day),
  use_by_mixed: z.boolean(),
  /** Number of codes whose last day staff can change: the free and the expired ones. */
  datable: z.int(),
  /** Id of the running job that changes the codes of this batch, or null. */
  running_job: z.nullable(z.string()),
  /** Id of the import of the file with these codes; null without a file, and for roles below manager (R-IMP-16). */
  import_id: z.nullable(z.string()),
});
export type BatchRecord = z.output<typeof batchRecord>;

export const listBatches = staffCall('support', 'GET', '/api/admin/batches', {
  summary: 'Uploads of codes, newest first, without those of a single code',
  query: z
    .object({ limit: page.limit, cursor: page.cursor, offset: page.offset, product_id: z.optional(id) })
    .check(inPages),
  reply: z.array(batch),
});

export const getBatch = staffCall('support', 'GET', '/api/admin/batches/:id', {
  summary: 'One upload with the numbers of its codes',
  params: z.object({ id: idInPath }),
  reply: batchRecord,
});

export const voidBatch = staffCall('manager', 'POST', '/api/admin/batches/:id/void', {
  summary: 'Make the free codes of an upload void',
  params: z.object({ id: idInPath }),
  body: z.object({ reason: voidReason, note, expected: expectedCount }),
  reply: startedJob,
});

export const setBatchUseBy = staffCall('manager', 'POST', '/api/admin/batches/:id/use-by', {
  summary: 'Set the last day of the free codes of an upload',
  params: z.object({ id: idInPath }),
  body: z.object({
    use_by: orNull(dayField('use_by')),
    expected: expectedCount,
    // The last day that the page showed. If the codes have another last day by now, the response is `edit_conflict`.
    was: z.optional(
      z.object(
        { use_by: orNull(dayField('use_by')), use_by_mixed: z.boolean('use_by_mixed must be true or false') },
        'was must have use_by and use_by_mixed',
      ),
    ),
  }),
  reply: startedJob,
});

const LETTER_OR_DIGIT = /[\p{L}\p{Nd}]/gu;

/**
 * Returns the suffix (`hint`) by which staff recognise a hidden code (R-IMP-40). A code with twelve or more letters and
 * digits has its last four as suffix; a code with eight to eleven has its last two. Other signs between them stand as in
 * the code (R-DAY-38). Null for a shorter code.
 */
export function findSuffix(code: string): string | null {
  const found = [...code.matchAll(LETTER_OR_DIGIT)];
  if (found.length < 8) return null;
  const suffix = found.slice(found.length < 12 ? -2 : -4);
  const [first, last] = [suffix[0], suffix.at(-1)];
  return first && last ? code.slice(first.index, last.index + last[0].length) : null;
}

/** Returns the text shown for a hidden code, such as ••••K5M7, or •••• without a hint. */
export function maskCode(hint: string | null): string {
  return `••••${hint ?? ''}`;
}

/**
 * The code that a learner gets (R-REDEEM-01). `productUrl` is the address of the product, as staff typed it. `is_new`
 * is false if the learner already had the code. `use_by` is the last day of the code, or null. `replaced_on` is the day
 * on which staff replaced a revoked code by this one, or null (N-99). An `unconfirmed` code may not work yet.
 */
export const redemption = z.object({
  success: z.literal(true),
  coupon: z.object({ couponCode: z.string(), assigned_at: z.string() }),
  productUrl: z.string(),
  is_new: z.boolean(),
  use_by: z.nullable(day),
  replaced_on: z.nullable(day),
  unconfirmed,
});
export type Redemption = z.output<typeof redemption>;

export const redeemCoupon = endpoint({
  ...learnerCalls.redeemCoupon,
  access: 'learner',
  summary: "Take the caller's code of a product; the same one on every later call",
  body: z.object({ productId: z.string().check(z.minLength(1), z.maxLength(64)) }),
  reply: redemption,
  refusals: {
    authentication_required: {
      title: 'Authentication Required',
      message: 'Please log in to redeem coupons.',
    },
    invalid_request: { title: 'Error', message: 'Product information not available' },
  },
});
