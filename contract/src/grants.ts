// Calls about grants. A grant gives a user or a cohort access to products, from one day to another.
import * as z from 'zod/mini';
import { staffCall } from './endpoint.ts';
import { day, dayField, id, idInPath, inOrder, knownEmail, orNull, reason, time } from './fields.ts';

/**
 * A grant (R-LIFE-13). `product_id` and `product_name` are null if the grant gives all products. `state` is 'live' if
 * the days of the grant include today, 'future' if these days begin later, and 'over' if these days have ended. A grant
 * of an archived cohort is 'archived' (N-63). Only a withdrawn grant has `withdrawn_at`.
 */
export const grant = z.object({
  id: z.string(),
  product_id: z.nullable(z.string()),
  product_name: z.nullable(z.string()),
  starts_on: day,
  ends_on: z.nullable(day),
  granted_by: z.string(),
  granted_at: time,
  via: z.enum(['direct', 'cohort', 'purchase']),
  state: z.enum(['live', 'future', 'over', 'withdrawn', 'archived']),
  withdrawn_at: z.nullable(time),
});
export type Grant = z.output<typeof grant>;

/** The days of a grant as staff enter them (R-LIFE-03). Without these days, the grant starts today and never ends. */
export const grantDays = {
  starts_on: z.optional(orNull(dayField('starts_on'))),
  ends_on: z.optional(orNull(dayField('ends_on'))),
};

/** The number of people or rows that a page showed when staff confirmed an action (C-6). */
export const expectedCount = z
  .int({
    error: ({ input }) => (input === undefined ? 'expected is required' : 'expected must be a whole number'),
  })
  .check(
    z.gte(0, 'expected must be from 0 to 10000000'),
    z.lte(10_000_000, 'expected must be from 0 to 10000000'),
  );
/** The response of a call that starts a job. `getImport` returns the state of the job. */
export const startedJob = z.object({ job_id: z.string() });

/**
 * The number of members of the grant's cohort that the page showed; required for a grant of a cohort (N-323). If the
 * cohort has more members by now, the call is refused with `count_changed` (N-95).
 */
const expected = z.optional(expectedCount);

/** The days of a grant that the page showed. If the grant has other days by now, the response is `edit_conflict`. */
export const seenDays = z.object(
  { starts_on: dayField('starts_on'), ends_on: orNull(dayField('ends_on')) },
  'was must have starts_on and ends_on',
);

const newGrant = /* @__PURE__ */ z
  .object({
    email: z.optional(knownEmail),
    cohort_id: z.optional(id),
    product_ids: z.union(
      [
        z.literal('all'),
        z.array(id).check(
          z.minLength(1, 'product_ids must name at least one product'),
          // Not `maxLength`, whose message the message of the union would replace.
          z.refine((ids) => ids.length <= 1000, 'product_ids must name at most 1000 products'),
        ),
      ],
      'product_ids must be a list of ids, or "all"',
    ),
    ...grantDays,
  })
  .check(
    inOrder('starts_on', 'ends_on'),
    z.refine((value) => (value.email === undefined) !== (value.cohort_id === undefined), {
      message: 'Name either email or cohort_id',
      path: ['email'],
    }),
  );
export type NewGrant = z.output<typeof newGrant>;

export const createGrants = staffCall('manager', 'POST', '/api/admin/grants', {
  summary: 'Give a user or a cohort products, from one day to another',
  body: newGrant,
  reply: z.object({ grants: z.array(grant), new: z.int() }),
});

export const editGrant = staffCall('manager', 'POST', '/api/admin/grants/:id/edit', {
  summary: 'Change the days of a grant; an earlier end needs a reason',
  params: z.object({ id: idInPath }),
  body: /* @__PURE__ */ z
    .object({
      starts_on: dayField('starts_on'),
      ends_on: orNull(dayField('ends_on')),
      reason: z.optional(orNull(reason)),
      expected,
      was: z.optional(seenDays),
    })
    .check(inOrder('starts_on', 'ends_on')),
  reply: grant,
});

export const withdrawGrant = staffCall('manager', 'POST', '/api/admin/grants/:id/withdraw', {
  summary: 'Withdraw a grant, and revoke the code if asked to',
  params: z.object({ id: idInPath }),
  body: z.object({
    reason,
    revoke_code: z._default(z.boolean('revoke_code must be true or false'), false),
    expected,
  }),
  reply: z.extend(grant, { kept: z.optional(z.string()) }),
});
