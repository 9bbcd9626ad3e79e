// A call that changes the selected members of a cohort, or all members.
import type { CohortRecord } from '@portal/contract';
import { refreshLists } from '../changes.ts';
import { useJobAddress } from '../jobs/job-address.ts';
import { sayChanged } from '../people-acts/people-words.ts';
import { usePeopleCount } from '../people-acts/use-people-count.ts';
import type { PeopleSelection } from '../people-acts/use-selection.ts';
import { tellSuccess } from '../refusal-toast.ts';
import { useConfirmedCount } from '../uploads/use-confirmed-count.ts';

export type MembersActProps = {
  cohort: CohortRecord;
  selection: PeopleSelection;
  /** The search of the list; '' without a search. */
  q: string;
  /** True if the search finds more people than the list has counted. */
  isMore: boolean;
  onClose: () => void;
};

/** The fields of a call that name the people. */
type Whom = { emails: string[] | 'all'; expected: number; q?: string };
type MembersOrder = { failed: string; act: 'leave' | 'move' };

/**
 * Returns the state of `useConfirmedCount`, and `run`, which makes the call `send`. `send` returns the number of changed
 * people, or the id of the job that changes all members. `holding` is the number of the people who hold a code; null until
 * it is there.
 */
export function useMembersAct(
  { cohort, selection, q, isMore, onClose }: MembersActProps,
  { act, failed }: MembersOrder,
) {
  const { isAll, count, emails, end } = selection;
  const { cohort_id } = cohort;
  const isWhole = isAll && q === '';
  const { exact, isCounting } = usePeopleCount(
    isWhole ? null : { cohort_id, ...(isAll ? { filter: { cohort_id, q } } : { emails }) },
  );
  const found = isAll && isMore && exact ? exact.people : count;
  const counted = useConfirmedCount(isWhole ? cohort.members : found, failed, { of: 'users' });
  const { follow } = useJobAddress();
  const run = (send: (whom: Whom) => Promise<number | { job_id: string }>) =>
    counted.confirm(async () => {
      const search = isAll && q !== '' ? { q } : {};
      const done = await send({ emails: isAll ? 'all' : emails, expected: counted.count, ...search });
      onClose();
      end();
      if (typeof done === 'object') follow(done.job_id);
      else {
        tellSuccess(sayChanged(act, done, emails.length - done));
        refreshLists('users');
      }
    });
  return {
    ...counted,
    run,
    isCounting,
    holding: isWhole ? cohort.holding : (exact?.holding ?? null),
  };
}
