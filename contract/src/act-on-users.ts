// The API call that changes many users at once: all users of a filter of the Users page, or a list of addresses.
import * as z from 'zod/mini';
import { ADDRESSES_LIMIT_BYTES, knownEmails } from './cohorts.ts';
import { endpoint } from './endpoint.ts';
import { id, inOrder, page } from './fields.ts';
import { expectedCount, grantDays } from './grants.ts';
import { userRole } from './users.ts';

/**
 * What the list of users is filtered by; the fields are those of `listUsers`. An empty filter selects all users. Unknown
 * fields are refused: with a misspelt field, the act would change all users.
 */
const filter = z.strictObject(
  { cohort_id: z.optional(id), role: z.optional(userRole), q: page.q },
  'filter may have the fields cohort_id, role and q',
);

const ONE_OF = { message: 'Name either filter or emails', path: ['filter'] };

/**
 * `act`: the users join or leave the cohort `cohort_id`, or get the products. `expected` is the number of users that the
 * page showed. The set of users is fixed at the start: a user who is created later is not changed (R-IMP-31).
 */
export const userAct = /* @__PURE__ */ z
  .object({
    filter: z.optional(filter),
    emails: z.optional(knownEmails),
    act: z.enum(['join', 'leave', 'grant'], 'act must be join, leave or grant'),
    cohort_id: z.optional(id),
    product_ids: z.optional(
      z
        .array(id, 'product_ids must be a list of ids')
        .check(
          z.minLength(1, 'product_ids must name at least one product'),
          z.maxLength(1000, 'product_ids must name at most 1000 products'),
        ),
    ),
    ...grantDays,
    expected: expectedCount,
  })
  .check(
    inOrder('starts_on', 'ends_on'),
    z.refine((body) => (body.filter === undefined) !== (body.emails === undefined), ONE_OF),
    z.refine(({ act, cohort_id }) => act === 'grant' || cohort_id !== undefined, {
      message: 'cohort_id is required',
      path: ['cohort_id'],
    }),
    z.refine(({ act, product_ids }) => act !== 'grant' || product_ids !== undefined, {
      message: 'product_ids must name at least one product',
      path: ['product_ids'],
    }),
  );
export type UserAct = z.output<typeof userAct>;

/**
 * The people of an act before staff confirm it: `people` is their exact number. `holding` of them are members of the
 * cohort `cohort_id` and hold a code of a product that it gives (R-COHORT-22); null without `cohort_id`.
 */
export const countPeople = endpoint({
  method: 'POST',
  path: '/api/admin/users/count',
  access: 'admin',
  role: 'manager',
  summary: 'How many people an act would change, and how many of them hold a code that a cohort gives',
  bodyLimit: ADDRESSES_LIMIT_BYTES,
  body: /* @__PURE__ */ z
    .object({ filter: z.optional(filter), emails: z.optional(knownEmails), cohort_id: z.optional(id) })
    .check(z.refine((body) => (body.filter === undefined) !== (body.emails === undefined), ONE_OF)),
  reply: z.object({ people: z.int(), holding: z.nullable(z.int()) }),
});

/** Responds with the id of the job. `getImport` returns its state: the `kind` is 'act'. */
export const actOnUsers = endpoint({
  method: 'POST',
  path: '/api/admin/users/act',
  access: 'admin',
  role: 'manager',
  summary: 'Add all users of a filter to a cohort, remove them from it, or give them products',
  bodyLimit: ADDRESSES_LIMIT_BYTES,
  body: userAct,
  reply: z.object({ job_id: z.string() }),
});
