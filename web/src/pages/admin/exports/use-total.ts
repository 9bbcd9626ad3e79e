// The number of rows of a list without a filter, and one of the rows. One request, whichever of both is asked for.
import { useQuery } from '@tanstack/react-query';
import { readPage } from '../../../admin-api.ts';

/** Returns the number of rows of the list `path` without a filter; undefined until it is known, or if `enabled` is false. */
export function useTotal(path: string, enabled: boolean): number | undefined {
  return useSmallestPage(path, enabled)?.total;
}

/** Returns a row of the list `path` without a filter; undefined as with `useTotal`, or if the list is empty. */
export function useAnyRow<Row>(path: string, enabled: boolean): Row | undefined {
  return useSmallestPage<Row>(path, enabled)?.rows[0];
}

function useSmallestPage<Row>(path: string, enabled: boolean) {
  const address = `${path}?limit=1`;
  const { data } = useQuery({ queryKey: [address], queryFn: () => readPage<Row>(address), enabled });
  return enabled ? data : undefined;
}
