// Registers the calls that list users, save a user, and read the products of a user.
import { getUserAccess, listUsers, saveUser as saveUserCall } from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import { listAccess } from '../stores/access.ts';
import { countFoundUsers, searchUsers } from '../stores/person-search.ts';
import * as users from '../stores/users.ts';
import { hideCode, isMasked, type Masking } from '../usecases/mask-codes.ts';
import { saveUser } from '../usecases/save-user.ts';
import type { Handle } from './handle.ts';
import { sendList } from './send-list.ts';

export function handleUsers(
  handle: Handle,
  { db, now, dayOf, codesMasked }: { db: Database; now: () => Date; dayOf: (at: Date) => string } & Masking,
): void {
  handle(listUsers, ({ query: { limit, cursor, q, ...filter } }, reply) =>
    sendList(
      reply,
      { limit, cursor },
      q
        ? {
            list: (page) => searchUsers(db, { ...filter, ...page, q }),
            count: () => countFoundUsers(db, { ...filter, q }),
          }
        : {
            list: (page) => users.listUsers(db, { ...filter, ...page }),
            count: () => users.countUsers(db, filter),
          },
    ),
  );

  handle(saveUserCall, async ({ body, caller }) => ({
    message: 'User created/updated successfully',
    user: await saveUser(db, { actor: caller.email, user: body, today: dayOf(now()) }),
  }));

  handle(getUserAccess, async ({ params: { email }, caller }) => {
    const user = await users.findUser(db, email);
    if (user === null) throw new AppError('user_not_found', 'User not found');
    const rows = await listAccess(db, user.id, dayOf(now()));
    const masked = isMasked(caller, { codesMasked });
    const last_sign_in_at = await users.findLastSignIn(db, user.email);
    return {
      user: { email: user.email, name: user.name, last_sign_in_at },
      products: rows.map(({ coupon, ...product }) => ({
        ...product,
        hasCoupon: coupon !== null,
        coupon: coupon !== null && masked ? hideCode(coupon) : coupon,
      })),
    };
  });
}
