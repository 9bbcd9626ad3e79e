// The words of acts on people, on the team and on sessions.
import type { AuditLine, TeamRole } from '@portal/contract';
import { CircleAlert, Eye, Key, Link2, LogIn, LogOut, Pencil, User } from 'lucide-react';
import { say, sayCount } from '../../../words/say.ts';
import { sayRoleWithin } from '../team/role-words.ts';
import type { Acts } from './act.ts';
import { sayName } from './line-words.ts';

export const ACCOUNT_ACTS: Acts = {
  'user.create': {
    icon: User,
    say: () => say('person added'),
    sayMany: ({ length }) => sayCount(length, { one: '{count} person added', other: '{count} people added' }),
  },
  'user.update': { icon: Pencil, say: () => say('record of the person saved') },
  'user.edit': { icon: Pencil, say: sayEdit },
  'user.link': { icon: Link2, say: () => say('linked to the account that signs in') },
  'person.view': { icon: Eye, say: () => say('was looked at as this learner') },
  // Written by versions before the team had four roles.
  'user.make_admin': { icon: Key, say: () => say('was made administrator') },
  'user.remove_admin': { icon: Key, say: () => say('is no administrator any more') },
  'team.invite': {
    icon: Key,
    say: (line) => say('was invited to the team as {role}', { role: sayNewRole(line) }),
    sayMany: ({ length }) =>
      sayCount(length, { one: '{count} invitation to the team', other: '{count} invitations to the team' }),
  },
  'team.role': { icon: Key, say: sayRoleChange },
  'team.remove': { icon: Key, say: () => say('was removed from the team') },
  'team.sign_out': { icon: LogOut, say: (line) => say('was signed out by {name}', { name: sayName(line) }) },
  'team.refused_last_owner': {
    icon: CircleAlert,
    isBad: true,
    say: sayRefusal,
  },
  'session.start': {
    icon: LogIn,
    say: ({ detail }) =>
      detail.method === 'oauth' ? say('signed in with a provider') : say('signed in by mail'),
  },
  'session.end': {
    icon: LogOut,
    say: ({ detail }) => {
      if (detail.scope === 'global') return say('signed out everywhere');
      return detail.scope === 'others' ? say('signed out everywhere else') : say('signed out');
    },
  },
  'session.reuse': {
    icon: CircleAlert,
    isBad: true,
    say: () => say('session ended: an old token was used again'),
  },
  'session.revoke': { icon: LogOut, say: () => say('was signed out everywhere') },
  'identity.link': { icon: Link2, say: () => say('account of a provider linked') },
  'signing_key.rotate': { icon: Key, say: () => say('key of the sign-in service replaced') },
};

/** Returns the role before and after the change; null for no role. */
function rolesOf({ detail: { team_role } }: AuditLine): [TeamRole | null, TeamRole | null] {
  const [before = null, after = null] = Array.isArray(team_role) ? team_role : [];
  return [before, after];
}

function sayNewRole(line: AuditLine): string {
  const [, role] = rolesOf(line);
  return role === null ? '–' : sayRoleWithin(role);
}

function sayRoleChange(line: AuditLine): string {
  const [before, after] = rolesOf(line);
  if (before === null) return say('was given the role {role}', { role: sayNewRole(line) });
  if (after === null) return say('was removed from the team');
  return say('role changed from {old} to {new}', { old: sayRoleWithin(before), new: sayRoleWithin(after) });
}

/** Without roles, the line is about a new address: an owner would have lost the address with which they sign in. */
function sayRefusal(line: AuditLine): string {
  if (!('team_role' in line.detail)) return say('change of address refused: the portal needs an owner');
  return rolesOf(line)[1] === null
    ? say('removal refused: the portal needs an owner')
    : say('change of role refused: the portal needs an owner');
}

function sayEdit({ detail: { email } }: AuditLine): string {
  if (!Array.isArray(email)) return say('record of the person changed');
  return say('address changed from {old} to {new}', { old: String(email[0]), new: String(email[1]) });
}
