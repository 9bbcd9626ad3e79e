// The query cache for server data. All queries read through api.ts.
import type { PageData, Product, ReplyOf } from '@portal/contract';
import { QueryClient, queryOptions } from '@tanstack/react-query';
import { read } from './api.ts';
import { isNotFound } from './api-error.ts';
import { type Call, getProduct, pathOf } from './calls.ts';
import { productIdAt } from './parts/product-id.ts';
import { makeQueryFunction, type On401, queryDefaults } from './query-defaults.ts';

/**
 * Returns a query function. It makes a GET request to the path in the first element of the query key, and returns the
 * JSON body.
 */
export function queryFunction(on401: On401 = 'throw') {
  return makeQueryFunction(on401, read);
}

/**
 * Creates an empty cache. The browser uses `queryClient`; the server creates a new cache for each page that it renders.
 */
export function createQueries(): QueryClient {
  const queries = { ...queryDefaults.queries, queryFn: queryFunction() };
  return new QueryClient({ defaultOptions: { ...queryDefaults, queries } });
}

export const queryClient = createQueries();

/** Returns the query options of a GET call. `owner` separates the cached data of different users. */
export function queryOf<C extends Call>(of: C, params?: Record<string, string>, owner?: string) {
  const queryKey = owner ? [pathOf(of, params), owner] : [pathOf(of, params)];
  return queryOptions<ReplyOf<C>>({ queryKey });
}

/** Returns the query options of a product. After a 404 the query's data is null; the query does not fail. */
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

/** Stores the data of the page at `path` in the query cache. */
export function keepPageData(queries: QueryClient, path: string, { product }: PageData): void {
  const id = productIdAt(path);
  if (id !== null && product !== undefined) queries.setQueryData(productQuery(id).queryKey, product);
}
