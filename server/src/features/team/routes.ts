// Registers the routes with which owners manage the team, and those that return the caller.
import {
  checkAdmin,
  getSessionUser,
  inviteMember as inviteMemberCall,
  listTeam as listTeamCall,
  removeMember as removeMemberCall,
  setMemberRole as setMemberRoleCall,
  signOutMember as signOutMemberCall,
} from '@portal/contract';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { linkAuthIdentity } from '../people/people.sql.ts';
import {
  inviteMember,
  listTeam,
  removeMember,
  setMemberRole,
  signOutMember,
  type TeamTools,
} from './team.ts';

export function handleTeam(handle: Handle, { db, ...tools }: { db: Database } & TeamTools): void {
  handle(listTeamCall, () => listTeam(db, tools));

  handle(inviteMemberCall, async ({ body: { name = null, ...invited }, caller }, reply) => {
    const { member, isNew } = await inviteMember(db, { ...invited, actor: caller, name }, tools);
    if (!isNew) reply.status(200);
    return member;
  });

  handle(setMemberRoleCall, ({ params: { user_id }, body, caller }) =>
    setMemberRole(db, { actor: caller, user_id, ...body }, tools),
  );

  handle(removeMemberCall, ({ params: { user_id }, body, caller }) =>
    removeMember(db, { actor: caller, user_id, sign_out: body?.sign_out ?? false }, tools),
  );

  handle(signOutMemberCall, ({ params: { user_id }, caller }) =>
    signOutMember(db, { actor: caller, user_id }, tools),
  );
}

type Tools = {
  db: Database;
  auth: { describeProofs(userId: string): Promise<{ identities: unknown[]; factors: unknown[] }> };
};

export function handleSession(handle: Handle, { db, auth }: Tools): void {
  handle(getSessionUser, async ({ caller }) => {
    const { auth_id, email, name, user_id, user_role, team_role, session_id } = caller;
    if (user_id !== null) await linkAuthIdentity(db, { user_id, auth_id, hosted: session_id === null });
    return { id: auth_id, email, name, user_role, team_role, ...(await auth.describeProofs(auth_id)) };
  });

  handle(checkAdmin, async ({ caller: { auth_id, email, user_role, team_role } }) => ({
    success: true as const,
    user: { id: auth_id, email, user_role, team_role },
  }));
}
