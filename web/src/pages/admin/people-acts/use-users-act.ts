// The call that changes the selected people of the Users page.
import type { BodyOf, actOnUsers as contractCall } from '@portal/contract';
import { call } from '../../../api.ts';
import { actOnUsers } from '../../../cohort-calls.ts';
import { useConfirmedCount } from '../uploads/use-confirmed-count.ts';

/** The people to change: those with the addresses, or, if `filter` is set, all whom the filters select. */
export type SelectedPeople = {
  count: number;
  emails: string[];
  filter: Record<string, string> | null;
};

export type UsersActProps = {
  people: SelectedPeople;
  /** Called with the id of the job, after the server has started the act. */
  onStarted: (job: string) => void;
  onClose: () => void;
};

type Act = Omit<BodyOf<typeof contractCall>, 'filter' | 'emails' | 'expected'>;

/** Returns the state of `useConfirmedCount`, and `start`, which makes the call. */
export function useUsersAct({ people, onStarted }: UsersActProps, failed: string) {
  const confirmed = useConfirmedCount(people.count, failed, { of: 'users' });
  const { filter, emails } = people;
  const start = (act: Act) =>
    confirmed.confirm(async () => {
      const body = { ...act, ...(filter === null ? { emails } : { filter }), expected: confirmed.count };
      onStarted((await call(actOnUsers, { body })).job_id);
    });
  return { ...confirmed, start };
}
