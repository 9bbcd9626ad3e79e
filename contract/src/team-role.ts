// The roles of the team. Each role may do everything that the lower roles may do.
import * as z from 'zod/mini';

/** The roles of the team, lowest first (R-TEAM-01). */
export const TEAM_ROLES = ['viewer', 'support', 'manager', 'owner'] as const;

export const teamRole = /* @__PURE__ */ z.enum(
  TEAM_ROLES,
  'team_role must be owner, manager, support or viewer',
);
export type TeamRole = z.output<typeof teamRole>;

/** True if `role` is `least` or a higher role. False for somebody without a role (null). */
export function hasRole(role: TeamRole | null, least: TeamRole): boolean {
  return role !== null && TEAM_ROLES.indexOf(role) >= TEAM_ROLES.indexOf(least);
}

/** Least role that may change a member of the team as a person: address, name and phone number (R-TEAM-43). */
export const EDIT_MEMBER_ROLE = 'owner';
