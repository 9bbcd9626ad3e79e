// React hooks for the session and the current user.
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useSyncExternalStore } from 'react';
import { getSessionState, subscribeToSession } from '../auth.ts';
import { getSessionUser } from '../calls.ts';
import { queryFunction, queryOf } from '../queries.ts';
import { LOADING, type SessionState } from '../session-state.ts';

/** The session state that the server assumed when it rendered the page. */
export const RenderedFor = createContext(LOADING);

/** Returns the session. The component is rendered again if the session changes. */
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

/** Returns the query options for `useCurrentUser`. */
export function currentUserQuery(userId: string | undefined) {
  const queryFn = queryFunction('null') as () => Promise<never>;
  return { ...queryOf(getSessionUser, {}, userId), queryFn, retry: 1 };
}
