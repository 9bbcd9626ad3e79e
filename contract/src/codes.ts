// Calls about codes: staff list, add, issue, revoke and void them, one by one or by upload (batch); a learner redeems.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
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
  time,
} from './fields.ts';
import { expectedCount } from './grants.ts';
import { learnerCalls } from './learner-calls.ts';

/** Longest coupon code, in characters. */
export const COUPON_CODE_MAX = 255;

/**
 * State of a code. 'free': the code can be assigned to a user. 'held': the code is assigned to a user. 'revoked': staff
 * took the code back; the code stays assigned to the user, but the portal no longer shows it to this user. 'void': the
 * code is assigned to nobody and must not be assigned. 'expired': the code is assigned to nobody, and its last day has
 * passed or is today (N-201). A held code stays 'held' after its last day.
 */
export const couponState = z.enum(['free', 'held', 'revoked', 'void', 'expired']);
export type CouponState = z.output<typeof couponState>;

/**
 * A coupon code (R-ENT-05, R-LIFE-24). `email` is the address of the user to whom the code is assigned, or null.
 * `use_by` is the last day on which the partner accepts the code; null if the code has no last day. `batch_id` is the
 * batch with which the code was added.
 */
export const coupon = z.object({
  id: z.string(),
  coupon_code: z.string(),
  product_id: z.string(),
  email: z.nullable(z.string()),
  assigned_at: z.nullable(time),
  usage_limit: z.nullable(z.int()),
  state: couponState,
  use_by: z.nullable(day),
  batch_id: z.string(),
});
export type Coupon = z.output<typeof coupon>;

/**
 * The fields of a code that may be hidden (R-IMP-41). If it is hidden, `coupon_code` is null, and `hint` contains its
 * last characters, or null if the code is too short for a hint. If it is not hidden, `hint` is absent.
 */
export const maskedCode = { coupon_code: z.nullable(z.string()), hint: z.optional(z.nullable(z.string())) };

/** A coupon code as staff see it, hidden or not. */
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
  product_id: z
    .string('Please select a product')
    .check(z.minLength(1, 'Please select a product'), z.maxLength(64)),
  usage_limit: usageLimit,
});
export type NewCoupon = z.output<typeof newCoupon>;

/** The states by which codes are listed, counted and exported: free, held, revoked, void and expired. */
export const codeStatus = z.enum(['available', 'assigned', 'revoked', 'void', 'expired']);

/**
 * With 'true', a list has only codes of archived products. A list without `product_id` has no codes of archived products
 * otherwise (N-202).
 */
export const onlyArchived = z.optional(z.enum(['true', 'false'], 'archived must be true or false'));

/** With 'true', a list has only codes that the portal generated, newest first (R-IMP-15). */
export const onlyGenerated = z.optional(z.literal('true', "generated must be 'true'"));

/** Request to assign a code: the address of the user, and the product. */
export const issueRequest = z.object({
  email: knownEmail,
  productId: z
    .string('productId is required')
    .check(z.minLength(1, 'productId is required'), z.maxLength(64)),
});

const issuedCoupon = z.object({
  success: z.literal(true),
  /** The code is hidden only if somebody else assigned it to the user before (R-IMP-44). */
  coupon: z.object({
    ...maskedCode,
    product_id: z.string(),
    email: z.string(),
    assigned_at: time,
    /** Last day on which the partner accepts the code. Null if there is none. */
    use_by: z.nullable(day),
  }),
  /** A warning for the administrator. Example: no code was left, so the portal generated a code. */
  warning: z.optional(z.string()),
});
export type IssuedCoupon = z.output<typeof issuedCoupon>;

export const listCoupons = endpoint({
  method: 'GET',
  path: '/api/coupons',
  access: 'admin',
  role: 'support',
  summary:
    'Coupons, newest first; with q those whose code begins so, or is so if codes are hidden, then those whose holder’s address begins so',
  query: z
    .object({
      ...page,
      product_id: z.optional(z.string().check(z.maxLength(64))),
      status: z.optional(codeStatus),
      archived: onlyArchived,
      generated: onlyGenerated,
    })
    .check(inPages),
  reply: z.array(listedCoupon),
});

export const createCoupon = endpoint({
  method: 'POST',
  path: '/api/admin/coupons/single',
  access: 'admin',
  role: 'manager',
  summary: 'Add a coupon',
  body: newCoupon,
  reply: coupon,
  status: 201,
});

export const generateCoupon = endpoint({
  method: 'POST',
  path: '/api/admin/generate-coupon',
  access: 'admin',
  role: 'support',
  summary: 'Give a user a code of a product; the same one when they hold one',
  body: issueRequest,
  reply: issuedCoupon,
});

export const regenerateCoupon = endpoint({
  method: 'POST',
  path: '/api/admin/regenerate-coupon',
  access: 'admin',
  role: 'support',
  summary: 'Give a user a new code of a product; the old one stays theirs',
  body: issueRequest,
  reply: issuedCoupon,
});

/**
 * Why staff make a code void. 'mistake': the code was uploaded by mistake, and may be uploaded again. 'dead': the code
 * must never be used, even if it is uploaded again.
 */
export const voidReason = z.enum(['mistake', 'dead'], 'reason must be mistake or dead');
export type VoidReason = z.output<typeof voidReason>;

/** Schema of an optional note in which staff explain a change. Only the audit log contains the note (N-69). */
export const note = orNull(
  line('note', REASON_MAX).check(z.minLength(REASON_MIN, `note must be at least ${REASON_MIN} characters`)),
);

export const revokedCoupon = z.object({
  coupon: z.extend(listedCoupon, { revoked_at: z.nullable(time) }),
  replacement: z.nullable(z.object({ ...maskedCode, assigned_at: time })),
  warning: z.optional(z.string()),
});
export type RevokedCoupon = z.output<typeof revokedCoupon>;

/**
 * Least role that may revoke a code without a replacement, which leaves the user without a code (N-12). The role of the
 * endpoint allows the replacement only.
 */
export const REVOKE_ONLY_ROLE = 'manager';

export const revokeCoupon = endpoint({
  method: 'POST',
  path: '/api/admin/coupons/:id/revoke',
  access: 'admin',
  role: 'support',
  summary: 'Revoke a code that somebody holds, and replace it if asked to',
  params: z.object({ id: idInPath }),
  body: z.object({
    reason,
    replace: z._default(z.boolean('replace must be true or false'), false),
  }),
  reply: revokedCoupon,
});

export const revealCoupon = endpoint({
  method: 'POST',
  path: '/api/admin/coupons/:id/reveal',
  access: 'admin',
  role: 'support',
  summary: 'Show one code in full; support only a code that somebody holds; at most 30 in 10 minutes',
  params: z.object({ id: idInPath }),
  reply: z.object({ coupon_code: z.string() }),
});

export const voidCoupon = endpoint({
  method: 'POST',
  path: '/api/admin/coupons/:id/void',
  access: 'admin',
  role: 'manager',
  summary: 'Make a free code void',
  params: z.object({ id: idInPath }),
  body: z.object({ reason: voidReason, note }),
  reply: listedCoupon,
});

// API calls for batches. A batch is a set of codes that were added together, for example from one file. Staff list
// batches, and change all free codes of a batch at once.

/** A batch of codes (R-LIFE-17). `codes` is the number of codes that were added together as this batch. */
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
 * A batch with the numbers of its codes. `free`, `held`, `revoked`, `void` and `expired` count the codes that belong to
 * the batch now. `moved` counts the codes that were uploaded again later, and so belong to another batch now. `use_by` is the
 * last day on which the partner accepts the free codes; null if the free codes have no last day. If the free codes have
 * different last days, `use_by` is null and `use_by_mixed` is true. `kept` of the free codes stand in another upload too,
 * and stay when this one is taken back as a mistake; `kept_by` has at most five of these uploads.
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
  /** Number of codes whose last day staff can change: the free codes and the expired codes. */
  datable: z.int(),
  /** Id of the running job that changes the codes of this batch; null if no such job is running. */
  running_job: z.nullable(z.string()),
  /** Id of the import of the file with these codes; null without a file, and for roles below manager (R-IMP-16). */
  import_id: z.nullable(z.string()),
});
export type BatchRecord = z.output<typeof batchRecord>;

const startedJob = z.object({ job_id: z.string() });

export const listBatches = endpoint({
  method: 'GET',
  path: '/api/admin/batches',
  access: 'admin',
  role: 'support',
  summary: 'Uploads of codes, newest first, without those of a single code',
  query: z.object({ limit: page.limit, cursor: page.cursor, product_id: z.optional(id) }).check(inPages),
  reply: z.array(batch),
});

export const getBatch = endpoint({
  method: 'GET',
  path: '/api/admin/batches/:id',
  access: 'admin',
  role: 'support',
  summary: 'One upload with the numbers of its codes',
  params: z.object({ id: idInPath }),
  reply: batchRecord,
});

export const voidBatch = endpoint({
  method: 'POST',
  path: '/api/admin/batches/:id/void',
  access: 'admin',
  role: 'manager',
  summary: 'Make the free codes of an upload void',
  params: z.object({ id: idInPath }),
  body: z.object({ reason: voidReason, note, expected: expectedCount }),
  reply: startedJob,
});

export const setBatchUseBy = endpoint({
  method: 'POST',
  path: '/api/admin/batches/:id/use-by',
  access: 'admin',
  role: 'manager',
  summary: 'Set the last day of the free codes of an upload',
  params: z.object({ id: idInPath }),
  body: z.object({
    use_by: orNull(dayField('use_by')),
    expected: expectedCount,
    // The last day that the page showed. If it is another by now, the call is refused with `edit_conflict`.
    was: z.optional(
      z.object(
        {
          use_by: orNull(dayField('use_by')),
          use_by_mixed: z.boolean('use_by_mixed must be true or false'),
        },
        'was must have use_by and use_by_mixed',
      ),
    ),
  }),
  reply: startedJob,
});

// The hint of a coupon code: its last characters, by which staff recognise a code that is hidden from them.

const LETTER_OR_DIGIT = /[\p{L}\p{Nd}]/gu;

/**
 * Returns the hint of a code: its last four letters and digits if it has twelve or more, its last two if it has eight to
 * eleven. Returns null for a shorter code, because a hint would give away too much of it. All other characters, such as
 * hyphens, are neither counted nor part of the hint (R-IMP-40).
 */
export function findSuffix(code: string): string | null {
  const characters = code.match(LETTER_OR_DIGIT) ?? [];
  if (characters.length < 8) return null;
  return characters.slice(characters.length < 12 ? -2 : -4).join('');
}

/** Returns the text that stands for a hidden code, such as ••••K5M7. Without a hint it is ••••. */
export function maskCode(hint: string | null): string {
  return `••••${hint ?? ''}`;
}

// The API call with which a learner redeems a product and gets a code.

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
