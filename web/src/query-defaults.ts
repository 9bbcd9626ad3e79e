// How server data is read and kept, whoever does the reading (R-CACHE-01 to R-CACHE-09).
import type { DefaultOptions, QueryFunctionContext } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

/** What a query does with a 401: throw it, or answer null. */
export type On401 = 'throw' | 'null';

/** A query that hands the key's first element to `get`. */
export function makeQueryFunction(on401: On401, get: (path: string) => Promise<unknown>) {
  return async ({ queryKey }: Pick<QueryFunctionContext, 'queryKey'>): Promise<unknown> => {
    try {
      return await get(String(queryKey[0]));
    } catch (error) {
      if (on401 === 'null' && error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  };
}

/** Never stale, no refetch on focus, no polling, no retry. Offline is an error to show, not a pause. */
export const queryDefaults = {
  queries: {
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchInterval: false,
    retry: false,
    networkMode: 'always',
  },
  mutations: { retry: false, networkMode: 'always' },
} satisfies DefaultOptions;
