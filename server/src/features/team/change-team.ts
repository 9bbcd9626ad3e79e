// Gives roles in the team, and takes them away. Contains the rules for the operator and for the pages.
import { canonicalAddress, hasRole, type TeamRole } from '@portal/contract';
import { accessRestricted, authenticationRequired, roleTooLow } from '../../app-error.ts';
import type { Database, Db } from '../../db/database.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { judgeAddress } from '../people/judge-addresses.ts';
import { findStoredEmail } from '../people/stored-emails.sql.ts';
import { findCaller, type Member } from './callers.sql.ts';
import * as team from './team.sql.ts';

/**
 * Result of a change. 'same': the user has the requested role already. 'unknown': no user has the address.
 * 'last_owner': refused, because the portal would have no owner left (R-TEAM-13).
 */
export type RoleChange = 'changed' | 'same' | 'unknown' | 'last_owner';

type Order = {
  /** 'operator', or 'portal' for ADMIN_EMAILS. */
  actor: string;
  email: string;
  /** The new role; null takes the role away. */
  team_role: TeamRole | null;
  /** True if the last owner may lose the role. */
  force?: boolean;
};

/**
 * Sets the role of a user for the operator. Creates the user if the address is unknown and `team_role` is not null, so
 * that the user can sign in. `adminEmails` contains the addresses in ADMIN_EMAILS.
 * @throws AppError invalid_request if a new user may not have the address (R-MAP-03). Addresses in ADMIN_EMAILS are not
 * judged, so that the portal starts.
 */
export async function setRole(
  db: Database,
  { actor, team_role, force = false, ...order }: Order,
  { adminEmails }: { adminEmails: readonly string[] },
): Promise<RoleChange> {
  return db.transaction(async (tx) => {
    const owners = await team.lockOwners(tx);
    const email = await (actor === 'operator' && team_role !== null ? judgeAddress : findStoredEmail)(
      tx,
      order.email,
    );
    const member =
      team_role === null
        ? await team.lockMember(tx, email)
        : await lockOrCreate(tx, { email, name: null, team_role });
    if (member === null) return 'unknown';
    if (member.team_role === team_role) return 'same';
    const action = team_role === null ? 'team.remove' : 'team.role';
    const isRefused = !force && isLastOwner(owners, member, adminEmails);
    return changeRole(tx, { actor, action, member, team_role, isRefused });
  });
}

/**
 * Reads the member of the team who acts again, in a transaction that has locked the team (`lockOwners`): another act may
 * have changed the role, the address or the session while this call waited (R-TEAM-41).
 * @throws AppError authentication_required if the session has ended, or the address belongs to somebody else or nobody.
 * @throws AppError access_restricted or role_too_low if the role is not `least` or higher any more.
 */
export async function requireActor(tx: Db, actor: Member, least: TeamRole): Promise<void> {
  const caller = await findCaller(tx, actor);
  if (caller?.user_id !== actor.user_id) throw authenticationRequired();
  if (caller.team_role === null) throw accessRestricted(caller);
  if (!hasRole(caller.team_role, least)) throw roleTooLow(caller);
}

/** A locked user, with the role before the change. */
export type LockedMember = team.TeamMember & {
  /** True if this transaction has created the user, with the new role. */
  isNew?: boolean;
};

/**
 * Locks the user with this address until the transaction ends. Creates the user with the new role if the address is
 * unknown; `team_role` of the result is then null.
 */
export async function lockOrCreate(
  tx: Db,
  { email, name, team_role }: { email: string; name: string | null; team_role: TeamRole },
): Promise<LockedMember> {
  const found = await team.lockMember(tx, email);
  if (found !== null) return found;
  const created = await team.createMember(tx, { email, name, team_role });
  if (created !== null) return { ...created, team_role: null, isNew: true };
  // Another transaction has created the user after the first search.
  const other = await team.lockMember(tx, email);
  if (other === null) throw new Error('The user was neither found nor created');
  return other;
}

type Change = {
  actor: string;
  /** Name of the act in the audit log. */
  action: string;
  member: LockedMember;
  team_role: TeamRole | null;
  /** True if the user is the last owner. Then only the refusal is written to the audit log. */
  isRefused: boolean;
  /** True if ADMIN_EMAILS must not give the role back at the next start (N-03). */
  remembered?: boolean;
};

/** Sets the role of a locked user and writes the audit line. The caller has locked the owners (`lockOwners`). */
export async function changeRole(
  tx: Db,
  { actor, member, team_role, remembered = false, ...change }: Change,
): Promise<'changed' | 'last_owner'> {
  const { id, email, team_role: before, isNew = false } = member;
  const isRefused = change.isRefused && team_role !== 'owner';
  if (!isRefused) {
    if (!isNew) await team.setTeamRole(tx, { id, team_role, remembered });
    await team.setLeftTeam(tx, { email, left: remembered });
  }
  const action = isRefused ? 'team.refused_last_owner' : change.action;
  await createAuditLine(tx, { actor, action, user_id: id, detail: { team_role: [before, team_role] } });
  return isRefused ? 'last_owner' : 'changed';
}

/**
 * True if the user is the only owner who counts. An owner counts who has signed in or whose address is in ADMIN_EMAILS:
 * an owner with a mistyped address can never sign in (N-01).
 */
export function isLastOwner(
  owners: readonly team.Owner[],
  { id }: { id: string },
  adminEmails: readonly string[],
): boolean {
  const counting = owners.filter(
    ({ signed_in, email }) => signed_in || adminEmails.includes(canonicalAddress(email)),
  );
  return counting.length === 1 && counting[0]?.id === id;
}

/**
 * Makes owners of the addresses in ADMIN_EMAILS that have no role. Changes nobody's role, and gives none back that was
 * taken away in the pages (R-TEAM-15, N-03).
 */
export async function makeOwners(db: Database, adminEmails: readonly string[]): Promise<void> {
  const emails: string[] = [];
  for (const email of adminEmails) emails.push(await findStoredEmail(db, email));
  if ((await team.listWithoutRole(db, emails)).length === 0) return;
  await db.transaction(async (tx) => {
    await team.lockOwners(tx);
    // Read again under the lock: an owner may have removed somebody meanwhile.
    for (const email of await team.listWithoutRole(tx, emails)) {
      const member = await lockOrCreate(tx, { email, name: null, team_role: 'owner' });
      const change = { actor: 'portal', action: 'team.role', member, isRefused: false };
      await changeRole(tx, { ...change, team_role: 'owner' });
    }
  });
}
