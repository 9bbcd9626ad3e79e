// The call that changes the selected people of the Users page.
import { actOnUsers, type BodyOf } from '@portal/contract';
import { call } from '../../../api.ts';
import { useConfirmedCount } from '../uploads/use-confirmed-count.ts';
import { usePeopleCount } from './use-people-count.ts';

/** The people to change: those with the addresses, or, if `filter` is set, all whom the filters select. */
export type SelectedPeople = {
  count: number;
  emails: string[];
  filter: Record<string, string> | null;
  /** True if there are more people than `count`. */
  isMore: boolean;
};

export type UsersActProps = {
  people: SelectedPeople;
  /** Called with the id of the job, after the server has started the act. */
  onStarted: (job: string) => void;
  onClose: () => void;
};

type Act = Omit<BodyOf<typeof actOnUsers>, 'filter' | 'emails' | 'expected'>;

/**
 * Returns the state of `useConfirmedCount`, `start`, which makes the call, `isCounting`, which is true while the act waits
 * for the numbers, and `holding`. Counts the people exactly if the
 * list did not. `holding` of them hold a code that the cohort `leaving` gives; null without this parameter, and until the
 * number is there.
 */
export function useUsersAct({ people, onStarted }: UsersActProps, failed: string, leaving?: string) {
  const { filter, emails, isMore } = people;
  const whom = filter === null ? { emails } : { filter };
  const { exact, isCounting } = usePeopleCount(
    isMore || leaving !== undefined ? { ...whom, ...(leaving && { cohort_id: leaving }) } : null,
  );
  const shown = isMore && exact ? exact.people : people.count;
  const confirmed = useConfirmedCount(shown, failed, { of: 'users' });
  const start = (act: Act) =>
    confirmed.confirm(async () => {
      onStarted((await call(actOnUsers, { body: { ...act, ...whom, expected: confirmed.count } })).job_id);
    });
  return { ...confirmed, isCounting, start, holding: exact?.holding ?? null };
}
