// Registers the calls with which owners manage the team.
import {
  inviteMember as inviteMemberCall,
  listTeam as listTeamCall,
  removeMember as removeMemberCall,
  setMemberRole as setMemberRoleCall,
  signOutMember as signOutMemberCall,
} from '@portal/contract';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import {
  inviteMember,
  listTeam,
  removeMember,
  setMemberRole,
  signOutMember,
  type TeamTools,
} from './manage-team.ts';

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
