// Who is calling: the identity of a token, the session behind it and the user of that address, in one read.
import type { Db } from '../db/database.ts';

/** Whom a token names. `session_id` null: the session is a hosted service's, and not ours to look up. */
export type Identity = { auth_id: string; email: string; name: string | null; session_id: string | null };

/** A signed-in caller. `user_id` (app_user.id) is null for an address that the portal does not know. */
export type Caller = {
  auth_id: string;
  email: string;
  name: string | null;
  user_id: string | null;
  user_role: 'user' | 'admin';
};

type CallerRow = {
  email: string;
  user_id: string | null;
  name: string | null;
  user_role: 'user' | 'admin' | null;
};

/**
 * The row of the caller whose `callerKey` is $1, for statements that check the session while they do their work: none
 * when the session has ended, nulls beside `email` for an address that the portal does not know.
 */
export const CALLER = {
  bySession: `
    select s.email, u.id as user_id, u.name, u.user_role, u.all_products
    from signed_in s left join app_user u on u.email = s.email
    where s.session_id = $1`,
  byEmail: `
    select token.email, u.id as user_id, u.name, u.user_role, u.all_products
    from (select $1::text as email) token left join app_user u on u.email = token.email`,
};

/** How `identity` is looked up, and by what. */
export function callerKey({ session_id, email }: Identity): { by: keyof typeof CALLER; key: string } {
  return session_id === null ? { by: 'byEmail', key: email } : { by: 'bySession', key: session_id };
}

/** The caller behind `identity`, or null when the session has ended. */
export async function findCaller(db: Db, identity: Identity): Promise<Caller | null> {
  const { by, key } = callerKey(identity);
  const { rows } = await db.query<CallerRow>(CALLER[by], [key]);
  const row = rows[0];
  if (row === undefined) return null;
  return {
    auth_id: identity.auth_id,
    email: row.email,
    name: row.name ?? identity.name,
    user_id: row.user_id,
    user_role: row.user_role ?? 'user',
  };
}
