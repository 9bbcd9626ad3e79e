// Dialog that removes the selected people of the Users page from the cohort by which the list is filtered (N-113).
import type { CohortName } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { getCohort } from '../../../cohort-calls.ts';
import { queryOf } from '../../../queries.ts';
import { say } from '../../../words/say.ts';
import { LeaveDialog } from './leave-dialog.tsx';
import { type UsersActProps, useUsersAct } from './use-users-act.ts';

type UsersLeaveDialogProps = UsersActProps & {
  cohort: CohortName;
  /** True if the people are all members of the cohort. */
  isWhole: boolean;
};

export function UsersLeaveDialog({ cohort, isWhole, ...props }: UsersLeaveDialogProps) {
  const { cohort_id } = cohort;
  const { data } = useQuery({ ...queryOf(getCohort, { id: cohort_id }), enabled: isWhole });
  const { start, ...counted } = useUsersAct(props, say('Failed to remove the people'));
  return (
    <LeaveDialog
      cohort={cohort}
      holding={data?.holding ?? null}
      counted={counted}
      onConfirm={() => start({ act: 'leave', cohort_id })}
      onClose={props.onClose}
    />
  );
}
