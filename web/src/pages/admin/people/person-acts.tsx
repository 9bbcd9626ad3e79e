// The acts beside the name of a person: view as learner, send a sign-in mail, edit.
import {
  type AppUser,
  EDIT_MEMBER_ROLE,
  editPerson,
  sendSignInMail,
  type VersionedUser,
} from '@portal/contract';
import { Eye, Mail, Pencil } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../../api.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { tellRefusal, tellSuccess } from '../refusal-toast.ts';
import { RoleGate } from '../role-gate.tsx';
import { EditDialog } from './edit-dialog.tsx';
import styles from './person-page.module.css';

export function PersonActs({ user }: { user: VersionedUser }) {
  return (
    <div className={styles.acts}>
      <Link href={`/admin/view-as/${user.user_id}`} className={buttonClass({ size: 'sm' })}>
        <Icon of={Eye} size={16} />
        {say('View as learner')}
      </Link>
      <SignInMail user={user} />
      {/* The server has the same rule for members of the team (R-TEAM-43). */}
      <RoleGate to={user.team_role === null ? editPerson : { role: EDIT_MEMBER_ROLE }}>
        <Edit user={user} />
      </RoleGate>
    </div>
  );
}

function SignInMail({ user: { user_id } }: { user: AppUser }) {
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      await call(sendSignInMail, { params: { user_id } });
      tellSuccess(say('Sign-in mail queued'));
      // The record has the mail, and the log a line about it.
      refreshLists('users');
    } catch (error) {
      tellRefusal(error, say('Failed to send the mail'));
    }
    setBusy(false);
  };
  return (
    <Button size="sm" busy={busy} onClick={() => void send()}>
      {!busy && <Icon of={Mail} size={16} />}
      {say('Send sign-in mail')}
    </Button>
  );
}

function Edit({ user }: { user: VersionedUser }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        <Icon of={Pencil} size={16} />
        {say('Edit')}
      </Button>
      {isOpen && <EditDialog user={user} onClose={() => setOpen(false)} />}
    </>
  );
}
