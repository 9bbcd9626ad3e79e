// The page on which owners invite people to the team and change roles (R-TEAM-11, R-TEAM-13, R-TEAM-30 to R-TEAM-33,
// R-TEAM-44).
import {
  EMAIL_MAX,
  invitation,
  inviteMember,
  listTeam,
  removeMember,
  setMemberRole,
  signOutMember,
  TEAM_ROLES,
  type TeamMember,
  type TeamRole,
} from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { LogOut, UserMinus } from 'lucide-react';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { call } from '../api.ts';
import { queryClient, queryOf, useSession } from '../queries.ts';
import { Card, CardBody } from '../ui/card.tsx';
import { RadioGroup } from '../ui/choice.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { classes, focusMain } from '../ui/dom.ts';
import { Check, COMPACT_INPUT, NativeSelect, TextField } from '../ui/field.tsx';
import { ActionMenu } from '../ui/menu.tsx';
import { StatusLine } from '../ui/notice.tsx';
import { type Column, cutWords, DataTable, RowsLoading } from '../ui/table.tsx';
import { t, tNode, tServed } from '../words/translate.ts';
import { refreshLists, useAction } from './action.tsx';
import { AddCard, AddCards } from './add-cards.tsx';
import { StaffForm, useStaffForm } from './form.tsx';
import { AdminFrame, NothingHere } from './frame.tsx';
import { AsOf, CardError, column } from './list.tsx';
import { PersonLink } from './nouns/person.tsx';
import {
  formatChange,
  formatRemoval,
  formatRole,
  isStepDown,
  nameOf,
  RoleGate,
  repeatCheck,
} from './role.tsx';
import { formatDay, formatTime, isToday } from './time.ts';

export function TeamPage() {
  return (
    <AdminFrame title={t('Users')} tabTitle={t('Team')}>
      <RoleGate to={listTeam} otherwise={<NothingHere />}>
        <AddCards>
          <AddCard
            name="add"
            title={t('Invite')}
            sub={t(
              'They get an email with a link to the sign-in page. The role counts from their first sign-in with this address.',
            )}
            to={inviteMember}
          >
            <CardBody>
              <InviteForm />
            </CardBody>
          </AddCard>
        </AddCards>
        <TeamCard />
      </RoleGate>
    </AdminFrame>
  );
}

function TeamCard() {
  const session = useSession();
  const own = session.status === 'signed-in' ? session.email : '';
  const query = useQuery(queryOf(listTeam));
  const { asked, setAsked, action } = useAsked(own);
  return (
    <Card title={t('Team')} action={<AsOf query={query} of={[listTeam]} />}>
      {query.isPending && (
        <RowsLoading>
          <StatusLine>{t('Loading the team...')}</StatusLine>
        </RowsLoading>
      )}
      {query.isError && <CardError words={t('We could not load the team.')} query={query} />}
      {query.isSuccess && (
        <DataTable
          className={TABLE}
          caption={t('Team')}
          columns={columnsFor(own, setAsked)}
          rows={query.data.filter((member): member is Listed => member.team_role !== null)}
          keyOf={({ user_id }) => user_id}
          busy={query.isFetching}
        />
      )}
      {asked && (
        <ActionDialog
          {...{ asked, action }}
          isOwn={asked.member.email === own}
          onCancel={() => setAsked(null)}
        />
      )}
    </Card>
  );
}

/** The action that waits for confirmation, and its state. */
function useAsked(own: string) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const action = useAction({
    send: async ({ send, done }: { send: () => Promise<TeamMember>; done: string }) => {
      try {
        return { member: await send(), done };
      } catch (error) {
        setAsked(null);
        refreshLists(listTeam);
        throw error;
      }
    },
    failed: t('Failed to change the team'),
    refusedAt: { user_not_found: 'member' },
    formatInvalid: { member: t('This person is not on the team any more.') },
    onDone: ({ member }) => {
      // Closes the dialog first, which returns the focus to the pressed control. If the change removes this control, the
      // main content gets the focus.
      flushSync(() => setAsked(null));
      if (asked?.action === 'remove') focusMain();
      // The row stays in view until the list is loaded again.
      queryClient.setQueryData(queryOf(listTeam).queryKey, (team) =>
        team?.map((each) => (each.user_id === member.user_id ? member : each)),
      );
      if (member.email === own) void repeatCheck();
    },
    done: ({ done }) => done,
    changes: ['users'],
  });
  return { asked, setAsked, action };
}

type Listed = TeamMember & { team_role: TeamRole };

type Asked = { member: Listed } & ({ action: 'role'; to: TeamRole } | { action: 'remove' | 'sign-out' });

/** Tablets cut long addresses. Phones show the address and the menu on the first line, and the select below the menu. */
const TABLE =
  'lg:[&_tbody_th]:whitespace-nowrap md:max-lg:[&_tbody_th]:max-w-64 md:max-lg:[&_tbody_th]:truncate max-md:[&_tr]:grid! max-md:[&_tr]:before:hidden max-md:[&_tr]:grid-cols-[minmax(0,1fr)_auto_auto] max-md:[&_tbody_th]:col-[1/3] max-md:[&_tbody_th]:self-center max-md:[&_td:nth-child(2n)]:col-[1]! max-md:[&_td:nth-child(3)]:row-[2/span_2]! max-md:[&_td:nth-child(3)]:col-[2/4]! max-md:[&_td:nth-child(3)]:overflow-visible! max-md:[&_td:last-child]:overflow-visible!';

type OnAsk = (asked: Asked) => void;

/** `own` is the address of the signed-in user. Tablets cut long addresses, so the tooltip always has the address. */
function columnsFor(own: string, onAsk: OnAsk): Column<Listed>[] {
  return [
    {
      label: t('Email'),
      as: 'strong',
      words: ({ email }) => ({ ...cutWords(email, 40), full: email }),
      draw: ({ user_id }, { text }) => <PersonLink to={user_id}>{text}</PersonLink>,
    },
    column(t('Name'), ({ name }) => name?.trim() ?? '', {
      max: 25,
      draw: ({ email, name }, { text }) => (
        <>
          {name?.trim() && <bdi>{text}</bdi>}
          {email === own && (
            <span className={classes('text-ink-3', name?.trim() && 'ms-1.5')}>{t('you')}</span>
          )}
        </>
      ),
    }),
    column(t('Role'), ({ team_role }) => formatRole(team_role), {
      as: 'end',
      draw: (member) => <RoleSelect member={member} onAsk={onAsk} />,
    }),
    column(t('Last sign-in'), formatLast, {
      wraps: true,
      draw: ({ last_sign_in_at }, { text }) => (
        <bdi className={last_sign_in_at ? undefined : 'text-ink-3'}>{text}</bdi>
      ),
    }),
    column(t('Actions'), () => '', {
      as: 'end',
      labelHidden: true,
      right: true,
      draw: (member) => <Actions member={member} onAsk={onAsk} />,
    }),
  ];
}

function RoleSelect({ member, onAsk }: { member: Listed; onAsk: OnAsk }) {
  return (
    <NativeSelect
      frame="inline-grid w-32 md:max-lg:w-28"
      // As light as the button of the menu: its text and its arrow show what it is.
      className={classes(COMPACT_INPUT, '[&:not(:hover,:focus-visible)]:border-line-strong')}
      aria-label={t('Role of {name}', { name: nameOf(member) })}
      // The select shows the current role until the list is loaded again. A choice only opens the dialog.
      value={member.team_role}
      options={TEAM_ROLES.map((role) => ({ value: role, label: formatRole(role) }))}
      onChange={(to) => onAsk({ action: 'role', member, to: to as TeamRole })}
    />
  );
}

function Actions({ member, onAsk }: { member: Listed; onAsk: OnAsk }) {
  return (
    <span className="inline-grid align-middle">
      <ActionMenu
        label={t('More for {name}', { name: nameOf(member) })}
        groups={[
          [
            // Null means that a hosted service keeps the sessions, so the portal cannot end them (R-TEAM-45).
            member.sessions !== null &&
              member.sessions > 0 && {
                label: t('Sign out everywhere'),
                icon: LogOut,
                onChoose: () => onAsk({ action: 'sign-out', member }),
              },
          ],
          [
            {
              label: t('Remove'),
              icon: UserMinus,
              danger: true,
              onChoose: () => onAsk({ action: 'remove', member }),
            },
          ],
        ]}
      />
    </span>
  );
}

function formatLast({ last_sign_in_at, invited_at, sessions }: Listed): string {
  if (last_sign_in_at !== null) return formatMoment(last_sign_in_at);
  // Only a hosted service knows who has signed in.
  if (sessions === null) return '-';
  if (invited_at === null) return t('Never signed in');
  return t('Invited {day}, not yet here', { day: formatDay(invited_at) });
}

function formatMoment(at: string): string {
  return isToday(at) ? t('Today, {time}', { time: formatTime(at) }) : formatDay(at);
}

// The lowest role is chosen first, so that a forgotten choice gives the least.
const START: { email: string; team_role: TeamRole } = { email: '', team_role: 'viewer' };

const listRoles = () =>
  [
    { value: 'viewer', label: tNode('{role} sees figures, no codes and no people.', bold(t('Viewer:'))) },
    {
      value: 'support',
      label: tNode('{role} looks people up, gives and replaces codes.', bold(t('Support:'))),
    },
    { value: 'manager', label: tNode('{role} everything but team and integrations.', bold(t('Manager:'))) },
    { value: 'owner', label: tNode('{role} everything.', bold(t('Owner:'))) },
  ] as const;

const bold = (name: string) => ({ role: <b>{name}</b> });

/** The role is beside the address and the button. The message about restored values is above both. */
const INVITE_FORM =
  'grid gap-x-5 gap-y-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)] lg:grid-rows-[auto_1fr] lg:has-[>:first-child:not(:empty)]:grid-rows-[auto_auto_1fr] lg:[&>:first-child]:col-span-full lg:[&>fieldset]:row-span-2 lg:[&>:last-child]:mt-0 lg:[&>:last-child]:self-start';

function InviteForm() {
  const form = useStaffForm({
    start: START,
    required: () => ({ email: t('Enter an email address') }),
    schema: invitation,
    send: (body) => call(inviteMember, { body }),
    failed: t('Failed to send the invitation'),
    refusedAt: { invalid_request: 'email', too_many: 'email', too_many_requests: 'email' },
    done: formatSaved,
    changes: [listTeam, 'users'],
  });
  return (
    <StaffForm form={form} save={t('Send Invitation')} saving={t('Sending...')} className={INVITE_FORM}>
      <TextField {...form.field('email')} label={t('Email')} type="email" required maxLength={EMAIL_MAX} />
      <RadioGroup {...form.field('team_role')} label={t('Role')} options={listRoles()} isWide />
    </StaffForm>
  );
}

/** An invitation that sends no mail does not change `invited_at`. */
function formatSaved({ email, invited_at }: TeamMember): string {
  const before = queryClient.getQueryData(queryOf(listTeam).queryKey)?.find((each) => each.email === email);
  const isSent = before === undefined || before.invited_at !== invited_at;
  return isSent ? t('Invitation sent') : t('The role is saved. The last email is less than 10 minutes old.');
}

type ActionDialogProps = {
  asked: Asked;
  isOwn: boolean;
  action: ReturnType<typeof useAsked>['action'];
  onCancel: () => void;
};

function ActionDialog({ asked, isOwn, action, onCancel }: ActionDialogProps) {
  const [ticked, setTicked] = useState(true);
  const hasSessions = asked.member.sessions !== null;
  const { send, done, ...question } = questionOf(asked, isOwn, hasSessions && ticked);
  return (
    <ConfirmDialog
      action={action}
      onCancel={onCancel}
      onConfirm={() => void action.run({ send, done })}
      {...question}
    >
      {asked.action === 'remove' && hasSessions && (
        <Check
          label={isOwn ? t('Also sign me out everywhere') : t('Also sign them out everywhere')}
          value={ticked}
          onChange={setTicked}
        />
      )}
    </ConfirmDialog>
  );
}

/** Returns the texts of the dialog, its call, and the text of the toast after it. */
function questionOf(asked: Asked, isOwn: boolean, sign_out: boolean) {
  const { member } = asked;
  const params = { user_id: member.user_id };
  const names = { name: nameOf(member) };
  if (asked.action === 'role') {
    const { to } = asked;
    const role = tServed(to);
    return {
      title: t('Make {name} {role}?', { ...names, role }),
      words: formatChange(member.team_role, to, isOwn),
      confirm: t('Make {role}', { role }),
      danger: isStepDown(member.team_role, to),
      send: () => call(setMemberRole, { params, body: { team_role: to, was: member.team_role } }),
      done: t('Role changed'),
    };
  }
  if (asked.action === 'sign-out')
    return {
      title: t('Sign out {name}?', names),
      words: isOwn
        ? t('This signs you out in every browser, also in this one. You can sign in again.')
        : t('This signs them out in every browser. They can sign in again.'),
      confirm: t('Sign out'),
      send: () => call(signOutMember, { params }),
      done: t('Signed out everywhere'),
    };
  return {
    title: t('Remove {name} from the team?', names),
    words: formatRemoval(member.team_role, isOwn),
    confirm: t('Remove'),
    danger: true,
    send: () => call(removeMember, { params, body: { sign_out } }),
    done: t('Removed from the team'),
  };
}
