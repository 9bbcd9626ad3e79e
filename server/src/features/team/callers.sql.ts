// Finds the caller of a request. One statement checks the session of the token, and finds the user with the token's
// address.
import type { TeamRole } from '@portal/contract';
import type { Db } from '../../db/database.ts';

/**
 * The claims of an access token. `session_id` is null with a hosted sign-in service, because the portal does not store
 * the sessions of such a service. `mailed_at` is the time at which a user of such a service last proved the address by a
 * mail, in ISO 8601; null if the user never did, or if the service does not
 * return this time.
 */
export type Identity = {
  auth_id: string;
  email: string;
  name: string | null;
  session_id: string | null;
  mailed_at?: string | null;
};

/** A signed-in caller. `user_id` (app_user.id) is null if the caller's address belongs to no user. */
export type Caller = Identity & {
  user_id: string | null;
  user_role: 'user' | 'admin';
  /** Null for learners. */
  team_role: TeamRole | null;
};

/** The person for whom a statement runs: the caller of a request, or a user for whom staff act. */
export type IdentityOrUser = Identity | { user_id: string };

/** A caller with a role in the team. */
export type Member = Caller & { user_id: string; team_role: TeamRole };

type CallerRow = {
  email: string;
  user_id: string | null;
  name: string | null;
  user_role: 'user' | 'admin' | null;
  team_role: TeamRole | null;
};

/**
 * Queries that select a caller by the parameter $1. `byUser` selects only `user_id`, and does not check that the user
 * exists.
 * `byEmail` finds nobody if the account of the hosted service was linked to another person, unless a mail has proved the
 * address since then (table identity_person).
 * `bySession` returns no row if the session has ended. If the caller's address belongs to no user, all columns but
 * `email` are null. `offset 0` makes the planner look up this address only. With a join, the planner may read all
 * addresses up to the caller's: if few people have signed in, the planner expects that these addresses are few too.
 */
const CALLER = {
  bySession: `
    select s.email, u.id as user_id, u.name, u.user_role, u.team_role
    from signed_in s left join lateral (
      select id, name, user_role, team_role from app_user where email = s.email offset 0) u on true
    where s.session_id = $1`,
  byEmail: `
    select token.email, u.id as user_id, u.name, u.user_role, u.team_role
    from (select ($1::text[])[1] as email) token left join lateral (
      select id, name, user_role, team_role from app_user
      where id = coalesce(
        (select id from app_user where email = token.email),
        -- An earlier version may have stored the address with invisible characters (N-303).
        (select id from (
           select id from app_user where octet_length(email) <> char_length(email)
             and canonical_key(email) = token.email offset 0) odd order by id limit 1)) offset 0) u on not exists (
      select from identity_person l
      where l.provider = 'hosted' and l.issuer = '' and l.provider_id = ($1::text[])[2] and l.person_id <> u.id
        and ($1::text[])[3]::timestamptz <= l.since)`,
  byUser: 'select $1::bigint as user_id',
};

/**
 * Returns the query that selects the caller or user, and the value of its parameter $1. The query returns no row if the
 * session has ended. Its column `user_id` is null if the caller's address belongs to no user.
 * There is one query for each kind of caller. A common query would have null parameters, and PostgreSQL would plan it
 * again at each execution (0016).
 */
export function selectCaller(caller: IdentityOrUser): { query: string; key: string | string[] } {
  if (!('session_id' in caller)) return { query: CALLER.byUser, key: caller.user_id };
  const { session_id, email, auth_id, mailed_at } = caller;
  if (session_id !== null) return { query: CALLER.bySession, key: session_id };
  return { query: CALLER.byEmail, key: [email, auth_id, mailed_at ?? '-infinity'] };
}

/** Returns the caller with this identity, or null if the session has ended. */
export async function findCaller(db: Db, identity: Identity): Promise<Caller | null> {
  const { query, key } = selectCaller(identity);
  const [row] = (await db.query<CallerRow>(query, [key])).rows;
  if (row === undefined) return null;
  return {
    ...identity,
    email: row.email,
    name: row.name ?? identity.name,
    user_id: row.user_id,
    user_role: row.user_role ?? 'user',
    team_role: row.team_role,
  };
}
