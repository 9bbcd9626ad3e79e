// Users: the people whom the portal knows, by e-mail.
import type { AppUser } from '@portal/contract';
import type { Db } from '../db/database.ts';

/** Newest first. */
export async function listUsers(db: Db): Promise<AppUser[]> {
  const { rows } = await db.query<AppUser>(
    'select id, user_id, email, name, phone_number, user_role from app_user order by id desc',
  );
  return rows;
}

/** The user of an address (trimmed, lower case), or null. */
export async function findUser(db: Db, email: string): Promise<AppUser | null> {
  const { rows } = await db.query<AppUser>(
    'select id, user_id, email, name, phone_number, user_role from app_user where email = $1',
    [email],
  );
  return rows[0] ?? null;
}

/** Creates the user, or replaces name and phone of the one there is; the role is never touched. */
export async function upsertUser(
  db: Db,
  user: { email: string; name: string; phone_number: string | null },
): Promise<AppUser & { created: boolean }> {
  const { rows } = await db.query<AppUser & { created: boolean }>(
    `insert into app_user (email, name, phone_number) values ($1, $2, $3)
     on conflict (email) do update set name = excluded.name, phone_number = excluded.phone_number, updated_at = now()
     returning id, user_id, email, name, phone_number, user_role, xmax = 0 as created`,
    [user.email, user.name, user.phone_number],
  );
  return rows[0] as AppUser & { created: boolean };
}

/** Sets a user's role, creating the user when there is none. Answers null when nothing changed. */
export async function setUserRole(
  db: Db,
  email: string,
  role: 'user' | 'admin',
): Promise<{ id: string } | null> {
  const { rows } = await db.query<{ id: string }>(
    `insert into app_user (email, user_role) values ($1, $2)
     on conflict (email) do update set user_role = excluded.user_role, updated_at = now()
       where app_user.user_role <> excluded.user_role
     returning id`,
    [email, role],
  );
  return rows[0] ?? null;
}

export async function countAdmins(db: Db): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    "select count(*)::int as count from app_user where user_role = 'admin'",
  );
  return rows[0]?.count ?? 0;
}

/** Remembers who the user is to the sign-in service, with an audit line when that is news. */
export async function linkAuthIdentity(db: Db, user_id: string, auth_id: string): Promise<void> {
  await db.query(
    `with linked as (
       update app_user set auth_id = $2 where id = $1 and auth_id is distinct from $2::uuid returning id
     )
     insert into audit (actor, action, user_id, detail)
     select 'portal', 'user.link', id, jsonb_build_object('auth_id', $2::text) from linked`,
    [user_id, auth_id],
  );
}
