// Reads and changes the roles of the team, and counts actions that have a rate limit.
import { createHash } from 'node:crypto';
import { canonicalAddress, type TeamMember as ListedMember, type TeamRole } from '@portal/contract';
import { asUuid, type Db } from '../../db/database.ts';
import { findStoredEmail } from '../people/addresses.sql.ts';

export type TeamMember = { id: string; user_id: string; email: string; team_role: TeamRole | null };
/** An owner. `signed_in` is false if the owner has never signed in. */
export type Owner = { id: string; email: string; signed_in: boolean };

// Key of the advisory lock of `lockOwners`. The number is arbitrary, but must be the same in all processes.
const TEAM_LOCK = 7_346_201;

/**
 * Locks the team until the transaction ends: an advisory lock, then the rows of all owners and of the person with the
 * public id `user_id`. Returns the owners. Changes of the team run one after the other, and each change reads the roles
 * that the previous change has stored (R-TEAM-40). Locks the rows in the order of ids, as imports do, so that a change and
 * an import cannot deadlock. Row locks alone could deadlock: two calls may read different owners, and would then lock the
 * rows in different orders.
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

/** Locks the user with this address until the transaction ends. Returns null if `findUser` finds no such user. */
export async function lockMember(db: Db, email: string): Promise<TeamMember | null> {
  const { rows } = await db.query<TeamMember>(
    'select id, user_id, email, team_role from app_user where email = $1 for update',
    [await findStoredEmail(db, email)],
  );
  return rows[0] ?? null;
}

/** Locks the user with this `user_id` until the transaction ends. Returns null if there is no such user. */
export async function lockMemberById(db: Db, user_id: string): Promise<TeamMember | null> {
  const { rows } = await db.query<TeamMember>(
    'select id, user_id, email, team_role from app_user where user_id = $1 for update',
    [asUuid(user_id)],
  );
  return rows[0] ?? null;
}

/** Creates a user with a role in the team. Returns null if a user with this address exists. */
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
 * Sets the role of a user; null removes the role. `remembered` is true for a removal that ADMIN_EMAILS must not undo.
 * Stores this in `left_team_at` for processes of the previous version; this version uses `setLeftTeam`.
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
 * Records that an owner removed the address from the team. ADMIN_EMAILS then gives this address no role, even if the user
 * of the address gets another address (N-03). With `left` false, deletes the record.
 */
export async function setLeftTeam(db: Db, { email, left }: { email: string; left: boolean }): Promise<void> {
  const canonical = canonicalAddress(email);
  if (left) {
    await db.query('insert into left_team (email) values ($1) on conflict do nothing', [canonical]);
    return;
  }
  const forms = (await listLeft(db)).filter(
    (form) => canonicalAddress(form) === canonical || form === hashAddress(canonical),
  );
  await db.query('delete from left_team where email = any($1::text[])', [forms]);
}

/**
 * Replaces addresses of erased people in left_team by their hashes, so that ADMIN_EMAILS still makes no owner of these
 * addresses.
 */
export async function hashLeftTeam(db: Db, emails: readonly string[]): Promise<void> {
  const canonical = emails.map(canonicalAddress);
  for (const form of await listLeft(db)) {
    if (!canonical.includes(canonicalAddress(form))) continue;
    await db.query('delete from left_team where email in ($1, $2)', [form, hashAddress(form)]);
    await db.query('insert into left_team (email) values ($1)', [hashAddress(form)]);
  }
}

function hashAddress(email: string): string {
  return `sha256:${createHash('sha256').update(canonicalAddress(email)).digest('hex')}`;
}

// Returns the addresses of left_team, and the hashes of addresses of erased people. Earlier versions stored another form of the address than the canonical form
// (N-303).
async function listLeft(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>('select email from left_team');
  return rows.map(({ email }) => email);
}

/**
 * Moves the membership of the team to the new address `to` of the user `id` (app_user.id). Call this function before the
 * address is changed. If the user is or was a member, records with `setLeftTeam` that the old address has left the team.
 * If the user has a role, deletes the record of the new address.
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

/** Returns those of `emails` that have no role in the team and that no owner has removed from the team. */
export async function listWithoutRole(db: Db, emails: readonly string[]): Promise<string[]> {
  // Also checks left_team_at: a process of the previous version, which may run during an upgrade, writes only this
  // column.
  const { rows } = await db.query<{ email: string }>(
    `select given.email from unnest($1::text[]) given (email) left join app_user u on u.email = given.email
     where u.team_role is null and u.left_team_at is null`,
    [emails],
  );
  const left = new Set((await listLeft(db)).map(canonicalAddress));
  const hasLeft = (email: string) => left.has(canonicalAddress(email)) || left.has(hashAddress(email));
  return rows.map(({ email }) => email).filter((email) => !hasLeft(email));
}

export async function setInvitation(
  db: Db,
  { id, invited_by, at }: { id: string; invited_by: string; at: Date },
): Promise<void> {
  const statement = 'update app_user set invited_at = $3, invited_by = $2 where id = $1';
  await db.query(statement, [id, invited_by, at.toISOString()]);
}

const LISTED = `u.user_id, u.email, u.name, u.team_role, u.invited_at, u.invited_by, s.last_sign_in_at,
  (select count(*)::int from auth_session a where a.user_id = s.id) as sessions`;

/**
 * Returns the members of the team, the highest role first, then by address. Users of a hosted sign-in service have no
 * row in auth_user.
 */
export async function listTeam(db: Db): Promise<(ListedMember & { team_role: TeamRole })[]> {
  const { rows } = await db.query<ListedMember & { team_role: TeamRole }>(
    `select ${LISTED}
     from app_user u left join auth_user s on s.email = u.email
     where u.user_role = 'admin'
     order by array_position(array['owner', 'manager', 'support', 'viewer'], u.team_role), u.email`,
  );
  return rows;
}

/** Returns one user as `listTeam` does, even if the user no longer has a role. */
export async function findListedMember(db: Db, id: string): Promise<ListedMember> {
  const { rows } = await db.query<ListedMember>(
    `select ${LISTED}
     from app_user u left join auth_user s on s.email = u.email
     where u.id = $1`,
    [id],
  );
  return rows[0] as ListedMember;
}

/**
 * `key` has the name of the limit and its subject, for example `team-invite:7`. `most` is the number of actions that
 * are allowed within `seconds`.
 */
type RateLimit = { key: string; most: number; seconds: number };

/**
 * Counts an action. The period begins with its first action and ends at `until`. `allowed` is false if the action is
 * over the limit. Call this function in the transaction of the action: if the transaction fails, the action is not
 * counted.
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
       -- A process whose clock was ahead may have stored an end that is too late. 'least' limits this end.
       expire = case when r.expire <= $2 then excluded.expire else least(r.expire, excluded.expire) end
     returning points, expire`,
    [key, now.getTime(), seconds * 1000],
  );
  const { points = 0, expire = '0' } = rows[0] ?? {};
  return { allowed: points <= most, until: new Date(Number(expire)) };
}
