// The form that invites a person to the team (R-TEAM-11, R-TEAM-30).
import { invitation, inviteMember, listTeam, type TeamMember, type TeamRole } from '@portal/contract';
import { call } from '../../../api.ts';
import { queryClient, queryOf } from '../../../queries.ts';
import { RadioGroup } from '../../../ui/radio-group.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { say, sayAround } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { tellSuccess } from '../refusal-toast.ts';
import { StaffForm } from '../staff-form.tsx';
import { useStaffForm } from '../use-staff-form.ts';
import styles from './team.module.css';

// The lowest role is chosen first, so that a forgotten choice gives the least.
const START: { email: string; team_role: TeamRole } = { email: '', team_role: 'viewer' };

const listRoles = () =>
  [
    {
      value: 'viewer',
      label: sayAround('{role} sees figures, no codes and no people.', bold(say('Viewer:'))),
    },
    {
      value: 'support',
      label: sayAround('{role} looks people up, gives and replaces codes.', bold(say('Support:'))),
    },
    {
      value: 'manager',
      label: sayAround('{role} everything but team and integrations.', bold(say('Manager:'))),
    },
    { value: 'owner', label: sayAround('{role} everything.', bold(say('Owner:'))) },
  ] as const;

const bold = (name: string) => ({ role: <b>{name}</b> });

export function InviteForm() {
  const form = useStaffForm({
    start: START,
    required: () => ({ email: say('Enter an email address') }),
    schema: invitation,
    save: (body) => call(inviteMember, { body }),
    failed: say('Failed to send the invitation'),
    refusedAt: { invalid_request: 'email', too_many: 'email', too_many_requests: 'email' },
    onSaved: tellSaved,
  });
  return (
    <StaffForm form={form} save={say('Send Invitation')} saving={say('Sending...')} className={styles.invite}>
      <TextField
        {...form.field('email')}
        label={say('Email')}
        type="email"
        required
        autoComplete="off"
        maxLength={255}
      />
      <RadioGroup {...form.field('team_role')} label={say('Role')} options={listRoles()} isWide />
    </StaffForm>
  );
}

/** Says whether a mail was sent: an invitation that sent none does not change `invited_at`. */
function tellSaved({ email, invited_at }: TeamMember): void {
  const before = queryClient.getQueryData(queryOf(listTeam).queryKey)?.find((each) => each.email === email);
  const isSent = before === undefined || before.invited_at !== invited_at;
  tellSuccess(
    isSent ? say('Invitation sent') : say('The role is saved. The last mail is less than 10 minutes old.'),
  );
  refreshLists('team', 'users');
}
