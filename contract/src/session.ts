// API calls about the session. One call returns the current user. The other call checks whether the current user is an
// administrator.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { learnerCalls } from './learner-calls.ts';
import { userRole } from './people.ts';
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

export const checkAdmin = endpoint({
  ...learnerCalls.checkAdmin,
  access: 'admin',
  role: 'viewer',
  summary: 'Whether the caller is an administrator',
  reply: z.object({
    success: z.literal(true),
    user: z.object({ id: z.string(), email: z.string(), user_role: userRole, team_role: teamRole }),
  }),
});
