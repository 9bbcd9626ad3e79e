// Calls for users: learners who got products from an administrator, identified by the e-mail of the purchase.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { email, id, inPages, line, orNull, page, time } from './fields.ts';

export const userRole = z.enum(['user', 'admin']);

/** A user as administrators see it (R-ENT-07). */
export const appUser = z.object({
  id: z.string(),
  user_id: z.string(),
  email: z.string(),
  name: z.nullable(z.string()),
  phone_number: z.nullable(z.string()),
  user_role: userRole,
});
export type AppUser = z.output<typeof appUser>;

/**
 * A user to create or update. Null keeps the stored value. A sent `user_role` is ignored: new users are always
 * 'user'.
 */
export const savedUser = z.object({
  email,
  /** Required for a new user. */
  name: orNull(line('name', 200)),
  phone_number: orNull(line('phone_number', 50)),
  product_ids: z
    .array(id, 'product_ids must name at least one product')
    .check(
      z.minLength(1, 'product_ids must name at least one product'),
      z.maxLength(1000, 'product_ids must name at most 1000 products'),
    ),
});
export type SavedUser = z.output<typeof savedUser>;

/** A user's products with the code of each, as the access card shows them (R-ENT-10). */
export const userAccess = z.object({
  user: z.object({
    email: z.string(),
    name: z.nullable(z.string()),
    /** Null: the user never signed in. Absent: only the hosted sign-in service knows it. */
    last_sign_in_at: z.optional(z.nullable(time)),
  }),
  products: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      product_id: z.string(),
      hasCoupon: z.boolean(),
      coupon: z.nullable(z.object({ coupon_code: z.string(), assigned_at: time })),
    }),
  ),
});

export const listUsers = endpoint({
  method: 'GET',
  path: '/api/users',
  access: 'admin',
  summary: 'Users, newest first; with q those whose address begins so, then those whose name does',
  query: z.object({ ...page, role: z.optional(userRole) }).check(inPages),
  reply: z.array(appUser),
});

export const saveUser = endpoint({
  method: 'POST',
  path: '/api/admin/users/single',
  access: 'admin',
  summary: 'Create a user, or update one and add products',
  body: savedUser,
  reply: z.object({ message: z.string(), user: appUser }),
});

export const getUserAccess = endpoint({
  method: 'GET',
  path: '/api/admin/user-access/:email',
  access: 'admin',
  summary: "A user's products and codes",
  params: z.object({ email }),
  reply: userAccess,
});
