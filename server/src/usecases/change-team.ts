// Gives roles in the team, and takes them away.
import type { TeamRole } from '@portal/contract';
import type { Database, Db } from '../db/database.ts';
import { createAuditLine } from '../stores/audit.ts';
import * as team from '../stores/team.ts';

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
 */
export async function setRole(
  db: Database,
  { actor, email, team_role, force = false }: Order,
  { adminEmails }: { adminEmails: readonly string[] },
): Promise<RoleChange> {
  return db.transaction(async (tx) => {
    const owners = await team.lockOwners(tx);
    const member = await lockOrCreate(tx, email, team_role);
    if (member === null) return 'unknown';
    const { id, isNew } = member;
    const before = isNew ? null : member.team_role;
    if (before === team_role) return 'same';
    const isRefused = before === 'owner' && !force && isLastOwner(owners, id, adminEmails);
    if (!isRefused && !isNew) await team.setTeamRole(tx, { id, team_role });
    const action = isRefused ? 'team.refused_last_owner' : team_role === null ? 'team.remove' : 'team.role';
    await createAuditLine(tx, { actor, action, user_id: id, detail: { team_role: [before, team_role] } });
    return isRefused ? 'last_owner' : 'changed';
  });
}

async function lockOrCreate(
  tx: Db,
  email: string,
  team_role: TeamRole | null,
): Promise<(team.TeamMember & { isNew: boolean }) | null> {
  const found = await team.lockMember(tx, email);
  if (found !== null) return { ...found, isNew: false };
  const created = team_role === null ? null : await team.createMember(tx, { email, name: null, team_role });
  if (created !== null) return { ...created, isNew: true };
  // Another transaction has created the user after the first search.
  const other = team_role === null ? null : await team.lockMember(tx, email);
  return other === null ? null : { ...other, isNew: false };
}

/**
 * True if the user with this id is the only owner who counts. An owner counts who has signed in or whose address is in
 * ADMIN_EMAILS: an owner with a mistyped address can never sign in (N-01).
 */
function isLastOwner(owners: readonly team.Owner[], id: string, adminEmails: readonly string[]): boolean {
  const counting = owners.filter(({ signed_in, email }) => signed_in || adminEmails.includes(email));
  return counting.length === 1 && counting[0]?.id === id;
}

/**
 * Makes owners of the addresses in ADMIN_EMAILS that have no role. Changes nobody's role, and gives none back that was
 * taken away in the pages (R-TEAM-15, N-03).
 */
export async function makeOwners(db: Database, adminEmails: readonly string[]): Promise<void> {
  for (const email of await team.listWithoutRole(db, adminEmails))
    await setRole(db, { actor: 'portal', email, team_role: 'owner' }, { adminEmails });
}
