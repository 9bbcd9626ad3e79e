// Dialog that removes the selected people of the Users page from the cohort by which the list is filtered (N-113).
import type { CohortName } from '@portal/contract';
import { say } from '../../../words/say.ts';
import { LeaveDialog } from './leave-dialog.tsx';
import { type UsersActProps, useUsersAct } from './use-users-act.ts';

export function UsersLeaveDialog({ cohort, ...props }: UsersActProps & { cohort: CohortName }) {
  const { cohort_id } = cohort;
  const { start, holding, ...counted } = useUsersAct(props, say('Failed to remove the people'), cohort_id);
  return (
    <LeaveDialog
      cohort={cohort}
      holding={holding}
      counted={counted}
      onConfirm={() => start({ act: 'leave', cohort_id })}
      onClose={props.onClose}
    />
  );
}
