// Reads, searches and saves users, who are identified by their e-mail address.
import type { AppUser } from '@portal/contract';
import { sqlColumns } from '../../db/columns.ts';
import type { Db } from '../../db/database.ts';
import { idOfCursor, type Page, type Total } from '../../db/prefix-search.sql.ts';
import { getUserTotal } from '../dashboard/tally.sql.ts';
import type { Importer } from '../log/audit.sql.ts';
import { ORIGIN_COLUMNS, originOf } from '../log/origin.sql.ts';
import { findStoredEmail } from './stored-emails.sql.ts';

type Role = AppUser['user_role'];
/** With `cohort_id`, a UUID, only the members of this cohort. */
export type UserFilter = { role?: Role | undefined; cohort_id?: string | undefined };

/** The columns of a user, for `sqlColumns`. */
export const USER_COLUMNS = {
  id: true,
  user_id: true,
  email: true,
  name: true,
  phone_number: true,
  user_role: true,
  team_role: true,
} as const;
/** The columns of the user `u`. */
export const USER = sqlColumns<AppUser>(USER_COLUMNS).of('u');
/**
 * SQL conditions for the user `u`. The role is part of the SQL text. If it were a parameter, the planner could not use
 * the partial index of administrators.
 */
export const IS_OF_ROLE = { admin: "u.user_role = 'admin'", user: "u.user_role = 'user'", any: 'true' };

/**
 * Returns an SQL condition that is true if a user `u` is in the cohort. As a subquery that returns a value, it is
 * evaluated for one user after the other, in the order of the list. With `exists`, the planner may read all members.
 */
export function isMemberOf(cohort: string): string {
  return `(select true from cohort_member m where m.cohort_id = ${cohort}::uuid and m.user_id = u.id)`;
}

/** Returns one page of users of all cohorts, newest first. */
export async function listUsers(
  db: Db,
  { limit, after, role }: Omit<UserFilter, 'cohort_id'> & Page,
): Promise<AppUser[]> {
  const { rows } = await db.query<AppUser>(
    `select ${USER} from app_user u
     where u.id < coalesce($2::bigint, 9223372036854775807) and ${IS_OF_ROLE[role ?? 'any']}
     order by u.id desc limit $1`,
    [limit, idOfCursor(after)],
  );
  return rows;
}

/** Returns the number of all users, or of the users with one role, in all cohorts. */
export async function countUsers(db: Db, { role }: Omit<UserFilter, 'cohort_id'>): Promise<Total> {
  const all = await getUserTotal(db);
  if (!role) return all;
  const admins = await countAdmins(db);
  return { total: role === 'admin' ? admins : all.total - admins, atLeast: false };
}

/**
 * Returns the user with this address, or null if there is none. `email` must be trimmed and in lower case. Also finds the
 * user whose stored address has another form (see `findStoredEmails`).
 */
export async function findUser(db: Db, email: string): Promise<AppUser | null> {
  const find = async (stored: string) =>
    (await db.query<AppUser>(`select ${USER} from app_user u where email = $1`, [stored])).rows[0] ?? null;
  return (await find(email)) ?? find(await findStoredEmail(db, email));
}

/**
 * Returns the time of the last sign-in; null if the user has never signed in. Returns undefined if the user signs in at
 * a hosted service, because only that service knows the time.
 */
export async function findLastSignIn(db: Db, email: string): Promise<string | null | undefined> {
  const { rows } = await db.query<{ last_sign_in_at: string | null; elsewhere: boolean }>(
    `select s.last_sign_in_at, u.auth_id is not null and s.id is null as elsewhere
     from app_user u left join auth_user s on s.email = u.email where u.email = $1`,
    [email],
  );
  return rows[0]?.elsewhere ? undefined : (rows[0]?.last_sign_in_at ?? null);
}

type Contact = { name: string | null; phone_number: string | null };

/**
 * Creates a user. If the address exists, replaces name and phone number unless the new value is null, and keeps the
 * role. With `keepsMembers`, also keeps name and phone number of a member of the team. `before` has the
 * values before the change; it is null if the user was created.
 */
export async function upsertUser(
  db: Db,
  user: Contact & { email: string },
  { keepsMembers }: { keepsMembers: boolean },
): Promise<{ saved: AppUser; before: Contact | null }> {
  const values = [user.email, user.name, user.phone_number];
  const created = await db.query<AppUser>(
    `insert into app_user as u (email, name, phone_number) values ($1, $2, $3)
     on conflict (email) do nothing returning ${USER}`,
    values,
  );
  if (created.rows[0]) return { saved: created.rows[0], before: null };
  // The row is locked before it is read. So `before` has exactly the values that this statement replaces.
  const { rows } = await db.query<AppUser & { before: Contact }>(
    `with old as (
       select id, name, phone_number, $4 and team_role is not null as keeps from app_user where email = $1
       for no key update)
     update app_user u set name = case when keeps then old.name else coalesce($2, old.name) end,
       phone_number = case when keeps then old.phone_number else coalesce($3, old.phone_number) end, updated_at = now()
     from old where u.id = old.id
     returning ${USER}, jsonb_build_object('name', old.name, 'phone_number', old.phone_number) as before`,
    [...values, keepsMembers],
  );
  const { before, ...saved } = rows[0] as AppUser & { before: Contact };
  return { saved, before };
}

type NewUser = Contact & { email: string; payment_id: string | null };
const NEW_USER = sqlColumns<NewUser>({ email: true, name: true, phone_number: true, payment_id: true });

/**
 * Creates users, each with an audit line. Skips a user whose address exists, in the table or earlier in `users`.
 * Returns the number of created users.
 * Inserts in the order of addresses, so that two imports of the same users do not deadlock.
 */
export async function createUsers(
  db: Db,
  users: readonly NewUser[],
  { actor, import_id }: Pick<Importer, 'actor'> & Partial<Importer>,
): Promise<number> {
  const { rowCount } = await db.query(
    `with created as (
       insert into app_user (${NEW_USER.list})
       select ${NEW_USER.list} from jsonb_populate_recordset(null::app_user, $1::jsonb) with ordinality as u
       order by email, ordinality
       on conflict do nothing
       returning id
     )
     insert into audit (actor, ${ORIGIN_COLUMNS}, action, user_id, detail)
     select $2, $4, $5::inet, $6::bigint, $7, 'user.create', id, jsonb_strip_nulls(jsonb_build_object('import_id', $3::text)) from created`,
    [JSON.stringify(users), actor, import_id ?? null, ...originOf(actor)],
  );
  return rowCount;
}

export async function listAdminEmails(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>(
    "select email from app_user where user_role = 'admin' order by id",
  );
  return rows.map(({ email }) => email);
}

export async function listOwnerEmails(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>(
    "select email from app_user where team_role = 'owner' order by id",
  );
  return rows.map(({ email }) => email);
}

/**
 * Locks the user, so that other staff actions on the user's codes wait until the transaction ends. Redemptions do not
 * wait.
 */
export async function lockUser(db: Db, user_id: string): Promise<void> {
  await db.query('select 1 from app_user where id = $1 for no key update', [user_id]);
}

export async function countAdmins(db: Db): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    "select count(*)::int as count from app_user where user_role = 'admin'",
  );
  return rows[0]?.count ?? 0;
}

/**
 * Saves the id that the user has at the sign-in service. Adds an audit line if the id has changed. With `hosted`,
 * also remembers the user as the person of this account, unless the account has another one.
 */
export async function linkAuthIdentity(
  db: Db,
  { user_id, auth_id, hosted = false }: { user_id: string; auth_id: string; hosted?: boolean },
): Promise<void> {
  await db.query(
    `with linked as (
       update app_user set auth_id = $2 where id = $1 and auth_id is distinct from $2::uuid returning id
     ), remembered as (
       insert into identity_person (provider, issuer, provider_id, person_id)
       select 'hosted', '', $2::text, id from linked where $3 on conflict do nothing
     )
     insert into audit (actor, via, action, user_id, detail)
     select 'portal', 'portal', 'user.link', id, jsonb_build_object('auth_id', $2::text) from linked`,
    [user_id, auth_id, hosted],
  );
}
