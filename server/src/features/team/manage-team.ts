// The acts of owners on the Team page: invite, change a role, remove, sign out (R-TEAM-11 to R-TEAM-13).
import type { TeamMember, TeamRole } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Database, Db } from '../../db/database.ts';
import { isUuid } from '../../db/is-uuid.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { judgeAddress } from '../people/judge-addresses.ts';
import { countAdmins } from '../people/users.sql.ts';
import type { Member } from './callers.sql.ts';
import { changeRole, isLastOwner, type LockedMember, lockOrCreate, requireActor } from './change-team.ts';
import { countAct } from './rate-limits.sql.ts';
import * as team from './team.sql.ts';
import { enqueueTeamMail } from './team-mail.ts';

export type TeamTools = {
  now: () => Date;
  adminEmails: readonly string[];
  /** False lifts the limit of invitations per hour. */
  rateLimits: boolean;
  /** Ends all sessions of the user with this address. Null with a hosted sign-in service (R-TEAM-45). */
  endSessions: ((tx: Db, email: string) => Promise<number>) | null;
};

const MOST_MEMBERS = 500;
const INVITATIONS = { most: 30, seconds: 3600 };
const MAILS_TO_ONE = { most: 1, seconds: 600 };

/**
 * Gives a role to an address, and mails an invitation if `mail` is true. `isNew` of the result is true if the address
 * had no role before.
 */
export async function inviteMember(
  db: Database,
  order: { actor: Member; email: string; name: string | null; team_role: TeamRole; mail: boolean },
  tools: TeamTools,
): Promise<{ member: TeamMember; isNew: boolean }> {
  const { actor, name, team_role } = order;
  const email = await judgeAddress(db, order.email);
  if (email === actor.email) throw new AppError('invalid_request', 'You cannot invite yourself.');
  return asOwner(db, { actor, tools }, async (tx, isLast) => {
    const now = tools.now();
    const size = await countAdmins(tx);
    const member = await lockOrCreate(tx, { email, name, team_role });
    const isNew = member.team_role === null;
    if (isNew && size >= MOST_MEMBERS)
      throw new AppError('too_many', `The team has ${MOST_MEMBERS} members already. Remove somebody first.`);
    const isMailed =
      order.mail && (await countAct(tx, { key: `team-mail:${member.id}`, ...MAILS_TO_ONE }, now)).allowed;
    if (isMailed || member.team_role !== team_role) {
      if (tools.rateLimits) await countInvitation(tx, actor, now);
      const change = { actor: actor.email, action: 'team.invite', member, team_role };
      if ((await changeRole(tx, { ...change, isRefused: isLast(member) })) === 'last_owner')
        return 'last_owner';
    }
    if (isMailed || (isNew && !order.mail))
      await team.setInvitation(tx, { id: member.id, invited_by: actor.email, at: now });
    if (isMailed) await enqueueTeamMail(tx, { about: email, invited_by: actor.email, team_role }, now);
    return { member: await describe(tx, member, tools), isNew };
  });
}

/** Changes the role of a member of the team. @throws AppError edit_conflict if the role is not `was` any more. */
export async function setMemberRole(
  db: Database,
  {
    actor,
    user_id,
    team_role,
    was,
  }: { actor: Member; user_id: string; team_role: TeamRole; was?: TeamRole | undefined },
  tools: TeamTools,
): Promise<TeamMember> {
  return asOwner(db, { actor, tools, user_id }, async (tx, isLast) => {
    const member = await lockMember(tx, user_id);
    if (member.team_role !== team_role) {
      if (was !== undefined && was !== member.team_role)
        throw new AppError('edit_conflict', 'Somebody else changed this role meanwhile.');
      const change = { actor: actor.email, action: 'team.role', member, team_role };
      if ((await changeRole(tx, { ...change, isRefused: isLast(member) })) === 'last_owner')
        return 'last_owner';
    }
    return describe(tx, member, tools);
  });
}

/**
 * Removes a member from the team. The person stays a learner. `sign_out` also ends the person's sessions. @throws
 * AppError `invalid_request` if `sign_out` is true with a hosted sign-in service.
 */
export async function removeMember(
  db: Database,
  { actor, user_id, sign_out }: { actor: Member; user_id: string; sign_out: boolean },
  tools: TeamTools,
): Promise<TeamMember> {
  if (sign_out) requireSessions(tools);
  return asOwner(db, { actor, tools, user_id }, async (tx, isLast) => {
    const member = await lockMember(tx, user_id);
    const change = { actor: actor.email, action: 'team.remove', member, team_role: null, remembered: true };
    if ((await changeRole(tx, { ...change, isRefused: isLast(member) })) === 'last_owner')
      return 'last_owner';
    if (sign_out) await signOut(tx, { actor, member }, tools);
    return describe(tx, member, tools);
  });
}

/** Ends all sessions of a member. @throws AppError `invalid_request` with a hosted sign-in service. */
export async function signOutMember(
  db: Database,
  { actor, user_id }: { actor: Member; user_id: string },
  tools: TeamTools,
): Promise<TeamMember> {
  requireSessions(tools);
  return asOwner(db, { actor, tools, user_id }, async (tx) => {
    const member = await lockMember(tx, user_id);
    await signOut(tx, { actor, member }, tools);
    return describe(tx, member, tools);
  });
}

/** Returns the members of the team, the highest role first. */
export async function listTeam(db: Database, tools: TeamTools): Promise<TeamMember[]> {
  return (await team.listTeam(db)).map((member) => withSessions(member, tools));
}

type Act<T> = (tx: Db, isLast: (member: { id: string }) => boolean) => Promise<T | 'last_owner'>;

/**
 * Runs an act of an owner in a transaction that has locked all owners, and in which the actor is read again (R-TEAM-40,
 * R-TEAM-41). `isLast` returns whether a user is the last owner. If the act returns 'last_owner', the transaction is
 * committed, so that the audit line of the refusal stays, and the call is refused. The user `user_id`, whom the act
 * changes, is locked together with the owners, in the order of ids in which imports lock people.
 */
async function asOwner<T>(
  db: Database,
  { actor, tools, user_id = '' }: { actor: Member; tools: TeamTools; user_id?: string },
  act: Act<T>,
): Promise<T> {
  const result = await db.transaction(async (tx) => {
    const owners = await team.lockOwners(tx, isUuid(user_id) ? user_id : null);
    await requireActor(tx, actor, 'owner');
    // The actor is signed in, also if the portal has not stored that yet.
    const counted = owners.map((owner) =>
      owner.id === actor.user_id ? { ...owner, signed_in: true } : owner,
    );
    return act(tx, (member) => isLastOwner(counted, member, tools.adminEmails));
  });
  if (result === 'last_owner')
    throw new AppError('last_owner', 'The portal needs an owner. Make somebody else owner first.');
  return result;
}

async function lockMember(tx: Db, user_id: string): Promise<LockedMember> {
  const member = isUuid(user_id) ? await team.lockMemberById(tx, user_id) : null;
  if (member === null || member.team_role === null) throw new AppError('user_not_found', 'User not found');
  return member;
}

async function countInvitation(tx: Db, { user_id }: Member, now: Date): Promise<void> {
  const { allowed, until } = await countAct(tx, { key: `team-invite:${user_id}`, ...INVITATIONS }, now);
  if (allowed) return;
  const minutes = Math.ceil((until.getTime() - now.getTime()) / 60_000);
  throw new AppError(
    'too_many_requests',
    `You sent ${INVITATIONS.most} invitations in the last hour. Please wait ${minutes} min.`,
  );
}

function requireSessions({ endSessions }: TeamTools): void {
  if (endSessions === null)
    throw new AppError('invalid_request', "Sessions are the sign-in service's. Sign the person out there.");
}

async function signOut(
  tx: Db,
  { actor, member: { id, email } }: { actor: Member; member: LockedMember },
  { endSessions }: TeamTools,
): Promise<void> {
  const sessions = await endSessions?.(tx, email);
  await createAuditLine(tx, {
    actor: actor.email,
    action: 'team.sign_out',
    user_id: id,
    detail: { sessions },
  });
}

async function describe(tx: Db, { id }: LockedMember, tools: TeamTools): Promise<TeamMember> {
  return withSessions(await team.findListedMember(tx, id), tools);
}

function withSessions(member: TeamMember, { endSessions }: TeamTools): TeamMember {
  return endSessions === null ? { ...member, sessions: null } : member;
}
