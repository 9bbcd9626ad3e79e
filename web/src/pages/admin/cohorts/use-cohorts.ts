// Loads the cohorts, for the table of cohorts and for selects.
import type { Cohort } from '@portal/contract';
import { listCohorts } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { queryOf } from '../../../queries.ts';

/** Returns the query for the cohorts that are not archived, and these cohorts as options of a select. */
export function useCohorts() {
  const query = useQuery(queryOf(listCohorts));
  const options = (query.data ?? []).map(({ cohort_id, name }) => ({ value: cohort_id, label: name }));
  return { query, options };
}

export function useArchivedCohorts() {
  return useQuery<Cohort[]>({ queryKey: [`${listCohorts.path}?archived=true`] });
}
