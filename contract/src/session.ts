// Calls about the session: the current user, and whether this user is an administrator.
import * as z from 'zod/mini';
import { endpoint, staffCall } from './endpoint.ts';
import { line } from './fields.ts';
import { learnerCalls } from './learner-calls.ts';
import { PERSON_MAX, userRole } from './people.ts';
import { teamRole } from './team-role.ts';

/** The current user (R-API-18, R-ENT-01). `id` is the user's id in the sign-in service. */
export const sessionUser = z.object({
  id: z.string(),
  email: z.string(),
  name: z.nullable(z.string()),
  user_role: userRole,
  /** Null for learners. */
  team_role: z.nullable(teamRole),
  identities: z.array(z.unknown()),
  factors: z.array(z.unknown()),
});
export type SessionUser = z.output<typeof sessionUser>;

export const getSessionUser = endpoint({
  ...learnerCalls.getSessionUser,
  access: 'learner',
  summary: 'The current user',
  reply: sessionUser,
});

export const checkAdmin = staffCall('viewer', learnerCalls.checkAdmin.method, learnerCalls.checkAdmin.path, {
  summary: 'Whether the caller is an administrator',
  reply: z.object({
    success: z.literal(true),
    user: z.object({ id: z.string(), email: z.string(), user_role: userRole, team_role: teamRole }),
  }),
});

/** The name that a member of the team gives themselves (N-232). */
export const ownName = z.object({
  name: line('name', PERSON_MAX.name),
  // The name that the page showed. If the stored name is another one by now, the call is refused with `edit_conflict`.
  was: z.optional(z.nullable(z.string('was must be text or null'))),
});

export type OwnName = z.output<typeof ownName>;

export const setOwnName = staffCall('viewer', 'POST', '/api/admin/me', {
  summary: 'Change the own name',
  body: ownName,
  reply: z.object({ user_id: z.string(), email: z.string(), name: z.nullable(z.string()) }),
});
