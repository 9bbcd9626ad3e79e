// Calls with which owners give, change and take away roles in the team.
import * as z from 'zod/mini';
import { staffCall } from './endpoint.ts';
import { email, idInPath, line, orNull, time } from './fields.ts';
import { PERSON_MAX } from './people.ts';
import { teamRole } from './team-role.ts';

/** A member of the team (R-TEAM-10). */
export const teamMember = z.object({
  user_id: z.string(),
  email: z.string(),
  name: z.nullable(z.string()),
  /** Null after a removal from the team. */
  team_role: z.nullable(teamRole),
  /** The last invitation: its time, and the address of the owner who sent it. Null if the operator gave the role. */
  invited_at: z.nullable(time),
  invited_by: z.nullable(z.string()),
  /** Null if the member has never signed in, or signs in at a hosted service. */
  last_sign_in_at: z.nullable(time),
  /** Number of browsers in which the member is signed in. Null if the member signs in at a hosted service. */
  sessions: z.nullable(z.int()),
});
export type TeamMember = z.output<typeof teamMember>;

const ofMember = z.object({ user_id: idInPath });

export const listTeam = staffCall('owner', 'GET', '/api/admin/team', {
  summary: 'The team, the highest role first',
  reply: z.array(teamMember),
});

/** An invitation. `name` is used only if the address is new. */
export const invitation = z.object({
  email,
  name: z.optional(orNull(line('name', PERSON_MAX.name))),
  team_role: teamRole,
  mail: z._default(z.boolean('mail must be true or false'), true),
});

export const inviteMember = staffCall('owner', 'POST', '/api/admin/team', {
  summary: 'Give an address a role in the team, and mail an invitation; 201 if it had no role before',
  body: invitation,
  reply: teamMember,
  status: 201,
  otherStatus: 200,
});

export const setMemberRole = staffCall('owner', 'POST', '/api/admin/team/:user_id/role', {
  summary: 'Change the role of a member of the team',
  params: ofMember,
  // `was` is the role that the page showed. If the role is another by now, the call is refused with `edit_conflict`.
  body: z.object({ team_role: teamRole, was: z.optional(teamRole) }),
  reply: teamMember,
});

export const removeMember = staffCall('owner', 'POST', '/api/admin/team/:user_id/remove', {
  summary: 'Remove a member from the team; products and codes as a learner stay',
  params: ofMember,
  // The body may be missing.
  body: z.nullish(z.object({ sign_out: z._default(z.boolean('sign_out must be true or false'), false) })),
  reply: teamMember,
});

export const signOutMember = staffCall('owner', 'POST', '/api/admin/team/:user_id/sign-out', {
  summary: 'End all sessions of a member of the team',
  params: ofMember,
  reply: teamMember,
});
