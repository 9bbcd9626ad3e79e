// Gives and removes roles in the team, for owners on the team page and for the operator (R-TEAM-11 to R-TEAM-13).
import { canonicalAddress, hasRole, type TeamMember, type TeamRole } from '@portal/contract';
import { AppError, accessRestricted, authenticationRequired, roleTooLow } from '../../app-error.ts';
import type { Database, Db } from '../../db/database.ts';
import type { Job } from '../../jobs/jobs.sql.ts';
import type { MailBrand } from '../../mail/mail-frame.ts';
import { enqueueMailJob } from '../../mail/mail-log.ts';
import { composeStaffMail, type StaffMail } from '../../mail/staff-mail.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { findStoredEmail } from '../people/addresses.sql.ts';
import { countAdmins } from '../people/people.sql.ts';
import { judgeAddress } from '../people/people.ts';
import { findCaller, type Member } from './callers.sql.ts';
import * as team from './team.sql.ts';

export type TeamTools = {
  now: () => Date;
  adminEmails: readonly string[];
  /** If false, the number of invitations per hour is not limited. */
  rateLimits: boolean;
  /** Ends all sessions of the user with this address. Null with a hosted sign-in service (R-TEAM-45). */
  endSessions: ((tx: Db, email: string) => Promise<number>) | null;
};

const MOST_MEMBERS = 500;
const INVITATIONS = { most: 30, seconds: 3600 };
const MAILS_TO_ONE = { most: 1, seconds: 600 };

/**
 * Gives a role to an address, and mails an invitation if `mail` is true. `isNew` is true if the address had no role
 * before.
 * @throws AppError invalid_request for the actor's own address or a wrong address; too_many; too_many_requests;
 * last_owner.
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
      order.mail &&
      (await team.countAct(tx, { key: `team-mail:${member.id}`, ...MAILS_TO_ONE }, now)).allowed;
    if (isMailed || member.team_role !== team_role) {
      if (tools.rateLimits) await countInvitation(tx, actor, now);
      const change = { actor: actor.email, action: 'team.invite', member, team_role };
      const result = await changeRole(tx, { ...change, isRefused: isLast(member) });
      if (result === 'last_owner') return result;
    }
    if (isMailed || (isNew && !order.mail))
      await team.setInvitation(tx, { id: member.id, invited_by: actor.email, at: now });
    if (isMailed) {
      const data: Invitation = { about: email, invited_by: actor.email, team_role };
      const job = { kind: 'team-mail' as const, key: `${email} ${team_role}`, data };
      await enqueueMailJob(tx, job, { actor: actor.email, now });
    }
    return { member: await describe(tx, member, tools), isNew };
  });
}

/** Changes the role of a member of the team. @throws AppError edit_conflict if the role is no longer `was`. */
export async function setMemberRole(
  db: Database,
  order: { actor: Member; user_id: string; team_role: TeamRole; was?: TeamRole | undefined },
  tools: TeamTools,
): Promise<TeamMember> {
  const { actor, user_id, team_role, was } = order;
  return asOwner(db, { actor, tools, user_id }, async (tx, isLast) => {
    const member = await lockMember(tx, user_id);
    if (member.team_role !== team_role) {
      if (was !== undefined && was !== member.team_role)
        throw new AppError('edit_conflict', 'Somebody else changed this role meanwhile.');
      const change = { actor: actor.email, action: 'team.role', member, team_role };
      const result = await changeRole(tx, { ...change, isRefused: isLast(member) });
      if (result === 'last_owner') return result;
    }
    return describe(tx, member, tools);
  });
}

/**
 * Removes a member from the team. The person remains a learner. With `sign_out`, also ends the person's sessions.
 * @throws AppError invalid_request if `sign_out` is true with a hosted sign-in service.
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
    const result = await changeRole(tx, { ...change, isRefused: isLast(member) });
    if (result === 'last_owner') return result;
    if (sign_out) await signOut(tx, { actor, member }, tools);
    return describe(tx, member, tools);
  });
}

/** Ends all sessions of a member. @throws AppError invalid_request with a hosted sign-in service. */
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

type OwnersWork<T> = (tx: Db, isLast: (member: { id: string }) => boolean) => Promise<T | 'last_owner'>;

/**
 * Runs `work` for an owner in a transaction. First locks all owners and the user `user_id`, whom `work` changes, and
 * checks again that the actor is an owner (R-TEAM-40, R-TEAM-41). `isLast` returns whether a user is the last owner.
 * If `work` returns 'last_owner', commits the transaction and then throws the AppError last_owner. So the audit line of
 * the refusal stays.
 */
async function asOwner<T>(
  db: Database,
  { actor, tools, user_id = null }: { actor: Member; tools: TeamTools; user_id?: string | null },
  work: OwnersWork<T>,
): Promise<T> {
  const result = await db.transaction(async (tx) => {
    const owners = await team.lockOwners(tx, user_id);
    await requireActor(tx, actor, 'owner');
    return work(tx, (member) => isLastOwner(owners, member, { ...tools, actor }));
  });
  if (result === 'last_owner') throw lastOwner();
  return result;
}

async function lockMember(tx: Db, user_id: string): Promise<LockedMember> {
  const member = await team.lockMemberById(tx, user_id);
  if (member === null || member.team_role === null) throw new AppError('user_not_found', 'User not found');
  return member;
}

async function countInvitation(tx: Db, { user_id }: Member, now: Date): Promise<void> {
  const { allowed, until } = await team.countAct(tx, { key: `team-invite:${user_id}`, ...INVITATIONS }, now);
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
  const detail = { sessions: await endSessions?.(tx, email) };
  await createAuditLine(tx, { actor: actor.email, action: 'team.sign_out', user_id: id, detail });
}

async function describe(tx: Db, { id }: LockedMember, tools: TeamTools): Promise<TeamMember> {
  return withSessions(await team.findListedMember(tx, id), tools);
}

function withSessions(member: TeamMember, { endSessions }: TeamTools): TeamMember {
  return endSessions === null ? { ...member, sessions: null } : member;
}

/**
 * Result of a change. 'same': the user already has the role. 'unknown': no user has the address. 'last_owner': refused,
 * because the portal would have no owner left (R-TEAM-13).
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
 * @throws AppError invalid_request if a new user may not have the address (R-MAP-03). Only the addresses that the
 * operator enters are checked: a wrong address in ADMIN_EMAILS must not keep the portal from starting.
 */
export async function setRole(
  db: Database,
  { actor, team_role, force = false, ...order }: Order,
  { adminEmails }: { adminEmails: readonly string[] },
): Promise<RoleChange> {
  return db.transaction(async (tx) => {
    const owners = await team.lockOwners(tx);
    const findEmail = actor === 'operator' && team_role !== null ? judgeAddress : findStoredEmail;
    const email = await findEmail(tx, order.email);
    const member =
      team_role === null
        ? await team.lockMember(tx, email)
        : await lockOrCreate(tx, { email, name: null, team_role });
    if (member === null) return 'unknown';
    if (member.team_role === team_role) return 'same';
    const action = team_role === null ? 'team.remove' : 'team.role';
    const isRefused = !force && isLastOwner(owners, member, { adminEmails });
    return changeRole(tx, { actor, action, member, team_role, isRefused });
  });
}

/**
 * Reads the acting member of the team again, in a transaction that has locked the team (`lockOwners`). Another
 * transaction may have changed the role, the address or the session while this one waited for the lock (R-TEAM-41).
 * @throws AppError authentication_required if the session has ended, or the address belongs to somebody else or nobody.
 * @throws AppError access_restricted or role_too_low if the role is not `least` or higher any more.
 */
export async function requireActor(tx: Db, actor: Member, least: TeamRole): Promise<void> {
  const caller = await findCaller(tx, actor);
  if (caller?.user_id !== actor.user_id) throw authenticationRequired();
  if (caller.team_role === null) throw accessRestricted(caller);
  if (!hasRole(caller.team_role, least)) throw roleTooLow(caller);
}

/** A user whose row this transaction has locked, with the role that the user had before the change. */
type LockedMember = team.TeamMember & {
  /** True if this transaction has created the user. The new role is then stored already, although `team_role` is null. */
  isNew?: boolean;
};

/**
 * Locks the user with this address until the transaction ends. Creates the user with the new role if the address is
 * unknown; `team_role` of the result is then null.
 */
async function lockOrCreate(
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
  /** The action in the audit line. */
  action: string;
  member: LockedMember;
  team_role: TeamRole | null;
  /** True if the user is the last owner. Then only the refusal is written to the audit log. */
  isRefused: boolean;
  /** True if ADMIN_EMAILS must not give the role back at the next start (N-03). */
  remembered?: boolean;
};

/** Sets the role of a locked user and writes the audit line. The caller must have locked the owners (`lockOwners`). */
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
 * Returns true if the user is the only owner who counts. Owners who have never signed in count only if their address
 * is in ADMIN_EMAILS: an owner with a mistyped address can never sign in (N-01). `actor` counts: the portal may not
 * have stored yet that the actor has signed in.
 */
export function isLastOwner(
  owners: readonly team.Owner[],
  { id }: { id: string },
  { adminEmails, actor }: { adminEmails: readonly string[]; actor?: Member },
): boolean {
  const counting = owners.filter(
    (owner) =>
      owner.signed_in || owner.id === actor?.user_id || adminEmails.includes(canonicalAddress(owner.email)),
  );
  return counting.length === 1 && counting[0]?.id === id;
}

export function lastOwner(): AppError {
  return new AppError('last_owner', 'The portal needs an owner. Make somebody else owner first.');
}

/**
 * Gives the role owner to those addresses in ADMIN_EMAILS that have no role. Changes no existing role, and restores no
 * role that an owner removed on the team page (R-TEAM-15, N-03).
 */
export async function makeOwners(db: Database, adminEmails: readonly string[]): Promise<void> {
  const emails: string[] = [];
  for (const email of adminEmails) emails.push(await findStoredEmail(db, email));
  if ((await team.listWithoutRole(db, emails)).length === 0) return;
  await db.transaction(async (tx) => {
    await team.lockOwners(tx);
    // Reads the list again under the lock, because an owner may have removed somebody meanwhile.
    for (const email of await team.listWithoutRole(tx, emails)) {
      const member = await lockOrCreate(tx, { email, name: null, team_role: 'owner' });
      const change = { actor: 'portal', action: 'team.role', member, isRefused: false };
      await changeRole(tx, { ...change, team_role: 'owner' });
    }
  });
}

/** `about` is the address of the invited person, and `invited_by` the address of the owner. */
type Invitation = { about: string; invited_by: string; team_role: TeamRole };

const ROLES: Record<TeamRole, string> = {
  viewer: 'Viewer: you see figures, no codes and no people.',
  support: 'Support: you look people up, and give and replace codes.',
  manager: 'Manager: you do everything but team and integrations.',
  owner: 'Owner: you do everything.',
};

/**
 * Returns the mail of a job that `inviteMember` enqueued. The mail contains no token, so nobody else can use it: the
 * invited person signs in with the address as usual.
 */
export function writeTeamMail(
  { data }: Job,
  { publicUrl, brand }: { publicUrl: string; brand: MailBrand },
): StaffMail {
  const { about: to, invited_by, team_role } = data as Invitation;
  return composeStaffMail({
    ...{ to, brand, subject: `You were invited to ${brand.name}` },
    paragraphs: [
      `${invited_by} invited you to the team of ${brand.name}. Your role is:\n${ROLES[team_role]}`,
    ],
    ...{ linkLabel: 'Sign in with this e-mail address:', button: 'Sign in' },
    link: `${publicUrl}/admin-login`,
  });
}
