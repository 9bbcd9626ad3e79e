// Users: the people whom the portal knows, by e-mail.
import type { AppUser } from '@portal/contract';
import type { Db } from '../db/database.ts';

export type UserFilter = {
  /** Begins the address or the name; whatever the case. */
  q?: string | undefined;
  role?: 'user' | 'admin' | undefined;
};

function filterUsers({ q, role }: UserFilter, first: number): { where: string; params: unknown[] } {
  const params: unknown[] = [];
  const take = (value: unknown) => `$${first - 1 + params.push(value)}`;
  const conditions = ['true'];
  if (q) {
    const [from, to] = [take(q.toLowerCase()), take(`${q.toLowerCase()}\u{10ffff}`)];
    conditions.push(
      `(u.email ~>=~ ${from} and u.email ~<~ ${to} or lower(u.name) ~>=~ ${from} and lower(u.name) ~<~ ${to})`,
    );
  }
  if (role) conditions.push(`u.user_role = ${take(role)}`);
  return { where: conditions.join(' and '), params };
}

/** At most `limit` users older than the one with id `before`, newest first. */
export async function listUsers(
  db: Db,
  { limit, before, ...filter }: UserFilter & { limit: number; before?: string | undefined },
): Promise<AppUser[]> {
  const { where, params } = filterUsers(filter, 3);
  const { rows } = await db.query<AppUser>(
    `select u.id, u.user_id, u.email, u.name, u.phone_number, u.user_role from app_user u
     where u.id < coalesce($2::bigint, 9223372036854775807) and ${where}
     order by u.id desc limit $1`,
    [limit, before ?? null, ...params],
  );
  return rows;
}

export async function countUsers(db: Db, filter: UserFilter): Promise<number> {
  const { where, params } = filterUsers(filter, 1);
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from app_user u where ${where}`,
    params,
  );
  return rows[0]?.count ?? 0;
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

/**
 * Creates those of the users whom nobody of that address precedes, in the table or in `users`, each with an audit line.
 * `users` hold email, name, phone_number and payment_id. Answers how many were created.
 */
export async function createUsers(db: Db, users: readonly object[], actor: string): Promise<number> {
  const { rowCount } = await db.query(
    `with created as (
       insert into app_user (email, name, phone_number, payment_id)
       select email, name, phone_number, payment_id
       from jsonb_to_recordset($1::jsonb) as u (email text, name text, phone_number text, payment_id text)
       on conflict do nothing
       returning id
     )
     insert into audit (actor, action, user_id) select $2, 'user.create', id from created`,
    [JSON.stringify(users), actor],
  );
  return rowCount;
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
