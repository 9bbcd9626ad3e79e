// Defaults for reading and caching server data (R-CACHE-01 to R-CACHE-09).
import type { DefaultOptions, QueryFunctionContext } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

/** Behaviour of a query after a 401: the query throws, or it returns null. */
export type On401 = 'throw' | 'null';

/** Returns a query function that calls `get` with the first element of the query key. */
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

/**
 * Cached data never becomes stale. Queries neither poll nor retry, nor fetch again when the window gets the focus. With
 * network mode 'always', a query without a connection fails. By default, the query would be paused.
 */
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
