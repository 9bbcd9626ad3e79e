// API calls with which administrators list users, create or update a user, and look at a user's products and codes.
import * as z from 'zod/mini';
import { COHORTS_OF_PERSON_MAX, cohortName } from './cohorts.ts';
import { maskedCode } from './coupons.ts';
import { endpoint } from './endpoint.ts';
import {
  day,
  EMAIL_MAX,
  email,
  id,
  inOrder,
  inPages,
  knownEmail,
  line,
  orNull,
  page,
  time,
} from './fields.ts';
import { grant, grantDays } from './grants.ts';
import { productStatus } from './products.ts';
import { tell } from './ready-mails.ts';
import { teamRole } from './team-role.ts';
import { accessState, explanation } from './why.ts';

export const userRole = z.enum(['user', 'admin']);

/** A user as administrators see it (R-ENT-07). */
export const appUser = z.object({
  id: z.string(),
  user_id: z.string(),
  email: z.string(),
  name: z.nullable(z.string()),
  phone_number: z.nullable(z.string()),
  user_role: userRole,
  /** Null for learners. */
  team_role: z.nullable(teamRole),
});
export type AppUser = z.output<typeof appUser>;

/**
 * A user of the list. A list in pages adds the user's cohorts, by name and without archived ones: at most five, and how
 * many more there are (R-COHORT-15, N-66). In the list of a cohort's members, `joined_at` is when the user joined it.
 */
const listedUser = z.extend(appUser, {
  cohorts: z.optional(z.array(cohortName)),
  cohorts_more: z.optional(z.int()),
  joined_at: z.optional(time),
});
export type ListedUser = z.output<typeof listedUser>;

/** Most characters of the texts about a person. */
export const PERSON_MAX = { email: EMAIL_MAX, name: 200, phone_number: 50 };

/**
 * A user to create or update. A field that is null keeps its stored value. The server ignores a `user_role` in
 * the request: a new user always gets the role 'user'.
 */
export const savedUser = z
  .object({
    email,
    /** Required for a new user. */
    name: orNull(line('name', PERSON_MAX.name)),
    phone_number: orNull(line('phone_number', PERSON_MAX.phone_number)),
    product_ids: z._default(
      z
        .array(id, 'product_ids must name at least one product')
        .check(z.maxLength(1000, 'product_ids must name at most 1000 products')),
      [],
    ),
    /** The cohorts that the person joins. With a cohort, no product is required (R-COHORT-26). */
    cohort_ids: z.optional(
      z
        .array(id, 'cohort_ids must be a list of ids')
        .check(
          z.maxLength(COHORTS_OF_PERSON_MAX, `cohort_ids must name at most ${COHORTS_OF_PERSON_MAX} cohorts`),
        ),
    ),
    tell,
    ...grantDays,
  })
  .check(
    z.refine(({ product_ids, cohort_ids = [] }) => product_ids.length + cohort_ids.length > 0, {
      message: 'product_ids must name at least one product',
      path: ['product_ids'],
    }),
    inOrder('starts_on', 'ends_on'),
  );
export type SavedUser = z.output<typeof savedUser>;

/** A person with the `version` that each change of address, name, phone number and role raises (N-317). */
export const versionedUser = z.extend(appUser, { version: z.int() });
export type VersionedUser = z.output<typeof versionedUser>;

/**
 * A change of a person. Staff enter all three fields. `phone_number` null removes the number. `version` is the version
 * that the change was made from; without it, the edit replaces any version.
 */
export const editedPerson = z.object({
  email,
  /** May be null only for a person who has no name. */
  name: orNull(line('name', PERSON_MAX.name)),
  phone_number: orNull(line('phone_number', PERSON_MAX.phone_number)),
  version: z.optional(z.int('version must be a whole number')),
});
export type EditedPerson = z.output<typeof editedPerson>;

/**
 * The products that a user has, had or will have access to, or holds a code of (N-64), and for each product the user's
 * code and grants. Products with access today come first, then those with access later, then all others; each of these
 * groups is sorted by name. Administrators see them on one page (R-ENT-10). `cohorts` leaves out archived cohorts.
 */
export const userAccess = z.object({
  user: z.object({
    email: z.string(),
    name: z.nullable(z.string()),
    /** Null if the user never signed in. Missing with a hosted sign-in service: only that service knows the time. */
    last_sign_in_at: z.optional(z.nullable(time)),
    cohorts: z.array(cohortName),
  }),
  products: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      product_id: z.string(),
      shared_coupon: z.boolean(),
      status: productStatus,
      hasCoupon: z.boolean(),
      coupon: z.nullable(
        z.object({
          id: z.string(),
          ...maskedCode,
          assigned_at: time,
          state: z.enum(['held', 'revoked']),
          use_by: z.nullable(day),
          revoked_at: z.nullable(time),
          /** True if the user has an earlier code that is not revoked: it becomes current if this one is revoked (N-46). */
          has_earlier: z.boolean(),
        }),
      ),
      /** `cohort` and `purchase_id` name the source of a grant that was not given to the person directly (N-97). */
      grants: z.array(
        z.extend(grant, { cohort: z.nullable(cohortName), purchase_id: z.nullable(z.string()) }),
      ),
      access: accessState,
      why: explanation,
    }),
  ),
});

export const listUsers = endpoint({
  method: 'GET',
  path: '/api/users',
  access: 'admin',
  role: 'support',
  summary:
    'Users, newest first; with q those of whom each word begins a word of the name or a part of the address',
  query: z.object({ ...page, role: z.optional(userRole), cohort_id: z.optional(id) }).check(inPages),
  reply: z.array(listedUser),
});

export const saveUser = endpoint({
  method: 'POST',
  path: '/api/admin/users/single',
  access: 'admin',
  role: 'manager',
  summary: 'Create a user, or update one and add products',
  body: savedUser,
  reply: z.object({ message: z.string(), user: appUser }),
});

export const getUserAccess = endpoint({
  method: 'GET',
  path: '/api/admin/user-access/:email',
  access: 'admin',
  role: 'support',
  summary: "A user's products and codes",
  params: z.object({ email: knownEmail }),
  reply: userAccess,
});
