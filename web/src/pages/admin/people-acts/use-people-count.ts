// The exact number of the people of a dialog, and how many of them hold a code (C-6, R-COHORT-22).
import { type BodyOf, countPeople, type ReplyOf } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../api.ts';

/** The people to count. Null: nobody has to be counted. */
type Counted = BodyOf<typeof countPeople> | null;

/**
 * Returns the numbers, or undefined until they are there, and `isCounting`, which is false after an error too. The dialog
 * then shows the number that the list has loaded; the server refuses the act if that number is too low.
 */
export function usePeopleCount(people: Counted) {
  const { data, isLoading } = useQuery<ReplyOf<typeof countPeople>>({
    queryKey: [countPeople.path, people],
    queryFn: () => call(countPeople, { body: people ?? {} }),
    enabled: people !== null,
    // The result is not kept: each dialog asks for the current number.
    gcTime: 0,
  });
  return { exact: data, isCounting: isLoading };
}
