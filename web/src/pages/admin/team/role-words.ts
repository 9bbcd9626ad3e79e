// Texts about the roles of the team: their names, and what a change of role takes away or gives (N-80).
import type { TeamMember, TeamRole } from '@portal/contract';
import { isolate } from '../../../ui/isolate.ts';
import { say } from '../../../words/say.ts';

/** The roles, lowest first. The values of the contract are not imported, because that would load all its schemas. */
export const ROLES: readonly TeamRole[] = ['viewer', 'support', 'manager', 'owner'];

export function sayRole(role: TeamRole): string {
  if (role === 'owner') return say('Owner');
  if (role === 'manager') return say('Manager');
  return role === 'support' ? say('Support') : say('Viewer');
}

/** Returns the name of a role within a sentence. */
export function sayRoleWithin(role: TeamRole): string {
  if (role === 'owner') return say('owner');
  if (role === 'manager') return say('manager');
  return role === 'support' ? say('support') : say('viewer');
}

/** Returns the name of a member, or the address of a member without a name. */
export function nameOf({ name, email }: Pick<TeamMember, 'name' | 'email'>): string {
  return isolate(name?.trim() || email);
}

/** Returns what each step of the ladder gives, beyond the step below it. */
function saySteps(): Record<TeamRole, string> {
  return {
    viewer: say('figures'),
    support: say('people, access, codes'),
    manager: say('uploads, products, exports'),
    owner: say('team, integrations'),
  };
}

/** Returns what a role has that a lower role, or somebody without a role (null), has not; the highest step first. */
function sayBetween(lower: TeamRole | null, higher: TeamRole): string {
  const steps = saySteps();
  const first = lower === null ? 0 : ROLES.indexOf(lower) + 1;
  const between = ROLES.slice(first, ROLES.indexOf(higher) + 1);
  return between
    .toReversed()
    .map((role) => steps[role])
    .join(', ');
}

/** True if the change takes something away. */
export function isStepDown(from: TeamRole, to: TeamRole): boolean {
  return ROLES.indexOf(to) < ROLES.indexOf(from);
}

/** Returns what a change of role takes away or gives. `isOwn` is true if the change is to the user's own role. */
export function sayChange(from: TeamRole, to: TeamRole, isOwn: boolean): string {
  if (!isStepDown(from, to)) return say('They gain: {things}.', { things: sayBetween(from, to) });
  return sayLoss(sayBetween(to, from), isOwn);
}

/** Returns what a removal from the team takes away, and what stays. */
export function sayRemoval(from: TeamRole, isOwn: boolean): string {
  // Everybody in the team sees the figures, so they are named only if nothing else is lost.
  const things = sayBetween(from === 'viewer' ? null : 'viewer', from);
  const rest = isOwn
    ? say('Your products and codes as a learner stay.')
    : say('Their products and codes as a learner stay.');
  return `${sayLoss(things, isOwn)} ${rest}`;
}

function sayLoss(things: string, isOwn: boolean): string {
  if (!isOwn) return say('They lose: {things}.', { things });
  return `${say('You lose: {things}.', { things })} ${say('You cannot undo this yourself.')}`;
}
