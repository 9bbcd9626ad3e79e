// Calls about people: the list, a person's products and codes, the record, mails, notes, and changes of many people.
import * as z from 'zod/mini';
import { batch, couponState, maskedCode, unconfirmed } from './codes.ts';
import { ADDRESSES_LIMIT_BYTES, COHORTS_OF_PERSON_MAX, cohortName, knownEmails } from './cohorts.ts';
import { staffCall } from './endpoint.ts';
import {
  day,
  EMAIL_MAX,
  email,
  formId,
  id,
  idInPath,
  inOrder,
  inPages,
  knownEmail,
  line,
  orNull,
  page,
  productIds,
  text,
  time,
} from './fields.ts';
import { expectedCount, grant, grantDays, startedJob } from './grants.ts';
import { productStatus } from './products.ts';
import { teamRole } from './team-role.ts';
import { accessState, explanation } from './why.ts';

/** True if people who get a new product also get a mail about it, ten minutes later (R-INV-01 to R-INV-03). */
export const tell = z.optional(z.boolean('tell must be true or false'));

const count = z.int();
/**
 * How many people of an upload have a mail in each state. `cancelled`: the upload was stopped or undone, or no product
 * was open to the person when the mail was due. `refused` contains the first 100 failed mails, with the response of the
 * mail server.
 */
export const readyMails = z.object({
  queued: count,
  sent: count,
  failed: count,
  cancelled: count,
  refused: z.array(z.object({ email: z.string(), words: z.nullable(z.string()) })),
});
export type ReadyMails = z.output<typeof readyMails>;

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
 * A user of the list. A list in pages adds the names of at most five cohorts of the user that are not archived, and how
 * many more there are (R-COHORT-15, N-66), and the number of codes that the user holds (R-DAY-11). A list of a cohort's
 * members adds when the user joined the cohort, and of how many products of the cohort the user holds a code. For `last_sign_in_at`, see `userAccess`.
 */
const listedUser = z.extend(appUser, {
  cohorts: z.optional(z.array(cohortName)),
  cohorts_more: z.optional(z.int()),
  joined_at: z.optional(time),
  codes_claimed: z.optional(z.int()),
  created_at: z.optional(time),
  last_sign_in_at: z.optional(z.nullable(time)),
  codes_held: z.optional(z.int()),
});
export type ListedUser = z.output<typeof listedUser>;

/** Maximum lengths of the texts about a person, in characters. */
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
    product_ids: z._default(productIds('product_ids must name at least one product'), []),
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

/** A change of a person. `version` is the version that staff saw; without it, the edit replaces any version. */
export const editedPerson = z.object({
  email,
  /** May be null only for a person who has no name. */
  name: orNull(line('name', PERSON_MAX.name)),
  phone_number: orNull(line('phone_number', PERSON_MAX.phone_number)),
  version: z.optional(z.int('version must be a whole number')),
});
export type EditedPerson = z.output<typeof editedPerson>;

/**
 * The products of a user, with the user's code and grants (N-64, R-ENT-10). These are the products to which the user has,
 * had or will have access, and the products of which the user holds a code. Products with access today come first, then
 * products with later access, then all others. Each group is sorted by name. `cohorts` has no archived cohorts.
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
          unconfirmed,
          use_by: z.nullable(day),
          revoked_at: z.nullable(time),
          /** True if an earlier code of the user becomes current when staff revoke this one (N-46). */
          has_earlier: z.boolean(),
        }),
      ),
      /** `cohort` or `purchase_id` is the source of a grant that was not given to the person directly (N-97). */
      grants: z.array(
        z.extend(grant, { cohort: z.nullable(cohortName), purchase_id: z.nullable(z.string()) }),
      ),
      access: accessState,
      why: explanation,
    }),
  ),
});

/**
 * Orders of the list of users (N-205). `created` and `last_sign_in` are newest first; '-' reverses. Users without a name or
 * a sign-in always come last.
 */
export const PEOPLE_SORTS = [
  ...(['email', '-email', 'name', '-name'] as const),
  ...(['last_sign_in', '-last_sign_in', 'created', '-created'] as const),
] as const;
export type PeopleSort = (typeof PEOPLE_SORTS)[number];

/** A search or a cohort in another order than newest first would read all its people. */
const isSortable = ({
  sort,
  limit,
  q,
  cohort_id,
}: {
  sort?: string;
  limit?: number;
  q?: string;
  cohort_id?: string;
}) => sort === undefined || (limit !== undefined && !q && cohort_id === undefined);

export const listUsers = staffCall('support', 'GET', '/api/users', {
  summary:
    'Users, newest first; with q those of whom each word begins a word of the name or a part of the address',
  query: z
    .object({
      ...page,
      role: z.optional(userRole),
      cohort_id: z.optional(id),
      sort: z.optional(z.enum(PEOPLE_SORTS, `sort must be one of ${PEOPLE_SORTS.join(', ')}`)),
    })
    .check(inPages)
    .check(z.refine(isSortable, 'sort needs limit, and cannot be combined with q or cohort_id')),
  reply: z.array(listedUser),
});

export const saveUser = staffCall('manager', 'POST', '/api/admin/users/single', {
  summary: 'Create a user, or update one and add products',
  body: savedUser,
  reply: z.object({ message: z.string(), user: appUser }),
});

export const getUserAccess = staffCall('support', 'GET', '/api/admin/user-access/:email', {
  summary: "A user's products and codes",
  params: z.object({ email: knownEmail }),
  reply: userAccess,
});

/**
 * Kinds of mails (N-30). 'sign-in': link and six digits; 'code': a link to a code; 'ready': a list of new benefits;
 * 'team': an invitation.
 */
export const MAIL_KINDS = ['sign-in', 'code', 'ready', 'team', 'notice', 'stock'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

const ofProduct = z.object({ product_id: z.string(), name: z.string() });

/**
 * A mail to a person (R-TRAIL-31). 'sent': the mail server accepted the mail. 'failed': the mail server refused the mail,
 * or the portal gave up. 'bounced': the mail came back later. `at` is the time of this state. `by` is the address of the
 * member of the team who requested the mail, or null. `words` is the last response of the mail server, or null. `kind` is
 * not an enum, because a newer server may send more kinds. `due_at` is the time at which a queued mail is sent.
 */
export const personMail = z.object({
  kind: z.string(),
  product: z.nullable(ofProduct),
  state: z.enum(['queued', 'sent', 'failed', 'bounced']),
  at: time,
  due_at: z.optional(time),
  by: z.nullable(z.string()),
  words: z.nullable(z.string()),
});
export type PersonMail = z.output<typeof personMail>;

/**
 * A code that a person holds or held. `hint` is its suffix (`findSuffix`). If `current` is true, the product page shows
 * this code. `replaced_at` is the time when the person got the next code of this product.
 */
export const personCoupon = z.object({
  id: z.string(),
  product: ofProduct,
  hint: z.nullable(z.string()),
  state: z.enum(['held', 'revoked']),
  unconfirmed,
  current: z.boolean(),
  assigned_at: time,
  assigned_by: z.string(),
  use_by: z.nullable(day),
  replaced_at: z.nullable(time),
  revoked_at: z.nullable(time),
  revoked_by: z.nullable(z.string()),
  revoke_reason: z.nullable(z.string()),
});
export type PersonCoupon = z.output<typeof personCoupon>;

/**
 * Everything that the portal knows about one person (R-TRAIL-06). `coupons` has every code that the person ever held,
 * newest first. `mail.refused_at` is the time when the mail server refused the address for good, with the `reason`.
 * `mail.recent` has the last 10 mails, queued ones too. `waiting` is empty: there are no waiting lists yet.
 */
export const personRecord = z.object({
  user: versionedUser,
  cohorts: z.array(z.object({ cohort_id: z.string(), name: z.string(), archived: z.boolean() })),
  grants: z.array(grant),
  coupons: z.array(personCoupon),
  mail: z.object({
    refused_at: z.nullable(time),
    reason: z.nullable(z.string()),
    queued: z.array(personMail),
    recent: z.array(personMail),
    /** True if no mail server is set: 'sent' then means that the mail is in the outbox. */
    outbox: z.boolean(),
  }),
  /** Null if the person never signed in. Missing with a hosted sign-in service: only that service knows the time. */
  last_sign_in_at: z.optional(z.nullable(time)),
  waiting: z.array(z.object({ product: ofProduct })),
  /** When the person was erased (R-PRIV-03). Missing for all others. */
  erased_at: z.optional(time),
});
export type PersonRecord = z.output<typeof personRecord>;

/** One code, without its text. `holder` is null unless the code is held or revoked. */
export const couponRecord = z.object({
  id: z.string(),
  product: ofProduct,
  hint: z.nullable(z.string()),
  state: couponState,
  unconfirmed,
  use_by: z.nullable(day),
  batch: z.omit(batch, { product_id: true, codes: true }),
  holder: z.nullable(z.object({ user_id: z.string(), email: z.string(), name: z.nullable(z.string()) })),
  current: z.boolean(),
  assigned_at: z.nullable(time),
  assigned_by: z.nullable(z.string()),
  revoked_at: z.nullable(time),
  revoked_by: z.nullable(z.string()),
  revoke_reason: z.nullable(z.string()),
  voided_at: z.nullable(time),
  voided_by: z.nullable(z.string()),
  void_reason: z.nullable(z.string()),
});
export type CouponRecord = z.output<typeof couponRecord>;

// `user_id` may also be the address of the person: lists and the access card have no id.
const ofPerson = z.object({ user_id: idInPath });
const message = z.object({ message: z.string() });

export const getPerson = staffCall('support', 'GET', '/api/admin/people/:user_id', {
  summary: 'One person: access, every code ever held, mails',
  params: ofPerson,
  reply: personRecord,
});

export const getCoupon = staffCall('support', 'GET', '/api/admin/coupons/:id', {
  summary: 'One code without its text: product, upload, holder and state',
  params: z.object({ id: idInPath }),
  reply: couponRecord,
});

const NOTE_SUBJECTS = ['user_id', 'coupon_id', 'product_id'] as const;

/** Maximum length of a note, in characters. */
export const NOTE_MAX = 2000;

export const newNote = /* @__PURE__ */ z
  .object({
    id: formId,
    user_id: z.optional(id),
    coupon_id: z.optional(id),
    product_id: z.optional(id),
    text: text('text', NOTE_MAX),
  })
  .check(
    z.refine((value) => NOTE_SUBJECTS.filter((subject) => value[subject] !== undefined).length === 1, {
      message: 'Name exactly one of user_id, coupon_id and product_id',
      path: ['user_id'],
    }),
  );
export type NewNote = z.output<typeof newNote>;

/** A note cannot be changed or removed (R-TRAIL-07). */
export const addNote = staffCall('support', 'POST', '/api/admin/notes', {
  summary: 'Add a note about a person, a code or a product to the log',
  body: newNote,
  reply: message,
  status: 201,
});

export const sendSignInMail = staffCall('support', 'POST', '/api/admin/people/:user_id/sign-in-mail', {
  summary: 'Mail a person a link to sign in',
  params: ofPerson,
  reply: message,
});

export const sendCodeMail = staffCall('support', 'POST', '/api/admin/people/:user_id/code-mail', {
  summary: 'Mail a person a link to the product page that shows the code; at most one in 10 minutes',
  params: ofPerson,
  body: z.object({ product_id: id }),
  reply: message,
});

/**
 * With a new address, sessions and unsent mails of the old address end. If somebody else has the address: 409
 * `duplicate_email` with that person's `user_id`. If somebody changed the person after `version`: 409 `edit_conflict`.
 */
export const editPerson = staffCall('manager', 'POST', '/api/admin/people/:user_id/edit', {
  summary: 'Change address, name and phone number of a person; of a member of the team as owner only',
  params: ofPerson,
  body: editedPerson,
  reply: versionedUser,
});

export const retryMail = staffCall('support', 'POST', '/api/admin/people/:user_id/mail-retry', {
  summary: 'Send mails to this address again, although the mail server refused it',
  params: ofPerson,
  reply: message,
});

/**
 * A filter of the list of users, with fields of `listUsers`. An empty filter selects all users. Unknown fields are
 * refused, because an action with a misspelt field would change all users.
 */
const filter = z.strictObject(
  { cohort_id: z.optional(id), role: z.optional(userRole), q: page.q },
  'filter may have the fields cohort_id, role and q',
);

const ONE_OF = { message: 'Name either filter or emails', path: ['filter'] };

/**
 * `act`: the users join or leave the cohort `cohort_id`, or get the products. `expected` is the number of users that the
 * page showed. Users who are created after the start of the job are not changed (R-IMP-31). Members of the team are left
 * out without `staff: true`, also of `emails` (N-215). `tell` sends the users a mail about their new products.
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
    staff: z.optional(z.boolean('staff must be true or false')),
    tell,
  })
  .check(
    z.refine(({ act, tell }) => act !== 'leave' || tell !== true, {
      message: 'tell goes with join and grant only',
      path: ['tell'],
    }),
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
 * Counts the people of an action before staff confirm the action. `holding` of the people are members of the cohort
 * `cohort_id` and hold a code of a product that the cohort gives (R-COHORT-22); null without `cohort_id`. `staff` of the
 * people are members of the team: `actOnUsers` leaves them out without `staff: true`.
 */
export const countPeople = staffCall('manager', 'POST', '/api/admin/users/count', {
  summary: 'How many people an act would change, and how many of them hold a code that a cohort gives',
  bodyLimit: ADDRESSES_LIMIT_BYTES,
  body: /* @__PURE__ */ z
    .object({ filter: z.optional(filter), emails: z.optional(knownEmails), cohort_id: z.optional(id) })
    .check(z.refine((body) => (body.filter === undefined) !== (body.emails === undefined), ONE_OF)),
  reply: z.object({ people: z.int(), holding: z.nullable(z.int()), staff: z.int() }),
});

/** The state of the started job has the `kind` 'act'. */
export const actOnUsers = staffCall('manager', 'POST', '/api/admin/users/act', {
  summary: 'Add all users of a filter to a cohort, remove them from it, or give them products',
  bodyLimit: ADDRESSES_LIMIT_BYTES,
  body: userAct,
  reply: startedJob,
});
