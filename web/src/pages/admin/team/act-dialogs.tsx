// Dialogs that ask before a role changes, a member is removed, or a member is signed out (R-TEAM-13, R-TEAM-44).
import type { TeamMember } from '@portal/contract';
import { removeMember, setMemberRole, signOutMember } from '@portal/contract';
import { useState } from 'react';
import { call } from '../../../api.ts';
import { Check } from '../../../ui/check.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { say } from '../../../words/say.ts';
import { isStepDown, nameOf, sayChange, sayRemoval, sayRoleWithin } from './role-words.ts';
import type { Asked, Listed } from './team-table.tsx';

type ActDialogProps = {
  asked: Asked;
  isOwn: boolean;
  busy: boolean;
  onCancel: () => void;
  /** `send` makes the call, and `done` is the text of the toast after a success. */
  onConfirm: (send: () => Promise<TeamMember>, done: string) => void;
};

export function ActDialog({ asked, ...props }: ActDialogProps) {
  if (asked.act === 'remove') return <RemoveDialog {...props} member={asked.member} />;
  if (asked.act === 'sign-out') return <SignOutDialog {...props} member={asked.member} />;
  return <RoleDialog {...props} asked={asked} />;
}

type DialogProps = Omit<ActDialogProps, 'asked'>;
const paramsOf = ({ user_id }: Listed) => ({ params: { user_id } });

function RoleDialog({
  asked: { member, to },
  isOwn,
  onConfirm,
  ...props
}: DialogProps & { asked: Extract<Asked, { act: 'role' }> }) {
  const role = sayRoleWithin(to);
  const body = { team_role: to, was: member.team_role };
  const send = () => call(setMemberRole, { ...paramsOf(member), body });
  return (
    <ConfirmDialog
      {...props}
      title={say('Make {name} {role}?', { name: nameOf(member), role })}
      words={sayChange(member.team_role, to, isOwn)}
      confirm={say('Make {role}', { role })}
      danger={isStepDown(member.team_role, to)}
      onConfirm={() => onConfirm(send, say('Role changed'))}
    />
  );
}

function RemoveDialog({ member, isOwn, onConfirm, ...props }: DialogProps & { member: Listed }) {
  const [ticked, setTicked] = useState(true);
  const hasSessions = member.sessions !== null;
  const body = { sign_out: hasSessions && ticked };
  return (
    <ConfirmDialog
      {...props}
      title={say('Remove {name} from the team?', { name: nameOf(member) })}
      words={sayRemoval(member.team_role, isOwn)}
      confirm={say('Remove')}
      danger
      onConfirm={() =>
        onConfirm(() => call(removeMember, { ...paramsOf(member), body }), say('Removed from the team'))
      }
    >
      {hasSessions && (
        <Check
          label={isOwn ? say('Also sign me out everywhere') : say('Also sign them out everywhere')}
          value={ticked}
          onChange={setTicked}
        />
      )}
    </ConfirmDialog>
  );
}

function SignOutDialog({ member, isOwn, onConfirm, ...props }: DialogProps & { member: Listed }) {
  return (
    <ConfirmDialog
      {...props}
      title={say('Sign out {name}?', { name: nameOf(member) })}
      words={
        isOwn
          ? say('This signs you out in every browser, also in this one. You can sign in again.')
          : say('This signs them out in every browser. They can sign in again.')
      }
      confirm={say('Sign out')}
      onConfirm={() => onConfirm(() => call(signOutMember, paramsOf(member)), say('Signed out everywhere'))}
    />
  );
}
