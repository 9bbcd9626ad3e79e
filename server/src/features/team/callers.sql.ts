// Finds the caller of a request. One statement checks the session of the token, and finds the user with the token's
// address.
import type { TeamRole } from '@portal/contract';
import type { Db } from '../../db/database.ts';

/**
 * The claims of an access token. `session_id` is null with a hosted sign-in service, because the portal does not store
 * the sessions of such a service. `mailed_at` is the time at which a user of such a service last proved the address by a
 * mail, in ISO 8601; null if the user never did, or the service does not tell.
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

/**
 * The learner of a call: the user of the session `session_id`, or, without a session, the user with the app_user.id
 * `user_id`. The call's own SQL statement checks the session and finds its user (0016), so `user_id` is not read then.
 */
export type Learner = { session_id?: string | null; user_id: string | null };

/**
 * SQL that selects the `user_id` of a learner by the parameter $1 (see `learnerKey`). `bySession` returns no row if the
 * session has ended, and null if its address belongs to no user. One statement for both would be planned again at each
 * execution: with one of them null, a plan for these very values looks much cheaper than one for all.
 */
export const LEARNER = {
  bySession: `
    select (select id from app_user where email = s.email) as user_id from signed_in s where s.session_id = $1`,
  byUser: 'select $1::bigint as user_id',
};

/** Returns the name of the SQL in `LEARNER` that selects this learner, and the value of its parameter $1. */
export function learnerKey({ session_id, user_id }: Learner): {
  by: keyof typeof LEARNER;
  key: string | null;
} {
  return session_id == null ? { by: 'byUser', key: user_id } : { by: 'bySession', key: session_id };
}

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
 * `byEmail` finds nobody if the account of the hosted service was linked to another person, unless a mail has proved the
 * address since then (table identity_person).
 * `bySession` returns no row if the session has ended. If the caller's address belongs to no user, all columns but
 * `email` are null. `offset 0` makes the planner look up the one address. With a join, it may read all addresses up to
 * the caller's, because it guesses from the few people who have signed in that these are few.
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
        -- Of an earlier version, with characters that nobody can see (N-303).
        (select id from (
           select id from app_user where octet_length(email) <> char_length(email)
             and canonical_key(email) = token.email offset 0) odd order by id limit 1)) offset 0) u on not exists (
      select from identity_person l
      where l.provider = 'hosted' and l.issuer = '' and l.provider_id = ($1::text[])[2] and l.person_id <> u.id
        and ($1::text[])[3]::timestamptz <= l.since)`,
};

/** Returns the caller with this identity, or null if the session has ended. */
export async function findCaller(db: Db, identity: Identity): Promise<Caller | null> {
  const { session_id, email, auth_id, mailed_at } = identity;
  const { rows } =
    session_id === null
      ? await db.query<CallerRow>(CALLER.byEmail, [[email, auth_id, mailed_at ?? '-infinity']])
      : await db.query<CallerRow>(CALLER.bySession, [session_id]);
  const row = rows[0];
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
