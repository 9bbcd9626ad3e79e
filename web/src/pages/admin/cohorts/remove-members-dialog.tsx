// Dialog that removes selected members, or all, from a cohort (R-COHORT-22).

import { removeMembers } from '@portal/contract';
import { call } from '../../../api.ts';
import { say } from '../../../words/say.ts';
import { LeaveDialog } from '../people-acts/leave-dialog.tsx';
import { type MembersActProps, useMembersAct } from './use-members-act.ts';

export function RemoveMembersDialog(props: MembersActProps) {
  const { cohort, onClose } = props;
  const { run, holding, ...counted } = useMembersAct(props, {
    act: 'leave',
    failed: say('Failed to remove the people'),
  });
  const remove = () =>
    run(async (body) => {
      const reply = await call(removeMembers, { params: { id: cohort.cohort_id }, body });
      return 'removed' in reply ? reply.removed : reply;
    });
  return (
    <LeaveDialog cohort={cohort} holding={holding} counted={counted} onConfirm={remove} onClose={onClose} />
  );
}
