// Defaults for reading and caching server data (R-CACHE-01 to R-CACHE-09).
import type { DefaultOptions, QueryFunctionContext } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

/** Whether a query throws on a 401 or returns null. */
export type On401 = 'throw' | 'null';

/** Returns a query function that calls `get` with the key's first element. */
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
 * Never stale, no refetch on focus, no polling, no retry. With network mode 'always' a query without a connection fails
 * instead of being paused.
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
