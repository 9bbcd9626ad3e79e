// Call that explains whether a person would get a code of a product now, and why.
import * as z from 'zod/mini';
import { unconfirmed } from './codes.ts';
import { cohortName } from './cohorts.ts';
import { staffCall } from './endpoint.ts';
import { day, idInPath, knownEmail, time } from './fields.ts';
import { grant } from './grants.ts';
import { productStatus } from './products.ts';

/**
 * What would happen if the person redeemed now (R-COHORT-17): the first verdict that applies. With 'holds_code' and
 * 'can_redeem' the person gets a code. 'waiting' is not used yet: there are no waiting lists.
 */
export const VERDICTS = [
  'unknown_person',
  'holds_code',
  'code_revoked',
  'no_grant',
  'future',
  'over',
  'withdrawn',
  'product_archived',
  'product_paused',
  'product_scheduled',
  'product_ended',
  'sold_out',
  'waiting',
  'can_redeem',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/**
 * A verdict and its English sentence. `parts` contains the values in the sentence, so that a page can write the sentence
 * in another language.
 * `source` is where the access comes from: 'direct' and 'all_products' (given by `who`), 'cohort' (`cohort`) or
 * 'purchase' (`purchase_id`). `who` is the name, or else the address, of a member of the team (N-76).
 */
export const explanation = z.object({
  verdict: /* @__PURE__ */ z.enum(VERDICTS),
  sentence: z.string(),
  parts: z.object({
    day: z.optional(day),
    source: z.optional(/* @__PURE__ */ z.enum(['direct', 'all_products', 'cohort', 'purchase'])),
    who: z.optional(z.string()),
    cohort: z.optional(cohortName),
    purchase_id: z.optional(z.string()),
    reason: z.optional(z.string()),
  }),
});
export type Explanation = z.output<typeof explanation>;

/** A person's access to a product: today, only later, no longer, or never. 'over' includes withdrawn access (N-64). */
export const accessState = /* @__PURE__ */ z.enum(['live', 'future', 'over', 'none']);
export type AccessState = z.output<typeof accessState>;

/** A grant for the product, of the person or of one of the person's cohorts. `granted_by` is an address. */
const explainedGrant = /* @__PURE__ */ z.extend(
  z.pick(grant, {
    id: true,
    starts_on: true,
    ends_on: true,
    state: true,
    granted_by: true,
    granted_at: true,
    withdrawn_at: true,
  }),
  {
    from: z.object({
      kind: z.enum(['direct', 'cohort', 'purchase']),
      cohort_id: z.optional(z.string()),
      /** Name of the cohort. */
      name: z.optional(z.string()),
      purchase_id: z.optional(z.string()),
    }),
    all_products: z.boolean(),
  },
);

/**
 * Why a person would get a code of a product now, or not (R-COHORT-17). `grants` has every grant for the product, newest
 * first. `product.left` is the number of free codes; null for a shared code. `code` is the person's current code, or
 * null. `similar` has at most 5 addresses that resemble an unknown one (R-COHORT-18).
 */
export const accessExplained = /* @__PURE__ */ z.extend(explanation, {
  grants: z.array(explainedGrant),
  product: z.object({
    status: productStatus,
    opens_on: z.nullable(day),
    closes_on: z.nullable(day),
    left: z.nullable(z.int()),
  }),
  code: z.nullable(
    z.object({
      id: z.string(),
      hint: z.nullable(z.string()),
      state: z.enum(['held', 'revoked']),
      unconfirmed,
      assigned_at: time,
      use_by: z.nullable(day),
      revoked_at: z.nullable(time),
    }),
  ),
  person: z.object({
    known: z.boolean(),
    /** Null if the person never signed in. Missing with a hosted sign-in service: only that service knows the time. */
    last_sign_in_at: z.optional(z.nullable(time)),
  }),
  similar: z.array(z.string()),
});
export type AccessExplained = z.output<typeof accessExplained>;

export const explainAccess = staffCall('support', 'GET', '/api/admin/user-access/:email/why/:product_id', {
  summary: 'Whether a person would get a code of a product now, and why',
  params: z.object({ email: knownEmail, product_id: idInPath }),
  reply: accessExplained,
});
