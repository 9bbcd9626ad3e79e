// Server data for all pages: one cache, filled by the one door to the API.
import type { Endpoint, Product, ReplyOf } from '@portal/contract';
import { QueryClient, queryOptions } from '@tanstack/react-query';
import { read } from './api.ts';
import { isNotFound } from './api-error.ts';
import { type Call, getProduct, pathOf } from './calls.ts';
import { makeQueryFunction, type On401, queryDefaults } from './query-defaults.ts';

/** The default query: GET to the key's first element, the body read as JSON. */
export function queryFunction(on401: On401 = 'throw') {
  return makeQueryFunction(on401, read);
}

/** An empty cache. The browser keeps the one below; the server takes one for each page. */
export function createQueries(): QueryClient {
  const queries = { ...queryDefaults.queries, queryFn: queryFunction() };
  return new QueryClient({ defaultOptions: { ...queryDefaults, queries } });
}

export const queryClient = createQueries();

/** A query of a GET call. `owner` keeps one person's data apart from the next one's. */
export function queryOf<E extends Endpoint>(of: Call<E>, params?: Record<string, string>, owner?: string) {
  const queryKey = owner ? [pathOf(of, params), owner] : [pathOf(of, params)];
  return queryOptions<ReplyOf<E>>({ queryKey });
}

/** The query of a product; null when there is none, which is an answer and no failure. */
export function productQuery(id: string) {
  const query = queryOf(getProduct, { id });
  const queryFn = async (): Promise<Product | null> => {
    try {
      return (await read(query.queryKey[0] as string)) as Product;
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  };
  return queryOptions({ queryKey: query.queryKey as readonly unknown[], queryFn });
}
