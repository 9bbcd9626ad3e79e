// Reads and changes the roles of the team, and counts acts that are limited in a period.
import { canonicalAddress, type TeamMember as ListedMember, type TeamRole } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import { asUuid } from '../../db/ids.ts';
import { findStoredEmail } from '../people/addresses.sql.ts';

export type TeamMember = { id: string; user_id: string; email: string; team_role: TeamRole | null };
/** An owner. `signed_in` is false if the owner has never signed in. */
export type Owner = { id: string; email: string; signed_in: boolean };

// Key of the advisory lock of all changes of the team. The number is arbitrary, but every process must use the same one.
const TEAM_LOCK = 7_346_201;

/**
 * Locks the team until the transaction ends, and the rows of all owners, and of the person with the public id `user_id`, in
 * the order of their ids, as imports lock their people: two acts never wait for each other. Returns the owners. So
 * two changes of the team run one after the other, and each reads the roles that the one before has left (R-TEAM-40).
 * The rows alone are not enough: a call that waits for the row of somebody who is no owner any more would keep that row,
 * while another call with fewer owners waits for it. That would be a deadlock.
 */
export async function lockOwners(db: Db, user_id: string | null = null): Promise<Owner[]> {
  await db.query('select pg_advisory_xact_lock($1)', [TEAM_LOCK]);
  const { rows } = await db.query<Owner & { team_role: TeamRole | null }>(
    `select id, email, team_role,
       auth_id is not null or exists (select from auth_user s where s.email = u.email) as signed_in
     from app_user u where team_role = 'owner' or user_id = $1 order by id for no key update of u`,
    [asUuid(user_id)],
  );
  return rows.filter(({ team_role }) => team_role === 'owner');
}

/**
 * Locks the user with this address until the transaction ends. Returns null if there is none. Finds the same user as
 * `findUser`.
 */
export async function lockMember(db: Db, email: string): Promise<TeamMember | null> {
  const { rows } = await db.query<TeamMember>(
    'select id, user_id, email, team_role from app_user where email = $1 for update',
    [await findStoredEmail(db, email)],
  );
  return rows[0] ?? null;
}

/** Locks the user with this `user_id` until the transaction ends. Returns null if there is none. */
export async function lockMemberById(db: Db, user_id: string): Promise<TeamMember | null> {
  const { rows } = await db.query<TeamMember>(
    'select id, user_id, email, team_role from app_user where user_id = $1 for update',
    [asUuid(user_id)],
  );
  return rows[0] ?? null;
}

/**
 * Creates a user with a role in the team. Returns null if the address exists, perhaps because another transaction has
 * just created it.
 */
export async function createMember(
  db: Db,
  { email, name, team_role }: { email: string; name: string | null; team_role: TeamRole },
): Promise<TeamMember | null> {
  const { rows } = await db.query<TeamMember>(
    `insert into app_user (email, name, user_role, team_role) values ($1, $2, 'admin', $3)
     on conflict (email) do nothing returning id, user_id, email, team_role`,
    [email, name, team_role],
  );
  return rows[0] ?? null;
}

/**
 * Sets the role of a user; null takes the role away. `remembered` is true for a removal that ADMIN_EMAILS must not undo.
 * Only the previous version reads `left_team_at`; see `setLeftTeam`.
 */
export async function setTeamRole(
  db: Db,
  { id, team_role, remembered = false }: { id: string; team_role: TeamRole | null; remembered?: boolean },
): Promise<void> {
  await db.query(
    `update app_user set user_role = case when $2::text is null then 'user' else 'admin' end, team_role = $2,
       left_team_at = case when $3 then now() end, updated_at = now()
     where id = $1`,
    [id, team_role, remembered],
  );
}

/**
 * Remembers that the address was removed from the team in the pages. ADMIN_EMAILS then gives it no role, whatever becomes
 * of the row that had the address (N-03). With `left` false, forgets this.
 */
export async function setLeftTeam(db: Db, { email, left }: { email: string; left: boolean }): Promise<void> {
  const canonical = canonicalAddress(email);
  if (left) {
    await db.query('insert into left_team (email) values ($1) on conflict do nothing', [canonical]);
    return;
  }
  const forms = (await listLeft(db)).filter((form) => canonicalAddress(form) === canonical);
  await db.query('delete from left_team where email = any($1::text[])', [forms]);
}

// Returns the addresses of left_team. Rows of earlier versions have the stored form of an address, which may differ from the canonical one (N-303).
async function listLeft(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>('select email from left_team');
  return rows.map(({ email }) => email);
}

/**
 * Remembers the same of the address of a user (app_user.id) who is about to get another address, unless the user was
 * never in the team. If the user has a role, the new address `to` is in the team.
 */
export async function moveInTeam(db: Db, { id, to }: { id: string; to: string }): Promise<void> {
  const { rows } = await db.query<{ email: string; team_role: TeamRole | null }>(
    'select email, team_role from app_user where id = $1 and (team_role is not null or left_team_at is not null)',
    [id],
  );
  for (const { email, team_role } of rows) {
    if (team_role !== null) await setLeftTeam(db, { email: to, left: false });
    await setLeftTeam(db, { email, left: true });
  }
}

/**
 * Returns those of `emails` whose users may be given a role because of ADMIN_EMAILS: users who have no role, and whom nobody
 * has removed from the team on the page.
 */
export async function listWithoutRole(db: Db, emails: readonly string[]): Promise<string[]> {
  // A process of the previous version, which may run during an upgrade, writes left_team_at only.
  const { rows } = await db.query<{ email: string }>(
    `select given.email from unnest($1::text[]) given (email) left join app_user u on u.email = given.email
     where u.team_role is null and u.left_team_at is null`,
    [emails],
  );
  const left = new Set((await listLeft(db)).map(canonicalAddress));
  return rows.map(({ email }) => email).filter((email) => !left.has(canonicalAddress(email)));
}

/** Stores who invited the user to the team, and when. */
export async function setInvitation(
  db: Db,
  { id, invited_by, at }: { id: string; invited_by: string; at: Date },
): Promise<void> {
  await db.query('update app_user set invited_at = $3, invited_by = $2 where id = $1', [
    id,
    invited_by,
    at.toISOString(),
  ]);
}

/**
 * Returns the members of the team, the highest role first, then by address. Users of a hosted sign-in service have no row in
 * auth_user.
 */
export async function listTeam(db: Db): Promise<(ListedMember & { team_role: TeamRole })[]> {
  const { rows } = await db.query<ListedMember & { team_role: TeamRole }>(
    `select u.user_id, u.email, u.name, u.team_role, u.invited_at, u.invited_by, s.last_sign_in_at,
       (select count(*)::int from auth_session a where a.user_id = s.id) as sessions
     from app_user u left join auth_user s on s.email = u.email
     where u.user_role = 'admin'
     order by array_position(array['owner', 'manager', 'support', 'viewer'], u.team_role), u.email`,
  );
  return rows;
}

/** Returns one user as `listTeam` does, also if the user has no role any more. */
export async function findListedMember(db: Db, id: string): Promise<ListedMember> {
  const { rows } = await db.query<ListedMember>(
    `select u.user_id, u.email, u.name, u.team_role, u.invited_at, u.invited_by, s.last_sign_in_at,
       (select count(*)::int from auth_session a where a.user_id = s.id) as sessions
     from app_user u left join auth_user s on s.email = u.email
     where u.id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('The member was not found');
  return row;
}

export type RateLimit = {
  /** The name of the limit and its subject, for example `invite:7`. */
  key: string;
  /** Number of acts that are allowed in the period. */
  most: number;
  seconds: number;
};

/**
 * Counts an act. The period begins with its first act. Returns `allowed: false` if the act is over the limit, and the
 * time `until` at which the period ends. Call this function in the transaction of the act: if the transaction fails,
 * the act is not counted.
 */
export async function countAct(
  db: Db,
  { key, most, seconds }: RateLimit,
  now: Date,
): Promise<{ allowed: boolean; until: Date }> {
  const { rows } = await db.query<{ points: number; expire: string }>(
    `insert into auth_rate as r (key, points, expire) values ($1, 1, $2::bigint + $3::bigint)
     on conflict (key) do update set
       points = case when r.expire <= $2 then 1 else r.points + 1 end,
       -- A clock that was ahead may have written a later end than a period that begins now has.
       expire = case when r.expire <= $2 then excluded.expire else least(r.expire, excluded.expire) end
     returning points, expire`,
    [key, now.getTime(), seconds * 1000],
  );
  const { points = 0, expire = '0' } = rows[0] ?? {};
  return { allowed: points <= most, until: new Date(Number(expire)) };
}
