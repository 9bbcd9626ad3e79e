// Gives people roles in the team, and opens the admin pages as a member of the team.
import type { TeamRole } from '@portal/contract';
import { arriveSignedIn, openPerson, type Person } from './browser.ts';
import type { Fixture } from './fixture.ts';

/** The roles of the team, lowest first. */
export const ROLES = ['viewer', 'support', 'manager', 'owner'] as const satisfies TeamRole[];

/** Gives a role to an address, or another role to a member, with the operator's command. */
export function joinTeam({ portal }: Fixture, email: string, role: TeamRole): Promise<void> {
  return portal.operate('admin', 'add', email, '--role', role);
}

/** Opens a page as a new member of the team with this role. */
export async function openMember(
  fixture: Fixture,
  role: TeamRole,
  email: string,
  path: string,
  locale?: string,
): Promise<Person> {
  await joinTeam(fixture, email, role);
  const person = await openPerson(fixture, locale ? { locale } : {});
  await arriveSignedIn(person, fixture, email, path);
  return person;
}
