// API calls about one person: the full record, the mails to the person, a change of the address. Also one code, and
// notes about a person, a code or a product.
import * as z from 'zod/mini';
import { couponState } from './coupons.ts';
import { endpoint } from './endpoint.ts';
import { day, formId, id, idInPath, text, time } from './fields.ts';
import { grant } from './grants.ts';
import { editedPerson, versionedUser } from './users.ts';

/** Kinds of mails (N-30). 'sign-in': link and code; 'code': tells that a code is there; 'ready': tells
 * which benefits are ready; 'team': an invitation. */
export const MAIL_KINDS = ['sign-in', 'code', 'ready', 'team', 'notice', 'stock'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

const ofProduct = z.object({ product_id: z.string(), name: z.string() });

/**
 * A mail to a person (R-TRAIL-31). 'sent': the mail server took the mail. 'failed': the mail server refused it, or the
 * portal gave up. 'bounced': the mail came back later. `at` is the time of this state. `by` is the address of the
 * member of the team who asked for the mail; null if nobody of the team did. `words` is what the mail server said
 * last; null if it has said nothing yet. `kind` is not an enum, because a newer server may send more kinds.
 */
export const personMail = z.object({
  kind: z.string(),
  product: z.nullable(ofProduct),
  state: z.enum(['queued', 'sent', 'failed', 'bounced']),
  at: time,
  by: z.nullable(z.string()),
  words: z.nullable(z.string()),
});
export type PersonMail = z.output<typeof personMail>;

/**
 * A code that a person holds or held, without its text. `hint` is null if the code is too short for one. `current`: the
 * code is the one that the product page shows. `replaced_at` is the time when the person got the next code of this
 * product. The three fields of a revocation are null unless the code is revoked.
 */
export const personCoupon = z.object({
  id: z.string(),
  product: ofProduct,
  hint: z.nullable(z.string()),
  state: z.enum(['held', 'revoked']),
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
 * newest first. `mail.refused_at` is the time since when mails to the address are refused for good, with the `reason`
 * of the mail server. `mail.queued` has the mails that are not sent yet; `mail.recent` the last 10 mails, the queued
 * ones included. `waiting` is empty as long as there are no waiting lists.
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
  }),
  /** Null if the person never signed in. Missing with a hosted sign-in service: only that service knows the time. */
  last_sign_in_at: z.optional(z.nullable(time)),
  waiting: z.array(z.object({ product: ofProduct })),
});
export type PersonRecord = z.output<typeof personRecord>;

/**
 * One code without its text. `holder` is null unless the code is held or revoked. The fields of the assignment, of the
 * revocation and of the voiding are null if there was none.
 */
export const couponRecord = z.object({
  id: z.string(),
  product: ofProduct,
  hint: z.nullable(z.string()),
  state: couponState,
  use_by: z.nullable(day),
  batch: z.object({
    id: z.string(),
    source: z.enum(['form', 'file', 'generated']),
    file_name: z.nullable(z.string()),
    created_by: z.string(),
    created_at: time,
  }),
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

// Also accepts the address of the person: lists and the access card know only that.
const ofPerson = z.object({ user_id: idInPath });
const message = z.object({ message: z.string() });

export const getPerson = endpoint({
  method: 'GET',
  path: '/api/admin/people/:user_id',
  access: 'admin',
  role: 'support',
  summary: 'One person: access, every code ever held, mails',
  params: ofPerson,
  reply: personRecord,
});

export const getCoupon = endpoint({
  method: 'GET',
  path: '/api/admin/coupons/:id',
  access: 'admin',
  role: 'support',
  summary: 'One code without its text: product, upload, holder and state',
  params: z.object({ id: idInPath }),
  reply: couponRecord,
});

const NOTE_SUBJECTS = ['user_id', 'coupon_id', 'product_id'] as const;

/** Most characters of a note. */
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

/** Adds a note to the log. A note cannot be changed or removed (R-TRAIL-07). */
export const addNote = endpoint({
  method: 'POST',
  path: '/api/admin/notes',
  access: 'admin',
  role: 'support',
  summary: 'Add a note about a person, a code or a product to the log',
  body: newNote,
  reply: message,
  status: 201,
});

export const sendSignInMail = endpoint({
  method: 'POST',
  path: '/api/admin/people/:user_id/sign-in-mail',
  access: 'admin',
  role: 'support',
  summary: 'Mail a person a link to sign in',
  params: ofPerson,
  reply: message,
});

export const sendCodeMail = endpoint({
  method: 'POST',
  path: '/api/admin/people/:user_id/code-mail',
  access: 'admin',
  role: 'support',
  summary: 'Mail a person a link to the product page that shows the code; at most one in 10 minutes',
  params: ofPerson,
  body: z.object({ product_id: id }),
  reply: message,
});

/**
 * Changes address, name and phone number of a person. With a new address, sessions and unsent mails of the old address
 * end. If somebody else has the address: 409 `duplicate_email` with that person's `user_id`. If somebody else changed
 * the person after `version`: 409 `edit_conflict`.
 */
export const editPerson = endpoint({
  method: 'POST',
  path: '/api/admin/people/:user_id/edit',
  access: 'admin',
  role: 'manager',
  summary: 'Change address, name and phone number of a person; of a member of the team as owner only',
  params: ofPerson,
  body: editedPerson,
  reply: versionedUser,
});

export const retryMail = endpoint({
  method: 'POST',
  path: '/api/admin/people/:user_id/mail-retry',
  access: 'admin',
  role: 'support',
  summary: 'Send mails to this address again, although the mail server refused it',
  params: ofPerson,
  reply: message,
});
