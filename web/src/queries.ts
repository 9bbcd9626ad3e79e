// How server data is cached, set once for all pages (R-CACHE-01 to R-CACHE-09).
import type { Endpoint, ReplyOf } from '@portal/contract';
import {
  type DefaultOptions,
  QueryClient,
  type QueryFunctionContext,
  queryOptions,
} from '@tanstack/react-query';
import { read } from './api.ts';
import { ApiError } from './api-error.ts';
import { type Call, pathOf } from './calls.ts';

/** What a query does with a 401: throw it, or answer null. */
export type On401 = 'throw' | 'null';

/** The default query: GET to the key's first element, the body read as JSON. */
export function queryFunction(on401: On401 = 'throw', get: (path: string) => Promise<unknown> = read) {
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
export const queryDefaults: DefaultOptions = {
  queries: {
    queryFn: queryFunction(),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchInterval: false,
    retry: false,
    networkMode: 'always',
  },
  mutations: { retry: false, networkMode: 'always' },
};

export const queryClient = new QueryClient({ defaultOptions: queryDefaults });

/** A query of a GET call. `owner` keeps one person's data apart from the next one's. */
export function queryOf<E extends Endpoint>(of: Call<E>, params?: Record<string, string>, owner?: string) {
  const queryKey = owner ? [pathOf(of, params), owner] : [pathOf(of, params)];
  return queryOptions<ReplyOf<E>>({ queryKey });
}
