// The page on which owners invite people to the team and change roles (R-TEAM-30 to R-TEAM-33). The app imports this
// file dynamically, so other pages do not download it.
import type { TeamMember } from '@portal/contract';
import { listTeam } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { LoadError } from '../../../parts/load-error.tsx';
import { useSession } from '../../../parts/use-session.ts';
import { queryClient, queryOf } from '../../../queries.ts';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { focusMain } from '../../../ui/focus-main.ts';
import { RowsLoading } from '../../../ui/rows-loading.tsx';
import { StatusLine } from '../../../ui/status-line.tsx';
import { say } from '../../../words/say.ts';
import { AdminFrame } from '../admin-frame.tsx';
import { refreshLists } from '../changes.ts';
import { AsOf } from '../lists/as-of.tsx';
import { NothingHere } from '../nothing-here.tsx';
import { tellRefusal, tellSuccess } from '../refusal-toast.ts';
import { RoleGate, useMay } from '../role-gate.tsx';
import { repeatCheck } from '../role-refusal.ts';
import { listUserTabs } from '../users/list-user-tabs.ts';
import { ActDialog } from './act-dialogs.tsx';
import { InviteForm } from './invite-form.tsx';
import { type Asked, type Listed, TeamTable } from './team-table.tsx';

export function TeamPage() {
  const may = useMay();
  return (
    <AdminFrame
      title={say('Users')}
      tabTitle={say('Team')}
      subTabs={may(listTeam) ? listUserTabs(may) : undefined}
    >
      <RoleGate to={listTeam} otherwise={<NothingHere />}>
        <Card
          title={say('Invite')}
          sub={say(
            'They get a mail with a link to the sign-in page. The role counts from their first sign-in with this address.',
          )}
        >
          <CardBody>
            <InviteForm />
          </CardBody>
        </Card>
        <TeamCard />
      </RoleGate>
    </AdminFrame>
  );
}

function TeamCard() {
  const session = useSession();
  const own = session.status === 'signed-in' ? session.email : '';
  const query = useQuery(queryOf(listTeam));
  const { asked, setAsked, busy, confirm } = useAct(own);
  return (
    <Card title={say('Team')} action={<AsOf query={query} of={['team']} />}>
      {query.isPending && (
        <RowsLoading>
          <StatusLine>{say('Loading the team...')}</StatusLine>
        </RowsLoading>
      )}
      {query.isError && (
        <CardBody>
          <LoadError words={say('We could not load the team.')} onRetry={() => void query.refetch()} />
        </CardBody>
      )}
      {query.isSuccess && (
        <TeamTable team={query.data.filter(hasRole)} own={own} busy={query.isFetching} onAsk={setAsked} />
      )}
      {asked && (
        <ActDialog
          asked={asked}
          isOwn={asked.member.email === own}
          busy={busy}
          onCancel={() => setAsked(null)}
          onConfirm={(send, done) => void confirm(send, done)}
        />
      )}
    </Card>
  );
}

/** State of the act that waits for confirmation. `confirm` makes the call and shows the member as it is now. */
function useAct(own: string) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [busy, setBusy] = useState(false);
  const confirm = async (send: () => Promise<TeamMember>, done: string) => {
    setBusy(true);
    try {
      const member = await send();
      // Closes the dialog first: the browser then returns the focus to the pressed control. If this control goes away
      // with the change, the main content gets the focus.
      flushSync(() => setAsked(null));
      if (asked?.act !== 'role') focusMain();
      replaceMember(member);
      tellSuccess(done);
      refreshLists('users');
      if (member.email === own) await repeatCheck();
    } catch (error) {
      setAsked(null);
      tellRefusal(error, say('Failed to change the team'));
      refreshLists('team');
    } finally {
      setBusy(false);
    }
  };
  return { asked, setAsked, busy, confirm };
}

/** Replaces a member in the list. The row keeps its place until the list is loaded again, so that it stays in view. */
function replaceMember(member: TeamMember): void {
  queryClient.setQueryData(queryOf(listTeam).queryKey, (team) =>
    team?.map((each) => (each.user_id === member.user_id ? member : each)),
  );
}

function hasRole(member: TeamMember): member is Listed {
  return member.team_role !== null;
}
