// Server data for all pages: one cache, filled by the one door to the API.
import type { Endpoint, ReplyOf } from '@portal/contract';
import { QueryClient, queryOptions } from '@tanstack/react-query';
import { read } from './api.ts';
import { type Call, pathOf } from './calls.ts';
import { makeQueryFunction, type On401, queryDefaults } from './query-defaults.ts';

/** The default query: GET to the key's first element, the body read as JSON. */
export function queryFunction(on401: On401 = 'throw') {
  return makeQueryFunction(on401, read);
}

export const queryClient = new QueryClient({
  defaultOptions: { ...queryDefaults, queries: { ...queryDefaults.queries, queryFn: queryFunction() } },
});

/** A query of a GET call. `owner` keeps one person's data apart from the next one's. */
export function queryOf<E extends Endpoint>(of: Call<E>, params?: Record<string, string>, owner?: string) {
  const queryKey = owner ? [pathOf(of, params), owner] : [pathOf(of, params)];
  return queryOptions<ReplyOf<E>>({ queryKey });
}
