// Reads and caches data of the server (R-CACHE-01 to R-CACHE-09), and has the hooks for session and user.
import type { PageData, Product, ReplyOf, SessionUser } from '@portal/contract';
import type { DefaultOptions, QueryFunctionContext } from '@tanstack/react-query';
import { QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, useContext, useState, useSyncExternalStore } from 'react';
import { ApiError, type Call, getProduct, getSessionUser, isNotFound, pathOf, read } from './api.ts';
import { getSessionState, LOADING, type SessionState, subscribeToSession } from './auth.ts';
import { productIdAt } from './navigation.ts';

/** Returns a query function that calls `get` with the first element of the query key. `on401`: the result of a 401. */
export function makeQueryFunction(
  on401: 'throw' | 'null' = 'throw',
  get: (path: string) => Promise<unknown> = read,
) {
  return async ({ queryKey }: Pick<QueryFunctionContext, 'queryKey'>): Promise<unknown> => {
    try {
      return await get(String(queryKey[0]));
    } catch (error) {
      if (on401 === 'null' && error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  };
}

/** With network mode 'always', a query without a connection fails; by default, it would be paused. */
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

/** The browser uses `queryClient`; the server creates a new cache for each page that it renders. */
export function createQueries(): QueryClient {
  const queries = { ...queryDefaults.queries, queryFn: makeQueryFunction() };
  return new QueryClient({ defaultOptions: { ...queryDefaults, queries } });
}

export const queryClient = createQueries();

/** Returns the query options of a GET call. `owner` separates the cached data of different users. */
export function queryOf<C extends Call>(of: C, params?: Record<string, string>, owner?: string) {
  const queryKey = owner ? [pathOf(of, params), owner] : [pathOf(of, params)];
  return queryOptions<ReplyOf<C>>({ queryKey });
}

/** Makes a GET call even if its reply is cached, and caches the new reply. */
export function fetchNow<C extends Call>(of: C, params?: Record<string, string>): Promise<ReplyOf<C>> {
  return queryClient.fetchQuery({ ...queryOf(of, params), staleTime: 0 });
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

/** The session state that the server assumed when it rendered the page. */
export const RenderedFor = createContext(LOADING);

export function useSession(): SessionState {
  const rendered = useContext(RenderedFor);
  return useSyncExternalStore(subscribeToSession, getSessionState, () => rendered);
}

/** Fetches the current user from the server, with one retry. The data is null after a 401 (R-CACHE-07, A-11). */
export function useCurrentUser() {
  const session = useSession();
  const userId = session.status === 'signed-in' ? session.userId : undefined;
  return useQuery({ ...currentUserQuery(userId), enabled: userId !== undefined });
}

export function currentUserQuery(userId: string | undefined) {
  const queryFn = makeQueryFunction('null') as () => Promise<never>;
  return { ...queryOf(getSessionUser, {}, userId), queryFn, retry: 1 };
}

/**
 * Returns true if the current user is a member of the team. Shares the header's request for the user. False if nobody is
 * signed in, or if the request fails.
 */
export async function fetchIsMember(): Promise<boolean> {
  const session = getSessionState();
  if (session.status !== 'signed-in') return false;
  const user: SessionUser | null = await queryClient
    .fetchQuery(currentUserQuery(session.userId))
    .catch(() => null);
  return Boolean(user?.team_role);
}

type Query = { isPending: boolean; isError: boolean; refetch: () => Promise<unknown> };

/** Returns `failed`: whether the page must show the error and its retry button, also during the retry (`busy`). */
export function useRetry(query: Query) {
  const [tried, setTried] = useState(false);
  return {
    failed: query.isError || (tried && query.isPending),
    busy: tried && query.isPending,
    onRetry: () => {
      setTried(true);
      void query.refetch();
    },
  };
}
