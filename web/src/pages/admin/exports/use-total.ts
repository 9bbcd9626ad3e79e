// The number of rows of a list, without its rows.
import { useQuery } from '@tanstack/react-query';
import { readPage } from '../../../admin-api.ts';

/** Returns the number of rows of the list `path` without a filter; undefined until it is known, or if `enabled` is false. */
export function useTotal(path: string, enabled: boolean): number | undefined {
  const address = `${path}?limit=1`;
  const { data } = useQuery({
    queryKey: [address],
    queryFn: async () => (await readPage(address)).total,
    enabled,
  });
  return enabled ? data : undefined;
}
